package claims

import (
	"time"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
)

// Rewording is a claim in a model's words, by its sentences.
type Rewording []reworded

type reworded struct {
	text      string
	statement grounding.Statement
}

// Reworded analyses a claim. It resolves dates against now.
func Reworded(claim string, now time.Time) (r Rewording) {
	for _, sentence := range text.Sentences(claim) {
		r = append(r, reworded{sentence, grounding.Understand(sentence, now)})
	}
	return r
}

// StatedBy returns the first sentence of a user's message of that time that states
// the claim, or "". Each sentence of the claim has one that holds all that it says, or
// that has the same subject, predicate and object, to which the claim adds nothing. A
// model's rewording therefore gains the user's trust only for what the user said: "I'm
// allergic to nuts" states neither an allergy to cashews nor a severe one. names are
// the user's names.
func (r Rewording) StatedBy(message string, at time.Time, names []string) (sentence string) {
	for i, claim := range r {
		stated := claim.statedBy(message, at, names)
		if stated == "" {
			return ""
		}
		if i == 0 {
			sentence = stated
		}
	}
	return sentence
}

func (c reworded) statedBy(message string, at time.Time, names []string) string {
	if sentence := c.statement.StatedIn(message, at, names); sentence != "" {
		return sentence
	}
	reported, ok := said.Reported(c.text, names)
	if !ok {
		return ""
	}
	for _, s := range said.Claims(message, maxClaims) {
		if (said.Compare(s, reported) == said.Same || like(s, reported) && s.Denied == reported.Denied) &&
			c.statement.Adds(s.Sentence, at, names, said.Wording(s, reported)) == "" {
			return s.Sentence
		}
	}
	return ""
}
