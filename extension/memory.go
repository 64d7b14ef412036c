package extension

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"
	lcmemory "github.com/tmc/langchaingo/memory"
	lcschema "github.com/tmc/langchaingo/schema"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
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
// Neither loading nor saving fails a turn because of a fault of ebb's; faults
// are reported through [Hooks], or logged, and stand in [Health]. What no turn can
// go well with is returned: options that contradict each other, by
// LoadMemoryVariables as an [*InvalidError], and a memory that was closed, by both
// as [ErrClosed].
//
// It is safe for concurrent use: turns that overlap are all stored, and the
// inner memory is used by one at a time.
type Memory struct {
	session  *Session
	mu       sync.Mutex // langchaingo's own memories have none
	inner    lcschema.Memory
	variable string
	keys     turnKeys
	speakers speakers
}

// turnKeys are the keys of a turn's two texts: what the user says, among a chain's
// inputs, and the answer, among its outputs. "" is looked for.
type turnKeys struct{ input, output string }

// speakers are the display names of the two sides of a conversation.
type speakers struct{ user, assistant string }

var _ lcschema.Memory = (*Memory)(nil)

// MemoryOption changes how [Session.Memory] works. [WithKeys] and [WithSpeakers]
// change [Session.Callbacks] as well.
type MemoryOption func(*Memory)

// WithInner sets the memory of this conversation's own turns. Default
// langchaingo's ConversationBuffer. One that has fields InputKey and OutputKey, as
// langchaingo's have, and leaves them empty is given the two texts of the turn
// alone; any other is given all that the chain was given and returned.
func WithInner(inner lcschema.Memory) MemoryOption { return func(m *Memory) { m.inner = inner } }

// WithVariable puts recalled memories into a prompt variable of their own, for
// prompts that name it. Default: they stand before the inner memory's history,
// which every prompt that knows memory has. The name of the inner memory's own
// variable, or of one of the chain's inputs, is an [*InvalidError].
func WithVariable(name string) MemoryOption { return func(m *Memory) { m.variable = name } }

// WithKeys names the key of what the user says among a chain's inputs and of
// the answer among its outputs. Default, and for an empty name: "input",
// "question", "human_input" or "query", and "output", "text" or "answer", else
// the only text there is. Where several are, or none under the key that is named,
// nothing is stored and a fault is reported.
func WithKeys(input, output string) MemoryOption {
	return func(m *Memory) { m.keys = turnKeys{input, output} }
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

// contradiction is what is wrong with the options for such inputs.
func (m *Memory) contradiction(ctx context.Context, inputs map[string]any) error {
	own := m.inner.MemoryVariables(ctx)
	_, isInput := inputs[m.variable]
	switch {
	case m.variable != "" && slices.Contains(own, m.variable):
		return &InvalidError{Field: "WithVariable", Reason: fmt.Sprintf("names %q, in which the inner memory has its history; take another name, or leave WithVariable out to have what is recalled before the history", m.variable)}
	case m.variable != "" && isInput:
		return &InvalidError{Field: "WithVariable", Reason: fmt.Sprintf("names %q, which is an input of the chain; take another name", m.variable)}
	case m.keys.input != "" && slices.Contains(m.MemoryVariables(ctx), m.keys.input):
		return &InvalidError{Field: "WithKeys", Reason: fmt.Sprintf("names %q, which is a variable of the memory; name the key of what the user says", m.keys.input)}
	}
	return nil
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
// what may help from all others, and stores what the user said.
//
// Errors: the inner memory's, [*InvalidError] for options that contradict each
// other, [ErrClosed].
func (m *Memory) LoadMemoryVariables(ctx context.Context, inputs map[string]any) (map[string]any, error) {
	if err := m.session.ext.errIfClosed(); err != nil {
		return nil, err
	}
	if err := m.contradiction(ctx, inputs); err != nil {
		return nil, err
	}
	question, err := inputText(inputs, m.MemoryVariables(ctx), m.keys.input)
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
// said unless loading did, and hands both to the inner memory. The error is
// [ErrClosed]: chains.Run throws the answer away for any.
func (m *Memory) SaveContext(ctx context.Context, inputs, outputs map[string]any) error {
	ext, scope := m.session.ext, m.session.scope
	if err := ext.errIfClosed(); err != nil {
		return err
	}
	// Each by itself: a text that cannot be stored must not take the other with it.
	stored := true
	// What cannot be told apart was reported when the turn began.
	said, _ := inputText(inputs, m.MemoryVariables(ctx), m.keys.input)
	if said != "" && !m.session.turn().end(said) {
		stored = m.session.capture(ctx, doorMemory, eventbus.UserMessage(scope, said, eventbus.Speaker(m.speakers.user)))
	}
	answered, err := outputText(outputs, m.keys.output)
	ext.outcome(scope, string(doorMemory), reading, err)
	if answered != "" {
		m.session.talk.answered(answered)
		if !m.session.turn().reported(roleAssistant, answered) { // else the Callbacks have seen the steps
			m.session.steps(outputs)
		}
		stored = m.session.capture(ctx, doorMemory, answer(ctx, scope, answered, eventbus.Speaker(m.speakers.assistant))) && stored
	}
	ext.outcome(scope, string(doorMemory), keeping, m.saveInner(ctx, inputs, outputs, said, answered))
	if !stored {
		return ext.errIfClosed() // closed meanwhile
	}
	return nil
}

// saveInner hands a turn to the inner memory, and says what kind of fault it had:
// langchaingo's memories quote the whole turn in their errors.
func (m *Memory) saveInner(ctx context.Context, inputs, outputs map[string]any, said, answered string) error {
	if said != "" && lacksKey(m.inner, "InputKey") {
		inputs = map[string]any{"input": said}
	}
	if answered != "" && lacksKey(m.inner, "OutputKey") {
		outputs = map[string]any{"output": answered}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err := memory.CallHost("the inner memory", func() error { return m.inner.SaveContext(ctx, inputs, outputs) })
	if errors.Is(err, lcmemory.ErrInvalidInputValues) {
		return &InvalidError{Field: "the inner memory", Reason: fmt.Sprintf("keeps nothing of the turn: of inputs %s and outputs %s it takes one text each; set its InputKey and OutputKey, or WithKeys",
			keysOf(inputs), keysOf(outputs))}
	}
	return schema.Foreign("the inner memory", err)
}

// keysOf lists the keys of a chain's values.
func keysOf(values map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(values)), ", ")
}

// lacksKey reports a memory that has a field for the key of the one text that it
// takes, as langchaingo's have and what embeds them, and nothing in it. Of several
// texts such a memory refuses all.
func lacksKey(inner lcschema.Memory, field string) bool {
	v := reflect.Indirect(reflect.ValueOf(inner))
	if v.Kind() != reflect.Struct {
		return false
	}
	f, ok := v.Type().FieldByName(field)
	if !ok || f.Type.Kind() != reflect.String {
		return false
	}
	key, err := v.FieldByIndexErr(f.Index)
	return err == nil && key.String() == ""
}

// Clear forgets this conversation's turns, as langchaingo means it. What is
// stored for the long term stays.
func (m *Memory) Clear(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.inner.Clear(ctx)
}

func (m *Memory) loadInner(ctx context.Context, inputs map[string]any) (loaded map[string]any, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	err = memory.CallHost("the inner memory", func() (err error) {
		loaded, err = m.inner.LoadMemoryVariables(ctx, inputs)
		return err
	})
	return loaded, err
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
	err := s.ext.captures.publish(context.WithoutCancel(ctx), from, s.ext.mem, s.turn(), message)
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

// pick returns an [*InvalidError] for several texts under unusual keys, and for
// no text under the key that is named.
func pick(field string, values map[string]any, key string, usual, never []string) (string, error) {
	if key != "" {
		s, ok := values[key].(string)
		if !ok {
			return "", &InvalidError{Field: field, Reason: fmt.Sprintf("hold no text under %q, which WithKeys names, so nothing of them is stored; there are %s", key, keysOf(values))}
		}
		return s, nil
	}
	blank := false
	for _, key := range usual {
		s, ok := values[key].(string)
		if ok && strings.TrimSpace(s) != "" {
			return s, nil
		}
		blank = blank || ok
	}
	if blank { // nothing was said; another input is not it
		return "", nil
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
