package llmtest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	lcmemory "github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"
	lcschema "github.com/tmc/langchaingo/schema"
	lctools "github.com/tmc/langchaingo/tools"

	"github.com/ebbmem/ebb/internal/llmtest"
)

// What ebb relies on in langchaingo and its documentation does not say. When an
// update makes one of these fail, look at extension's agents.go, callbacks.go
// and memory.go.

// lookup is a tool that finds whatever it is asked for.
type lookup struct{}

func (lookup) Name() string        { return "lookup" }
func (lookup) Description() string { return "looks things up" }
func (lookup) Call(_ context.Context, input string) (string, error) {
	return "found " + input, nil
}

var toolbox = []lctools.Tool{lookup{}}

// twoVariables is a memory of two prompt variables.
type twoVariables struct{ lcmemory.Simple }

// trap has a visible effect if a value is executed as a template.
const trap = `recalled {{env "HOME"}}`

func (twoVariables) MemoryVariables(context.Context) []string { return []string{"history", "recalled"} }

func (twoVariables) LoadMemoryVariables(context.Context, map[string]any) (map[string]any, error) {
	return map[string]any{"history": "the history", "recalled": trap}, nil
}

// final is a last answer in the words of either text agent.
const final = "No.\nAI: tea\nFinal Answer: tea"

const oneShotSuffix = "Begin!\n\n{{.recalled}}\n\nQuestion: {{.input}}\n{{.agent_scratchpad}}"

func TestMemoryIsAPromptValue(t *testing.T) {
	openAI := agents.NewOpenAIOption()
	extra := func(m ...prompts.MessageFormatter) agents.Option { return openAI.WithExtraMessages(m) }
	system := prompts.NewSystemMessagePromptTemplate("{{.recalled}}", []string{"recalled"})
	user := prompts.NewHumanMessagePromptTemplate("{{.recalled}}", []string{"recalled"})
	conversational := func(llm llms.Model, o ...agents.Option) agents.Agent {
		return agents.NewConversationalAgent(llm, toolbox, o...)
	}
	oneShot := func(llm llms.Model, o ...agents.Option) agents.Agent {
		return agents.NewOneShotAgent(llm, toolbox, o...)
	}
	functions := func(llm llms.Model, o ...agents.Option) agents.Agent {
		return agents.NewOpenAIFunctionsAgent(llm, toolbox, o...)
	}
	for name, c := range map[string]struct {
		agent    func(llms.Model, ...agents.Option) agents.Agent
		option   agents.Option
		recalled string // the role of the message that holds the variable
		history  string
	}{
		"conversational":                {conversational, nil, "", "user"},
		"conversational, prefix":        {conversational, agents.WithPromptPrefix("{{.recalled}}"), "user", "user"},
		"one-shot":                      {oneShot, nil, "", ""},
		"one-shot, suffix":              {oneShot, agents.WithPromptSuffix(oneShotSuffix), "user", ""},
		"functions":                     {functions, nil, "", ""},
		"functions, suffix is ignored":  {functions, agents.WithPromptSuffix(oneShotSuffix), "", ""},
		"functions, system message":     {functions, openAI.WithSystemMessage("Help. {{.recalled}}"), "system", ""},
		"functions, extra system":       {functions, extra(system), "system", ""},
		"functions, extra user message": {functions, extra(user), "user", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.New(t)
			s.On(llmtest.Any, llmtest.Text(final))
			var options []agents.Option
			if c.option != nil {
				options = append(options, c.option)
			}
			_, err := chains.Run(t.Context(), agents.NewExecutor(c.agent(s.LLM(t), options...), agents.WithMemory(twoVariables{})), "what?")
			require.NoError(t, err)
			require.Equal(t, c.recalled, roleOf(s.Requests()[0], trap))
			require.Equal(t, c.history, roleOf(s.Requests()[0], "the history"))
		})
	}
}

// roleOf is the role of the only message that holds a text.
func roleOf(r llmtest.Request, text string) string {
	var roles []string
	for _, m := range r.Messages {
		if strings.Contains(string(m.Content), text) {
			roles = append(roles, m.Role)
		}
	}
	return strings.Join(roles, ", ")
}

func TestTemplateTextIsExecuted(t *testing.T) {
	t.Setenv("HOME", "/home/secret")
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Text(final))
	_, err := chains.Run(t.Context(), agents.NewExecutor(agents.NewConversationalAgent(s.LLM(t), nil, agents.WithPromptPrefix(trap))), "what?")
	require.NoError(t, err)
	require.Contains(t, s.Requests()[0].Prompt(), "recalled /home/secret")
}

func TestAgentWithoutMemoryVariableFails(t *testing.T) {
	s := llmtest.New(t)
	agent := agents.NewOneShotAgent(s.LLM(t), toolbox, agents.WithPromptSuffix(oneShotSuffix))
	_, err := chains.Run(t.Context(), agents.NewExecutor(agent), "what?")
	require.ErrorContains(t, err, `no entry for key "recalled"`)
	require.Empty(t, s.Requests())
}

// heard records the callbacks of a turn.
type heard struct {
	callbacks.SimpleHandler

	events *[]string
}

func (h heard) add(format string, args ...any) {
	*h.events = append(*h.events, fmt.Sprintf(format, args...))
}

func (h heard) HandleChainStart(_ context.Context, inputs map[string]any) {
	if _, inner := inputs["agent_scratchpad"]; inner {
		h.add("inner start %v", inputs["input"])
		return
	}
	h.add("start %v", inputs)
}
func (h heard) HandleChainEnd(_ context.Context, outputs map[string]any) { h.add("end %q", outputs) }
func (h heard) HandleChainError(_ context.Context, err error)            { h.add("error %v", err) }
func (h heard) HandleLLMError(_ context.Context, err error)              { h.add("model error %v", err) }

func (h heard) HandleAgentAction(_ context.Context, a lcschema.AgentAction) {
	h.add("action %s", a.Tool)
}

func (h heard) HandleAgentFinish(_ context.Context, f lcschema.AgentFinish) {
	h.add("finish %q", f.ReturnValues)
}

func (h heard) HandleLLMGenerateContentStart(_ context.Context, messages []llms.MessageContent) {
	h.add("model start %s", messages[len(messages)-1].Role)
}

func (h heard) HandleLLMGenerateContentEnd(_ context.Context, r *llms.ContentResponse) {
	h.add("model end %q", r.Choices[0].Content)
}

func TestHandlerEventsOfAgentTurn(t *testing.T) {
	const (
		ask    = "Yes.\nAction: lookup\nAction Input: tea"
		answer = "No.\nAI: tea\nFinal Answer: tea"
	)
	outer := []string{`start map[input:what?]`, `action lookup`, `finish map["output":"tea"]`, `end map["output":"tea"]`}
	inner := []string{
		`inner start what?`, fmt.Sprintf(`end map["text":%q]`, ask),
		`inner start what?`, fmt.Sprintf(`end map["text":%q]`, answer),
	}
	both := []string{outer[0], inner[0], inner[1], outer[1], inner[2], inner[3], outer[2], outer[3]}
	for name, c := range map[string]struct {
		functions, onExecutor, onAgent bool
		want                           []string
	}{
		"one-shot, executor":  {false, true, false, outer},
		"one-shot, agent":     {false, false, true, inner},
		"one-shot, both":      {false, true, true, both},
		"functions, executor": {true, true, false, outer},
		"functions, agent":    {true, false, true, nil},
		"functions, both":     {true, true, true, outer},
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.New(t)
			var agent agents.Agent
			var events []string
			var onExecutor, onAgent []agents.Option
			if c.onExecutor {
				onExecutor = append(onExecutor, agents.WithCallbacksHandler(heard{events: &events}))
			}
			if c.onAgent {
				onAgent = append(onAgent, agents.WithCallbacksHandler(heard{events: &events}))
			}
			if c.functions {
				s.On(llmtest.LastContains("found tea"), llmtest.Text("tea"))
				s.On(llmtest.Any, llmtest.ToolCall("c1", "lookup", map[string]string{"__arg1": "tea"}))
				agent = agents.NewOpenAIFunctionsAgent(s.LLM(t), toolbox, onAgent...)
			} else {
				s.On(llmtest.Contains("found tea"), llmtest.Text(answer))
				s.On(llmtest.Any, llmtest.Text(ask))
				agent = agents.NewOneShotAgent(s.LLM(t), toolbox, onAgent...)
			}
			_, err := chains.Run(t.Context(), agents.NewExecutor(agent, onExecutor...), "what?")
			require.NoError(t, err)
			require.Equal(t, c.want, events)
		})
	}
}

func TestUnfinishedAgentAnswers(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Text("Yes.\nAction: lookup\nAction Input: tea"))
	var events []string
	exec := agents.NewExecutor(agents.NewOneShotAgent(s.LLM(t), toolbox), agents.WithMaxIterations(1), agents.WithCallbacksHandler(heard{events: &events}))
	_, err := chains.Run(t.Context(), exec, "what?")
	require.ErrorIs(t, err, agents.ErrNotFinished)
	require.Equal(t, []string{
		`start map[input:what?]`, `action lookup`,
		`finish map["output":"agent not finished before max iterations"]`, `error agent not finished before max iterations`,
	}, events)
}
