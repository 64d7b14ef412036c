package extension

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	lcschema "github.com/tmc/langchaingo/schema"

	"github.com/ebbmem/ebb/eventbus"
)

// Callbacks is a langchaingo handler that stores what users and agents said.
// Give it to the executor (agents.WithCallbacksHandler) or to a chain
// (chains.WithCallback): the outermost chain's input is what the user said, its
// output what the agent answered. Giving it to the agent inside as well changes
// nothing. A turn the session's Memory stores too is stored once. An answer whose
// context has ended is stored as perhaps only its beginning, as by [Memory].
//
// One handler follows one conversation. Turns may overlap, and may end in a
// panic that the host recovers, as long as one line of its code starts them
// all; where several do, call Callbacks once for each.
//
// [WithKeys] and [WithSpeakers] are for chains whose keys are unusual, as for
// [Session.Memory]; other options change nothing.
func (s *Session) Callbacks(opts ...MemoryOption) callbacks.Handler {
	m := s.Memory(opts...)
	return &listener{session: s, keys: m.keys, speakers: m.speakers}
}

// listener follows nested chains: only the outermost speaks for the
// conversation.
type listener struct {
	callbacks.SimpleHandler

	session  *Session
	keys     turnKeys
	speakers speakers
	mu       sync.Mutex
	open     []running
	agents   int // that have finished, and whose answer has not been heard
}

// running is a chain that began and was not heard to end.
type running struct {
	place     []uintptr
	began     time.Time
	outermost bool
	step      bool // inside an agent
}

// HandleChainStart implements [callbacks.Handler].
func (l *listener) HandleChainStart(ctx context.Context, inputs map[string]any) {
	if !l.enter(callPlace(), isIteration(inputs)) {
		return
	}
	said, err := inputText(inputs, nil, l.keys.input)
	l.session.ext.outcome(l.session.scope, string(doorCallbacks), hearing, err)
	if said != "" {
		l.session.capture(ctx, doorCallbacks, eventbus.UserMessage(l.session.scope, said, eventbus.Speaker(l.speakers.user)))
	}
}

// HandleChainEnd implements [callbacks.Handler].
func (l *listener) HandleChainEnd(ctx context.Context, outputs map[string]any) {
	if !l.leave(callPlace()) {
		return
	}
	answered, err := outputText(outputs, l.keys.output)
	l.session.ext.outcome(l.session.scope, string(doorCallbacks), reading, err)
	if answered == "" {
		return
	}
	if !l.sawAgent() {
		l.session.steps(outputs)
	}
	l.session.capture(ctx, doorCallbacks, answer(ctx, l.session.scope, answered, eventbus.Speaker(l.speakers.assistant)))
}

// HandleAgentAction implements [callbacks.Handler]: what a tool says will be in
// view of the answer.
func (l *listener) HandleAgentAction(_ context.Context, action lcschema.AgentAction) {
	l.session.used(action.Tool)
}

// HandleAgentFinish implements [callbacks.Handler]. An agent that tells of its
// end has told of its actions.
func (l *listener) HandleAgentFinish(context.Context, lcschema.AgentFinish) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.agents++
}

// sawAgent reports that an agent's run was followed, and forgets it.
func (l *listener) sawAgent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	saw := l.agents > 0
	l.agents = max(0, l.agents-1)
	return saw
}

// HandleChainError implements [callbacks.Handler].
func (l *listener) HandleChainError(context.Context, error) { l.leave(callPlace()) }

// enter reports whether the chain speaks for the conversation: it is the
// outermost, and no step of an agent.
//
// A chain that begins where an outermost one is under way cannot be inside
// that one: it is a turn beside it, or after it when a panic left no word of
// its end.
func (l *listener) enter(place []uintptr, step bool) (speaks bool) {
	const most = 64 // of what panics left
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.session.ext.cfg.Now()
	c := running{place: place, began: now, step: step, outermost: true}
	for _, o := range l.open {
		if place != nil && o.outermost && slices.Equal(o.place, place) {
			c.outermost = true
			break
		}
		if now.Sub(o.began) <= turnLength {
			c.outermost = false
		}
	}
	if len(l.open) == most {
		l.open = slices.Delete(l.open, 0, 1)
	}
	l.open = append(l.open, c)
	return c.outermost && !step
}

// leave reports whether the chain that ends spoke for the conversation.
func (l *listener) leave(place []uintptr) (spoke bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, c := range slices.Backward(l.open) {
		if slices.Equal(c.place, place) {
			l.open = slices.Delete(l.open, i, i+1)
			return c.outermost && !c.step
		}
	}
	return false
}

// chainsCall is the function of langchaingo that tells handlers of chains.
var chainsCall = reflect.ValueOf(chains.Call).Pointer()

// callPlace is who called chains.Call, down to the goroutine's first function:
// the one thing that langchaingo's reports of a chain's two ends have in
// common and that tells nested chains apart. It is nil outside chains.Call;
// then ends answer beginnings in reverse order.
func callPlace() []uintptr {
	pcs := make([]uintptr, 256)
	pcs = pcs[:runtime.Callers(2, pcs)]
	for i, pc := range pcs {
		if f := runtime.FuncForPC(pc - 1); f != nil && f.Entry() == chainsCall { // pc is where the call returns to
			return pcs[i+1:]
		}
	}
	return nil
}

// isIteration recognises the chain inside an agent, which sees the user's
// words again at every step.
func isIteration(inputs map[string]any) bool {
	_, ok := inputs["agent_scratchpad"]
	return ok
}
