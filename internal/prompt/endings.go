package prompt

import (
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Endings are what a user's claims say that is over, see [grounding.Endings].
type Endings struct {
	all    []ending
	claims map[int64]*ownClaim // the current ones, by id
	owner  string              // of the memory
	loc    *time.Location

	several bool // the claims have several speakers
}

type ending struct {
	grounding.Ending

	by      *ownClaim
	speaker string // see [ownClaim.voice]
}

// endingsOf returns what the claims say that is over, but not what routine lines do: what
// ends every week does not end.
func endingsOf(claims []*ownClaim) (all []ending) {
	stated := make(map[string]int)
	for _, c := range claims {
		for _, e := range c.endings {
			all = append(all, ending{e, c, c.voice()})
			stated[e.Thing()]++
		}
	}
	return slices.DeleteFunc(all, func(e ending) bool { return stated[e.Thing()] >= routineLines })
}

func (e *ending) said() time.Time { return e.by.source.EventTime.Time }

// mark returns the mark of what the ending ends, part as of [grounding.Ending.Part].
func (e *ending) mark(part string, loc *time.Location) Superseded {
	return Superseded{Since: e.said().In(loc), By: e.by.claim.UID, Text: text.Truncate(e.by.text, maxBefore), Part: text.Truncate(part, maxBefore)}
}

// lastEnding returns the last ending of what a speaker said at a time that the same speaker
// stated later, with the part of it that ends, or nil. What else the sentence says may hold, so
// that it is not superseded.
func lastEnding(endings []ending, sentence string, said time.Time, speaker string) (last *ending, part string) {
	if len(endings) == 0 {
		return nil, ""
	}
	folded := text.Fold(sentence)
	for i := range endings {
		e := &endings[i]
		if said.Before(e.said()) && speaker == e.speaker && (last == nil || last.said().Before(e.said())) && e.Mentions(folded) {
			if of, ends := e.Part(sentence, said, e.said()); ends {
				last, part = e, of
			}
		}
	}
	return last, part
}

// endsAny reports whether one of the endings ends a sentence or a part of it.
func endsAny(endings []ending, sentence string, said time.Time, speaker string) bool {
	e, _ := lastEnding(endings, sentence, said, speaker)
	return e != nil
}

// Of returns the mark of a message of the user's own or of a claim that a later statement of
// the same speaker ends, or nil.
func (s *Endings) Of(m *schema.Memory) *Superseded {
	if !isOwnSaying(m) && !m.OwnWords() {
		return nil
	}
	speaker := claims.Stored("I", s.owner, m.Speaker)
	voice := text.Fold(speaker)
	if c := s.claims[m.ID]; c != nil {
		voice = c.voice()
	}
	e, part := lastEnding(s.all, m.Content, m.EventTime.Time, voice)
	if project := m.Attributes[schema.AttrProject]; e == nil && project != "" { // of which the message may be
		e, part = lastEnding(s.all, m.Content, m.EventTime.Time, voiceOf(speaker, project))
	}
	if e != nil {
		mark := e.mark(part, s.loc)
		return &mark
	}
	return nil
}

// Speaker returns who made a current claim if that is another than the owner and the claims have
// several speakers, otherwise "".
func (s *Endings) Speaker(m *schema.Memory) string {
	if c := s.claims[m.ID]; c != nil && s.several && c.source.ID != 0 && c.who() != theUser {
		return c.who()
	}
	return ""
}

// severalSpeakers reports whether the claims have several speakers.
func severalSpeakers(all []*ownClaim) bool {
	return slices.ContainsFunc(all, func(c *ownClaim) bool { return text.Fold(c.who()) != text.Fold(all[0].who()) })
}
