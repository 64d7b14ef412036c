package consolidate

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
)

// isEcho reports whether a claim only repeats a memory that a model was shown in
// the same session before. The memory's own source is no echo of it.
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

// minRepeated is the number of consecutive words from which a quote can be a
// repetition. Fewer may coincide.
const minRepeated = 4

// repeated reports whether a folded quote mostly repeats consecutive words of
// what was shown, and the claim uses none of its other words.
func (s *showing) repeated(quote, claim string) bool {
	quoted := wordsOf(quote)
	if len(quoted) < minRepeated || len(s.words) < minRepeated || grounding.Denial.MatchString(quote) != grounding.Denial.MatchString(s.folded) {
		return false
	}
	known := make(map[string]bool, len(s.words))
	for _, word := range s.words {
		known[word] = true
	}
	for _, word := range wordsOf(text.Fold(claim)) {
		if !known[word] && slices.Contains(quoted, word) {
			return false // the claim says something new
		}
	}
	longest := longestRun(quoted, s.words)
	if longest < minRepeated {
		return false
	}
	return 2*longest > len(quoted)
}

// longestRun returns the length of the longest run of words that both texts
// contain.
func longestRun(a, b []string) (longest int) {
	before, here := make([]int, len(b)+1), make([]int, len(b)+1)
	for _, word := range a {
		for j, other := range b {
			here[j+1] = 0
			if word == other {
				here[j+1] = before[j] + 1
				longest = max(longest, here[j+1])
			}
		}
		before, here = here, before
	}
	return longest
}

// wordsOf returns the words of a folded text, or its characters in scripts without
// spaces between words.
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

// cleanQuote removes invisible characters from a quote that a model wrote. It
// keeps joiners where letters and emoji need them.
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
