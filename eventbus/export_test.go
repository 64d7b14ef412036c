package eventbus

import (
	"context"
	"math"

	"github.com/ebbmem/ebb/schema"
)

// All returns the events of the journal, of every topic.
func (j *Journal) All(ctx context.Context) (events []Event, err error) {
	for more := true; more && err == nil; {
		err = j.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
			var after int64
			if n := len(events); n > 0 {
				after = events[n-1].Seq
			}
			var next []Event
			next, more, err = readEvents(ctx, s, after, math.MaxInt32, []string{"*"})
			events = append(events, next...)
			return err
		})
	}
	return events, err
}
