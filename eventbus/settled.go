package eventbus

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// lastSeq returns the last position of the journal that is settled, 0 if it is empty.
// unsettled means that there are later events: on a server, they wait until no earlier
// one can appear any more.
func lastSeq(ctx context.Context, s *schema.Snapshot) (seq int64, unsettled bool, err error) {
	before, err := s.Settled(ctx)
	if err != nil {
		return 0, false, err
	}
	var last int64
	if err = s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM events", nil, &last); err != nil || last < before {
		return last, false, err
	}
	err = s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM events WHERE seq < ?", []any{before}, &seq)
	return seq, true, err
}

// seqStep is how far apart the positions of two events can be that follow each other.
func seqStep(db *schema.DB) int64 {
	if db.Capabilities().File {
		return 1
	}
	return 1 << 20 // see ebb_number in schema/migrations/postgres
}
