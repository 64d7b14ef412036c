package extension

import (
	"context"
	"strings"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// User is one person whose memory a file holds.
type User = schema.User

// Users lists everybody whose memory the file holds, in the order in which
// they first appeared. It is for operators: no model should see it.
//
// Errors: the database's, the context's.
func (x *Extension) Users(ctx context.Context) ([]User, error) {
	var users []User
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		users, err = s.Users(ctx)
		return err
	})
	return users, err
}

type (
	// TimelineQuery says which part of a user's past is wanted. The zero value is
	// its newest 50 memories.
	TimelineQuery = inspect.TimelineQuery
	// Mention is an entity that a memory mentions.
	Mention = inspect.Mention
	// Change is one entry of a memory's audit.
	Change = inspect.Change
	// Embedding is what vectors were made by.
	Embedding = inspect.Embedding
)

func validTimeline(q *TimelineQuery) error {
	search := Query{Kinds: q.Kinds, Limit: q.Limit, Since: q.Since, Until: q.Until}
	if err := search.Validate(); err != nil {
		return err
	}
	if err := schema.ValidLabel("entity", q.Entity); err != nil {
		return err
	}
	return schema.ValidLabel("session", q.Session)
}

// Timeline lists one user's memories in the order in which things happened.
// Claims that were replaced are part of it, with their State; what a night
// retired, what is forgotten, claims that another says in other words, and
// sentences that are kept beside their message are not.
//
// Errors: [*InvalidError]; [ErrNotFound] for an entity that this user's memory
// does not know; the database's errors, the context's error.
func (x *Extension) Timeline(ctx context.Context, scope Scope, q TimelineQuery) ([]Record, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := validTimeline(&q); err != nil {
		return nil, err
	}
	var records []Record
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		records, err = inspect.Timeline(ctx, s, userID, q)
		return err
	})
	return records, err
}

// Detail is everything known about one memory.
type Detail struct {
	inspect.Detail

	// Event is the message an episode came from, without its position in the
	// journal, which tells how much others write.
	Event *eventbus.Event `json:"event,omitempty"`
}

// Get reads one memory by its public id, with all that hangs on it.
//
// Errors: [*InvalidError]; [ErrNotFound] for an id that does not exist or is
// another user's; the database's errors, the context's error.
func (x *Extension) Get(ctx context.Context, scope Scope, id string) (*Detail, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(id) == "" {
		return nil, &InvalidError{Field: "id", Reason: "is empty; give the id of a memory"}
	}
	if err := schema.ValidLabel("id", id); err != nil {
		return nil, err
	}
	d := new(Detail)
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		m, err := s.Memory(ctx, userID, id)
		if err != nil {
			return err
		}
		detail, err := inspect.ReadDetail(ctx, s, m)
		if err != nil {
			return err
		}
		d.Detail, d.Retention = *detail, x.cfg.Ranking.Retention.Of(m, x.db.Now())
		return d.readEvent(ctx, s, userID)
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Detail) readEvent(ctx context.Context, s *schema.Snapshot, userID int64) error {
	row := d.Message
	if row == nil {
		return nil
	}
	user, err := s.UserByID(ctx, userID)
	if err != nil {
		return err
	}
	scope := user.Scope()
	scope.Agent, scope.Session = row.Agent, row.Session
	d.Event = &eventbus.Event{
		ID: row.ID, Topic: row.Topic, Scope: scope, Origin: row.Origin, Trust: &row.Trust, Payload: row.Payload,
		OccurredAt: row.OccurredAt.Time, RecordedAt: row.RecordedAt.Time,
	}
	return nil
}
