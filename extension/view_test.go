package extension_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	lcschema "github.com/tmc/langchaingo/schema"
	lctools "github.com/tmc/langchaingo/tools"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/schema"
)

const (
	web      = schema.Trust(1)
	lowAbout = "Crumble the dog lives in Lisbon, says the brochure"
	whereIs  = "where does Crumble the dog live?"
)

// planted stores a text of low trust in another conversation.
func planted(t *testing.T, x *extension.Extension) {
	t.Helper()
	elsewhere := extension.Scope{User: "ada", Session: "elsewhere"}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(elsewhere, lowAbout, eventbus.From(eventbus.OriginImport))))
}

// An answer is trusted no more than the texts shown to the model, whatever the source
// of the text and of the answer.
func TestNoSourceRaisesAnswerTrust(t *testing.T) {
	t.Parallel()
	const answer = "Crumble is in Lisbon"
	inputs := map[string]any{"input": whereIs}
	tool := llms.ToolCall{ID: "call-1", FunctionCall: &llms.FunctionCall{Name: "search_memory", Arguments: `{"query": "` + whereIs + `"}`}}
	brings := map[string]func(t *testing.T, x *extension.Extension, s *extension.Session){
		"the Memory recalls": func(t *testing.T, _ *extension.Extension, s *extension.Session) {
			loaded, err := s.Memory().LoadMemoryVariables(t.Context(), inputs)
			require.NoError(t, err)
			require.Contains(t, loaded["history"], "Lisbon")
		},
		"the wrapped model recalls": func(t *testing.T, _ *extension.Extension, s *extension.Session) {
			model := &echo{}
			_, err := llms.GenerateFromSinglePrompt(t.Context(), extension.WrapModel(model, s), whereIs)
			require.NoError(t, err)
			require.Contains(t, model.prompt, "Lisbon")
		},
		"the model searches": func(t *testing.T, _ *extension.Extension, s *extension.Session) {
			found, err := s.CallTool(t.Context(), tool)
			require.NoError(t, err)
			require.Contains(t, found.Content, "Lisbon")
		},
		"the bus hears a tool": func(t *testing.T, x *extension.Extension, s *extension.Session) {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(s.Scope(), "web", "a page about dogs")))
		},
		"a bulk holds a tool's answer": func(t *testing.T, x *extension.Extension, s *extension.Session) {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(s.Scope(), "web", "a page about dogs"),
				eventbus.UserMessage(extension.Scope{User: "bob"}, "hello")))
		},
		"the user forwards": func(t *testing.T, x *extension.Extension, s *extension.Session) {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(s.Scope(), "a letter about dogs", eventbus.From(eventbus.OriginImport))))
		},
		"the wrapped model sees a tool's answer": func(t *testing.T, _ *extension.Extension, s *extension.Session) {
			_, err := extension.WrapModel(seesTools{}, s).GenerateContent(t.Context(), []llms.MessageContent{
				llms.TextParts(llms.ChatMessageTypeHuman, "what does the page say?"),
				{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: "web"}}}},
				{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "1", Content: "a page about dogs"}}},
			})
			require.NoError(t, err)
		},
		"the callbacks hear of a tool": func(t *testing.T, _ *extension.Extension, s *extension.Session) {
			s.Callbacks().HandleAgentAction(t.Context(), lcschema.AgentAction{Tool: "web"})
		},
	}
	answers := map[string]func(t *testing.T, x *extension.Extension, s *extension.Session){
		"Memory": func(t *testing.T, _ *extension.Extension, s *extension.Session) {
			require.NoError(t, s.Memory().SaveContext(t.Context(), inputs, map[string]any{"text": answer}))
		},
		"Callbacks": func(t *testing.T, _ *extension.Extension, s *extension.Session) {
			heard := s.Callbacks()
			heard.HandleChainStart(t.Context(), inputs)
			heard.HandleChainEnd(t.Context(), map[string]any{"text": answer})
		},
		"bus": func(t *testing.T, x *extension.Extension, s *extension.Session) {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.AgentResponse(s.Scope(), answer)))
		},
		"bulk": func(t *testing.T, x *extension.Extension, s *extension.Session) {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.AgentResponse(s.Scope(), answer),
				eventbus.UserMessage(extension.Scope{User: "carl"}, "hello")))
		},
		"bus, a turn later": func(t *testing.T, x *extension.Extension, s *extension.Session) {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.AgentResponse(s.Scope(), "one moment")))
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(s.Scope(), "well?")))
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.AgentResponse(s.Scope(), answer)))
		},
	}
	for how, bring := range brings {
		for door, say := range answers {
			t.Run(how+", answered through "+door, func(t *testing.T) {
				x := open(t, fresh(t))
				planted(t, x)
				s := session(t, x, extension.Scope{User: "ada", Session: "now"})
				// From here on the file is not asked again what is in view.
				require.NoError(t, x.Bus().Publish(t.Context(), eventbus.AgentResponse(s.Scope(), "good morning")))
				bring(t, x, s)
				say(t, x, s)
				require.Equal(t, web, trusted(t, x, answer))
			})
		}
	}
	for door, say := range answers {
		t.Run("nothing, answered through "+door, func(t *testing.T) {
			x := open(t, fresh(t))
			planted(t, x)
			say(t, x, session(t, x, extension.Scope{User: "ada", Session: "now"}))
			require.Equal(t, schema.MaxTrust, trusted(t, x, answer), "what the conversation has not seen lowers nothing")
		})
	}
}

// seesTools is a model that is called with more than text.
type seesTools struct{}

func (seesTools) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "ok"}}}, nil
}

func (seesTools) Call(context.Context, string, ...llms.CallOption) (string, error) { return "ok", nil }

func TestLateToolResultLowersAnswer(t *testing.T) {
	page, answer := eventbus.ToolResult(ada, "web", "the page says so"), eventbus.AgentResponse(ada, "it is so")
	before := eventbus.AgentResponse(ada, "good morning")
	asked := eventbus.UserMessage(ada, "is it so?")
	for name, batches := range map[string][][]eventbus.Event{
		"by itself":    {{before}, {asked}, {answer}, {page}},
		"together":     {{before, asked, answer, page}},
		"with another": {{before}, {asked}, {answer}, {page, eventbus.UserMessage(extension.Scope{User: "bob"}, "hello")}},
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t, fresh(t))
			for _, batch := range batches {
				require.NoError(t, x.Bus().Publish(t.Context(), batch...))
			}
			require.Equal(t, web, trusted(t, x, "it is so"))
			require.Equal(t, schema.MaxTrust, trusted(t, x, "good morning"), "the turn before it is another")
		})
	}
}

func TestExposureSurvivesRestart(t *testing.T) {
	for name, scope := range map[string]extension.Scope{"named": {User: "ada", Session: "now"}, "unnamed": {User: "ada"}} {
		t.Run(name, func(t *testing.T) {
			path := fresh(t)
			x, err := extension.Open(t.Context(), path, nil)
			require.NoError(t, err)
			planted(t, x)
			_, err = session(t, x, scope).Memory().LoadMemoryVariables(t.Context(), map[string]any{"input": whereIs})
			require.NoError(t, err)
			require.NoError(t, x.WaitIdle(t.Context()))
			require.NoError(t, x.Close(t.Context()))

			x = open(t, path)
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.AgentResponse(scope, "Crumble is in Lisbon")))
			require.Equal(t, web, trusted(t, x, "Crumble is in Lisbon"))
		})
	}
	t.Run("but no conversation without a name for ever", func(t *testing.T) {
		nameless := extension.Scope{User: "ada"}
		path, now := fresh(t), clock.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
		config := &extension.Config{Now: now.Now, NoBackground: true}
		x, err := extension.Open(t.Context(), path, config)
		require.NoError(t, err)
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(nameless, "web", "the page says so")))
		require.NoError(t, x.Close(t.Context()))
		now.Add(48 * time.Hour)
		y, err := extension.Open(t.Context(), path, config)
		require.NoError(t, err)
		defer func() { require.NoError(t, y.Close(context.Background())) }()
		require.NoError(t, y.Bus().Publish(t.Context(), eventbus.AgentResponse(nameless, "two days later")))
		require.Equal(t, schema.MaxTrust, trusted(t, y, "two days later"))
	})
}

func TestConcurrentTurnsShareExposure(t *testing.T) {
	x := open(t, fresh(t))
	planted(t, x)
	s := session(t, x, extension.Scope{User: "ada", Session: "now"})
	m := s.Memory()
	_, err := m.LoadMemoryVariables(t.Context(), map[string]any{"input": whereIs})
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			turn := map[string]any{"input": fmt.Sprint("question ", i)}
			_, _ = m.LoadMemoryVariables(t.Context(), turn)
			_ = m.SaveContext(t.Context(), turn, map[string]any{"text": fmt.Sprint("reply ", i)})
		})
	}
	all.Wait()
	for i := range 8 {
		require.Equal(t, web, trusted(t, x, fmt.Sprint("reply ", i)))
	}
}

// A result of a tool that the host trusts sets nothing aside that an agent saves after it,
// however it is reported; those of other tools do.
func TestTrustedToolsByEveryWay(t *testing.T) {
	ways := map[string]func(t *testing.T, x *extension.Extension, s *extension.Session, tool string){
		"the bus": func(t *testing.T, x *extension.Extension, s *extension.Session, tool string) {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(s.Scope(), tool, "a dentist on Friday")))
		},
		"an event of another program": func(t *testing.T, x *extension.Extension, s *extension.Session, tool string) {
			e := eventbus.Event{Topic: eventbus.TopicToolResult, Scope: s.Scope(), Origin: eventbus.OriginToolExternal, Payload: []byte(`{"text": "a dentist on Friday", "tool": "` + tool + `"}`)}
			require.NoError(t, x.Bus().Publish(t.Context(), e))
		},
		"a bulk": func(t *testing.T, x *extension.Extension, s *extension.Session, tool string) {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(s.Scope(), tool, "a dentist on Friday"), eventbus.UserMessage(extension.Scope{User: "bob"}, "hello")))
		},
		"the wrapped model": func(t *testing.T, _ *extension.Extension, s *extension.Session, tool string) {
			_, err := extension.WrapModel(seesTools{}, s).GenerateContent(t.Context(), []llms.MessageContent{
				llms.TextParts(llms.ChatMessageTypeHuman, "what is on Friday?"),
				{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "1", Name: tool, Content: "a dentist on Friday"}}},
			})
			require.NoError(t, err)
		},
		"the callbacks": func(t *testing.T, _ *extension.Extension, s *extension.Session, tool string) {
			s.Callbacks().HandleAgentAction(t.Context(), lcschema.AgentAction{Tool: tool})
		},
		"the Memory": func(t *testing.T, _ *extension.Extension, s *extension.Session, tool string) {
			require.NoError(t, s.Memory().SaveContext(t.Context(), map[string]any{"input": "what is on Friday?"},
				map[string]any{"output": "A dentist.", "intermediateSteps": []lcschema.AgentStep{{Action: lcschema.AgentAction{Tool: tool}}}}))
		},
	}
	for way, report := range ways {
		for tool, trusted := range map[string]bool{"calendar": true, "web": false} {
			t.Run(way+" reports "+tool, func(t *testing.T) {
				path, config := fresh(t), &extension.Config{Tools: extension.ToolsConfig{Trusted: []string{"Calendar"}}, NoBackground: true}
				x, err := extension.Open(t.Context(), path, config)
				require.NoError(t, err)
				s := session(t, x, ada)
				report(t, x, s, tool)
				saves := func(s *extension.Session, fact string) {
					t.Helper()
					answer, err := s.CallTool(t.Context(), llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: "remember_fact", Arguments: `{"content": "` + fact + `"}`}})
					require.NoError(t, err)
					require.Equal(t, !trusted, strings.Contains(answer.Content, "set aside"), answer.Content)
				}
				saves(s, "Ada sees a dentist called Brill.")
				if way != "the wrapped model" && way != "the callbacks" { // which store nothing
					require.NoError(t, x.Close(t.Context()))
					x, err = extension.Open(t.Context(), path, config)
					require.NoError(t, err)
					saves(session(t, x, ada), "Ada goes there by tram.")
				}
				require.NoError(t, x.Close(t.Context()))
			})
		}
	}
	t.Run("a publisher may trust a result less", func(t *testing.T) {
		x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Tools: extension.ToolsConfig{Trusted: []string{"calendar"}}, NoBackground: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, x.Close(context.Background())) }()
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(ada, "calendar", "a dentist on Friday", eventbus.Trusted(web))))
		require.Equal(t, web, trusted(t, x, "a dentist on Friday"))
		preview, err := session(t, x, extension.Scope{User: "ada", Session: "later"}).Preview(t.Context(), "When is the dentist, on Friday?")
		require.NoError(t, err)
		require.NotContains(t, preview.Block, "a dentist on Friday")
	})
}

// page is a tool of the host's that ebb knows nothing about.
type page struct{ name string }

func (p page) Name() string                               { return p.name }
func (page) Description() string                          { return "reads a page" }
func (page) Call(context.Context, string) (string, error) { return "the page says that it rains", nil }

var _ lctools.Tool = page{}

// An agent uses a tool that the executor does not report. Its answer is trusted like
// the tool.
func TestAgentAnswerTrustFollowsTools(t *testing.T) {
	for name, c := range map[string]struct {
		tool     string
		internal []string
		options  func(s *extension.Session) []agents.Option
		want     schema.Trust
	}{
		"nothing is known of the steps": {"web", nil, func(*extension.Session) []agents.Option { return nil }, 1},
		"the steps are told": {"web", nil, func(*extension.Session) []agents.Option {
			return []agents.Option{agents.WithReturnIntermediateSteps()}
		}, 1},
		"the callbacks are told": {"web", nil, func(s *extension.Session) []agents.Option {
			return []agents.Option{agents.WithCallbacksHandler(s.Callbacks())}
		}, 1},
		"a tool of the host's own, as the steps tell": {"clock", []string{"Clock"}, func(*extension.Session) []agents.Option {
			return []agents.Option{agents.WithReturnIntermediateSteps()}
		}, 3},
		"a tool of the host's own, as the callbacks tell": {"clock", []string{"clock"}, func(s *extension.Session) []agents.Option {
			return []agents.Option{agents.WithCallbacksHandler(s.Callbacks())}
		}, 3},
		"a tool of ebb's": {"memory_stats", nil, func(s *extension.Session) []agents.Option {
			return []agents.Option{agents.WithCallbacksHandler(s.Callbacks())}
		}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Tools: extension.ToolsConfig{Trusted: c.internal}, NoBackground: true})
			require.NoError(t, err)
			defer func() { require.NoError(t, x.Close(context.Background())) }()
			s := session(t, x, ada)
			var used []lctools.Tool
			if c.tool == "memory_stats" {
				used = s.Tools()
			} else {
				used = []lctools.Tool{page{c.tool}}
			}
			model := &lines{"Thought: Do I need to use a tool? Yes\nAction: " + c.tool + "\nAction Input: {}", "Thought: Do I need to use a tool? No\nAI:It rains."}
			agent := agents.NewConversationalAgent(model, used)
			executor := agents.NewExecutor(agent, append(c.options(s), agents.WithMemory(s.Memory()))...)
			_, err = chains.Call(t.Context(), executor, map[string]any{"input": "does it rain?"})
			require.NoError(t, err)
			require.Equal(t, c.want, trusted(t, x, "It rains."))
		})
	}
}

// lines is a model that says its lines one after the other.
type lines []string

func (l *lines) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	said := (*l)[0]
	*l = (*l)[1:]
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: said}}}, nil
}

func (l *lines) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, l, prompt, options...)
}
