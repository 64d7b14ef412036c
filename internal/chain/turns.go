package chain

import (
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/schema"
)

// Turns returns stored messages of the user and of assistants in the form of a chat. If several
// people speak as the user, their names precede their texts. Answers of another agent than the
// one of that name, if both have names, are human messages after its name.
func Turns(stored []schema.Memory, agent string) []llms.ChatMessage {
	speakers := make(map[string]bool)
	for _, m := range stored {
		if m.Role == "user" {
			speakers[m.Speaker] = true
		}
	}
	turns := make([]llms.ChatMessage, len(stored))
	for i, m := range stored {
		switch {
		case m.Role == "user" && m.Speaker != "" && len(speakers) > 1:
			turns[i] = llms.HumanChatMessage{Content: m.Speaker + ": " + m.Content}
		case m.Role == "user":
			turns[i] = llms.HumanChatMessage{Content: m.Content}
		case m.Agent != "" && agent != "" && m.Agent != agent:
			turns[i] = llms.HumanChatMessage{Content: m.Agent + ": " + m.Content}
		default:
			turns[i] = llms.AIChatMessage{Content: m.Content}
		}
	}
	return turns
}
