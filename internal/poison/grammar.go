package poison

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ebbmem/ebb/internal/prefilter"
)

// tongue holds the words of instructions to a model in one language. The forms below
// combine them in the same way for all languages. Words are regular expressions over
// text without accents on Latin letters. An empty entry disables the forms that need it.
type tongue struct {
	// keys are, for each subject, the beginnings of the words around which its
	// forms are tried: every match of a form contains one of them. A beginning has
	// stemLetters, unless the word is shorter. In a script without spaces they may
	// occur anywhere.
	keys  [subjects]string
	words map[string]string
	own   []form // of this language alone
}

// subject is what a form is about.
type subject int

const (
	ofRules  subject = iota // what was said before, and the prompt
	ofUser                  // what to say to the user, or what the user asks
	ofSend                  // sending something
	ofAnswer                // how to answer from now on
	ofModel                 // addressing the model
	subjects = iota
)

// form is one shape of instruction, of words in braces. {,N} is a gap of up to N
// characters within a sentence.
type form struct {
	about  subject
	reason Reason
	expr   string
}

// forms are the shapes that all languages share.
var forms = []form{
	{ofRules, Override, `{ignore}{,40}{prior}{,25}{rules}|{ignore}{,25}{rules}{,25}{prior}|{ignore}{,25}{safety}|{ignore}{,30}{told}|{told}{,12}{ignore}|{stop}{,25}{rules}|{ignore}{,10}{rules}{,8}{given}`},
	{ofRules, Override, `(?:{prior}{,25}{rules}|{rules} {prior}){,20}{void} ?(?:[.;:,!—–-]|$)`},
	{ofModel, Override, `{role}{,60}{agent}|{newrole}`},
	{ofRules, Override, `{unbound}{,30}{rules}|{new}{,4}{rules}{,24}{agent}`},
	{ofUser, Override, `{pretend}{,40}{user}`},
	{ofUser, Override, `{hide}`},
	{ofRules, Markers, `{prompt} ?(?:[:\])=>–—]|-[ >])|{new} ?{prompt}{,30}{void}`},
	{ofRules, Leak, `{reveal}{,40}(?:{prompt}|{secrets})|(?:{prompt}|{secrets}){,25}{reveal}`},
	{ofSend, Leak, `(?:{send}{,60}{talk}|{talk}{,40}{send}){,60}{address}|{talk}{,30}{address}{,20}{send}|{send}{,20}{talk}{,10}{place}|{talk}{send}{,4}{place}`},
	{ofSend, Leak, `{always}{,60}{send}{,60}{address}|{send}{,60}{always}{,60}{address}|{send}{,60}{address}{,40}{always}`},
	{ofUser, Memory, `{remember}{,50}{that}{,40}{user}`},
	{ofRules, Memory, `{memory}`},
	{ofUser, Trigger, `{when}{,16}{user}{,40}{asks}`},
	{ofAnswer, Addressed, `(?:{always}|{clause}){,16}{do}{,40}{each}|(?:{always}|{clause}){,16}{each}{,40}{do}`},
	{ofAnswer, Addressed, `{clause}(?:{always}{,16}{answer}|{answer}{,16}{always}){,40}{fixed}`},
	{ofModel, Addressed, `{ifai}{,24}{do}|{ifmodel}`},
	{ofModel, Addressed, `<!-- ?(?:{to} ?)?{model} ?[:,]|(?:^|[.!?\n:¡] ?){hey},? ?(?:{to} ?)?{model} ?[:!,]`},
	{ofAnswer, Addressed, `(?:{must}{,16}{always}|{always}{,16}{must}){,40}{promote}`},
	{ofAnswer, Addressed, `{when}{,60}{youranswer}`},
	{ofModel, Addressed, `(?:<!-- ?|{clause}(?:(?:{new}|{hidden}) ?)?){note}(?: {hidden})?{,3}{to}{model} ?[:,(]|<!-- ?(?:{new} ?)?{note}{,3}{to}`},
	{ofAnswer, Addressed, `{always},? ?{youanswer}`},
	{ofModel, Addressed, `{reader}|{asai}{,12}{must}`},
	{ofAnswer, Addressed, `{clause}(?:{answer}{,12}{only}{,40}{always}|{always}{,6}{answer}{,6}{only})`},
}

// address matches a destination to send something to, in any language.
const address = `(?:@[\w-]+\.|https?://|\b[\w-]+\.(?:com|org|net|io|example|test|dev|info)\b)`

// clause matches the beginning of a sentence or clause.
const clause = `(?:^|[.!?:;,>"'“„«»(\n。\]-]\s?)`

// rulesOf fills a tongue's words into the forms. The gates of its subjects start at gate.
func rulesOf(t *tongue, gate int) (made []rule) {
	words := []string{"{address}", address, "{clause}", clause}
	for name, expr := range t.words {
		words = append(words, "{"+name+"}", "(?:"+expr+")")
	}
	fill := strings.NewReplacer(words...)
	for _, f := range append(forms, t.own...) {
		// Alternatives that lack a word of this language are left out.
		var ways []string
		for _, way := range topLevel(f.expr) {
			for range 2 { // words may refer to words
				way = fill.Replace(way)
			}
			if way = gaps.ReplaceAllString(way, `[^.!?。\n]{0,$1}`); !missing.MatchString(way) {
				ways = append(ways, way)
			}
		}
		if len(ways) > 0 {
			made = append(made, rule{reason: f.reason, gate: gate + int(f.about), pattern: prefilter.New(strings.Join(ways, "|"))})
		}
	}
	return made
}

var (
	gaps    = regexp.MustCompile(`\{,(\d+)\}`)
	missing = regexp.MustCompile(`\{[a-z]+\}`)
)

// topLevel splits an expression at the bars outside of groups.
func topLevel(expr string) (ways []string) {
	depth, class, from := 0, false, 0
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			ways, from = append(ways, expr[from:i]), i+1
		}
	}
	return append(ways, expr[from:])
}

// tongueRules are the forms in the words of each tongue, compiled when a text first
// holds one of its keys.
var tongueRules = func() (made [len(tongues)]func() []rule) {
	for i := range tongues {
		made[i] = sync.OnceValue(func() []rule { return rulesOf(&tongues[i], gateOf(i, 0)) })
	}
	return made
}()
