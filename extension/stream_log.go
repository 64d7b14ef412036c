package extension

import (
	"context"
	"strings"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// log stores what the session's agent says that it did, as an entry of the
// stream: by that agent, and trusted no more than what its turn has had in view.
func (s *Session) log(ctx context.Context, said tools.Entry) (string, error) {
	e := StreamEntry{
		Cycle: s.ext.Cycle(s.scope), Role: s.scope.Agent, Action: said.Action, Importance: said.Importance, Type: EntryType(said.Type),
		Tags: said.Tags, IssueRefs: said.Issues, PRRefs: said.Pulls, Content: said.Content,
	}
	if e.Role == "" {
		e.Role = unnamedAgent
	}
	if err := e.validate(); err != nil {
		return "", err
	}
	return s.publish(ctx, e.text(), e.labels()...)
}

// unnamedAgent stands for an agent whose host gave it no name.
const unnamedAgent = "agent"

// archive stores what the session's agent puts into the archive, trusted no more
// than what its turn has had in view.
func (s *Session) archive(ctx context.Context, a tools.Archived) (string, error) {
	opts := []eventbus.MessageOption{eventbus.Attribute(schema.AttrArchive, a.Type), eventbus.Importance(a.Importance)}
	if len(a.Roles) > 0 {
		opts = append(opts, eventbus.Attribute(schema.AttrRoles, strings.Join(a.Roles, ",")))
	}
	if len(a.Issues) > 0 {
		if len(joined(a.Issues)) > schema.MaxLabel {
			return "", &InvalidError{Field: "issues", Reason: "are too many for one entry; name the ones that matter"}
		}
		opts = append(opts, eventbus.Attribute(schema.AttrIssues, joined(a.Issues)))
	}
	return s.publish(ctx, a.Content, opts...)
}

// publish stores what the session's agent writes with a tool.
func (s *Session) publish(ctx context.Context, text string, opts ...eventbus.MessageOption) (string, error) {
	trust := s.ext.captures.trust(ctx, s.turn(), s.scope)
	events := []eventbus.Event{eventbus.AgentResponse(s.scope, text, append(opts, eventbus.Trusted(trust))...)}
	s.ext.stamp(events)
	return events[0].ID, s.ext.bus.Publish(ctx, events...)
}
