package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/recall/background"
	"github.com/ebbmem/ebb/recall/vector"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// Embedder turns a query into a vector.
type Embedder interface {
	// EmbedQuery returns the vector of the text, of length 1, by the model of the
	// generation. It must return when ctx ends. The search reports an error, such as
	// a missing model or a network error, as [Degraded].
	EmbedQuery(ctx context.Context, g *vecstore.Generation, text string) (vecstore.Vector, error)
}

// VectorOptions configure how a [Searcher] uses vectors. By default it uses none.
type VectorOptions struct {
	// Embedder of queries. Default nil, which disables the vector arm.
	Embedder Embedder
	// Timeout is how long a search waits for the query's vector; the text arm
	// does not wait longer. Default 300 ms.
	Timeout time.Duration
	// Exact is the most vectors of a user that are kept in memory as they are and all
	// compared with the query. If there are more, memory holds codes of a sixth of
	// their size, and those whose signs differ least are compared. Default 50,000.
	Exact int
	// rescored is the number of codes that are compared; the best of them are compared
	// again with the vectors on disk. Default 1,500.
	rescored int
}

const (
	defaultExact    = 50_000
	defaultRescored = 1500
)

func (o VectorOptions) withDefaults() VectorOptions {
	o.Timeout = cmp.Or(max(o.Timeout, 0), 300*time.Millisecond)
	o.Exact = cmp.Or(max(o.Exact, 0), defaultExact)
	o.rescored = cmp.Or(max(o.rescored, 0), defaultRescored)
	return o
}

// vectorArm proposes memories with vectors similar to the query's.
type vectorArm struct {
	db   *schema.DB
	opts VectorOptions
	sets *vectorSets
}

func newVectorArm(db *schema.DB, opts VectorOptions, bg *background.Reads) *vectorArm {
	if opts.Embedder == nil {
		return nil
	}
	opts = opts.withDefaults()
	return &vectorArm{db: db, opts: opts, sets: newVectorSets(db, opts.Exact, bg)}
}

func (*vectorArm) Name() string { return "vector" }

// meaning is a query's vector in the serving generation.
type meaning struct {
	generation *vecstore.Generation // nil if the query has no vector
	vector     []float32
	err        error
	// finish ends the priority of a first search over background reads. Nil if it
	// has none.
	finish func()
}

// done must be called at the end of the search.
func (m *meaning) done() {
	if m.finish != nil {
		m.finish()
	}
}

// meaning embeds the query. It runs before the search opens its snapshot, so that no
// transaction is open during a network call.
func (s *Searcher) meaning(ctx context.Context, scope schema.Scope, q *Query) meaning {
	a := s.vectors
	if a == nil {
		return meaning{}
	}
	var m meaning
	asked := q.Text
	m.err = s.db.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) (err error) {
		m.generation, err = vecstore.ServingGeneration(ctx, snap)
		if err != nil || m.generation == nil {
			return cmp.Or(err, errNoVectors)
		}
		asked, err = s.inFirstPerson(ctx, snap, scope, q, &m)
		return err
	})
	if m.err != nil {
		return m
	}
	ctx, cancel := context.WithTimeout(ctx, a.opts.Timeout)
	defer cancel()
	vector, err := a.opts.Embedder.EmbedQuery(ctx, m.generation, asked)
	switch {
	case ctx.Err() != nil:
		m.err = fmt.Errorf("the embedder did not answer within %s", a.opts.Timeout)
	case err != nil:
		m.err = fmt.Errorf("embed the query: %w", err)
	case len(vector) != m.generation.Dims:
		m.err = fmt.Errorf("the embedder gave %d numbers, the vectors have %d", len(vector), m.generation.Dims)
	}
	m.vector = vector
	return m
}

var errNoVectors = errors.New("no text has a vector yet") // known to the command line

// inFirstPerson returns the query as the speakers that it names would put it.
func (s *Searcher) inFirstPerson(ctx context.Context, snap *schema.Snapshot, scope schema.Scope, q *Query, m *meaning) (string, error) {
	userID, err := snap.UserID(ctx, scope)
	if err != nil || userID == 0 {
		return q.Text, err
	}
	first, err := s.indexes.startsPartly(ctx, snap, userID)
	if err != nil {
		return "", err
	}
	if first && !q.Wait {
		m.finish = s.background.Begin()
	}
	ix, err := s.indexes.current(ctx, snap, userID, q.Wait)
	if err != nil {
		return "", err
	}
	defer ix.mu.RUnlock()
	return ix.inFirstPerson(q.Text), nil
}

func (a *vectorArm) Candidates(ctx context.Context, r *Request) ([]Candidate, error) {
	if len(r.index.docs) == 0 {
		return nil, nil
	}
	if r.meaning.err != nil || r.meaning.generation == nil {
		return nil, r.meaning.err
	}
	serving, err := vecstore.ServingGeneration(ctx, r.Snapshot)
	if err != nil {
		return nil, err
	}
	if serving == nil || serving.ID != r.meaning.generation.ID {
		return nil, fmt.Errorf("the embedding model was changed while the query was being embedded; search again")
	}
	set, err := a.sets.current(ctx, r.Snapshot, r.UserID, serving, r.meaning.vector, r.Wait)
	if err != nil {
		return nil, err
	}
	if set == nil {
		set = a.sets.get(r.UserID, serving)
		set.mu.RLock()
		defer set.mu.RUnlock()
		return nil, cmp.Or(set.failed, errors.New("the vectors are still being read"))
	}
	q := set.vectors.Query(r.meaning.vector)
	read := set.reader(func(ids []int64, visit func(int64, vecstore.Vector) error) error {
		return vecstore.VectorsByID(ctx, r.Snapshot, ids, visit)
	})
	found, usual, err := q.Search(4*armDepth, a.opts.rescored, read)
	release := func() {
		q.Release()
		set.mu.RUnlock()
	}
	if err != nil {
		release()
		return nil, err
	}
	if set.usual != nil {
		usual = *set.usual
	}
	candidates, lent := r.admit(set, found)
	if len(candidates) < armDepth && len(found) < set.len() && !r.filter.byState {
		candidates, lent = r.admit(set, vector.Top(q.Cosines(), set.len()))
	}
	r.similar = &similar{usual: usual, fluent: set.trust(r.index), lent: lent, release: release, set: set.vectorSet, query: q, known: make(map[int64]closest)}
	return candidates, nil
}

// admit turns vectors, best first, into the memories that the filter admits: each once,
// by its best vector or by that of a claim that is a key to it. lent holds the best
// cosines of such claims by turn.
func (r *Request) admit(set *sharedVectors, found []vector.Match) (candidates []Candidate, lent map[uint32]float32) {
	seen := make(map[uint32]bool, armDepth)
	candidates, lent = make([]Candidate, 0, armDepth), make(map[uint32]float32)
	propose := func(doc uint32, cosine float32) {
		if !seen[doc] && len(candidates) < armDepth && r.filter.admits(r.index, doc) {
			candidates = append(candidates, Candidate{MemoryID: r.index.memories.At(int(doc)), Score: float64(cosine)})
		}
		seen[doc] = true
	}
	for _, n := range found {
		doc, known := r.index.find(set.memories.At(int(n.Place)))
		if !known || seen[doc] {
			continue
		}
		propose(doc, n.Cosine)
		for _, turn := range r.turnsOf(doc) {
			raise(lent, turn, n.Cosine)
			propose(turn, n.Cosine)
		}
		if len(candidates) == armDepth {
			break
		}
	}
	return candidates, lent
}

// raise sets the value of a document to the greater of the old and the new one.
func raise(values map[uint32]float32, doc uint32, value float32) {
	if old, known := values[doc]; !known || value > old {
		values[doc] = value
	}
}
