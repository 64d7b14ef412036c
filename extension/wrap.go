package extension

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/internal/prompt"
)

// WrapModel wraps llm and injects relevant memories of the session before the last
// human message of each call, if that has a text. A prompt that already holds a block of this session
// is left unchanged; blocks of other sessions stay, and are no part of the question, so a
// model may be wrapped for a team's memory and again for a person's. It stores nothing:
// publish messages through the bus, the Memory or the Callbacks. After the memory is
// closed, calls return [ErrClosed].
func WrapModel(llm llms.Model, s *Session) llms.Model { return &remembering{llm, s} }

type remembering struct {
	llms.Model

	session *Session
}

// GenerateContent implements [llms.Model].
func (r *remembering) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := r.session.ext.errIfClosed(); err != nil {
		return nil, err
	}
	messages, recorded := r.withMemory(ctx, messages)
	defer recorded() // recording overlaps with the model's call
	response, err := r.Model.GenerateContent(ctx, messages, options...)
	if err == nil && response != nil && len(response.Choices) > 0 {
		if c := response.Choices[0]; c != nil && len(c.ToolCalls) == 0 && c.FuncCall == nil {
			r.session.hasAnswered(c.Content)
		}
	}
	return response, err
}

// Call implements [llms.Model].
func (r *remembering) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, r, prompt, options...)
}

// withMemory returns a copy of messages with the block before the text of the last
// human message. Further calls of an agent in the same turn get the first call's
// block.
func (r *remembering) withMemory(ctx context.Context, messages []llms.MessageContent) (_ []llms.MessageContent, recorded func()) {
	recorded = func() {}
	for _, tool := range calledTools(messages) {
		r.session.toolUsed(tool)
	}
	at, part, text := lastHumanText(messages)
	question := prompt.Unfenced(text) // another session's block is not asked for, nor recorded as asked
	if at < 0 {
		r.session.talk().heard(new(Injection), r.session.ext.cfg.Now())
		return messages, recorded
	}
	if r.session.blocks().within(promptText(slices.DeleteFunc(slices.Clone(messages), ofModel))) {
		return messages, recorded // the session's Memory has put it there
	}
	whole := promptText(messages)
	after := messages[at+1:]
	again := len(after) > 0 && !slices.ContainsFunc(after, func(m llms.MessageContent) bool { return !ofModel(m) && !ofTool(m) })
	block, known := r.session.blocks().last(question)
	if !known || !again {
		block, recorded = r.session.inject(ctx, "model", question, whole)
		r.session.blocks().remember(question, block)
	}
	if block == "" {
		return messages, recorded
	}
	messages = slices.Clone(messages)
	messages[at].Parts = slices.Clone(messages[at].Parts)
	messages[at].Parts[part] = llms.TextContent{Text: block + prompt.Separator + text}
	return messages, recorded
}

// ofModel reports whether the model wrote a message, which may repeat what it saw.
func ofModel(m llms.MessageContent) bool { return m.Role == llms.ChatMessageTypeAI }

func ofTool(m llms.MessageContent) bool {
	return m.Role == llms.ChatMessageTypeTool || m.Role == llms.ChatMessageTypeFunction
}

// calledTools returns the names of the tools whose results are among messages, ""
// for an unknown one.
func calledTools(messages []llms.MessageContent) (names []string) {
	called := make(map[string]string)
	for _, m := range messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llms.ToolCall:
				if p.FunctionCall != nil {
					called[p.ID] = p.FunctionCall.Name
				}
			case llms.ToolCallResponse:
				names = append(names, cmp.Or(p.Name, called[p.ToolCallID]))
			}
		}
	}
	return names
}

// lastHumanText finds the last text of the last human message, messages[at].Parts[part].
// It returns -1, -1 if that holds only an image, say: an earlier message is not changed.
func lastHumanText(messages []llms.MessageContent) (at, part int, text string) {
	for at, m := range slices.Backward(messages) {
		if m.Role != llms.ChatMessageTypeHuman {
			continue
		}
		for part, p := range slices.Backward(m.Parts) {
			if t, ok := p.(llms.TextContent); ok {
				return at, part, t.Text
			}
		}
		break
	}
	return -1, -1, ""
}

func promptText(messages []llms.MessageContent) string {
	var b strings.Builder
	for _, m := range messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llms.TextContent:
				b.WriteString(p.Text)
			case llms.ToolCallResponse:
				b.WriteString(p.Content)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// blocks remembers what the session has injected, so that no prompt holds it twice.
type blocks struct {
	mu       sync.Mutex
	nonces   []string
	question string
	block    string
	blocks   map[string]any // core memory as last shown, by block name
	erased   int64          // the erasures of the user's that the texts are newer than
}

// blocks returns what the session has injected, without texts from before the user's last
// erasure.
func (s *Session) blocks() *blocks {
	b, erased := s.shown, s.ext.captures.erasures(s.scope)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.erased != erased {
		b.question, b.block, b.blocks, b.erased = "", "", nil, erased
	}
	return b
}

func (b *blocks) add(nonce string) {
	const most = 64
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.nonces) == most {
		b.nonces = b.nonces[1:]
	}
	b.nonces = append(b.nonces, nonce)
}

// within reports whether the prompt holds one of the session's blocks.
func (b *blocks) within(prompt string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.nonces, func(nonce string) bool {
		return strings.Contains(prompt, `<memory nonce="`+nonce+`">`)
	})
}

func (b *blocks) last(question string) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.block, b.question == question
}

func (b *blocks) remember(question, block string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.question, b.block = question, block
}

// core returns the content of a block of core memory as last shown.
func (b *blocks) core(name string) (content any, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	content, ok = b.blocks[name]
	return content, ok
}

// setCore records the content of a block of core memory that the model has now seen.
func (b *blocks) setCore(name string, content any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.blocks == nil {
		b.blocks = make(map[string]any)
	}
	b.blocks[name] = content
}
