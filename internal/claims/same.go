package claims

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// nearly is the share of common words (Jaccard, 0–1) from which two claims say the
// same.
const nearly = 0.85

var number = regexp.MustCompile(`\d+(?:[.,:]\d+)*`)

// SameWords reports whether two claims say the same: subject, predicate and object
// are equal, or nearly all words are, including numbers and negations. Events of
// different days in a time zone are different. When in doubt it returns false.
func SameWords(a, b *schema.Memory, loc *time.Location) bool {
	if grounding.Denial.MatchString(a.Content) != grounding.Denial.MatchString(b.Content) ||
		!slices.Equal(number.FindAllString(a.Content, -1), number.FindAllString(b.Content, -1)) || HappenedApart(a, b, loc) {
		return false
	}
	if a.Subject != "" && a.Predicate != "" && a.Object != "" &&
		text.Fold(a.Subject) == text.Fold(b.Subject) && text.Fold(a.Predicate) == text.Fold(b.Predicate) && text.Fold(a.Object) == text.Fold(b.Object) {
		return true
	}
	sets := text.TermSets([]string{a.Content, b.Content})
	return sets[0].Jaccard(sets[1]) >= nearly
}

// HappenedApart reports whether both are events, on different days in a time zone.
func HappenedApart(a, b *schema.Memory, loc *time.Location) bool {
	return a.Attributes[schema.AttrTemporal] == schema.TemporalEvent && b.Attributes[schema.AttrTemporal] == schema.TemporalEvent &&
		!a.ValidFrom.SameDay(b.ValidFrom, loc)
}

func (a *addition) happenedApart(k *candidate) bool {
	return HappenedApart(a.Memory, &k.Memory, a.zone)
}

// Subject returns the person or thing that a claim of owner's is about, by its columns,
// else by its words; "" if neither says.
func Subject(m *schema.Memory, owner string) string {
	if m.Subject != "" {
		return spoken(m.Subject, owner)
	}
	c, _ := Parse(m.Content, "", []string{owner})
	return c.Subject
}

// OfOthers reports whether two subjects are known and different: what one's brother likes
// says nothing about oneself.
func OfOthers(a, b string) bool {
	return a != "" && b != "" && strings.TrimPrefix(a, "the ") != strings.TrimPrefix(b, "the ")
}

// same reports whether a known claim says what the new one says.
func (a *addition) same(k *candidate) bool {
	m := a.Memory
	if a.happenedApart(k) {
		return false
	}
	understood := known(a.reading) && known(k.reading)
	equal := k.ContentHash == a.hash
	switch {
	case understood && like(a.reading, k.reading) && (equal || said.Compare(a.reading, k.reading) == said.Same):
		return true
	case understood && said.Compare(a.reading, k.reading) == said.Same:
		return true
	case equal:
		return !understood // one sentence may state two things
	case a.sharesSentence(k) && (m.Attributes[schema.AttrSaid] != "") != (k.Attributes[schema.AttrSaid] != ""):
		// code and a model have worded one sentence differently
		return a.reading.Subject == k.reading.Subject && alike(a.reading.Object, k.reading.Object)
	}
	return a.Wide && !OfOthers(a.reading.Subject, k.reading.Subject) && SameWords(m, &k.Memory, a.zone)
}

// resembles is a looser [addition.same], so that a forgotten claim does not return
// in other words.
func (a *addition) resembles(k *candidate) bool {
	return known(a.reading) && known(k.reading) && a.reading.Subject == k.reading.Subject && alike(a.reading.Object, k.reading.Object) || SameWords(a.Memory, &k.Memory, a.zone)
}

// sharesSentence reports whether one sentence of one message supports both.
func (a *addition) sharesSentence(k *candidate) bool {
	for _, c := range k.cited {
		for _, e := range a.Evidence {
			if e.Memory.ID == c.SourceID && (grounding.HoldsQuote(e.Quote, c.Quote) || grounding.HoldsQuote(c.Quote, e.Quote)) {
				return true
			}
		}
	}
	return false
}
