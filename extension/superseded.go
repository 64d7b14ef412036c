package extension

import (
	"context"
	"errors"
	"time"

	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/schema"
)

// Superseded returns, by public id, those of the given memories that are no longer
// true: superseded claims, and messages from which a superseded claim was
// extracted. Dates are in the user's time zone.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Superseded(ctx context.Context, scope Scope, memories ...Record) (map[string]Superseded, error) {
	scope = x.db.Complete(scope)
	if err := scope.Validate(); err != nil || len(memories) == 0 {
		return nil, err
	}
	ids := make([]int64, len(memories))
	for i := range memories {
		ids[i] = memories[i].ID
	}
	var ended map[int64][]schema.Ended
	err := x.db.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) (err error) {
		ended, err = s.EndedClaims(ctx, userID, ids)
		return err
	})
	loc, unplaced := x.location(ctx, scope)
	err = errors.Join(err, unplaced)
	marks := marksOf(ended, memories, loc)
	endings, unread := x.own.Endings(ctx, x.db, scope, x.cfg.Location)
	if unread != nil {
		return marks, errors.Join(err, unread)
	}
	for i := range memories {
		if mark := endings.Of(&memories[i]); mark != nil && marks[memories[i].UID].Since.IsZero() {
			marks[memories[i].UID] = *mark
		}
	}
	return marks, err
}

// marksOf describes, by public id, what has ended.
func marksOf(ended map[int64][]schema.Ended, memories []Record, loc *time.Location) map[string]Superseded {
	found := make(map[string]Superseded)
	for i := range memories {
		if mark := prompt.Last(&memories[i], ended[memories[i].ID], loc); mark != nil {
			found[memories[i].UID] = *mark
		}
	}
	return found
}

// presentFirst moves superseded results of a search below the claims that replaced them, if
// it found both.
func (x *Extension) presentFirst(answer *Answer, err error) (*Answer, error) {
	if answer != nil && len(answer.Ended) > 0 {
		answer.Results = prompt.BelowSuccessors(answer.Results, marksOf(answer.Ended, answer.Memories(), x.cfg.Location))
	}
	return answer, err
}

// mark marks the entries that are no longer true, and names who made claims of others than the
// owner.
func (x *Extension) mark(ctx context.Context, scope Scope, entries []prompt.Entry) ([]prompt.Entry, error) {
	memories := make([]Record, len(entries))
	for i := range entries {
		memories[i] = entries[i].Memory
	}
	ended, err := x.Superseded(ctx, scope, memories...)
	own, unread := x.own.Endings(ctx, x.db, x.db.Complete(scope), x.cfg.Location)
	for i := range entries {
		m := &entries[i].Memory
		if s, is := ended[m.UID]; is {
			entries[i].Ended = s.String()
		}
		if m.Kind != KindEpisode && unread == nil {
			entries[i].Speaker = own.Speaker(m)
		}
	}
	return entries, errors.Join(err, unread)
}
