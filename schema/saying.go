package schema

import (
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// Saying is what a memory says, by whom, as a memory of which kind and when.
type Saying struct {
	Text string // folded
	// Speaker is folded: of a message its speaker, of a claim the person it was read as being of,
	// "" for the user. A claim of a sentence about another person is of that one.
	Speaker string
	Kind    Kind
	At      int64 // Unix time in milliseconds
}

// Saying returns what the memory says.
func (m *Memory) Saying() Saying {
	who := m.Speaker
	if m.Kind != KindEpisode && who == "" {
		if who, _, _ = strings.Cut(m.Subject, "'s "); who == "the user" {
			who = ""
		}
	}
	return Saying{text.Fold(text.Line(m.Content)), text.Fold(who), m.Kind, m.EventTime.UnixMilli()}
}

// IsOf reports whether the text is one of the other's, of the same time or person: several people
// may say the same words.
func (s *Saying) IsOf(other *Saying) bool {
	return (s.At == other.At || s.Speaker == other.Speaker) && strings.Contains(other.Text, s.Text)
}
