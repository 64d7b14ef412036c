package server

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/mcpserver"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

// maxTurns bounds the messages of one request.
const maxTurns = 1000

func (c *call) turns(ctx context.Context, in turnsIn) (turnsOut, error) {
	if len(in.Turns) == 0 || len(in.Turns) > maxTurns {
		return turnsOut{}, &extension.InvalidError{Field: "turns", Reason: "must hold 1 to 1000 messages"}
	}
	events := make([]eventbus.Event, len(in.Turns))
	for i, t := range in.Turns {
		var err error
		if events[i], err = c.event(ctx, c.session(in.Session), t); err != nil {
			return turnsOut{}, err
		}
	}
	if slices.ContainsFunc(events, func(e eventbus.Event) bool { return e.ID != "" }) {
		checked := c.sameIDs(c.scope)
		checked.Lock() // of two messages with one id, the second must find the first
		defer checked.Unlock()
		if err := c.checkIDs(ctx, events); err != nil {
			return turnsOut{}, err
		}
	}
	stored, err := c.ext.Bus().(interface {
		PublishNew(ctx context.Context, events ...eventbus.Event) (stored int, err error)
	}).PublishNew(ctx, events...)
	return turnsOut{len(events), stored, len(events) - stored}, err
}

// sameIDs returns the lock of a user's ids, which other users may share.
func (s *Server) sameIDs(of extension.Scope) *sync.Mutex {
	return &s.ids[maphash.String(s.seed, of.Tenant+"\x00"+of.User)%uint64(len(s.ids))]
}

// checkIDs returns errTaken if an id belongs to a message with another text.
func (c *call) checkIDs(ctx context.Context, events []eventbus.Event) error {
	var ids []string
	for _, e := range events {
		if e.ID != "" {
			ids = append(ids, e.ID)
		}
	}
	texts, parts := make(map[string]string), c.ext.Parts() // by id
	err := parts.DB.ReadUser(ctx, c.scope, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		stored, err := records.StoredEvents(ctx, s.Query, userID, ids...)
		for _, e := range stored {
			var m eventbus.Message
			_ = json.Unmarshal(e.Payload, &m) // an event that is no message has no text
			texts[e.ID] = m.Text
		}
		return err
	})
	for _, e := range events {
		if e.ID == "" || err != nil {
			continue
		}
		m, _ := e.Message()
		said := text.Clean(m.Text)
		if before, known := texts[e.ID]; !known {
			texts[e.ID] = said
		} else if said != before {
			if said, err = parts.Redactor.Text(ctx, "", said); err == nil && text.Clean(said) != before {
				err = errTaken
			}
		}
	}
	return err
}

// event converts a message to an event. Only a host token may set time and speaker and
// use its own ids as they are, and only there role user means the user's own words.
func (c *call) event(ctx context.Context, scope extension.Scope, t turn) (eventbus.Event, error) {
	opts := []eventbus.MessageOption{eventbus.At(t.At), eventbus.Speaker(t.Speaker)}
	if !c.token.Host {
		switch {
		case !t.At.IsZero() || t.Speaker != "" || t.Role == "tool" && t.ID != "":
			return eventbus.Event{}, &extension.InvalidError{Field: "turns", Reason: "with at, with speaker, and of a tool with id need a token that speaks for the user (ebb token add --as host)"}
		case t.Role == "user" || t.Role == "assistant":
			return mcpserver.Message(ctx, c.ext.Parts().Redactor.Text, scope, t.Role, t.Text, t.ID, false)
		}
		opts = append(opts, eventbus.Trusted(eventbus.OriginToolExternal.Ceiling())) // a model may name any tool
	}
	if t.ID != "" {
		opts = append(opts, eventbus.WithID(t.ID))
	}
	switch t.Role {
	case "user":
		return eventbus.UserMessage(scope, t.Text, opts...), nil
	case "assistant":
		return eventbus.AgentResponse(scope, t.Text, opts...), nil
	case "tool":
		return eventbus.ToolResult(scope, t.Tool, t.Text, opts...), nil
	}
	return eventbus.Event{}, &extension.InvalidError{Field: "role", Reason: "must be user, assistant or tool"}
}
