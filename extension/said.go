package extension

import (
	"context"
	"errors"
	"slices"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
)

// foundForRequest is how many memories are searched for when a user asks to keep or
// forget something.
const foundForRequest = 100

// newReader returns the reader that extracts claims from users' own messages.
func (x *Extension) newReader() *claims.Reader {
	return &claims.Reader{
		DB: x.db, OnlyRequests: x.cfg.NoClaims, OnlyForms: x.cfg.onlyForms,
		Find: func(ctx context.Context, owner Scope, about string) ([]Record, error) {
			answer, err := x.searcher.Search(ctx, Scope{Tenant: owner.Tenant, User: owner.User}, Query{Text: about, Limit: foundForRequest, Dormant: true, Wait: true})
			if err != nil {
				return nil, err
			}
			found := make([]Record, len(answer.Results))
			for i := range answer.Results {
				found[i] = answer.Results[i].Memory
			}
			return found, nil
		},
		Stored: x.mem.Announce, Label: stores.Set(x.cfg.Stores).Label,
	}
}

// readSaid processes the events of stored messages in order: explicit statements in
// users' own messages become claims, and requests to keep or forget something are
// carried out, those that may be none when the answer says that it was done.
func (x *Extension) readSaid(ctx context.Context, events ...eventbus.Event) error {
	for _, e := range events {
		var stored eventbus.Stored
		if err := e.Decode(&stored); err != nil {
			return eventbus.Permanent(err)
		}
		if stored.Kind != string(KindEpisode) || stored.Restored {
			continue
		}
		read := x.readMessage
		if own := (schema.Memory{Origin: e.Origin, Trust: e.TrustLevel()}); !own.OwnWords() {
			if e.Origin != schema.OriginAssistant {
				continue
			}
			read = x.readAnswer
		}
		if err := read(ctx, e.Scope, stored.ID); err != nil && !errors.Is(err, schema.ErrNotFound) { // erased in the meantime
			return err
		}
	}
	return nil
}

func (x *Extension) readMessage(ctx context.Context, scope Scope, id string) error {
	var says *claims.Message
	_, err := x.said(ctx, scope, id, func(m *schema.Memory) bool {
		says = x.reader.Says(scope, m)
		return says != nil
	})
	if err != nil || says == nil {
		return err
	}
	_, err = x.reader.ReadParsed(ctx, says)
	return err
}

// answered is how many messages before an answer are searched for the one it answers.
const answered = 3

func (x *Extension) readAnswer(ctx context.Context, scope Scope, id string) error {
	answer, err := x.said(ctx, scope, id, func(m *schema.Memory) bool { return m.Role == "assistant" && said.MayConfirm(m.Content) })
	if err != nil || answer == nil {
		return err
	}
	var before []Record
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		before, err = s.Before(ctx, answer, answered)
		return err
	})
	if at := slices.IndexFunc(before, func(m Record) bool { return claims.Own(&m) }); err == nil && at >= 0 && said.Confirms(before[at].Content, answer.Content) {
		_, err = x.reader.Confirmed(ctx, scope, &before[at])
	}
	return err
}

// said returns a stored message if its words are worth reading, else nil.
func (x *Extension) said(ctx context.Context, scope Scope, id string, worth func(*schema.Memory) bool) (m *schema.Memory, err error) {
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		if m, err = s.Said(ctx, userID, id); err != nil || !worth(m) {
			m = nil
		}
		return err
	})
	return m, err
}
