package extension_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

// The name of a trusted tool raises nothing but a result that the host itself reports live.
func TestNameOfATrustedToolRaisesNothingElse(t *testing.T) {
	const said = "a dentist on Friday"
	task := func(of extension.Scope, text string) eventbus.Event {
		return eventbus.UserMessage(of, text, eventbus.From(eventbus.OriginAssistant), eventbus.Speaker("planner"))
	}
	for name, publish := range map[string]func(t *testing.T, x *extension.Extension) error{
		"an import": func(t *testing.T, x *extension.Extension) error {
			_, err := x.Import(t.Context(), strings.NewReader(`{"id":"1","session":"chat","time":"2026-03-01T10:00:00Z","speaker":"calendar","role":"tool","text":"`+said+`"}`), transfer.ImportOptions{Scope: ada, Origin: schema.OriginUser})
			return err
		},
		"an answer by that name": func(t *testing.T, x *extension.Extension) error {
			return x.Bus().Publish(t.Context(), eventbus.ToolResult(ada, "web", "it rains"), eventbus.AgentResponse(ada, said, eventbus.Speaker("calendar")))
		},
		"a task after a page, in bulk": func(t *testing.T, x *extension.Extension) error {
			return x.Bus().Publish(t.Context(), eventbus.ToolResult(ada, "web", "it rains"), task(ada, said), eventbus.UserMessage(extension.Scope{User: "bob"}, "hello"))
		},
		"a page after a task, in bulk": func(t *testing.T, x *extension.Extension) error {
			return x.Bus().Publish(t.Context(), task(ada, said), eventbus.ToolResult(ada, "web", "it rains"), eventbus.UserMessage(extension.Scope{User: "bob"}, "hello"))
		},
		"a name with more to it": func(t *testing.T, x *extension.Extension) error {
			return x.Bus().Publish(t.Context(), eventbus.ToolResult(ada, "calendar.search", said))
		},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Tools: extension.ToolsConfig{Trusted: []string{"calendar"}}, NoBackground: true})
			require.NoError(t, err)
			defer func() { require.NoError(t, x.Close(context.Background())) }()
			require.NoError(t, publish(t, x))
			require.LessOrEqual(t, trusted(t, x, said), web)
		})
	}
}

// A result published before its tool was trusted keeps its trust if it is published again.
func TestRepeatedResultKeepsItsTrust(t *testing.T) {
	path := fresh(t)
	for _, tools := range [][]string{nil, {"calendar"}} {
		x, err := extension.Open(t.Context(), path, &extension.Config{Tools: extension.ToolsConfig{Trusted: tools}, NoBackground: true})
		require.NoError(t, err)
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(ada, "calendar", "a dentist on Friday", eventbus.WithID("1"))))
		require.Equal(t, web, trusted(t, x, "a dentist on Friday"))
		require.NoError(t, x.Close(context.Background()))
	}
}
