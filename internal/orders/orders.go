// Package orders says what a sentence asks of an agent: to do something with the work at hand
// now ([Now]), or how to work from now on ([Rule]). The first is over when it is done, and
// states nothing of its writer; the second holds until it is taken back.
//
// It goes by the form of the sentence, in English, German, Spanish and Chinese, by the tables
// in forms/*.txt, and errs towards neither: what a form does not fit is left to the models of
// package intent, which are fitted to lives, and so to what people buy, eat and plan rather
// than to what they have done by an agent.
//
// A table has a line for each expression, "name = expression", where {name} stands for an
// earlier one, and what follows " !! " must not match. These are read:
//
//	open     words in front of a clause that say nothing: "ok, now", "can you"
//	order    a clause that orders work on something at hand
//	finding  one that reports what the work shows, or wants of it
//	follow   one that only says which: "no, the other one"
//	beside   one that says more of that thing: "it's too long"
//	life     words for the writer's life, and for other people
//	stays    words of what is so again and again: "always", "every Monday"
//	rule     a sentence that says how to work from now on
//	fleeting words of a day, with which no such sentence holds
//	limit    words that bound a wish to a task, a session or a time
//	bare     a clause that orders work and names nothing but the work
//	task     the beginning of a message that gives an agent its kind: "You are a research agent"
//	role     one that gives it any role or task
//	self     words for the writer
//	owner    a statement of the writer about themselves, which no agent makes: "I'm a nurse"
//	praise   words of one who speaks to the assistant, in the sentence that gives the role
//	place    words for the project that is worked on, and for those who work on it
//	apart    words of what is so in every project, or is the writer's life
package orders

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/prefilter"
)

// Kind is what a sentence asks for.
type Kind int

// The kinds.
const (
	None Kind = iota
	Now       // to do something at once: "run the linter on src/api/client.ts"
	Rule      // to work in some way from now on: "never force push to main"
)

// longest is the number of runes from which a sentence is more than an order.
const longest = 240

// Of returns what a sentence asks for.
func Of(sentence string) Kind {
	sentence = withoutAcute.Replace(strings.TrimSpace(sentence))
	if utf8.RuneCountInString(sentence) > longest {
		return None
	}
	for _, l := range of(sentence) {
		if kind := l.of(sentence); kind != None {
			return kind
		}
	}
	return None
}

// Bare reports whether a message orders work and names nothing of its writer: "commit", "run
// the tests", "show me the diff".
func Bare(message string) bool {
	message = withoutAcute.Replace(strings.Trim(message, " .!?。！？¿¡"))
	if utf8.RuneCountInString(message) > longest {
		return false
	}
	for _, l := range of(message) {
		if l.is("bare", l.opened(message)) && !l.isRule(message) && !l.is("life", message) && !l.is("stays", message) {
			return true
		}
	}
	return false
}

// Task reports whether a message reads like a task that an agent hands to another, and so says
// nothing of a user. It begins with the kind of agent that the reader is ("You are a research
// agent"), or with any role or task if nothing of it is in the first person or of somebody's life:
// "You are an expert nutritionist. I am vegetarian" is of a user. So is what begins with an
// exclamation, a question or praise, and what says who "I" is.
func Task(message string) bool {
	message = withoutAcute.Replace(message)
	first := firstSentence.FindStringSubmatch(message)[1]
	if strings.ContainsAny(first, "!?！？") {
		return false
	}
	for _, l := range of(message) {
		if l.is("self", first) || l.is("praise", first) || l.is("owner", message) {
			return false
		}
	}
	for _, l := range of(message) {
		if l.is("task", message) || l.is("role", message) && !l.is("self", message) && (!l.is("life", message) || l.demands(message)) {
			return true
		}
	}
	return false
}

// demands reports whether a message says how to answer or work.
func (l *language) demands(message string) bool {
	return l.is("stays", message) || slices.ContainsFunc(clauseEnd.Split(message, -1), func(clause string) bool {
		return l.is("bound", clause) || l.isRule(clause)
	})
}

// firstSentence captures that of a message, without a heading.
var firstSentence = regexp.MustCompile(`^` + heading + `([^.!?。！？\n]*[.!?。！？]?)`)

// Here reports whether a sentence that is written in a project is about it: "we use tabs here",
// but not "in all our repos we use tabs", nor "I moved to Oslo, we use oat milk now".
func Here(sentence string) bool {
	sentence = withoutAcute.Replace(sentence)
	return slices.ContainsFunc(of(sentence), func(l *language) bool { return l.is("place", sentence) && !l.is("apart", sentence) })
}

// Limited reports whether a sentence is bounded to a task, a session or a time: "answer in
// German in this session".
func Limited(sentence string) bool {
	sentence = withoutAcute.Replace(sentence)
	for _, l := range of(sentence) {
		if l.is("limit", sentence) {
			return true
		}
	}
	return false
}

// language holds the forms of a language by name, and what may open a clause.
type language struct {
	forms map[string][]form
	open  *regexp.Regexp
}

// form is an expression and one that a text must not match besides, nil for none.
type form struct{ is, unless *prefilter.Regexp }

func (l *language) is(name, s string) bool {
	return slices.ContainsFunc(l.forms[name], func(f form) bool {
		return f.is.MatchString(s) && (f.unless == nil || !f.unless.MatchString(s))
	})
}

func (l *language) of(sentence string) Kind {
	limited := l.is("limit", sentence)
	if !limited && l.isRule(sentence) {
		return Rule
	}
	if l.is("life", sentence) || l.is("stays", sentence) {
		return None
	}
	orders := false
	for _, clause := range clauseEnd.Split(sentence, -1) {
		clause = strings.Trim(clause, " .!?。！？¿¡…")
		switch opened := l.opened(clause); {
		case opened == "":
		case l.is("order", opened), l.is("finding", opened), l.is("follow", opened), l.is("follow", clause), limited && l.is("bound", opened):
			orders = true
		case l.is("beside", opened), l.is("beside", clause):
		default:
			return None
		}
	}
	if orders {
		return Now
	}
	return None
}

// isRule reports whether a sentence says how to work from now on.
func (l *language) isRule(sentence string) bool {
	return !strings.ContainsAny(sentence, "?？") && (l.is("rule", sentence) || l.is("rule", l.opened(sentence))) && !l.is("fleeting", sentence)
}

// opened returns a clause without what opens it.
func (l *language) opened(clause string) string {
	for {
		at := l.open.FindStringIndex(clause)
		if at == nil || at[1] == 0 {
			return clause
		}
		clause = clause[at[1]:]
	}
}

// withoutAcute removes the acute accents of Spanish, which verbs get before a pronoun, "ordénalo",
// and writers leave out.
var withoutAcute = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "Á", "A", "É", "E", "Í", "I", "Ó", "O", "Ú", "U")

// clauseEnd matches what separates clauses.
var clauseEnd = regexp.MustCompile(`[,;:]\s+|[，；：、。！？]\s*|[.!?…]+\s+|\s+[-–—]+\s+`)

//go:embed forms/*.txt
var files embed.FS

// of returns the languages that a text may be in.
func of(s string) []*language {
	all := languages()
	if chinese := len(all) - 1; strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return all[chinese:]
	} else {
		return all[:chinese]
	}
}

// languages returns the languages, Chinese last, read on first use.
var languages = sync.OnceValue(func() (all []*language) {
	for _, name := range []string{"en", "de", "es", "zh"} {
		table, err := files.ReadFile("forms/" + name + ".txt")
		if err != nil {
			panic(err)
		}
		all = append(all, read(withoutAcute.Replace(string(table))))
	}
	return all
})

// read compiles a table. Of the lines of one name each is a form of its own, but as {name} they
// are alternatives.
func read(table string) *language {
	of, l := make(map[string]string), &language{forms: make(map[string][]form)}
	for line := range strings.Lines(table) {
		name, expr, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		expr = macro.ReplaceAllStringFunc(expr, func(m string) string { return "(?:" + of[m[1:len(m)-1]] + ")" })
		expr, unless, _ := strings.Cut(expr, " !! ")
		of[name] = strings.TrimPrefix(of[name]+"|"+expr, "|")
		around := expressions[name]
		if around == "" {
			continue
		}
		f := form{is: prefilter.New(strings.Replace(around, "_", expr, 1))}
		if unless != "" {
			f.unless = prefilter.New("(?i)" + unless)
		}
		l.forms[name] = append(l.forms[name], f)
	}
	l.open = regexp.MustCompile(`^(?i:` + of["open"] + `)[\s,:!.，。！]*`)
	return l
}

// macro matches the name of an earlier expression.
var macro = regexp.MustCompile(`\{[a-z]+\}`)

// heading matches what may stand before a message, and begins is its beginning.
const (
	heading = `[\s#*>\[]*(?i:(?:role|system(?: prompt)?|rolle|rol|角色)[\s:：*\]]+)?`
	begins  = `^` + heading + `(?i:_)`
)

// expressions are those that texts are compared with, "_" for the expression of a table.
var expressions = map[string]string{
	"order": `^(?i:_)`, "finding": `^(?i:_)`, "follow": `^(?i:_)$`, "beside": `^(?i:_)`, "bound": `^(?i:_)`, "rule": `^(?i:_)`, "bare": `^(?i:_)$`,
	"task": begins, "role": begins, "self": `(?i:_)`, "owner": `(?i:_)`, "praise": `(?i:_)`, "place": `(?i:_)`, "apart": `(?i:_)`,
	"life": `(?i:_)`, "stays": `(?i:_)`, "fleeting": `(?i:_)`, "limit": `(?i:_)`,
}
