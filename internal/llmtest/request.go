package llmtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Request is one chat request as the client sent it.
type Request struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools"`
	// Functions are tools in the deprecated form.
	Functions     []Function `json:"functions"`
	Stream        bool       `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// Message is one message of a request.
type Message struct {
	Role    string `json:"role"`
	Content text   `json:"content"`
	// ToolCalls are the calls an assistant's message made.
	ToolCalls []Call `json:"tool_calls"`
	// ToolCallID names the call that a tool's message answers.
	ToolCallID string `json:"tool_call_id"`
}

// Tool offers a function to the model.
type Tool struct {
	Type     string   `json:"type"`
	Function Function `json:"function"`
}

// Function is a function that a model may call. Parameters is its JSON Schema.
type Function struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
}

// Call is a tool call: made by a model in a reply, or repeated in a request.
type Call struct {
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function CallFunction `json:"function"`
}

// CallFunction names the called function. Arguments is JSON in a string; a client
// may send anything.
type CallFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// text reads a content that is a string or a list of parts.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = text(s)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	*t = ""
	for _, p := range parts {
		*t += text(p.Text)
	}
	return nil
}

// Prompt returns the whole request as text: for each message a line for the role,
// then the content and the calls.
func (r Request) Prompt() string {
	var b strings.Builder
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "[%s]\n%s\n", m.Role, m.Content)
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "(calls %s with %s)\n", c.Function.Name, c.Function.Arguments)
		}
	}
	return b.String()
}

// Last returns the content of the last message.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return string(r.Messages[len(r.Messages)-1].Content)
}

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// fault returns the reason why OpenAI would reject the form of the request, else
// "".
func (r Request) fault() string {
	switch {
	case r.Model == "":
		return "you must provide a model parameter"
	case len(r.Messages) == 0:
		return "messages must hold at least one message"
	}
	for i, t := range r.Tools {
		if t.Type != "function" || !functionName.MatchString(t.Function.Name) {
			return fmt.Sprintf("tools[%d] is no function with a name that matches %s: %q", i, functionName, t.Function.Name)
		}
	}
	var open []string // calls without an answer yet
	for i, m := range r.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Sprintf("messages[%d] (%s) stands where the answers to %q are due", i, m.Role, open)
		}
		switch m.Role {
		case "system", "developer", "user", "function":
		case "assistant":
			for _, c := range m.ToolCalls {
				open = append(open, c.ID)
			}
		case "tool":
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				return fmt.Sprintf("messages[%d] is a tool's, but answers no call: tool_call_id %q", i, m.ToolCallID)
			}
			open = slices.Delete(open, at, at+1)
		default:
			return fmt.Sprintf("messages[%d] has the unknown role %q", i, m.Role)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("the calls %q were not answered", open)
	}
	return ""
}
