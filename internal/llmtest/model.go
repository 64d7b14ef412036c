package llmtest

import (
	"context"

	"github.com/tmc/langchaingo/llms"
)

// Model is a model in this process: it answers a prompt with what the function returns.
type Model func(prompt string) string

// GenerateContent implements [llms.Model].
func (m Model) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: m(Prompt(messages))}}}, nil
}

// Call implements [llms.Model].
func (m Model) Call(_ context.Context, prompt string, _ ...llms.CallOption) (string, error) {
	return m(prompt), nil
}

// Says is a model that always answers text.
func Says(text string) Model { return func(string) string { return text } }

// Prompt returns the texts of messages, one a line.
func Prompt(messages []llms.MessageContent) (all string) {
	for _, m := range messages {
		for _, p := range m.Parts {
			if t, ok := p.(llms.TextContent); ok {
				all += t.Text + "\n"
			}
		}
	}
	return all
}
