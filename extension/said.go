package extension

import (
	"context"
	"errors"
	"slices"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
)

// foundForRequest is how many memories are searched for when a user asks to keep or
// forget something.
const foundForRequest = 100

// newReader returns the reader that extracts claims from users' own messages.
func (x *Extension) newReader() *claims.Reader {
	return &claims.Reader{
		DB: x.db, OnlyRequests: x.cfg.NoClaims, OnlyForms: x.cfg.onlyForms, Location: x.cfg.Location,
		Find: func(ctx context.Context, owner Scope, about string) ([]Record, error) {
			answer, err := x.searcher.Search(ctx, Scope{Tenant: owner.Tenant, User: owner.User}, Query{Text: about, Limit: foundForRequest, Dormant: true, Wait: true})
			if err != nil {
				return nil, err
			}
			return answer.Memories(), nil
		},
		Stored: x.mem.Announce, Label: stores.Set(x.cfg.Stores).Label,
	}
}

// readSaid processes the events of stored messages in order: explicit statements in
// users' own messages become claims, and requests to keep or forget something are
// carried out, those that may be none when the answer says that it was done.
func (x *Extension) readSaid(ctx context.Context, events ...eventbus.Event) error {
	var says []*claims.Message // to be carried out
	for _, e := range events {
		var stored eventbus.Stored
		if err := e.Decode(&stored); err != nil {
			return eventbus.Permanent(err)
		}
		own := (&schema.Memory{Origin: e.Origin, Trust: e.TrustLevel()}).OwnWords()
		if stored.Kind != string(KindEpisode) || stored.Restored || !own && e.Origin != schema.OriginAssistant {
			continue
		}
		m, err := x.said(ctx, e.Scope, stored.ID)
		switch {
		case err != nil:
		case own:
			agreed := false
			if text.Agrees(m.Content) {
				if err = x.reader.ReadAll(ctx, says); err == nil {
					says = nil
					agreed, err = x.reader.Agreed(ctx, e.Scope, m)
				}
			}
			if message := x.reader.Says(e.Scope, m); message != nil && !agreed {
				says = append(says, message)
			}
		case m.Role == "assistant":
			if said.MayConfirm(m.Content) || slices.ContainsFunc(says, (*claims.Message).Unstored) {
				err, says = x.reader.ReadAll(ctx, says), nil
			}
			if err == nil {
				err = x.readAnswer(ctx, e.Scope, m)
			}
		}
		if err != nil && !errors.Is(err, schema.ErrNotFound) { // erased in the meantime
			return err
		}
	}
	if err := x.reader.ReadAll(ctx, says); err != nil && (len(events) > 1 || !errors.Is(err, schema.ErrNotFound)) {
		return err
	}
	return nil
}

// answered is how many messages before an answer are searched for the one it answers.
const answered = 3

func (x *Extension) readAnswer(ctx context.Context, scope Scope, answer *Record) error {
	before, err := schema.Get(ctx, x.db, func(ctx context.Context, s *schema.Snapshot) ([]Record, error) {
		return s.Before(ctx, answer, answered)
	})
	at := slices.IndexFunc(before, func(m Record) bool { return m.Role == "user" })
	if err != nil || at < 0 {
		return err
	}
	switch message := &before[at]; {
	case message.State == schema.StateForgotten: // the answer confirms that and nothing before it
		err = x.reader.Answered(ctx, scope, message, answer)
	case claims.Own(message) && said.Confirms(message.Content, answer.Content):
		_, err = x.reader.Confirmed(ctx, scope, message)
	}
	return err
}

// said returns the words of a stored message, see [schema.Snapshot.Said].
func (x *Extension) said(ctx context.Context, scope Scope, id string) (m *Record, err error) {
	return schema.Get(ctx, x.db, func(ctx context.Context, s *schema.Snapshot) (*Record, error) {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return nil, err
		}
		return s.Said(ctx, userID, id)
	})
}
