package consolidate_test

import (
	"context"

	"github.com/tmc/langchaingo/llms"
)

// answering is a model in this process, for tests whose time is virtual.
type answering func(prompt string) string

func (f answering) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: f(promptOf(messages))}}}, nil
}

func (f answering) Call(_ context.Context, prompt string, _ ...llms.CallOption) (string, error) {
	return f(prompt), nil
}

func promptOf(messages []llms.MessageContent) (all string) {
	for _, m := range messages {
		for _, p := range m.Parts {
			if t, ok := p.(llms.TextContent); ok {
				all += t.Text + "\n"
			}
		}
	}
	return all
}
