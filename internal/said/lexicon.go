package said

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// termFlags are flags that adverbs and other function words set on a clause.
type termFlags uint16

const (
	flagNot    termFlags = 1 << iota // not, never
	flagNew                          // now, these days, from now on
	flagEnds                         // no longer, any more
	flagHabit                        // usually, every
	flagAlso                         // also, another
	flagAlways                       // always: a wish is permanent
	flagPlease
)

// phrase is a sequence of words and the flags it sets.
type phrase struct {
	words []string
	flags termFlags
}

// phrases maps a first word to its phrases, longest first.
type phrases map[string][]phrase

func (p *phrases) add(words string, s termFlags) {
	if *p == nil {
		*p = make(phrases)
	}
	for _, w := range strings.Fields(words) {
		seq := sequence(w)
		(*p)[seq[0]] = append((*p)[seq[0]], phrase{seq, s})
		slices.SortStableFunc((*p)[seq[0]], func(a, b phrase) int { return len(b.words) - len(a.words) })
	}
}

func phrasesOf(words string) (p phrases) {
	p.add(words, 0)
	return p
}

// at finds the longest phrase that begins at tokens[i]; n is 0 for none.
func (p phrases) at(tokens []token, i int) (n int, s termFlags) {
	if i >= len(tokens) || tokens[i].quoted {
		return 0, 0
	}
next:
	for _, ph := range p[tokens[i].word] {
		if i+len(ph.words) > len(tokens) {
			continue
		}
		for k := 1; k < len(ph.words); k++ {
			if tokens[i+k].word != ph.words[k] {
				continue next
			}
		}
		return len(ph.words), ph.flags
	}
	return 0, 0
}

// in reports whether a phrase begins at tokens[i].
func (p phrases) in(tokens []token, i int) bool {
	n, _ := p.at(tokens, i)
	return n > 0
}

// sequence returns the folded words of a table entry: a_b is two words, and every
// Han character is one.
func sequence(s string) []string {
	var seq []string
	for _, part := range strings.Split(s, "_") {
		word := part
		if rest := []rune(part); len(rest) > 0 && isHan(rest[0]) {
			for _, r := range rest {
				if plain, ok := simplified[string(r)]; ok {
					seq = append(seq, plain)
					continue
				}
				seq = append(seq, string(r))
			}
			continue
		}
		seq = append(seq, foldWord(word))
	}
	return seq
}

// lexicon holds the words and patterns of a language.
type lexicon struct {
	subjects    map[string]bool            // I, we
	possessives map[string]bool            // my, our
	third       map[string]string          // third-person form of a verb to its first-person form
	plural      map[string]string          // plural form of a verb to its first-person singular
	bare        bool                       // verbs need no subject, and plural forms have no other use
	runTogether map[string][2]string       // contractions typed without an apostrophe
	clipped     map[string]string          // colloquial short forms: hab for habe
	reports     phrases                    // verbs of saying: somebody's words follow
	passing     phrases                    // markers of the moment, which make no lasting claim
	verbs       map[string]bool            // actions asked of an assistant
	reasons     phrases                    // begin a clause of reason: because, considering
	nots        phrases                    // after a comma they begin a corrected object: "not Noor"
	repairs     map[string]bool            // begin a correction without a verb
	thirdForms  func(word string) []string // the first-person forms that a regular third-person form may have
	adverbs     phrases                    // may stand anywhere between the elements of a pattern
	openers     phrases                    // may stand before a clause
	keeps       phrases                    // openers that ask to keep the statement after them
	joins       phrases                    // and, but: a clause may begin after them
	prefixes    map[string]bool            // begin an adverbial before the clause
	asks        phrases                    // begin a question
	blocksAll   phrases                    // the whole sentence is no statement
	blocks      phrases                    // the clause is no statement
	ends        phrases                    // an object ends before them
	trails      phrases                    // are stripped from the end of an object
	instead     phrases                    // precede the object that ended: instead of, not
	over        phrases                    // the same, after a preference only: over, to
	notButs     [2]phrases                 // not X but Y
	articles    map[string]bool            // are stripped from the start of an object
	reacts      phrases                    // objects of likes that only react: that, your idea
	vague       map[string]bool            // objects without content: it, this
	timely      map[string]bool            // words of a recurring time: every, Tuesdays, mornings
	olds        map[string]bool            // adjectives of the past: old, former
	news        map[string]bool            // new
	her         map[string]bool            // third-person possessives
	users       phrases                    // "the user"
	pronouns    map[string]bool            // he, she
	parents     map[string]bool            // are the writer's own without a possessive: mama
	of          string                     // joins owner and thing: "el dentista de Elena"
	people      phrases                    // head nouns of occupations that their ending does not show
	belongs     phrases                    // 会员: nouns that look like an occupation but are not
	peopleEnds  []string
	traits      map[string]bool // say what a person is like: strict, ill
	traitEnds   []string        // and the ends of others
	manners     phrases         // how to answer: briefly, short
	units       map[string]bool // of measures, and what they are used for
	extra       string          // further words that identify the language
	han         bool

	maxNoun, maxInner, maxObject int // bounds of a match

	patterns []pattern
	index    map[string][]int
	always   []int
	known    map[string]bool
	literals map[string]bool // the words of the rows
}

// languages are compiled on first use.
var languages = sync.OnceValue(func() []*lexicon {
	all := []*lexicon{english(), german(), spanish(), chinese()}
	for _, l := range all {
		l.finish()
	}
	return all
})

// element is one place of a pattern.
type element struct {
	kind  byte // 'w' words, 'I', 'M' my, 'X', 'Y', 'N', '@' class into N, '#' class into X
	words [][]string
	class class
	opt   bool
}

// pattern is a row of a lexicon.
type pattern struct {
	elements  []element
	predicate string // "$" stands for N
	deny      string // the predicate when it is denied: "likes" and "dislikes"
	subject   string // "" is I, "$" is N
	value     string // the object when the row has no X
	temporal  Temporal
	guard     string
	least     int // the words of the object, if most is not 0
	most      int
	flags     rowFlags
	verb      int // the element that "%" stands for: the one with most words
}

type rowFlags uint16

const (
	functional rowFlags = 1 << iota
	changes
	preference
	wishes
	adds    // several may hold, whatever the adverbs
	negates // its own words are negative: "don't eat X"
	denied  // a negative statement
	deniable
	elides       // the subject may be missing at the start of a sentence
	spoken       // the subject may never be missing
	clear        // accepted in long messages
	own          // no claim where its words do not say whose it is and the message mentions somebody else
	reportedOnly // an agent's wording, not people's
)

// rowFlag are the flags of rows by name.
var rowFlag = map[string]rowFlags{
	"func": functional, "change": changes, "pref": preference, "wish": wishes | preference, "adds": adds, "denied": denied,
	"deniable": deniable, "own": own, "reported": reportedOnly, "elide": elides, "spoken": spoken, "clear": clear,
}

// finish compiles the tables.
func (l *lexicon) finish() {
	l.maxNoun, l.maxInner, l.maxObject = maxNoun, maxInner, maxObject
	if l.han {
		l.maxNoun, l.maxInner, l.maxObject = 8, 16, 24
	}
	l.known, l.literals = make(map[string]bool), make(map[string]bool)
	l.index = make(map[string][]int)
	know := func(p phrases) {
		for w := range p {
			l.known[w] = true
		}
	}
	for i := range l.patterns {
		p := &l.patterns[i]
		key := -1
		for k, e := range p.elements {
			if e.kind != 'w' {
				continue
			}
			if v := p.elements[p.verb]; v.kind != 'w' || len(e.words) > len(v.words) && !l.articles[e.words[0][0]] && !l.prefixes[e.words[0][0]] {
				p.verb = k
			}
			for _, alt := range e.words {
				for _, w := range alt {
					l.known[w], l.literals[w] = true, true
				}
			}
			if n, s := l.adverbs.at([]token{{word: e.words[0][0]}}, 0); !e.opt && n > 0 && s&flagNot != 0 {
				p.flags |= negates
			}
			if !e.opt && usable(e) && (key < 0 || weak[p.elements[key].words[0][0]] && !weak[e.words[0][0]]) {
				key = k
			}
		}
		if key < 0 {
			l.always = append(l.always, i)
			continue
		}
		for _, alt := range p.elements[key].words {
			if at := l.index[alt[0]]; len(at) == 0 || at[len(at)-1] != i {
				l.index[alt[0]] = append(at, i)
			}
		}
	}
	l.subjects[subjectWord], l.possessives[possessiveWord] = true, true
	for _, set := range []map[string]bool{l.subjects, l.possessives, l.prefixes, l.articles, l.her, l.pronouns} {
		for w := range set {
			l.known[w] = true
		}
	}
	if l.thirdForms != nil {
		for _, w := range slices.Sorted(maps.Keys(l.literals)) { // the first of two with one form has it
			for _, form := range l.thirdForms(w) {
				if l.third[form] == "" && !l.known[form] {
					l.third[form] = w
				}
			}
		}
	}
	for w := range l.runTogether {
		l.known[w] = true
	}
	for _, p := range []phrases{l.adverbs, l.openers, l.joins, l.asks, l.ends, l.trails, l.blocks, l.users} {
		know(p)
	}
	for _, w := range strings.Fields(l.extra) {
		l.known[foldWord(w)] = true
	}
}

// usable reports whether a row can be looked up by the words of an element.
func usable(e element) bool {
	for _, alt := range e.words {
		if alt[0] == possessiveWord || alt[0] == subjectWord {
			return false
		}
	}
	return true
}

// weak words are poor keys: most sentences hold them.
var weak = wordSet("am is have a the to in at on with and no not , my bin ist habe in zu mit soy es en de la el tengo a que 是 在 的 有 了")

// rows compiles a table of patterns; see the package documentation.
func rows(table string) []pattern {
	var out []pattern
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		colon := strings.LastIndex(line, " : ")
		if colon < 0 {
			panic("said: row without meaning: " + line)
		}
		form, meaning := line[:colon], line[colon+3:]
		p := pattern{temporal: State}
		for _, part := range strings.Fields(form) {
			p.elements = append(p.elements, elementOf(part))
		}
		parts, front := strings.Fields(meaning), false
		p.predicate = parts[0]
		for _, f := range parts[1:] {
			name, value, _ := strings.Cut(f, "=")
			switch name {
			case "front":
				front = true
			case "deny":
				p.deny = value
			case "subject":
				p.subject = value
			case "value":
				p.value = strings.ReplaceAll(value, "_", " ")
			case "habit", "trait", "event", "plan", "state":
				p.temporal = Temporal(name)
			case "words":
				if _, err := fmt.Sscanf(value, "%d-%d", &p.least, &p.most); err != nil {
					panic("said: no number of words: " + line)
				}
			case "is":
				if guards[value] == nil {
					panic("said: unknown guard " + f + " in: " + line)
				}
				p.guard = value
			default:
				if rowFlag[name] == 0 {
					panic("said: unknown flag " + f + " in: " + line)
				}
				p.flags |= rowFlag[name]
			}
		}
		if out = append(out, p); front {
			p.elements = fronted(p.elements)
			out = append(out, p)
		}
	}
	return out
}

// fronted returns the elements of a German row with the object before the verb: "ich mag
// Lakritz" as "Lakritz mag ich".
func fronted(row []element) []element {
	object := slices.IndexFunc(row, func(e element) bool { return e.kind == 'X' || e.kind == '@' })
	return slices.Concat(row[3:object+1], []element{row[1], {kind: 'I'}}, row[object+1:])
}

// elementOf parses one element of a row.
func elementOf(part string) element {
	opt := strings.HasSuffix(part, "?") && part != "?"
	if opt {
		part = part[:len(part)-1]
	}
	e := element{kind: 'w', opt: opt}
	switch {
	case part == "I" || part == "X" || part == "Y" || part == "Z" || part == "N":
		e.kind = part[0]
	case part == "MY":
		e.kind = 'M'
	case part[0] == '@' || part[0] == '#':
		e.kind = part[0]
		for name := range strings.SplitSeq(part[1:], "|") {
			if classNames[name] == noClass {
				panic("said: unknown class " + part)
			}
			e.class |= classNames[name]
		}
	default:
		for _, alt := range strings.Split(part, "|") {
			switch alt {
			case "MY":
				e.words = append(e.words, []string{possessiveWord})
			case "I":
				e.words = append(e.words, []string{subjectWord})
			default:
				e.words = append(e.words, sequence(alt))
			}
		}
	}
	return e
}

// wordsKnown counts the words that each language knows.
func wordsKnown(tokens []token) (scores [4]int) {
	all := languages()
	for _, t := range tokens {
		if t.mark || t.quoted {
			continue
		}
		for i, l := range all {
			if l.known[t.word] || l.third[t.word] != "" {
				scores[i]++
			}
		}
	}
	return scores
}

// best returns the language with the highest score.
func best(scores [4]int) int {
	b := 0
	for i, n := range scores {
		if n > scores[b] {
			b = i
		}
	}
	return b
}

// toKeep are questions that ask to keep the statement that follows, by language.
var toKeep = [...]string{
	pairs("can_you could_you can_you_please could_you_please", "remember_that remember keep_in_mind_that keep_in_mind bear_in_mind_that bear_in_mind note_that note save_that make_a_note_that"),
	pairs("kannst_du könntest_du können_sie", "dir_merken_,_dass dir_merken_dass dir_bitte_merken_,_dass dir_bitte_merken_dass sich_merken_,_dass daran_denken_,_dass bitte_daran_denken_,_dass"),
	pairs("puedes podrías puede me_puedes", "recordar_que apuntar_que anotar_que guardar_que tener_en_cuenta_que"),
	pairs("能 你能 可以 你可以 能不能 你能不能 可不可以 能否 可否", "记住 帮我记住 记一下 帮我记一下"),
}

// pairs returns each of some phrases before each of others.
func pairs(before, after string) (all string) {
	for b := range strings.FieldsSeq(before) {
		all += " " + b + "_" + strings.ReplaceAll(after, " ", " "+b+"_")
	}
	return all
}
