package inspect

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Showings calls each with the row ids of the ten best memories that a search showed a
// model at once, for the user's last showings.
func Showings(ctx context.Context, s *schema.Snapshot, userID int64, last int, each func(memories []int64)) error {
	var shown []int64
	var at, seq, memory int64
	err := schema.Each(ctx, s.Query, []any{&seq, &memory}, func() error {
		if seq != at {
			each(shown)
			at, shown = seq, nil
		}
		shown = append(shown, memory)
		return nil
	}, showings, userID, last, userID)
	each(shown)
	return err
}

// showings forces the join order from injections to memories, as the other reads all of
// the user's memories. What was not searched for has rank 0.
const showings = `SELECT i.event_seq, m.id FROM (SELECT event_seq, items FROM injections WHERE user_id = ? ORDER BY shown_at DESC, event_seq DESC LIMIT ?) i
	CROSS JOIN json_each(i.items) j CROSS JOIN memories m ON m.uid = json_extract(j.value, '$.uid') AND +m.user_id = ?
	WHERE CAST(json_extract(j.value, '$.rank') AS BIGINT) BETWEEN 1 AND 10 ORDER BY i.event_seq, m.id`
