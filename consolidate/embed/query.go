package embed

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/embeddings"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

type queryKey struct {
	model string
	dims  int
	text  string
}

// queryCacheSize is the number of query vectors kept in memory.
const queryCacheSize = 1024

// maxQueriesInFlight limits the calls at one time, among them those whose search
// no longer waits.
const maxQueriesInFlight = 8

// EmbedQuery returns the vector of a query, of length 1, by the model of the
// generation. A call that takes longer than ctx continues in the background, so
// that the same query finds its vector in the cache.
//
// Errors: ctx's; the embedder's; [*schema.InvalidError] for an answer that is
// not of the generation's size, and for a generation of a model that the worker
// does not have.
func (w *Worker) EmbedQuery(ctx context.Context, g *vecstore.Generation, text string) (vecstore.Vector, error) {
	embedder, err := w.embedderOf(g)
	if err != nil {
		return nil, err
	}
	key := queryKey{g.Model, g.Dims, text}
	if vector, ok := w.queries.Get(key); ok {
		return vector, nil
	}
	select {
	case w.inFlight <- struct{}{}:
	default:
		return nil, fmt.Errorf("%d queries wait for the embedder already", maxQueriesInFlight)
	}
	type answer struct {
		vector vecstore.Vector
		err    error
	}
	answers := make(chan answer, 1)
	w.mu.Lock()
	if w.ended {
		w.mu.Unlock()
		<-w.inFlight
		return nil, errStopped
	}
	w.calls.Go(func() {
		defer func() { <-w.inFlight }()
		vector, err := w.query(embedder, g, text)
		if err == nil {
			w.queries.Add(key, vector)
		}
		answers <- answer{vector, err}
	})
	w.mu.Unlock()
	select {
	case a := <-answers:
		return a.vector, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ForgetQueries empties the cache of queries, which holds users' words.
func (w *Worker) ForgetQueries() { w.queries.Purge() }

// RememberedQueries returns how many queries the cache holds.
func (w *Worker) RememberedQueries() int { return w.queries.Len() }

// embedderOf returns the embedder of a generation's model.
func (w *Worker) embedderOf(g *vecstore.Generation) (embeddings.Embedder, error) {
	if g.Model == w.opts.Model {
		return w.embedder, nil
	}
	for _, p := range w.opts.Previous {
		if p.Model == g.Model && p.Embedder != nil {
			return p.Embedder, nil
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.taken != nil {
		return nil, w.taken
	}
	return nil, &schema.InvalidError{Field: "model", Reason: fmt.Sprintf(
		"of the vectors is %q; those of %q are being made and serve once they are complete", g.Model, w.opts.Model)}
}

func (w *Worker) query(embedder embeddings.Embedder, g *vecstore.Generation, text string) (unit vecstore.Vector, err error) {
	defer schema.RecoverForeign("the embedder", &err)
	ctx, cancel := context.WithTimeout(w.life, w.opts.Timeout)
	defer cancel()
	answer, err := embedder.EmbedQuery(ctx, text)
	if err != nil {
		return nil, schema.Foreign("the embedder", err)
	}
	if g.Model != w.opts.Model || w.opts.Dims == 0 {
		// An answer of another size may mean that the model changed under its name.
		if g.Model == w.opts.Model && len(answer) != g.Dims {
			w.doubt(len(answer))
		}
		if g.Model == w.opts.Model && len(answer) != g.Dims || len(answer) < g.Dims {
			return nil, wrongSize(len(answer), g.Dims)
		}
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
