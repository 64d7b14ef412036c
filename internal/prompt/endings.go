package prompt

import (
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// ending is what a line says that is over, see [grounding.Endings].
type ending struct {
	grounding.Ending

	by *line
}

// endingsOf returns what the lines say that is over, but not what routine lines do: what
// ends every week does not end.
func endingsOf(lines []*line) (all []ending) {
	stated := make(map[string]int)
	for _, l := range lines {
		for _, c := range l.claims {
			for _, e := range c.endings {
				all = append(all, ending{e, l})
				stated[e.Thing()]++
			}
		}
	}
	return slices.DeleteFunc(all, func(e ending) bool { return stated[e.Thing()] >= routineLines })
}

// mark returns the mark of what the ending ends.
func (e *ending) mark(loc *time.Location) Superseded {
	return Superseded{Since: e.by.Said.In(loc), By: e.by.Claims[0], Text: text.Truncate(e.by.Text, maxBefore)}
}

// endedAmong returns the last ending that a later line of the same speaker states of this
// one, or nil. What else the sentence says may hold, so that it is not superseded.
func (l *line) endedAmong(endings []ending) (last *ending) {
	if len(endings) == 0 {
		return nil
	}
	folded := text.Fold(l.Text)
	for i := range endings {
		e := &endings[i]
		if l.Said.Before(e.by.Said) && l.speaker() == e.by.speaker() && (last == nil || last.by.Said.Before(e.by.Said)) &&
			e.Mentions(folded) && e.Ends(l.Text, l.Said, e.by.Said) {
			last = e
		}
	}
	return last
}

func (l *line) speaker() string { return text.Fold(l.claims[0].source.Speaker) }

// Ended returns the mark of a message of the user's own or of a claim that a later line of the
// same speaker ends, or nil.
func (s *Lines) Ended(m *schema.Memory) *Superseded {
	if !isOwnSaying(m) && !m.OwnWords() {
		return nil
	}
	l := &line{Line: Line{Text: m.Content, Said: m.EventTime.Time}, claims: []*ownClaim{{source: *m}}}
	if e := l.endedAmong(s.endings); e != nil {
		mark := e.mark(s.loc)
		return &mark
	}
	return nil
}
