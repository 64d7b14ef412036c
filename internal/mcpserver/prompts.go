package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

func addPrompts(s *mcp.Server, open Opener) {
	add := func(p *mcp.Prompt, read func(ctx context.Context, c *Conversation, arguments map[string]string) (ask, memory string, err error)) {
		s.AddPrompt(p, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			c, err := open(ctx)
			if err != nil {
				return nil, err
			}
			ask, memory, err := read(ctx, c, req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			return &mcp.GetPromptResult{Description: p.Description, Messages: []*mcp.PromptMessage{
				{Role: "user", Content: &mcp.TextContent{Text: ask + "\n\n" + memory}},
			}}, nil
		})
	}
	add(&mcp.Prompt{
		Name: "recall", Title: "Recall a topic", Description: "What is remembered about a topic.",
		Arguments: []*mcp.PromptArgument{{Name: "topic", Description: "a question or a few words", Required: true}},
	}, func(ctx context.Context, c *Conversation, arguments map[string]string) (ask, memory string, err error) {
		if arguments["topic"] == "" {
			return "", "", &schema.InvalidError{Field: "topic", Reason: "is missing"}
		}
		memory, err = c.run(ctx, "search_memory", map[string]string{"query": arguments["topic"]})
		return "Tell me what you remember about this, and say where you are not sure: " + text.Line(arguments["topic"]), memory, err
	})
	add(&mcp.Prompt{
		Name: "continue", Title: "Continue", Description: "Take up where the last conversation ended.",
	}, func(ctx context.Context, c *Conversation, _ map[string]string) (ask, memory string, err error) {
		memory, err = c.run(ctx, "recent_context", map[string]string{})
		return "Let us take up where we stopped. Say in two or three sentences where that was and what is open.", memory, err
	})
	add(&mcp.Prompt{
		Name: "what_do_you_know", Title: "What do you know about me?", Description: "What the user has said of themselves.",
	}, func(ctx context.Context, c *Conversation, _ map[string]string) (ask, memory string, err error) {
		memory, err = c.core(ctx)
		return "What do you know about me? List it, and ask me what is wrong or out of date.", memory, err
	})
}

// run returns a tool's answer as text, and that of a failed call as an error.
func (c *Conversation) run(ctx context.Context, tool string, arguments map[string]string) (string, error) {
	out, err := c.Run(ctx, tool, arguments)
	if err == nil && out.Failed {
		err = errors.New(out.Text)
	}
	return out.Text, err
}
