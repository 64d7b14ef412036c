package grounding

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// joint matches what joins two things or two clauses, in the languages of [Endings].
var joint = regexp.MustCompile(`(?i)[,;]? (?:and|und|sowie|y|e) |, ?(?:and |und |y )?(?:my|our|i|we|he|she|mein\pL*|unser\pL*|ich|wir|mi|mis|nuestr\pL*|yo) ?|[和跟与、，]`)

// joins matches what joins a part to those before it.
var joins = regexp.MustCompile(`(?i)^(?:(?:and|und|sowie|y|e)\s+|[和跟与])`)

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
	best, most, least, from, whole := "", 0, -1, 0, false
	for _, bound := range append(bounds, []int{len(earlier), len(earlier)}) {
		part := strings.TrimSpace(earlier[from:bound[0]])
		from = bound[0]
		count, own := 0, alsoMe.MatchString(strings.TrimSpace(joint.ReplaceAllString(" "+part, "")))
		for _, term := range text.Terms(part) {
			switch {
			case text.IsStopWord(term):
			case slices.Contains(terms, term):
				count++
			default:
				own = true
			}
		}
		for _, word := range strings.Fields(text.Fold(part)) {
			if word = strings.Trim(word, ".,;!"); !text.IsStopWord(word) && slices.Contains(words, word) {
				count++
			}
		}
		covered := count > 0 && !own // "and penicillin" of "allergic to nuts and penicillin"
		if covered && !whole || covered == whole && count > most {
			best, most, whole = strings.TrimLeft(part, ",;、， "), count, covered
		}
		if own && (least < 0 || count < least) {
			least = count
		}
	}
	if least < 0 || !whole && least >= most {
		return ""
	}
	return strings.TrimRight(joins.ReplaceAllString(best, ""), ".!。 ")
}
