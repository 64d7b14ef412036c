package prompt

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
)

// A line is routine if at least this share of its words belongs to phrases that at
// least so many lines contain. What dailyLines contain is of the day, whatever name they
// begin with: "Reverend Tupper has bought the good scissors."
const (
	routineShare = 0.4
	routineLines = 3
	dailyLines   = 8
)

// withoutRepeats removes, of the routine lines that no pattern parsed, all but the
// newest with each phrase: "Help me word a note to …" describes the day, not the user.
// A line with a number or name of its own stays, see [line.distinct].
// What a pattern parsed stays, however alike: "I'm allergic to nuts", "… to shellfish".
// On the lives in cmd/ebb/testdata/lives half of all lines were such repeats and none
// of them was a statement to remember; without them 48 % instead of 39 % of what was
// only said is in the prompt after a year.
func withoutRepeats(lines []*line) []*line {
	in := make(map[uint64]int, 16*len(lines)) // lines by phrase
	for _, l := range lines {
		phrases := slices.Clone(l.claims[0].phrases)
		slices.Sort(phrases)
		for _, p := range slices.Compact(phrases) {
			in[p]++
		}
	}
	var routine []*line
	for _, l := range lines {
		often := func(p uint64) bool { return in[p] >= routineLines }
		if l.unparsed && text.PhraseShare(l.claims[0].phrases, often) >= routineShare {
			l.style = false
			routine = append(routine, l)
		}
	}
	slices.SortStableFunc(routine, func(a, b *line) int { return b.Said.Compare(a.Said) })
	type about struct { // "" for any
		phrase uint64
		of     string
	}
	newer, repeats := make(map[about]bool), make(map[*line]bool)
	for _, l := range routine {
		var of []string
		if !slices.ContainsFunc(l.claims[0].phrases, func(p uint64) bool { return in[p] >= dailyLines }) {
			of = l.distinct(func(p uint64) bool { return in[p] >= routineLines })
		}
		repeats[l] = slices.ContainsFunc(l.claims[0].phrases, func(p uint64) bool {
			return newer[about{p, ""}] && !slices.ContainsFunc(of, func(of string) bool { return !newer[about{p, of}] })
		})
		for _, p := range l.claims[0].phrases {
			newer[about{p, ""}] = true
			for _, of := range of {
				newer[about{p, of}] = true
			}
		}
	}
	return slices.DeleteFunc(lines, func(l *line) bool { return repeats[l] })
}

// longNumber is the number of digits from which a number is one to look up, such as a
// code: "7781", but not "20 minutes".
const longNumber = 3

// distinct returns the terms by which a line says something else than one with the same
// phrases: long numbers, and names in front of the first common phrase, which are its
// subject. Names behind it change with the day: "Help me word a note to Ann". In German,
// where each noun has a capital, only known given names count.
func (l *line) distinct(common func(phrase uint64) bool) (terms []string) {
	all := text.Terms(l.claims[0].text)
	for _, term := range all {
		if digits := strings.FieldsFunc(term, func(r rune) bool { return !unicode.IsDigit(r) }); len(strings.Join(digits, "")) >= longNumber {
			terms = append(terms, term)
		}
	}
	subject, german := all[:max(0, slices.IndexFunc(l.claims[0].phrases, common))], lexicon.IsGerman(l.claims[0].text)
	for _, m := range text.Mentions(l.claims[0].text) {
		name := text.Terms(m.Text)
		if m.Type != text.MentionName || len(name) == 0 || !slices.Contains(subject, name[0]) || german && !names.IsGiven(text.Fold(m.Text)) {
			continue
		}
		terms = append(terms, name...)
	}
	return terms
}
