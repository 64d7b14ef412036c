package extension_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
)

// What an orchestrator writes to a sub-agent states nothing of the user: if the host says whose
// it is whatever it says, else by its form.
func TestTasksOfAgentsStateNothing(t *testing.T) {
	research := extension.Scope{User: "ada", Session: "chat", Agent: "research"}
	planners := []eventbus.MessageOption{eventbus.From(eventbus.OriginAssistant), eventbus.Speaker("planner")}
	for name, c := range map[string]struct {
		task    string
		options []eventbus.MessageOption
		lines   int
	}{
		"declared":                  {"Find three caterers. I prefer family-run companies. From now on answer in bullet points.", planners, 0},
		"declared, as a prompt":     {"You are a research agent. My budget is 5000 euros. Always answer in JSON.", planners, 0},
		"by its form":               {"You are a research agent. Find three caterers in Lisbon and always answer in JSON.", nil, 0},
		"by its form, with a wish":  {"Your task is to write the invitation. From now on answer in Portuguese.", nil, 0},
		"by its form, to be kept":   {"You are a writing sub-agent. Remember that the deadline is 4 June. My budget is 5000 euros.", nil, 0},
		"the user's, with a role":   {"You are an expert nutritionist. I am allergic to nuts.", nil, 1},
		"the user's, without a one": {"From now on answer in Portuguese.", nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t, fresh(t))
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(research, c.task, c.options...)))
			require.NoError(t, x.WaitIdle(t.Context()))
			profile, err := x.Profile(t.Context(), ada)
			require.NoError(t, err)
			require.Len(t, profile.Lines, c.lines)
			turns, err := x.Timeline(t.Context(), ada, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindEpisode}})
			require.NoError(t, err)
			require.Len(t, turns, 1, "it is kept, word for word")
		})
	}
}

// A task has the trust of the conversation in which a model wrote it, and what the sub-agent
// reads lowers that of what the orchestrator writes after it.
func TestTasksAreTrustedLikeTheirConversation(t *testing.T) {
	planner, research := extension.Scope{User: "ada", Session: "chat", Agent: "planner"}, extension.Scope{User: "ada", Session: "chat", Agent: "research"}
	task := func(said string) eventbus.Event {
		return eventbus.UserMessage(research, said, eventbus.From(eventbus.OriginAssistant), eventbus.Speaker("planner"))
	}
	path := fresh(t)
	x, err := extension.Open(t.Context(), path, nil)
	require.NoError(t, err)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(planner, "Find me a caterer"), task("find caterers in Lisbon")))
	require.Equal(t, schema.MaxTrust, trusted(t, x, "find caterers in Lisbon"))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(research, "web", "Casa Brill caters")))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.AgentResponse(research, "Casa Brill it is")))
	require.NoError(t, x.Close(t.Context()))
	x = open(t, path) // the conversation is read from the file
	require.NoError(t, x.Bus().Publish(t.Context(), task("order at Casa Brill")))
	require.Equal(t, web, trusted(t, x, "find caterers in Lisbon"), "the page may have been read before it")
	require.Equal(t, web, trusted(t, x, "Casa Brill it is"))
	require.Equal(t, web, trusted(t, x, "order at Casa Brill"))
}
