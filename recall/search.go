package recall

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Options say how a [Searcher] ranks. The zero value is the default.
type Options struct {
	// Weights of the ranker. Default [DefaultWeights].
	Weights *Weights
}

// Searcher finds memories. It is safe for concurrent use, reads only, and
// holds the text indexes of the users it was asked about last.
type Searcher struct {
	db      *schema.DB
	weights Weights
	arms    []weightedArm
	indexes *indexes
}

type weightedArm struct {
	Arm
	weight float64
}

// New makes a searcher over db.
func New(db *schema.DB, opts Options) *Searcher {
	s := &Searcher{db: db, weights: DefaultWeights(), indexes: newIndexes()}
	if opts.Weights != nil {
		s.weights = *opts.Weights
	}
	s.arms = []weightedArm{{textArm{}, 1}}
	return s
}

// Search answers a query from one user's memory: arms → fuse → score →
// diversify → budget. It never writes. A user nothing is known of gets an
// empty answer.
//
// Errors: [*schema.InvalidError] for an unusable scope or query, the
// database's errors, the context's error. An arm that fails is reported in
// [Answer.Degraded] instead.
func (s *Searcher) Search(ctx context.Context, scope schema.Scope, q Query) (*Answer, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(q.Text) == "" {
		return nil, &schema.InvalidError{Field: "query", Reason: "is empty; say what to look for"}
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Now.IsZero() {
		q.Now = s.db.Now()
	}
	answer := &Answer{Query: q.Text}
	err := s.db.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) error {
		userID, err := snap.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		return s.search(ctx, snap, userID, q, answer)
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func (s *Searcher) search(ctx context.Context, snap *schema.Snapshot, userID int64, q Query, answer *Answer) error {
	ix, err := s.indexes.current(ctx, snap, userID)
	if err != nil {
		return err
	}
	defer ix.mu.RUnlock()

	allowed, err := filter(ctx, snap, userID, q)
	if err != nil {
		return err
	}
	r := &Request{Query: q, UserID: userID, Terms: text.QueryTerms(q.Text, 0), Snapshot: snap, index: ix.index, allowed: allowed}
	rankings := s.ask(ctx, r, answer)
	if err := ctx.Err(); err != nil {
		return err
	}
	found := fuse(rankings)
	answer.Considered = len(found)
	derived, err := readDerived(ctx, snap, userID, ix.index, found)
	if err != nil {
		return err
	}
	ranked := score(ix.index, ix.understand(q.Text), found, rankings[0].candidates, derived, q.Now, s.weights)
	results, err := s.read(ctx, snap, userID, q, ranked, derived)
	if err != nil {
		return err
	}
	results = withinBudget(diversify(results, q.Diversity), q.Budget)
	answer.Results = results[:min(len(results), q.Limit)]
	for i := range answer.Results {
		answer.Results[i].Rank = i + 1
	}
	return nil
}

// ask runs the arms side by side.
func (s *Searcher) ask(ctx context.Context, r *Request, answer *Answer) []ranking {
	rankings := make([]ranking, len(s.arms))
	errs := make([]error, len(s.arms))
	var wg sync.WaitGroup
	for i, arm := range s.arms {
		wg.Go(func() {
			rankings[i] = ranking{arm: arm.Name(), weight: arm.weight}
			rankings[i].candidates, errs[i] = arm.Candidates(ctx, r)
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			answer.Degraded = append(answer.Degraded, Degraded{Arm: rankings[i].arm, Reason: err.Error()})
		}
	}
	return rankings
}

// filter turns the query's restrictions into a test of a document.
func filter(ctx context.Context, snap *schema.Snapshot, userID int64, q Query) (func(*document) bool, error) {
	var kinds kindBit
	for _, k := range q.Kinds {
		kinds |= bitOfKind(k)
	}
	in := bitOfState(schema.StateActive)
	if q.Dormant {
		in |= bitOfState(schema.StateDormant)
	}
	if !q.Unquarantined {
		in |= bitOfState(schema.StateQuarantined)
	}
	if !q.AsOf.IsZero() { // what ended since is decided once it is read
		in |= bitOfState(schema.StateDormant) | bitOfState(schema.StateSuperseded) | bitOfState(schema.StateRetired)
	}
	since, until := bound(q.Since), bound(q.Until)
	var session int64
	if q.Session != "" {
		id, err := snap.SessionID(ctx, userID, q.Session)
		if err != nil {
			return nil, err
		}
		if id == 0 {
			return func(*document) bool { return false }, nil
		}
		session = id
	}
	var tagged map[int64]bool
	if q.Tag != "" {
		var err error
		if tagged, err = snap.TaggedMemories(ctx, userID, q.Tag); err != nil {
			return nil, err
		}
	}
	return func(d *document) bool {
		return d.state&in != 0 &&
			(kinds == 0 || d.kind&kinds != 0) &&
			(session == 0 || d.session == session) &&
			(q.Since.IsZero() || d.time >= since) &&
			(q.Until.IsZero() || d.time < until) &&
			(tagged == nil || tagged[d.memory])
	}, nil
}

func bound(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// readDerived reads the candidates that fade or carry a confidence.
func readDerived(ctx context.Context, snap *schema.Snapshot, userID int64, ix *index, found []fused) (map[int64]*schema.Memory, error) {
	var ids []int64
	for _, f := range found {
		if doc, ok := ix.find(f.memoryID); ok && ix.docs[doc].kind != bitOfKind(schema.KindEpisode) {
			ids = append(ids, f.memoryID)
		}
	}
	memories, err := snap.MemoriesByID(ctx, userID, ids)
	if err != nil {
		return nil, err
	}
	derived := make(map[int64]*schema.Memory, len(memories))
	for i := range memories {
		derived[memories[i].ID] = &memories[i]
	}
	return derived, nil
}

// read fetches the memories the answer needs, in order of rank, and drops
// those that the query's agent or moment excludes.
func (s *Searcher) read(ctx context.Context, snap *schema.Snapshot, userID int64, q Query, ranked []scored, derived map[int64]*schema.Memory) ([]Result, error) {
	want := q.Limit
	if q.Diversity > 0 || q.Budget > 0 {
		want = 3 * q.Limit // what is set aside is replaced from here
	}
	results := make([]Result, 0, min(want, len(ranked)))
	for len(ranked) > 0 && len(results) < want {
		batch := ranked[:min(len(ranked), want-len(results))]
		ranked = ranked[len(batch):]
		var ids []int64
		for _, r := range batch {
			if derived[r.memoryID] == nil {
				ids = append(ids, r.memoryID)
			}
		}
		memories, err := snap.MemoriesByID(ctx, userID, ids)
		if err != nil {
			return nil, err
		}
		byID := make(map[int64]*schema.Memory, len(memories))
		for i := range memories {
			byID[memories[i].ID] = &memories[i]
		}
		for _, r := range batch {
			m := byID[r.memoryID]
			if m == nil {
				m = derived[r.memoryID]
			}
			if m == nil || (q.Agent != "" && m.Agent != q.Agent) || !holds(m, q.AsOf) || (q.Skip != nil && q.Skip(m)) {
				continue
			}
			results = append(results, Result{Memory: *m, Score: r.score, Arms: r.arms, Signals: r.signals})
		}
	}
	return results, nil
}

// holds applies AsOf. In the present the document's state has decided.
func holds(m *schema.Memory, at AsOf) bool {
	return at.IsZero() || m.HeldAt(at.Valid, at.Known)
}

// understand reads from a question what the ranker wants to know of it.
func (ix *index) understand(question string) asked {
	q := asked{speakers: make(map[uint16]bool)}
	terms := text.Terms(question)
	for _, t := range terms {
		for _, s := range ix.named[t] {
			q.speakers[s] = true
		}
	}
	q.when = asksWhen(terms)
	return q
}

var whenTerms = prepared("when date day month year week weekend long ago recently last first")

func asksWhen(terms []string) bool {
	return slices.ContainsFunc(terms, func(t string) bool { return whenTerms[t] })
}
