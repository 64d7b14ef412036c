package extension

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The mark of a message names what of it is over, and not a message that only mentions somebody
// who died, comes from somewhere at the moment, or says where a moved appointment is.
func TestMarksOfMessagesAreOfWhatEnded(t *testing.T) {
	for name, c := range map[string]struct{ old, later, mark string }{
		"mentioned": {"In 1991 a wasp stung me in Tralee, my tongue swelled up and if Pat Noone hadn't had a car I was finished. They told me to carry the pen always. Pat still says I owe him a tyre.",
			"Pat's dead.", ""},
		"a sentence":        {"I'm diabetic. Our boat is moored at Lymm. The kids are 4 and 6.", "We sold the boat.", `"Our boat is moored at Lymm." is no longer so since 2026-03-04: We sold the boat.`},
		"a parsed sentence": {"I work at Quillstack. I have two kids and they hate peas.", "I work at Allegro now.", `"I work at Quillstack." is no longer so since 2026-03-04: I work at Allegro now.`},
		"a parsed clause":   {"I work at Quillstack, I have two kids and they hate peas.", "I work at Allegro now.", `"I work at Quillstack" is no longer so since 2026-03-04: I work at Allegro now.`},
		"all":               {"Our boat is moored at Lymm, by the lock.", "We sold the boat.", "no longer so since 2026-03-04: We sold the boat."},
		"a moved day":       {"The scan is at the city hospital on 12 June, drops in the eyes so I can't drive.", "The scan is moved to 20 June.", `"12 June" is no longer so since 2026-03-04: The scan is moved to 20 June.`},
		"a moved schedule":  {"My yoga class is on Tuesdays and Jo brings the mats.", "Yoga moved to Fridays.", `"Tuesdays" is no longer so since 2026-03-04: Yoga moved to Fridays.`},
		"a journey":         {"vengo de Guzmán, fui por mi mamá al internista", "vengo de Puebla, dimos el curso", ""},
		"a German journey":  {"Komme gerade aus Bonn, Oma hat neue Tabletten.", "Komme gerade aus Köln, Messe war voll.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newDiary(t)
			l.says(c.old)
			l.says(c.later)
			found, err := l.x.Timeline(t.Context(), dora, TimelineQuery{})
			require.NoError(t, err)
			marks, err := l.x.Superseded(t.Context(), dora, found...)
			require.NoError(t, err)
			seen := false
			for _, m := range found {
				if m.Content != c.old || m.Kind != KindEpisode {
					continue
				}
				seen = true
				mark, is := marks[m.UID]
				require.Equal(t, c.mark != "", is, mark)
				if is {
					require.Equal(t, c.mark, mark.String())
				}
			}
			require.True(t, seen)
			for _, line := range l.profiled() {
				require.NotContains(t, line, "before: vengo", c.old)
			}
		})
	}
}
