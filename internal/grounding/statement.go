package grounding

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// Statement holds the parts of a claim that its source must contain: names, numbers,
// dates and words.
type Statement struct {
	names   []string // folded: names, URLs, addresses, handles, hashtags
	numbers []string
	dates   []date
	terms   []string // index terms without function words, dates left out

	folded     string
	denied     bool
	clauses    []string
	stated     []string // terms; of the user the words "the user" are left out
	qualifiers []string
	counted    [][2]string
}

// date is a time expression, with its meaning if that is known.
type date struct {
	folded string
	span   *text.TimeSpan
}

// theUser matches Chinese words for the user, which have no spaces around them.
var theUser = regexp.MustCompile(`用户|使用者|用戶`)

// Understand analyses a claim. It resolves dates against now.
func Understand(content string, now time.Time) Statement {
	var s Statement
	spans := text.TimeSpans(content, now)
	undated := []byte(content)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			undated[i] = ' '
		}
	}
	for i := range spans {
		s.dates = append(s.dates, date{text.Fold(spans[i].Text), &spans[i]})
		blank(spans[i].Offset, spans[i].Offset+len(spans[i].Text))
	}
	s.terms = text.QueryTerms(string(undated), 0)
	s.folded, s.denied = strings.ReplaceAll(text.Fold(content), "’", "'"), Denial.MatchString(content)
	plain := theUser.ReplaceAllString(string(undated), " ")
	s.clauses, s.stated = clauses(plain), text.QueryTerms(plain, 0)
	s.qualifiers = qualifier.FindAllString(s.folded, -1)
	s.counted = counted(plain)
	for _, m := range text.Mentions(content) {
		dated := strings.TrimSpace(string(undated[m.Start:m.End])) == ""
		switch {
		case m.Type == text.MentionDate && !dated:
			s.dates = append(s.dates, date{folded: text.Fold(m.Text)})
			blank(m.Start, m.End)
		case m.Type != text.MentionDate:
			s.names = append(s.names, text.Fold(m.Text))
			blank(m.Start, m.End)
		}
	}
	for _, at := range domainShape.FindAllIndex(undated, -1) {
		s.names = append(s.names, text.Fold(content[at[0]:at[1]]))
		blank(at[0], at[1])
	}
	s.numbers = numbersIn(string(undated))
	return s
}

// The share of a claim's words that a turn must hold. If the claim has names, numbers or
// dates and all occur, the verb may differ. Without any, the words alone decide.
const (
	wordsWithAnchors    = 0.5
	wordsWithoutAnchors = 2.0 / 3
)

// HeldBy reports whether a turn said at that time holds the statement: every
// name, number and date of it, and most of its other words. A speaker's own
// name stands for "I".
func (s Statement) HeldBy(turn string, at time.Time, speaker []string) bool {
	need := wordsWithoutAnchors
	if s.anchored() {
		need = wordsWithAnchors
	}
	return s.Missing(turn, at, speaker) == "" && s.wordsHeldBy(turn, selfNames(text.Fold(turn), speaker), need)
}

func (s Statement) anchored() bool { return len(s.names)+len(s.numbers)+len(s.dates) > 0 }

// Missing is the first name, number or date of the statement that a turn said at that
// time does not hold, "" if it holds all.
func (s Statement) Missing(turn string, at time.Time, speaker []string) string {
	return s.MissingFrom([]Turn{{Text: turn, At: at, Speakers: speaker}})
}

// Turn is something that was said.
type Turn struct {
	Text string
	At   time.Time
	// Speakers are the names that "I", "you" and "we" may stand for in it.
	Speakers []string
}

// MissingFrom is the first name, number or date of the statement that none of the turns
// holds, "" if the turns together hold all.
func (s Statement) MissingFrom(turns []Turn) string {
	self := make(map[string]bool)
	for _, t := range turns {
		for name := range selfNames(text.Fold(t.Text), t.Speakers) {
			self[name] = true
		}
	}
	return s.missing(turns, turns, self)
}

// missing is the first name or number that none of the turns holds, or date that none
// of dated holds. self are the names that "I" stands for.
func (s Statement) missing(turns, dated []Turn, self map[string]bool) string {
	said := make(map[string]bool)
	folded := make([]string, len(turns))
	for i, t := range turns {
		folded[i] = text.Fold(t.Text)
		for _, n := range numbersIn(withoutDates(t.Text, t.At)) {
			said[n] = true
		}
	}
	for _, name := range s.names {
		if !self[name] && !slices.ContainsFunc(folded, func(turn string) bool { return HoldsWord(turn, name) }) {
			return name
		}
	}
	for _, n := range s.numbers {
		if !said[n] {
			return n
		}
	}
	for _, d := range s.dates {
		if !slices.ContainsFunc(dated, func(t Turn) bool { return d.heldBy(t.Text, text.Fold(t.Text), t.At) }) {
			return d.folded
		}
	}
	return ""
}

// wordsHeldBy reports whether a turn holds at least the share need of the words.
func (s Statement) wordsHeldBy(turn string, self map[string]bool, need float64) bool {
	said := text.TermsOf(append(slices.Collect(maps.Keys(self)), turn)...)
	held, words := 0, 0
	for _, t := range s.terms {
		if t == "user" { // "the user" is how a model says "I"
			continue
		}
		words++
		if said[t] {
			held++
		}
	}
	if words == 0 {
		return s.anchored()
	}
	return float64(held) >= need*float64(words)
}

var firstPerson = regexp.MustCompile(`\b(?:i|me|my|mine|myself|we|us|our|ours|you|your|` +
	`ich|mich|mir|mein(?:e[mnrs]?)?|wir|uns|unser(?:e[mnrs]?)?|du|dich|dir|dein(?:e[mnrs]?)?|` +
	`yo|mis?|conmigo|nosotr[oa]s|nuestr[oa]s?|tu|tus|soy|estoy|tengo|vivo|trabajo|prefiero)\b|[我咱俺你您]`)

// selfNames are the names that "I" stands for in a turn, whole and in parts.
func selfNames(foldedTurn string, speaker []string) map[string]bool {
	names := make(map[string]bool)
	if !firstPerson.MatchString(foldedTurn) {
		return names
	}
	for _, s := range speaker {
		folded := text.Fold(s)
		if folded == "" {
			continue
		}
		names[folded] = true
		for part := range strings.FieldsSeq(folded) {
			names[part] = true
		}
	}
	return names
}

// heldBy reports whether a turn said at that time means this date, or one of which at
// least half lies within it: "on 5 March" holds "in March", but not the other way round.
// A date that no rule resolves must occur in the same words.
func (d date) heldBy(turn, foldedTurn string, at time.Time) bool {
	if d.span == nil {
		return HoldsWord(foldedTurn, d.folded)
	}
	for _, t := range text.TimeSpans(turn, at) {
		length := t.End.Sub(t.Start)
		if common := min(length, d.span.End.Sub(t.Start)) - max(0, d.span.Start.Sub(t.Start)); common > 0 && common >= length/2 {
			return true
		}
	}
	return false
}

// Quote is the sentence of a turn that shares the most words with the statement.
func (s Statement) Quote(turn string) string {
	best, most := "", -1
	for _, sentence := range text.Sentences(turn) {
		if n := text.Held(s.terms, sentence); n > most {
			best, most = sentence, n
		}
	}
	return best
}

// Dated reports whether a text said at that time holds every number and date of the
// statement, which has at least one.
func (s Statement) Dated(said string, at time.Time) bool {
	s.names = nil
	return s.anchored() && s.Missing(said, at, nil) == ""
}

// Aligned is the share of the statement's words that a text holds, 0–1.
func (s Statement) Aligned(sentence string) float64 {
	return float64(text.Held(s.terms, sentence)) / float64(max(1, len(s.terms)))
}

// Sentence is the sentence of a text that contains a quotation, "" if none does.
func Sentence(s, quote string) string {
	for _, sentence := range text.Sentences(s) {
		if HoldsQuote(sentence, quote) {
			return sentence
		}
	}
	return ""
}

// needsSubject matches the beginning of a sentence about somebody that the one before it
// names.
var needsSubject = regexp.MustCompile(`^(?i:(?:and|but|also|und|aber|y|pero),? )?(?i:(?:he|she|they|hes|shes|theyve|theyre|theyd|theyll|his|her|their|er|sie|seine?[mnrs]?|ihre?[mnrs]?|(?:a )?(?:él|ella|ellos|ellas)|a el l[eo]|sus?)(?:[^\pL]|$)|[他她])`)

// WithSubject returns a sentence of a message, verbatim, with the one before it if it
// begins with a pronoun, and so on, unless that takes more than the given tokens: "My
// husband is Callum. He's allergic to nuts."
func WithSubject(message, sentence string, most int) string {
	from := strings.Index(message, sentence)
	if from < 0 {
		return sentence
	}
	end := from + len(sentence)
	for needsSubject.MatchString(message[from:end]) {
		before := text.Sentences(message[:from])
		if len(before) == 0 {
			break
		}
		at := strings.LastIndex(message[:from], before[len(before)-1])
		if text.Tokens(message[at:end]) > most {
			break
		}
		from = at
	}
	return message[from:end]
}

// HoldsWord reports whether phrase occurs in s with no letter or digit next to either
// end. In scripts without spaces, any occurrence counts.
func HoldsWord(s, phrase string) bool {
	if phrase == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(phrase)
	last, _ := utf8.DecodeLastRuneInString(phrase)
	for from := 0; ; {
		i := strings.Index(s[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(phrase):])
		if !runOn(before, first) && !runOn(last, after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		from = i + size
	}
}

// runOn reports whether two neighbouring runes belong to one word.
func runOn(a, b rune) bool { return wordRune(a) && wordRune(b) }

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// domainShape matches an internet address without its protocol.
var domainShape = regexp.MustCompile(`(?i)\b[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b`)

var (
	numberShape = regexp.MustCompile(`\d+(?:[.,:]\d+)*`)
	wordShape   = regexp.MustCompile(`(?i)\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand)\b`)
	spelled     = map[string]string{
		"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
		"eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "thousand": "1000",
	}
)

// duration distinguishes "two years ago" from "3 March". A claim may repeat the number
// of the former; the latter is no count.
var duration = regexp.MustCompile(`(?i)\b(?:minutes?|hours?|days?|nights?|weeks?|fortnights?|months?|years?|decades?)\b`)

// withoutDates removes the dates from a turn said at that time.
func withoutDates(turn string, at time.Time) string {
	left := []byte(turn)
	for _, span := range text.TimeSpans(turn, at) {
		if !duration.MatchString(span.Text) {
			copy(left[span.Offset:], strings.Repeat(" ", len(span.Text)))
		}
	}
	return string(left)
}

// numbersIn lists the numbers of a text, in digits and in words, without
// thousands separators. "one" is left out: it is mostly a pronoun.
func numbersIn(s string) []string {
	var numbers []string
	for _, n := range numberShape.FindAllString(s, -1) {
		numbers = append(numbers, strings.ReplaceAll(n, ",", ""))
	}
	for _, w := range wordShape.FindAllString(s, -1) {
		numbers = append(numbers, spelled[strings.ToLower(w)])
	}
	return numbers
}

// HoldsQuote reports whether a text contains a quotation, ignoring case, spaces and the
// form of quotation marks. No text contains an empty quotation.
func HoldsQuote(s, quote string) bool {
	folded := foldQuote(quote)
	return folded != "" && strings.Contains(foldQuote(s), folded)
}

var plainMarks = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "…", "...", "–", "-", "—", "-")

func foldQuote(s string) string { return text.Fold(plainMarks.Replace(s)) }
