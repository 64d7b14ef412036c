package recall

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// Messages about the same issue are grouped, regardless of author and time: the cause
// is found by the words of the complaint.
func TestIssueThread(t *testing.T) {
	db := open(t)
	say(t, db, ada,
		turn{speaker: "qa", issues: "57", text: "The same drill was lent twice at the desk.", minutes: 1},
		turn{speaker: "ops", text: "Certificates are renewed over DNS.", minutes: 2},
		turn{speaker: "engineering", issues: "57,60", text: "The later row replaces the earlier.", minutes: 3},
		turn{speaker: "design", issues: "60", text: "Wider margins for all sheets.", minutes: 4},
		turn{session: "talk", speaker: "Ada", issues: "57", text: "An append-only ledger, then.", minutes: 5},
		turn{session: "talk", speaker: "Bo", text: "Lunch?", minutes: 6},
	)
	s := New(db, Options{Weights: withoutTopics()})
	found := search(t, s, Query{Text: "Why was a drill lent twice?"})
	require.Equal(t, []string{
		"The same drill was lent twice at the desk.", "The later row replaces the earlier.", "An append-only ledger, then.",
	}, texts(found), "the first issue that a text refers to is its thread, and a session ends there")
	before := func(r Result) float64 {
		for _, signal := range r.Signals {
			if signal.Name == "before" {
				return signal.Value
			}
		}
		return -1
	}
	require.InDelta(t, 1, before(found.Results[1]), 1e-9)
	require.Zero(t, before(found.Results[2]))
	require.ElementsMatch(t, []string{"An append-only ledger, then."}, texts(search(t, s, Query{Text: "ledger or drill", Session: "talk"})),
		"a session stays what it is")
}

// Attributes that cannot be read do not end a search.
func TestBrokenAttributesHaveNoThread(t *testing.T) {
	db := open(t)
	ids := say(t, db, ada, turn{issues: "57", text: "The drill was lent twice."})
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE memories SET attributes = '{"issues"' WHERE id = ?`, ids[0])
		return err
	}))
	ix := readIndex(t, db, ada)
	require.Len(t, ix.docs, 1)
	require.Zero(t, ix.meta[0].thread)
}
