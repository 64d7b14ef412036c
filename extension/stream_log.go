package extension

import (
	"cmp"
	"context"
	"strings"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// log stores an action that the session's agent reports as an entry of the stream.
// Its trust is the lowest of what the agent has seen in the conversation.
func (s *Session) log(ctx context.Context, said tools.Entry) (string, error) {
	e := transfer.StreamEntry{
		Cycle: s.ext.Cycle(s.scope), Role: cmp.Or(s.scope.Agent, transfer.UnnamedAgent), Action: said.Action, Importance: said.Importance,
		Type: transfer.EntryType(said.Type), Tags: said.Tags, IssueRefs: said.Issues, PRRefs: said.Pulls, Content: said.Content,
	}
	event, err := e.Event(s.scope)
	if err != nil {
		return "", err
	}
	return s.publish(ctx, event)
}

// archive stores an agent's entry in the archive. Its trust is the lowest of what
// the agent has seen in the conversation.
func (s *Session) archive(ctx context.Context, a tools.Archived) (string, error) {
	opts := []eventbus.MessageOption{eventbus.Attribute(schema.AttrArchive, a.Type), eventbus.Importance(a.Importance)}
	if len(a.Roles) > 0 {
		opts = append(opts, eventbus.Attribute(schema.AttrRoles, strings.Join(a.Roles, ",")))
	}
	if len(a.Issues) > 0 {
		if len(text.JoinNumbers(a.Issues)) > schema.MaxLabel {
			return "", &InvalidError{Field: "issues", Reason: "are too many for one entry; name the ones that matter"}
		}
		opts = append(opts, eventbus.Attribute(schema.AttrIssues, text.JoinNumbers(a.Issues)))
	}
	return s.publish(ctx, eventbus.AgentResponse(s.scope, a.Content, opts...))
}

// publish stores what the session's agent writes with a tool and returns its id.
func (s *Session) publish(ctx context.Context, event eventbus.Event) (string, error) {
	trust := s.ext.captures.trust(ctx, s.conversation(), s.scope)
	event.Trust = &trust
	events := []eventbus.Event{event}
	s.ext.stamp(events)
	return event.ID, s.ext.mem.Publish(ctx, events...)
}
