package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tmc/langchaingo/llms"
)

// toolless is a model that is asked without tools once it has written a call of one as
// text, as small models do: nothing would carry the call out, and the user would read it.
type toolless struct {
	llms.Model

	tools []string // names
	tell  func(string)
	since atomic.Bool
}

// GenerateContent implements [llms.Model].
func (m *toolless) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if !m.since.Load() {
		response, err := m.Model.GenerateContent(ctx, messages, options...)
		if err != nil || !m.writesCall(response) {
			return response, err
		}
		if !m.since.Swap(true) {
			m.tell("the model writes calls of tools as text; the chat goes on without tools, and memory works without them")
		}
	}
	options = append(slices.Clone(options), func(o *llms.CallOptions) {
		o.Tools, o.ToolChoice, o.Functions, o.FunctionCallBehavior = nil, nil, nil, ""
	})
	response, err := m.Model.GenerateContent(ctx, withoutTools(messages), options...)
	if err == nil && response != nil && len(response.Choices) > 0 && response.Choices[0] != nil {
		c := response.Choices[0]
		c.Content = strings.TrimPrefix(c.Content, "AI: ") // copied from the transcript in the prompt
	}
	return response, err
}

// withoutTools replaces what the system message says of tools.
func withoutTools(messages []llms.MessageContent) []llms.MessageContent {
	messages = slices.Clone(messages)
	for i, m := range messages {
		messages[i].Parts = slices.Clone(m.Parts)
		for j, part := range m.Parts {
			if t, ok := part.(llms.TextContent); ok && m.Role == llms.ChatMessageTypeSystem {
				messages[i].Parts[j] = llms.TextContent{Text: strings.Replace(t.Text, chatToolsMessage, chatNoToolsMessage, 1)}
			}
		}
	}
	return messages
}

// writesCall reports whether an answer is the text of a call and nothing else.
func (m *toolless) writesCall(response *llms.ContentResponse) bool {
	if response == nil || len(response.Choices) == 0 || response.Choices[0] == nil {
		return false
	}
	c := response.Choices[0]
	if c.FuncCall != nil || len(c.ToolCalls) > 0 {
		return false
	}
	text := strings.NewReplacer("<tool_call>", "", "</tool_call>", "", "```json", "", "```", "").Replace(c.Content)
	var call struct {
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
	}
	if err := json.NewDecoder(bytes.NewBufferString(text)).Decode(&call); err != nil {
		return false
	}
	return (call.Arguments != nil || call.Parameters != nil) && slices.Contains(m.tools, call.Name)
}
