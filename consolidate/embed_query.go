package consolidate

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/embeddings"

	"github.com/ebbmem/ebb/schema"
)

type queryKey struct {
	model string
	dims  int
	text  string
}

// maxQueriesInFlight bounds the calls that go on after their search gave up.
const maxQueriesInFlight = 8

// EmbedQuery returns the vector of a query, of length 1, as the model of the
// generation makes it. A call that takes longer than ctx goes on without its
// caller, so that the same question finds the answer in the cache.
//
// Errors: ctx's; that of the embedder; [*schema.InvalidError] when what it
// answers is no vector of the generation's size, and when the generation is of
// a model that is not at hand.
func (v *Vectoriser) EmbedQuery(ctx context.Context, g *schema.Generation, text string) (schema.Vector, error) {
	embedder, err := v.embedderOf(g)
	if err != nil {
		return nil, err
	}
	key := queryKey{g.Model, g.Dims, text}
	if vector, ok := v.queries.Get(key); ok {
		return vector, nil
	}
	select {
	case v.inFlight <- struct{}{}:
	default:
		return nil, fmt.Errorf("%d queries wait for the embedder already", maxQueriesInFlight)
	}
	type answer struct {
		vector schema.Vector
		err    error
	}
	answers := make(chan answer, 1)
	v.mu.Lock()
	if v.ended {
		v.mu.Unlock()
		<-v.inFlight
		return nil, errStopped
	}
	v.calls.Go(func() {
		defer func() { <-v.inFlight }()
		vector, err := v.query(embedder, g, text)
		if err == nil {
			v.queries.Add(key, vector)
		}
		answers <- answer{vector, err}
	})
	v.mu.Unlock()
	select {
	case a := <-answers:
		return a.vector, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ForgetQueries drops the questions whose vectors are kept: they are what users
// said.
func (v *Vectoriser) ForgetQueries() { v.queries.Purge() }

// RememberedQueries counts them.
func (v *Vectoriser) RememberedQueries() int { return v.queries.Len() }

// embedderOf finds who embeds queries for a generation.
func (v *Vectoriser) embedderOf(g *schema.Generation) (embeddings.Embedder, error) {
	if g.Model == v.opts.Model {
		return v.embedder, nil
	}
	for _, p := range v.opts.Previous {
		if p.Model == g.Model && p.Embedder != nil {
			return p.Embedder, nil
		}
	}
	return nil, &schema.InvalidError{Field: "model", Reason: fmt.Sprintf(
		"of the vectors is %q; those of %q are being made and serve once they are complete", g.Model, v.opts.Model)}
}

func (v *Vectoriser) query(embedder embeddings.Embedder, g *schema.Generation, text string) (unit schema.Vector, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = schema.ForeignPanic("the embedder", p)
		}
	}()
	ctx, cancel := context.WithTimeout(v.life, v.opts.Timeout)
	defer cancel()
	answer, err := embedder.EmbedQuery(ctx, text)
	if err != nil {
		return nil, schema.Foreign("the embedder", err)
	}
	if g.Model != v.opts.Model || v.opts.Dims == 0 {
		// An answer of another size means another model under the same name.
		if g.Model == v.opts.Model && len(answer) != g.Dims {
			v.noteSize(len(answer))
		}
		if g.Model == v.opts.Model && len(answer) != g.Dims || len(answer) < g.Dims {
			return nil, wrongSize(len(answer), g.Dims)
		}
	}
	return schema.Vector(answer).Unit(g.Dims)
}

func wrongSize(got, want int) error {
	return &schema.InvalidError{Field: "vector", Reason: fmt.Sprintf("has %d numbers, want %d", got, want)}
}

// noteSize remembers what size the model answers in, when nobody knows yet.
func (v *Vectoriser) noteSize(size int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.size == 0 && size > 0 {
		v.size = size
		v.Wake()
	}
}
