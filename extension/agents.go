package extension

import (
	"context"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"
)

// A langchaingo executor loads its memory for every agent type, but only the
// conversational agent's prompt has a variable for it. These options add one to the
// other types. Pass them to the agent's constructor, and the same memory to
// agents.NewExecutor with agents.WithMemory.

// ForOpenAIFunctions adds the memory to the prompt of
// agents.NewOpenAIFunctionsAgent. History and recalled memories become one user
// message before the question; there is no message if both are empty. The text is
// inserted as a value and never parsed as a template.
//
// It sets the agent's extra messages. If you have extra messages of your own,
// append [Memory.Messages] to them instead.
func (m *Memory) ForOpenAIFunctions() agents.Option {
	return agents.NewOpenAIOption().WithExtraMessages([]prompts.MessageFormatter{m.Messages()})
}

// Messages formats the memory as one user message, for chat prompts of your own.
func (m *Memory) Messages() prompts.MessageFormatter {
	return memoryMessages{keys: m.promptKeys()}
}

// ForOneShot adds the memory to the prompt of agents.NewOneShotAgent. It replaces
// the prompt's suffix.
func (m *Memory) ForOneShot() agents.Option {
	var b strings.Builder
	b.WriteString("Begin!\n\n")
	for _, key := range m.promptKeys() {
		b.WriteString("{{." + key + "}}\n\n")
	}
	b.WriteString("Question: {{.input}}\n{{.agent_scratchpad}}")
	return agents.WithPromptSuffix(b.String())
}

// promptKeys returns the variables a prompt must contain: the one for recalled
// memories, if [WithVariable] set one, then the history.
func (m *Memory) promptKeys() []string {
	key := m.GetMemoryKey(context.Background())
	if m.variable != "" && m.variable != key {
		return []string{m.variable, key}
	}
	return []string{key}
}

// memoryMessages formats values without a template, so that stored text is never
// executed as one.
type memoryMessages struct{ keys []string }

// FormatMessages implements [prompts.MessageFormatter].
func (f memoryMessages) FormatMessages(values map[string]any) ([]llms.ChatMessage, error) {
	var parts []string
	for _, key := range f.keys {
		if s, ok := values[key].(string); ok && strings.TrimSpace(s) != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return []llms.ChatMessage{llms.HumanChatMessage{Content: strings.Join(parts, "\n\n")}}, nil
}

// GetInputVariables implements [prompts.MessageFormatter].
func (f memoryMessages) GetInputVariables() []string { return f.keys }
