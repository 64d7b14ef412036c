package extension

import (
	"context"
	"strings"
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
	depth   int
}

// HandleChainStart implements [callbacks.Handler].
func (l *listener) HandleChainStart(ctx context.Context, inputs map[string]any) {
	if l.enter() > 0 || isIteration(inputs) {
		return
	}
	if said := inputText(inputs, nil); said != "" {
		l.session.capture(ctx, doorCallbacks, eventbus.UserMessage(l.session.scope, said))
	}
}

// HandleChainEnd implements [callbacks.Handler].
func (l *listener) HandleChainEnd(ctx context.Context, outputs map[string]any) {
	if l.leave() > 0 {
		return
	}
	answered := outputText(outputs)
	if answered == "" || strings.HasPrefix(strings.TrimSpace(answered), "Thought:") {
		return
	}
	l.session.capture(ctx, doorCallbacks, eventbus.AgentResponse(l.session.scope, answered))
}

// HandleChainError implements [callbacks.Handler].
func (l *listener) HandleChainError(context.Context, error) { l.leave() }

// enter returns the depth before.
func (l *listener) enter() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.depth++
	return l.depth - 1
}

// leave returns the depth after.
func (l *listener) leave() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.depth = max(0, l.depth-1)
	return l.depth
}

// isIteration recognises the chain inside an agent, which sees the user's
// words again at every step.
func isIteration(inputs map[string]any) bool {
	_, ok := inputs["agent_scratchpad"]
	return ok
}
