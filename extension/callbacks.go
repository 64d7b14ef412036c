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
	"github.com/ebbmem/ebb/internal/chain"
)

// Callbacks returns a langchaingo handler that stores what the user and the agent
// say. Pass it to the executor (agents.WithCallbacksHandler) or to a chain
// (chains.WithCallback). The input of the outermost chain is stored as the user's
// message, its output as the answer. Passing the handler to the inner agent too has
// no further effect, and a turn that [Session.Memory] also reports is stored once.
// An answer whose context has ended is stored as partial.
//
// A handler follows one conversation. Turns may overlap, and a turn may panic and
// be recovered by the host, if one call site starts all of them. For several call
// sites, call Callbacks once for each.
//
// [WithKeys] and [WithSpeakers] apply as for [Session.Memory]; other options are
// ignored.
func (s *Session) Callbacks(opts ...MemoryOption) callbacks.Handler {
	m := s.Memory(opts...)
	return &listener{session: s, keys: m.keys, speakers: m.speakers}
}

// listener follows nested chains and stores the messages of the outermost one.
type listener struct {
	callbacks.SimpleHandler

	session  *Session
	keys     turnKeys
	speakers speakers
	mu       sync.Mutex
	open     []running
	agents   int // finished agents whose chain has not ended yet
}

// running is a chain that has started and not ended.
type running struct {
	place     []uintptr
	began     time.Time
	outermost bool
	step      bool // the chain of one agent iteration
}

// HandleChainStart implements [callbacks.Handler].
func (l *listener) HandleChainStart(ctx context.Context, inputs map[string]any) {
	if !l.enter(callPlace(), isIteration(inputs)) {
		return
	}
	said, err := chain.Input(inputs, nil, l.keys.input)
	l.session.ext.outcome(l.session.scope, string(sourceCallbacks), findQuestion, err)
	if said != "" {
		l.session.capture(ctx, sourceCallbacks, eventbus.UserMessage(l.session.scope, said, eventbus.Speaker(l.speakers.user)))
	}
}

// HandleChainEnd implements [callbacks.Handler].
func (l *listener) HandleChainEnd(ctx context.Context, outputs map[string]any) {
	if !l.leave(callPlace()) {
		return
	}
	answered, err := chain.Output(outputs, l.keys.output)
	l.session.ext.outcome(l.session.scope, string(sourceCallbacks), findAnswer, err)
	if answered == "" {
		return
	}
	if !l.sawAgent() {
		l.session.agentSteps(outputs)
	}
	l.session.capture(ctx, sourceCallbacks, answer(ctx, l.session.scope, answered, eventbus.Speaker(l.speakers.assistant)))
}

// HandleAgentAction implements [callbacks.Handler]. The tool's output will be in
// the model's context, so it limits the answer's trust.
func (l *listener) HandleAgentAction(_ context.Context, action lcschema.AgentAction) {
	l.session.toolUsed(action.Tool)
}

// HandleAgentFinish implements [callbacks.Handler]. An agent that reports its
// finish has also reported its actions.
func (l *listener) HandleAgentFinish(context.Context, lcschema.AgentFinish) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.agents++
}

// sawAgent reports whether an agent finished since the last call for it, and
// consumes one.
func (l *listener) sawAgent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	saw := l.agents > 0
	l.agents = max(0, l.agents-1)
	return saw
}

// HandleChainError implements [callbacks.Handler].
func (l *listener) HandleChainError(context.Context, error) { l.leave(callPlace()) }

// enter records a chain's start and reports whether the chain's messages are to be
// stored: it is outermost and not an agent's iteration.
//
// A chain started at the same place as a running outermost chain cannot be nested
// in it: it is a concurrent turn, or follows one that ended in a panic. One whose
// stack goes through an open chain is nested in it however long the turn lasts. In
// another goroutine, or outside chains.Call, a chain counts as nested for turnLength.
func (l *listener) enter(place []uintptr, step bool) (speaks bool) {
	const most = 64 // chains left over by panics
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.session.ext.cfg.Now()
	c := running{place: place, began: now, step: step, outermost: true}
	for _, o := range l.open {
		if place != nil && o.outermost && slices.Equal(o.place, place) {
			c.outermost = true
			break
		}
		if now.Sub(o.began) <= turnLength || o.place != nil && within(place, o.place) {
			c.outermost = false
		}
	}
	if len(l.open) == most {
		l.open = slices.Delete(l.open, 0, 1)
	}
	l.open = append(l.open, c)
	return c.outermost && !step
}

// within reports whether a chain started at place runs inside one started at outer:
// stacks begin with the innermost call.
func within(place, outer []uintptr) bool {
	return len(place) > len(outer) && slices.Equal(place[len(place)-len(outer):], outer)
}

// leave records a chain's end and reports whether its messages are to be stored.
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

// chainsCall is the langchaingo function that calls handlers for chains.
var chainsCall = reflect.ValueOf(chains.Call).Pointer()

// callPlace returns the call stack above chains.Call. It is the only thing that the
// start and end callbacks of one chain share and that distinguishes nested chains.
// It is nil outside chains.Call; then ends match starts in reverse order.
func callPlace() []uintptr {
	pcs := make([]uintptr, 256)
	pcs = pcs[:runtime.Callers(2, pcs)]
	for i, pc := range pcs {
		if f := runtime.FuncForPC(pc - 1); f != nil && f.Entry() == chainsCall { // pc is the return address
			return pcs[i+1:]
		}
	}
	return nil
}

// isIteration reports whether inputs are those of the chain inside an agent, which
// gets the user's message again at every step.
func isIteration(inputs map[string]any) bool {
	_, ok := inputs["agent_scratchpad"]
	return ok
}
