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

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/llms"
	lcmemory "github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"
	lcschema "github.com/tmc/langchaingo/schema"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/chain"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Memory is a langchaingo memory that adds long-term recall to an inner memory. The
// inner memory keeps the turns of this conversation; ebb adds what it recalls from
// all others and stores both sides of every turn.
//
// The user's message is stored when the turn begins, so that tools called during
// the turn see it and it survives a failed turn. The answer is stored when the turn
// ends. If its context has ended by then, it is marked as partial in the record
// that models see.
//
// A fault of ebb's never fails loading or saving: it is reported through [Hooks],
// or logged, and listed in [Health]. LoadMemoryVariables returns an [*InvalidError] for
// contradictory options and the inner memory's errors, Clear the inner memory's, and all
// three [ErrClosed] after Close.
//
// It is safe for concurrent use. Overlapping turns are all stored; calls of the
// inner memory are serialized.
type Memory struct {
	session  *Session
	mu       sync.Mutex // serializes the inner memory, since langchaingo's have no locks
	inner    lcschema.Memory
	stored   int                          // how many stored turns inner begins with
	unfilled bool                         // they are not in it yet; guarded by mu
	history  *lcmemory.ChatMessageHistory // of the default inner memory
	variable string
	keys     turnKeys
	speakers speakers
}

// turnKeys are the keys of the user's message among a chain's inputs and of the
// answer among its outputs. "" means detecting it.
type turnKeys struct{ input, output string }

// speakers are the display names of the two sides of a conversation.
type speakers struct{ user, assistant string }

var _ lcschema.Memory = (*Memory)(nil)

// MemoryOption is an option of [Session.Memory]. [WithKeys] and [WithSpeakers] also
// apply to [Session.Callbacks].
type MemoryOption func(*Memory)

// WithInner sets the memory of the conversation's own turns. Default: langchaingo's
// ConversationBuffer. An inner memory with string fields InputKey and OutputKey, as
// langchaingo's have, gets only the two texts of a turn as long as these are empty.
// Any other gets all inputs and outputs of the chain.
func WithInner(inner lcschema.Memory) MemoryOption { return func(m *Memory) { m.inner = inner } }

// WithStoredTurns begins the default inner memory with the conversation's last n stored
// messages ([Session.Turns]), for handlers that make a session for each request and for
// conversations that outlive a process. They are not stored again. Default: an empty
// one. With [WithInner], for a session without a name and for another n than 0 to 1,000,
// LoadMemoryVariables returns an [*InvalidError].
func WithStoredTurns(n int) MemoryOption { return func(m *Memory) { m.stored = n } }

// WithVariable puts recalled memories into a separate prompt variable. By default
// they are put before the history, in the inner memory's variable. The name of the
// inner memory's variable or of a chain input is an [*InvalidError].
func WithVariable(name string) MemoryOption { return func(m *Memory) { m.variable = name } }

// WithKeys sets the key of the user's message among a chain's inputs and of the
// answer among its outputs. Default, and for an empty name: "input", "question",
// "human_input" or "query", and "output", "text" or "answer", or else the only
// text. If there are several texts, or none under the given key, nothing is stored
// and a fault is reported.
func WithKeys(input, output string) MemoryOption {
	return func(m *Memory) { m.keys = turnKeys{input, output} }
}

// WithSpeakers sets the names of the two sides of the conversation, so that "what
// did Ada say about …" finds her messages. Default: none; prompts show the roles.
func WithSpeakers(user, assistant string) MemoryOption {
	return func(m *Memory) { m.speakers = speakers{user, assistant} }
}

// Memory returns a langchaingo memory for the session, for agents.WithMemory or a
// chain.
func (s *Session) Memory(opts ...MemoryOption) *Memory {
	m := &Memory{session: s}
	for _, o := range opts {
		o(m)
	}
	if m.inner == nil {
		m.unfilled = m.stored > 0
		m.history = lcmemory.NewChatMessageHistory()
		m.inner = lcmemory.NewConversationBuffer(lcmemory.WithChatHistory(m.history))
	}
	return m
}

// contradiction returns an error if the options do not fit the chain's inputs.
func (m *Memory) contradiction(ctx context.Context, inputs map[string]any) error {
	own := m.innerVariables(ctx)
	_, isInput := inputs[m.variable]
	switch {
	case m.stored < 0 || m.stored > maxTurns:
		return &InvalidError{Field: "WithStoredTurns", Reason: fmt.Sprintf("is %d, must be from 0 to %d", m.stored, maxTurns)}
	case m.stored > 0 && m.history == nil:
		return &InvalidError{Field: "WithStoredTurns", Reason: "fills the default inner memory, which WithInner replaces; give the inner memory a history of Session.Turns instead"}
	case m.stored > 0 && strings.TrimSpace(m.session.scope.Session) == "":
		return &InvalidError{Field: "WithStoredTurns", Reason: "needs the conversation's name; set Scope.Session"}
	case m.variable != "" && slices.Contains(own, m.variable):
		return &InvalidError{Field: "WithVariable", Reason: fmt.Sprintf("names %q, in which the inner memory has its history; take another name, or leave WithVariable out to have what is recalled before the history", m.variable)}
	case m.variable != "" && isInput:
		return &InvalidError{Field: "WithVariable", Reason: fmt.Sprintf("names %q, which is an input of the chain; take another name", m.variable)}
	case m.keys.input != "" && slices.Contains(m.MemoryVariables(ctx), m.keys.input):
		return &InvalidError{Field: "WithKeys", Reason: fmt.Sprintf("names %q, which is a variable of the memory; name the key of what the user says", m.keys.input)}
	}
	return nil
}

// GetMemoryKey returns the inner memory's key.
func (m *Memory) GetMemoryKey(ctx context.Context) string {
	return memory.Asked(m.session.ext.ask, "the inner memory", func() string { return m.inner.GetMemoryKey(ctx) })
}

func (m *Memory) innerVariables(ctx context.Context) []string {
	return memory.Asked(m.session.ext.ask, "the inner memory", func() []string { return m.inner.MemoryVariables(ctx) })
}

// MemoryVariables returns the inner memory's variables and that of [WithVariable].
func (m *Memory) MemoryVariables(ctx context.Context) []string {
	names := m.innerVariables(ctx)
	if m.variable != "" && !slices.Contains(names, m.variable) {
		names = append(slices.Clone(names), m.variable)
	}
	return names
}

// LoadMemoryVariables begins a turn: it loads the conversation's turns and relevant
// memories of all others, and stores the user's message.
//
// Errors: the inner memory's, [*InvalidError] for contradictory options,
// [ErrClosed].
func (m *Memory) LoadMemoryVariables(ctx context.Context, inputs map[string]any) (map[string]any, error) {
	if err := m.session.ext.errIfClosed(); err != nil {
		return nil, err
	}
	if err := m.contradiction(ctx, inputs); err != nil {
		return nil, err
	}
	question, err := chain.Input(inputs, m.MemoryVariables(ctx), m.keys.input)
	m.session.ext.outcome(m.session.scope, string(sourceMemory), findQuestion, err)
	// search first, so that the question does not find itself
	defer m.storeQuestion(ctx, question)
	loaded, err := m.loadInner(ctx, inputs, question)
	if err != nil {
		return nil, err
	}
	values := maps.Clone(loaded)
	if values == nil {
		values = make(map[string]any)
	}
	key := m.GetMemoryKey(ctx)
	if err := m.unplaced(key, values[key]); err != nil {
		m.session.ext.outcome(m.session.scope, string(sourceMemory), placeRecalled, err)
		return values, nil
	}
	block, recorded := m.session.inject(ctx, "memory", question, question+"\n"+chain.History(values[key]))
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

// unplaced returns an error if recalled memories cannot be put before the inner memory's
// history, because it is of a type of the host's own.
func (m *Memory) unplaced(key string, history any) error {
	switch history.(type) {
	case string, []llms.ChatMessage, nil:
		return nil
	}
	if m.variable != "" {
		return nil
	}
	return &InvalidError{Field: "the inner memory", Reason: fmt.Sprintf("has a history of type %T in %q, before which nothing can be put; name a variable of their own for recalled memories with WithVariable", history, key)}
}

// SaveContext ends a turn: it stores the answer durably, stores the user's message
// unless LoadMemoryVariables did, and passes both to the inner memory. The only
// error is [ErrClosed], because chains.Run discards the answer on any error. With
// Config.ReadOnly only the inner memory gets the turn.
func (m *Memory) SaveContext(ctx context.Context, inputs, outputs map[string]any) error {
	ext, scope := m.session.ext, m.session.scope
	if err := ext.errIfClosed(); err != nil {
		return err
	}
	// store each text separately: one that is refused must not prevent the other
	stored := true
	// the error was reported when the turn began
	said, _ := chain.Input(inputs, m.MemoryVariables(ctx), m.keys.input)
	if said != "" && !m.session.conversation().end(said) {
		stored = m.session.capture(ctx, sourceMemory, eventbus.UserMessage(scope, said, eventbus.Speaker(m.speakers.user)))
	}
	answered, err := chain.Output(outputs, m.keys.output)
	ext.outcome(scope, string(sourceMemory), findAnswer, err)
	if answered != "" {
		m.session.hasAnswered(answered)
		if !m.session.conversation().reported(roleAssistant, answered) { // otherwise the Callbacks have seen the steps
			m.session.agentSteps(outputs)
		}
		stored = m.session.capture(ctx, sourceMemory, answer(ctx, scope, answered, eventbus.Speaker(m.speakers.assistant))) && stored
	}
	ext.outcome(scope, string(sourceMemory), saveTurn, m.saveInner(ctx, inputs, outputs, said, answered))
	if !stored {
		return ext.errIfClosed() // closed meanwhile
	}
	return nil
}

// saveInner passes a turn to the inner memory. It replaces the error's text, since
// langchaingo's memories quote the whole turn in theirs.
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
			chain.Keys(inputs), chain.Keys(outputs))}
	}
	return schema.Foreign("the inner memory", err)
}

// lacksKey reports whether inner has an empty string field of that name, as
// langchaingo's memories and types embedding them do. Given several texts, such a
// memory returns an error.
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

// Clear clears the inner memory. Long-term memory is not affected. After Close it
// returns [ErrClosed].
func (m *Memory) Clear(ctx context.Context) error {
	if err := m.session.ext.errIfClosed(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unfilled = false
	return memory.CallHost("the inner memory", func() error { return m.inner.Clear(ctx) })
}

func (m *Memory) loadInner(ctx context.Context, inputs map[string]any, question string) (loaded map[string]any, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fill(ctx, question)
	err = memory.CallHost("the inner memory", func() (err error) { loaded, err = m.inner.LoadMemoryVariables(ctx, inputs); return err })
	return loaded, err
}

// fill puts the stored turns into the default inner memory, once. Without them the turn
// goes on, and the next one tries again.
func (m *Memory) fill(ctx context.Context, question string) {
	if !m.unfilled {
		return
	}
	stored, err := m.session.stored(ctx, m.stored)
	m.session.ext.outcome(m.session.scope, string(sourceMemory), loadTurns, err)
	if err != nil {
		return
	}
	// the question of a turn that failed, or that Callbacks have stored
	asStored, err := m.session.ext.redactor.Text(ctx, "", text.Clean(question))
	if last := len(stored) - 1; err == nil && last >= 0 && stored[last].Role == roleUser && stored[last].Content == text.Clean(asStored) {
		stored = stored[:last]
	}
	m.unfilled = false
	_ = m.history.SetMessages(ctx, chain.Turns(stored, m.session.scope.Agent)) // never fails
}

// storeQuestion stores the user's message at the beginning of a turn.
func (m *Memory) storeQuestion(ctx context.Context, said string) {
	s := m.session
	if strings.TrimSpace(said) != "" && s.conversation().begin(said, s.ext.cfg.Now()) {
		if !s.capture(ctx, sourceMemory, eventbus.UserMessage(s.scope, said, eventbus.Speaker(m.speakers.user))) {
			s.conversation().end(said) // the end of the turn tries again
		}
	}
}

// answer returns the event of an agent's answer. It is marked as partial if ctx has
// ended: langchaingo's OpenAI client often returns the beginning of a cancelled
// stream as a complete answer, and handlers do not get the stop reason.
func answer(ctx context.Context, scope Scope, answered string, opts ...eventbus.MessageOption) eventbus.Event {
	if ctx.Err() != nil {
		opts = append(opts, eventbus.Partial())
	}
	return eventbus.AgentResponse(scope, answered, opts...)
}

// capture stores a message unless another source has reported it, and returns whether
// it needs no further try. With Config.ReadOnly it stores nothing.
func (s *Session) capture(ctx context.Context, from source, message eventbus.Event) bool {
	if s.ext.cfg.ReadOnly {
		return true // nothing is to be stored
	}
	// a completed turn is stored even if its caller has gone, but a redaction hook of the
	// host's that does not return holds up neither the turn nor the conversation's next ones
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	_, err := s.ext.captures.publish(within, from, s.ext.mem, s.conversation(), message)
	s.ext.outcome(s.scope, string(from), storeMessage+work(" "+message.Topic), err)
	return err == nil
}

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
