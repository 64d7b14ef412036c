package grounding

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// joint matches what joins two things or two clauses, in the languages of [Endings].
var joint = regexp.MustCompile(`(?i)[,;]? (?:and|und|sowie|y|e) |, ?(?:and |und |y )?(?:my|our|i|we|he|she|mein\pL*|unser\pL*|ich|wir|mi|mis|nuestr\pL*|yo) ?|[和跟与、，]`)

// alsoMe matches a clause that says the same of the speaker.
var alsoMe = regexp.MustCompile(`(?i)^(?:so (?:am|do|have|can) i|me too|ich auch|yo también)\b|^我也`)

// PartAbout returns the part of an earlier statement that a later one is about, if that joins several things,
// of which the later one names some: "I have asthma" of "I have asthma and diabetes" for "I no longer have
// asthma"; "" if it joins none, or the later one names all or none of them.
func PartAbout(earlier, later string) string {
	bounds := joint.FindAllStringIndex(earlier, -1)
	if len(bounds) == 0 {
		return ""
	}
	terms, words := text.Terms(later), strings.Fields(text.Fold(later))
	best, most, least, from := "", 0, -1, 0
	for _, bound := range append(bounds, []int{len(earlier), len(earlier)}) {
		part := strings.TrimSpace(earlier[from:bound[0]])
		from = bound[0]
		bare := strings.TrimSpace(joint.ReplaceAllString(" "+part, ""))
		count, own := 0, alsoMe.MatchString(bare)
		for _, term := range text.Terms(part) {
			if !text.IsStopWord(term) {
				if own = own || !slices.Contains(terms, term); slices.Contains(terms, term) {
					count++
				}
			}
		}
		for _, word := range strings.Fields(text.Fold(part)) {
			if !text.IsStopWord(word) && slices.Contains(words, strings.Trim(word, ".,;!")) {
				count++
			}
		}
		if count > most {
			best, most = strings.TrimLeft(part, ",;、， "), count
		}
		if own && (least < 0 || count < least) {
			least = count
		}
	}
	if least < 0 || least >= most {
		return ""
	}
	return strings.TrimRight(best, ".!。 ")
}
