package consolidate

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
)

// isEcho reports a claim whose words were put before a model as memory, in the
// same session and before they were said again. The memory's own source is no
// echo of it.
func isEcho(c *Claim, cited []*turn, shown map[string][]showing) bool {
	for i, t := range cited {
		if i >= len(c.Sources) || c.Sources[i].Quote == "" {
			continue
		}
		quote := text.Fold(c.Sources[i].Quote)
		for _, s := range shown[t.SessionName] {
			if s.uid != t.UID && s.at <= t.EventTime.UnixMilli() && (strings.Contains(s.folded, quote) || s.repeated(quote, c.Content)) {
				return true
			}
		}
	}
	return false
}

// leastRepeated is from how many words in a row a quote can repeat a memory in
// part: fewer are anybody's.
const leastRepeated = 4

// repeated reports whether a folded quote is mostly a stretch of what was shown,
// and a claim takes nothing from its remainder.
func (s *showing) repeated(quote, claim string) bool {
	said := wordsOf(quote)
	if len(said) < leastRepeated || len(s.words) < leastRepeated || negation.MatchString(quote) != negation.MatchString(s.folded) {
		return false
	}
	known := make(map[string]bool, len(s.words))
	for _, word := range s.words {
		known[word] = true
	}
	for _, word := range wordsOf(text.Fold(claim)) {
		if !known[word] && slices.Contains(said, word) {
			return false // it is news
		}
	}
	most := longestRun(said, s.words)
	if most < leastRepeated {
		return false
	}
	return 2*most > len(said)
}

// longestRun is how many words in a row two texts have in common.
func longestRun(a, b []string) (most int) {
	before, here := make([]int, len(b)+1), make([]int, len(b)+1)
	for _, word := range a {
		for j, other := range b {
			here[j+1] = 0
			if word == other {
				here[j+1] = before[j] + 1
				most = max(most, here[j+1])
			}
		}
		before, here = here, before
	}
	return most
}

// wordsOf are the words of a folded text; in scripts that put no spaces between
// words, its characters.
func wordsOf(folded string) (words []string) {
	from := -1
	end := func(at int) {
		if from >= 0 {
			words = append(words, folded[from:at])
		}
		from = -1
	}
	for i, r := range folded {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			end(i)
			words = append(words, string(r))
		case !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r):
			end(i)
		case from < 0:
			from = i
		}
	}
	end(len(folded))
	return words
}

// cleanQuote is a quote as it is kept: what a model wrote, without characters
// that nobody sees. Joiners stay where letters and emoji need them.
func cleanQuote(s string) string {
	var last rune
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		joins := (r == 0x200c || r == 0x200d) && last >= 0x300 // ZWNJ, ZWJ
		switch {
		case unicode.IsControl(r) && r != '\n' && r != '\t',
			unicode.Is(unicode.Cf, r) && !joins,
			r == 0x2028 || r == 0x2029,
			r >= 0xe0000 && r <= 0xe0fff: // tags, and selectors that can carry text
			return -1
		}
		last = r
		return r
	}, text.Clean(s)))
}
