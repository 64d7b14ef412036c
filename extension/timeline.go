package extension

import (
	"context"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/chain"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// User is one user of a file.
type User = schema.User

// Users lists all users of the file in the order of their first appearance. It is
// for operators; do not show it to models.
//
// Errors: the database's, the context's.
func (x *Extension) Users(ctx context.Context) ([]User, error) {
	return schema.Get(ctx, x.db, func(ctx context.Context, s *schema.Snapshot) ([]User, error) {
		return s.Users(ctx)
	})
}

type (
	// TimelineQuery selects a part of a user's past. The zero value selects the
	// newest 50 memories.
	TimelineQuery = inspect.TimelineQuery
	// Change is one entry of a memory's audit log.
	Change = inspect.Change
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

// Timeline lists one user's memories in the order of their event times. It includes
// superseded claims, with their State, and forgotten memories if asked for. It leaves out
// retired memories, claims that repeat another one in other words, and sentences of a listed
// message that no pattern parsed and that were kept only because they may stay true. It is
// never nil.
//
// Errors: [*InvalidError]; [ErrNotFound] for an entity unknown to this user's
// memory; the database's errors, the context's error.
func (x *Extension) Timeline(ctx context.Context, scope Scope, q TimelineQuery) ([]Record, error) {
	scope = x.db.Complete(scope)
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := validTimeline(&q); err != nil {
		return nil, err
	}
	records := []Record{}
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		found, err := inspect.Timeline(ctx, s, userID, q)
		records = append(records[:0], found...)
		return err
	})
	return records, err
}

// maxTurns is the largest number of stored turns that can be asked for.
const maxTurns = 1000

// Turns returns the conversation's last n messages as they are stored, from 1 to 1,000:
// those of the user and of the assistant under the session's Scope.Session, oldest first,
// without tools' and quarantined ones. Where several people speak as the user, "Ann: " with the
// speaker's name precedes their texts. So does an agent's name the answers of another agent than
// Scope.Agent, if both are named: they are human messages, since this model did not write them.
// A loop of your own that runs once for each request sends the turns before the question;
// [WithStoredTurns] puts them into a [Memory].
//
// Errors: [*InvalidError] for another n and for a session without a name; the
// database's errors, the context's error.
func (s *Session) Turns(ctx context.Context, n int) ([]llms.ChatMessage, error) {
	stored, err := s.stored(ctx, n)
	return chain.Turns(stored, s.scope.Agent), err
}

// stored returns the messages of [Session.Turns].
func (s *Session) stored(ctx context.Context, n int) ([]Record, error) {
	if n < 1 || n > maxTurns {
		return nil, &InvalidError{Field: "n", Reason: fmt.Sprintf("is %d, must be from 1 to %d", n, maxTurns)}
	}
	if strings.TrimSpace(s.scope.Session) == "" {
		return nil, &InvalidError{Field: "Scope.Session", Reason: "is empty; name the conversation whose turns are wanted"}
	}
	return s.ext.Timeline(ctx, s.scope, TimelineQuery{
		Session: s.scope.Session, Roles: []string{roleUser, roleAssistant}, Kinds: []Kind{KindEpisode}, WithoutQuarantined: true, Limit: n,
	})
}

// Detail is everything known about one memory.
type Detail struct {
	inspect.Detail

	// Event is the message an episode was made from, without its journal position,
	// which would reveal how much other users write.
	Event *eventbus.Event `json:"event,omitempty"`
}

// Get reads one memory by its public id, with everything that refers to it.
//
// Errors: [*InvalidError]; [ErrNotFound] for an id that does not exist or is
// another user's; the database's errors, the context's error.
func (x *Extension) Get(ctx context.Context, scope Scope, id string) (*Detail, error) {
	scope = x.db.Complete(scope)
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
