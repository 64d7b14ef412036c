package schema

import (
	"strconv"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// Saying is what a memory says, who says it, the kind of the memory and the time.
type Saying struct {
	Text string // folded; of a text above maxSaying its beginning and its length
	// Speaker is folded: the speaker of a message, the person that a claim is about, "" for the
	// user.
	Speaker string
	Kind    Kind
	At      int64 // Unix time in milliseconds
}

// maxSaying is how much of a text is folded, in bytes: every search folds what it finds.
const maxSaying = 1 << 16

// Saying returns what the memory says.
func (m *Memory) Saying() Saying {
	who := m.Speaker
	if m.Kind != KindEpisode && who == "" {
		if who, _, _ = strings.Cut(m.Subject, "'s "); who == "the user" {
			who = ""
		}
	}
	says, length := m.Content, ""
	if len(says) > maxSaying {
		says, length = strings.ToValidUTF8(says[:maxSaying], ""), "\x00"+strconv.Itoa(len(says))
	}
	return Saying{text.Fold(text.Line(says)) + length, text.Fold(who), m.Kind, m.EventTime.UnixMilli()}
}

// IsOf reports whether the text is one of the other's, of the same time or person: several people
// may say the same words.
func (s *Saying) IsOf(other *Saying) bool {
	return (s.At == other.At || s.Speaker == other.Speaker) && strings.Contains(other.Text, s.Text)
}
