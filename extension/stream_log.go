package extension

import (
	"context"

	"github.com/ebbmem/ebb/eventbus"
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
	trust := s.ext.captures.trust(ctx, s.turn(), s.scope)
	event := eventbus.AgentResponse(s.scope, e.text(), append(e.labels(), eventbus.Trusted(trust))...)
	events := []eventbus.Event{event}
	s.ext.stamp(events)
	return event.ID, s.ext.bus.Publish(ctx, events...)
}

// unnamedAgent stands for an agent whose host gave it no name.
const unnamedAgent = "agent"
