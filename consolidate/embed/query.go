package embed

import (
	"context"
	"fmt"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

type queryKey struct {
	dims int
	text string
}

// queryCall is a call of the embedder. All who ask the same query wait for it.
type queryCall struct {
	done   chan struct{} // closed once the fields below are set
	vector vecstore.Vector
	err    error
}

// queryCacheSize is the number of queries whose calls are kept in memory.
const queryCacheSize = 1024

// maxQueriesInFlight limits the calls at one time, among them those whose search
// no longer waits.
const maxQueriesInFlight = 8

// EmbedQuery returns the vector of a query, of length 1, by the model of the
// generation. A call that takes longer than ctx continues in the background, so
// that the same query finds its vector in the cache. While as many calls run as may,
// EmbedQuery waits for one of them to end.
//
// Errors: ctx's; the embedder's; [*schema.InvalidError] for an answer that is
// not of the generation's size, and for a generation of another model.
func (w *Worker) EmbedQuery(ctx context.Context, g *vecstore.Generation, text string) (vecstore.Vector, error) {
	if err := w.otherModel(g); err != nil {
		return nil, err
	}
	call, known := w.queries.Get(queryKey{g.Dims, text})
	if !known {
		select {
		case w.inFlight <- struct{}{}:
		case <-ctx.Done():
			return nil, fmt.Errorf("%d queries wait for the embedder already: %w", maxQueriesInFlight, ctx.Err())
		}
		var err error
		if call, err = w.startQuery(g, text); err != nil {
			return nil, err
		}
	}
	select {
	case <-call.done:
		return call.vector, call.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// startQuery calls the embedder, or returns the call that another search has started
// meanwhile. The caller has taken a place in inFlight.
func (w *Worker) startQuery(g *vecstore.Generation, text string) (*queryCall, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		<-w.inFlight
		return nil, errStopped
	}
	key, call := queryKey{g.Dims, text}, &queryCall{done: make(chan struct{})}
	if earlier, known, _ := w.queries.PeekOrAdd(key, call); known {
		<-w.inFlight
		return earlier, nil
	}
	w.calls.Go(func() {
		call.vector, call.err = w.query(g, text)
		if call.err != nil {
			w.queries.Remove(key)
		}
		close(call.done)
	})
	return call, nil
}

// ForgetQueries empties the cache of queries, which holds users' words. A call that
// still runs does not return to it.
func (w *Worker) ForgetQueries() { w.queries.Purge() }

// RememberedQueries returns how many queries the cache holds.
func (w *Worker) RememberedQueries() int { return w.queries.Len() }

// otherModel returns an error for a generation of another model than the worker's.
func (w *Worker) otherModel(g *vecstore.Generation) error {
	if g.Model == w.opts.Model {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.taken != nil {
		return w.taken
	}
	reason := "is %q, but the memory has vectors of %q, and this process makes none"
	if w.stop != nil && !w.ended {
		reason = "is %q, whose vectors are being made; until they are complete, the memory has those of %q"
	}
	return &schema.InvalidError{Field: "Config.Embedding.Model", Reason: fmt.Sprintf(reason, w.opts.Model, g.Model)}
}

// query calls the embedder, which holds the place in inFlight until it returns: one that ignores
// its context still runs after the timeout.
func (w *Worker) query(g *vecstore.Generation, text string) (unit vecstore.Vector, err error) {
	ctx, cancel := context.WithTimeout(w.life, w.opts.Timeout)
	defer cancel()
	answer, err := schema.CallForeign(ctx, "the embedder", func(ctx context.Context) ([]float32, error) {
		defer func() { <-w.inFlight }()
		return w.embedder.EmbedQuery(ctx, text)
	})
	if err != nil {
		return nil, err
	}
	if w.opts.Dims == 0 && len(answer) != g.Dims {
		w.doubt(len(answer)) // the model may have changed under its name
		return nil, wrongSize(len(answer), g.Dims)
	}
	return vecstore.Vector(answer).Unit(g.Dims)
}

func wrongSize(got, want int) error {
	return &schema.InvalidError{Field: "vector", Reason: fmt.Sprintf("has %d numbers, want %d", got, want)}
}

// doubt makes the worker check whether the model's vectors have another size.
func (w *Worker) doubt(size int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.size != size {
		w.doubted = size
		w.Wake()
	}
}
