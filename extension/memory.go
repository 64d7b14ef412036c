package extension

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"
	lcmemory "github.com/tmc/langchaingo/memory"
	lcschema "github.com/tmc/langchaingo/schema"

	"github.com/ebbmem/ebb/eventbus"
)

// Memory is a langchaingo memory with a long past: the inner memory keeps the
// turns of this conversation, ebb adds what it recalls from all others and
// stores both sides of every turn.
//
// What the user said is stored when the turn begins, so that the tools called
// during the turn see it and nothing is lost if the turn fails; the answer is
// stored when it ends. An answer whose context has ended by then is marked as
// perhaps only its beginning, in the record that a model is shown.
//
// Neither loading nor saving ever fails a turn because of ebb; faults are
// reported through [Hooks] and in the statistics.
//
// It is safe for concurrent use: turns that overlap are all stored, and the
// inner memory is used by one at a time.
type Memory struct {
	session  *Session
	mu       sync.Mutex // langchaingo's own memories have none
	inner    lcschema.Memory
	variable string
	input    string // key of what the user says
	output   string // key of the answer
	speakers speakers
}

// speakers are the display names of the two sides of a conversation.
type speakers struct{ user, assistant string }

var _ lcschema.Memory = (*Memory)(nil)

// MemoryOption changes how [Session.Memory] works.
type MemoryOption func(*Memory)

// WithInner sets the memory of this conversation's own turns. Default
// langchaingo's ConversationBuffer.
func WithInner(inner lcschema.Memory) MemoryOption { return func(m *Memory) { m.inner = inner } }

// WithVariable puts recalled memories into a prompt variable of their own, for
// prompts that name it. Default: they stand before the inner memory's history,
// which every prompt that knows memory has.
func WithVariable(name string) MemoryOption { return func(m *Memory) { m.variable = name } }

// WithKeys names the key of what the user says among a chain's inputs and of
// the answer among its outputs. Default, and for an empty name: "input",
// "question", "human_input" or "query", and "output", "text" or "answer", else
// the only text there is. Where several are, nothing is stored and a fault is
// reported.
func WithKeys(input, output string) MemoryOption {
	return func(m *Memory) { m.input, m.output = input, output }
}

// WithSpeakers names the two sides of the conversation, so that "what did Ada
// say about …" finds her turns. Default none: the roles stand for them.
func WithSpeakers(user, assistant string) MemoryOption {
	return func(m *Memory) { m.speakers = speakers{user, assistant} }
}

// Memory is the session's langchaingo memory, for agents.WithMemory or a chain.
func (s *Session) Memory(opts ...MemoryOption) *Memory {
	m := &Memory{session: s}
	for _, o := range opts {
		o(m)
	}
	if m.inner == nil {
		m.inner = lcmemory.NewConversationBuffer()
	}
	return m
}

// GetMemoryKey is the inner memory's key.
func (m *Memory) GetMemoryKey(ctx context.Context) string { return m.inner.GetMemoryKey(ctx) }

// MemoryVariables are the inner memory's, and the one of [WithVariable].
func (m *Memory) MemoryVariables(ctx context.Context) []string {
	names := m.inner.MemoryVariables(ctx)
	if m.variable != "" && !slices.Contains(names, m.variable) {
		names = append(slices.Clone(names), m.variable)
	}
	return names
}

// LoadMemoryVariables begins a turn: it loads this conversation's turns and
// what may help from all others, and stores what the user said. The error is
// the inner memory's.
func (m *Memory) LoadMemoryVariables(ctx context.Context, inputs map[string]any) (map[string]any, error) {
	question, err := inputText(inputs, m.MemoryVariables(ctx), m.input)
	m.session.ext.outcome(m.session.scope, string(doorMemory), hearing, err)
	// Recalled first: what is asked must not be found beside itself.
	defer m.hear(ctx, question)
	loaded, err := m.loadInner(ctx, inputs)
	if err != nil {
		return nil, err
	}
	values := maps.Clone(loaded)
	if values == nil {
		values = make(map[string]any)
	}
	key := m.inner.GetMemoryKey(ctx)
	block, recorded := m.session.inject(ctx, "memory", question, question+"\n"+historyText(values[key]))
	defer recorded()
	if m.variable != "" {
		values[m.variable] = block
		return values, nil
	}
	if block == "" {
		return values, nil
	}
	switch history := values[key].(type) {
	case []llms.ChatMessage:
		values[key] = append([]llms.ChatMessage{llms.HumanChatMessage{Content: block}}, history...)
	case string:
		values[key] = strings.TrimSuffix(block+"\n\n"+history, "\n\n")
	case nil:
		values[key] = block
	}
	return values, nil
}

// SaveContext ends the turn: it stores the answer durably, and what the user
// said unless loading did, and hands both to the inner memory.
func (m *Memory) SaveContext(ctx context.Context, inputs, outputs map[string]any) error {
	// Each by itself: a text that cannot be stored must not take the other with it.
	scope := m.session.scope
	// What cannot be told apart was reported when the turn began.
	if said, _ := inputText(inputs, m.MemoryVariables(ctx), m.input); said != "" && !m.session.turn().end(said) {
		m.session.capture(ctx, doorMemory, eventbus.UserMessage(scope, said, eventbus.Speaker(m.speakers.user)))
	}
	answered, err := outputText(outputs, m.output)
	m.session.ext.outcome(m.session.scope, string(doorMemory), reading, err)
	if answered != "" {
		m.session.talk.answered(answered)
		if !m.session.turn().reported(roleAssistant, answered) { // else the Callbacks have seen the steps
			m.session.steps(outputs)
		}
		m.session.capture(ctx, doorMemory, answer(ctx, scope, answered, eventbus.Speaker(m.speakers.assistant)))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	// chains.Run throws the answer away when this is returned.
	m.session.ext.outcome(m.session.scope, string(doorMemory), keeping, m.inner.SaveContext(ctx, inputs, outputs))
	return nil
}

// Clear forgets this conversation's turns, as langchaingo means it. What is
// stored for the long term stays.
func (m *Memory) Clear(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.inner.Clear(ctx)
}

func (m *Memory) loadInner(ctx context.Context, inputs map[string]any) (map[string]any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.inner.LoadMemoryVariables(ctx, inputs)
}

// hear stores what the user said at the beginning of a turn.
func (m *Memory) hear(ctx context.Context, said string) {
	s := m.session
	if strings.TrimSpace(said) != "" && !s.ext.cfg.ReadOnly && s.turn().begin(said, s.ext.cfg.Now()) {
		if !s.capture(ctx, doorMemory, eventbus.UserMessage(s.scope, said, eventbus.Speaker(m.speakers.user))) {
			s.turn().end(said) // the end of the turn tries again
		}
	}
}

// answer is what the agent said. langchaingo's OpenAI client often returns the
// half of a cancelled stream as a whole answer, and a handler cannot see why
// the model stopped: the context is what tells.
func answer(ctx context.Context, scope Scope, answered string, opts ...eventbus.MessageOption) eventbus.Event {
	if ctx.Err() != nil {
		opts = append(opts, eventbus.Partial())
	}
	return eventbus.AgentResponse(scope, answered, opts...)
}

// capture stores a message unless another front door has. It reports whether
// it is stored.
func (s *Session) capture(ctx context.Context, from door, message eventbus.Event) bool {
	// A turn that was answered is stored even when its caller has gone.
	err := s.ext.captures.publish(context.WithoutCancel(ctx), from, s.ext.bus, s.turn(), message)
	s.ext.outcome(s.scope, string(from), storing+work(" "+message.Topic), err)
	return err == nil
}

// inputText finds what the user said among a chain's inputs: under key, else
// under a usual key, else the only text that is not a memory variable.
func inputText(inputs map[string]any, memoryKeys []string, key string) (string, error) {
	return pick("inputs", inputs, key, []string{"input", "question", "human_input", "query"}, memoryKeys)
}

// outputText finds the answer among a chain's outputs; agents may add their
// intermediate steps.
func outputText(outputs map[string]any, key string) (string, error) {
	return pick("outputs", outputs, key, []string{"output", "text", "answer"}, []string{"intermediateSteps"})
}

// pick returns an [*InvalidError] for several texts under unusual keys.
func pick(field string, values map[string]any, key string, usual, never []string) (string, error) {
	if key != "" {
		s, _ := values[key].(string)
		return s, nil
	}
	for _, key := range usual {
		if s, ok := values[key].(string); ok && strings.TrimSpace(s) != "" {
			return s, nil
		}
	}
	var keys []string
	for key, value := range values {
		if s, ok := value.(string); ok && strings.TrimSpace(s) != "" && !slices.Contains(never, key) && key != "agent_scratchpad" {
			keys = append(keys, key)
		}
	}
	switch len(keys) {
	case 0:
		return "", nil
	case 1:
		return values[keys[0]].(string), nil
	}
	slices.Sort(keys)
	return "", &InvalidError{Field: field, Reason: "hold texts under " + strings.Join(keys, ", ") +
		" and none under " + strings.Join(usual, ", ") + ", so nothing of them is stored; name the key by WithKeys"}
}

func historyText(history any) string {
	switch h := history.(type) {
	case string:
		return h
	case []llms.ChatMessage:
		var b strings.Builder
		for _, m := range h {
			b.WriteString(m.GetContent())
			b.WriteByte('\n')
		}
		return b.String()
	}
	return ""
}
