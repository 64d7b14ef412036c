package extension

import (
	"context"
	"sync"

	"github.com/tmc/langchaingo/callbacks"

	"github.com/ebbmem/ebb/eventbus"
)

// Callbacks is a langchaingo handler that stores what users and agents said.
// Give it to the executor (agents.WithCallbacksHandler) or to a chain
// (chains.WithCallback): the outermost chain's input is what the user said, its
// output what the agent answered. Giving it to the agent inside as well changes
// nothing. A turn the session's Memory stores too is stored once.
//
// One handler follows one conversation; for chains that run at the same time
// call Callbacks once for each.
func (s *Session) Callbacks() callbacks.Handler { return &listener{session: s} }

// listener follows nested chains by their depth: only the outermost speaks for
// the conversation.
type listener struct {
	callbacks.SimpleHandler

	session *Session
	mu      sync.Mutex
	open    []bool // the chains under way; true for one inside an agent
}

// HandleChainStart implements [callbacks.Handler].
func (l *listener) HandleChainStart(ctx context.Context, inputs map[string]any) {
	if inner := isIteration(inputs); !l.enter(inner) || inner {
		return
	}
	if said := inputText(inputs, nil); said != "" {
		l.session.capture(ctx, doorCallbacks, eventbus.UserMessage(l.session.scope, said))
	}
}

// HandleChainEnd implements [callbacks.Handler].
func (l *listener) HandleChainEnd(ctx context.Context, outputs map[string]any) {
	answered := outputText(outputs)
	if !l.leave() || answered == "" {
		return
	}
	l.session.capture(ctx, doorCallbacks, eventbus.AgentResponse(l.session.scope, answered))
}

// HandleChainError implements [callbacks.Handler].
func (l *listener) HandleChainError(context.Context, error) { l.leave() }

// enter reports whether the chain is the outermost.
func (l *listener) enter(inner bool) (outermost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, inner)
	return len(l.open) == 1
}

// leave reports whether the outermost chain ended, and was not one inside an
// agent: such a chain's output is a step, not an answer.
func (l *listener) leave() (answers bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := len(l.open) - 1
	if last < 0 {
		return false
	}
	inner := l.open[last]
	l.open = l.open[:last]
	return last == 0 && !inner
}

// isIteration recognises the chain inside an agent, which sees the user's
// words again at every step.
func isIteration(inputs map[string]any) bool {
	_, ok := inputs["agent_scratchpad"]
	return ok
}
