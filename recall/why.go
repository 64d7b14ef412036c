package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// Explanation describes the outcome of one memory in a search.
type Explanation struct {
	Memory schema.Memory
	// Outcome is the outcome in a word.
	Outcome Outcome
	// Reason is the outcome in a sentence.
	Reason string
	// Result holds its arms, signals and score; nil if it was not ranked. Its Rank is
	// its place among the results, or, if it is not one of them, among all candidates
	// before limit, diversity and budget.
	Result *Result
	// Above is the result to compare its signals with ([Explanation.Apart]): the one just
	// above it or, if it is not among the results, the last one. It is nil for the first
	// result, and if there are no results.
	Above *Result
	// Degraded lists the arms that failed or were incomplete.
	Degraded []Degraded
}

// Outcome is the outcome of a memory in a search.
type Outcome string

// The outcomes of a memory in a search.
const (
	Returned  Outcome = "returned"  // it is among the results
	Excluded  Outcome = "excluded"  // a restriction of the query keeps it out
	Unmatched Outcome = "unmatched" // no arm proposed it
	Outranked Outcome = "outranked" // it was ranked below the limit
	Cut       Outcome = "cut"       // diversity or the token budget left it out
)

// Why explains why a memory is, or is not, among the results of a query.
//
// Errors: those of [Searcher.Search]; [schema.ErrNotFound] for an id that does
// not exist or belongs to another user.
func (s *Searcher) Why(ctx context.Context, scope schema.Scope, q Query, uid string) (*Explanation, error) {
	if err := s.complete(scope, &q); err != nil {
		return nil, err
	}
	q.Wait = true // a partial index cannot explain
	s.embed(ctx, scope, &q)
	defer q.meaning.done()
	var e *Explanation
	err := s.db.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) error {
		userID, err := snap.UserID(ctx, scope)
		if err != nil {
			return err
		}
		if userID == 0 {
			return schema.ErrNotFound
		}
		memory, err := snap.Memory(ctx, userID, uid)
		if err != nil {
			return err
		}
		e = &Explanation{Memory: *memory}
		return s.explain(ctx, snap, userID, q, e)
	})
	if err = cmp.Or(err, q.skipFault.get()); err != nil {
		return nil, err
	}
	return e, nil
}

func (s *Searcher) explain(ctx context.Context, snap *schema.Snapshot, userID int64, q Query, e *Explanation) error {
	if why, err := s.excluded(ctx, snap, userID, q, &e.Memory); err != nil || why != "" {
		e.Outcome, e.Reason = Excluded, why
		return err
	}
	all, err := s.rank(ctx, snap, userID, q)
	if err != nil {
		return err
	}
	e.Degraded = all.degraded
	if slices.ContainsFunc(all.faded, func(c scored) bool { return c.memoryID == e.Memory.ID }) {
		all.candidates = all.faded // they are ranked among themselves
	}
	at := slices.IndexFunc(all.candidates, func(c scored) bool { return c.memoryID == e.Memory.ID })
	if at < 0 && slices.ContainsFunc(all.weak, func(c scored) bool { return c.memoryID == e.Memory.ID }) {
		e.Outcome, e.Reason = Outranked, fmt.Sprintf("%d others are more relevant, and only those are weighed further", len(all.candidates))
		return nil
	}
	if at < 0 {
		e.Outcome, e.Reason = Unmatched, "no arm proposed it ("+strings.Join(s.armNames(), ", ")+"): neither it nor the turns around it hold enough of the query's words"
		return nil
	}
	c := all.candidates[at]
	result := s.result(&c, &e.Memory, &all.weights)
	result.Rank = at + 1
	e.Result = &result
	results, err := s.read(ctx, snap, userID, q, all)
	if err != nil {
		return err
	}
	considered := slices.ContainsFunc(results, func(r Result) bool { return r.Memory.ID == e.Memory.ID })
	results = cut(results, q)
	judged := append(slices.Clone(results), result)
	all.topic.judge(judged)
	e.Result.Relevance, e.Result.Grounds = judged[len(judged)-1].Relevance, judged[len(judged)-1].Grounds
	if i := slices.IndexFunc(results, func(r Result) bool { return r.Memory.ID == e.Memory.ID }); i >= 0 {
		all.topic.judge(results)
		e.Result = &results[i]
		if i > 0 {
			e.Above = &results[i-1]
		}
		e.Outcome, e.Reason = Returned, fmt.Sprintf("it is result %d of %d", i+1, len(results))
		return nil
	}
	if n := len(results); n > 0 {
		e.Above = &results[n-1]
	}
	e.Outcome, e.Reason = Outranked, fmt.Sprintf("it ranks %d of %d, and the limit is %d", at+1, len(all.candidates), q.Limit)
	if considered && (q.Diversity > 0 || q.Budget > 0) {
		e.Outcome, e.Reason = Cut, fmt.Sprintf("it ranks %d of %d, but the token budget or what is said above it already leaves it out", at+1, len(all.candidates))
	}
	return nil
}

func (s *Searcher) armNames() (names []string) {
	for _, arm := range s.arms {
		names = append(names, arm.Name())
	}
	return names
}

// excluded says in a sentence which restriction of the query excludes a memory, "" for
// none.
func (s *Searcher) excluded(ctx context.Context, snap *schema.Snapshot, userID int64, q Query, m *schema.Memory) (string, error) {
	switch what := q.excludes(m); what {
	case "":
	case "skip":
		return "the caller leaves it out, as it does what is untrusted, archived or in the prompt already", nil
	default:
		return "the query's " + what + " excludes it", nil
	}
	ix, err := s.indexes.current(ctx, snap, userID, q.Wait)
	if err != nil {
		return "", err
	}
	defer ix.mu.RUnlock()
	f, err := newFilter(ctx, snap, ix.index, userID, q)
	if err != nil {
		return "", err
	}
	doc, ok := ix.find(m.ID)
	if !ok {
		return "it has no searchable text", nil
	}
	switch what := f.excludes(ix.index, doc); what {
	case "":
		return "", nil
	case "state":
		return "it is " + string(m.State) + ", and the query does not include that", nil
	default:
		return "the query's " + what + " excludes it", nil
	}
}

// Apart returns what sets Above apart from the memory: by signal, Above's contribution to
// its score less that of the memory, as a [Signal] of weight 1, the largest first. It is
// empty without Above. If the plan, the share of derived memories or diversity decided
// the order, the sum may be negative.
func (e *Explanation) Apart() (apart []Signal) {
	if e.Result == nil || e.Above == nil {
		return nil
	}
	by := make(map[string]float64)
	for _, s := range e.Above.Signals {
		by[s.Name] += s.Contribution()
	}
	for _, s := range e.Result.Signals {
		by[s.Name] -= s.Contribution()
	}
	for name, difference := range by {
		if math.Abs(difference) >= 0.0005 {
			apart = append(apart, Signal{name, difference, 1})
		}
	}
	slices.SortFunc(apart, func(a, b Signal) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)), cmp.Compare(a.Name, b.Name))
	})
	return apart
}

// Explain prints in a few lines why the memory has its rank: its rank in each arm,
// and what every signal added to its score.
func (r Result) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d  score %.3f  relevance %.2f  %s %s\n", r.Rank, r.Score, r.Relevance, r.Memory.Kind, r.Memory.UID)
	if r.Why != "" {
		fmt.Fprintf(&b, "    here because it is %s\n", r.Why)
	}
	for _, a := range r.Arms {
		fmt.Fprintf(&b, "    found by %s: rank %d (%.3f)\n", a.Arm, a.Rank, a.Score)
	}
	for _, s := range r.Signals {
		if s.Contribution() != 0 {
			fmt.Fprintf(&b, "    %-16s %6.3f × %5.2f = %+.3f\n", s.Name, s.Value, s.Weight, s.Contribution())
		}
	}
	for _, s := range r.Parts {
		if s.Contribution() != 0 {
			fmt.Fprintf(&b, "      ranker: %-16s %6.3f × %5.2f = %+.3f\n", s.Name, s.Value, s.Weight, s.Contribution())
		}
	}
	return b.String()
}
