package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/schema"
)

// A Scorer computes the score that orders the results: the sum of the contributions of
// the signals it returns. A scorer that multiplies returns its product as one signal of
// weight 1, and the factors with weight 0.
//
// A search calls it for the [ScoreDepth] most relevant candidates, or for three times
// the limit if that is more; other candidates are not returned. It must be fast, safe
// for concurrent use, and a function of its argument alone. A score that is not finite,
// and a panic, fail the search.
type Scorer func(Terms) []Signal

// ScoreDepth is how many of the most relevant candidates a [Scorer] scores. Their
// [Terms] are read from the file.
const ScoreDepth = 200

// Terms is what a [Scorer] knows about a candidate.
type Terms struct {
	// Relevance to the question, 0–1: the ranker's score (see [Weights]) between
	// those of the worst and the best candidate of this search,
	// (s − min) / (max − min), as Park et al. 2023 normalise; 1 when all are
	// equal. It does not depend on the age and importance of a memory.
	Relevance float64
	// Cosine of the memory's vector with the question's, 0–1; negative cosines count
	// as 0. 0 unless Compared.
	Cosine float64
	// Compared says that both have vectors of the serving model.
	Compared bool
	// Retention is the share of the memory's strength that is left, 0–1, as
	// [Options].Retention has it.
	Retention float64
	// Memory is the candidate: kind, role, agent, times, confidence, importance,
	// use, forgetting, protection, origin, trust and attributes. Its other fields
	// are empty.
	Memory *schema.Memory
	// Now is the moment of asking.
	Now time.Time
	// Cycle is the cycle of asking ([Query].Cycle), 0 for none.
	Cycle int64
	// Arms are its ranks in the arms that found it.
	Arms []ArmRank
	// Plan is how the question is searched for; nil without a planner.
	Plan *planner.Plan
	// Together says that it was shown together with one of the best candidates time
	// and again, if the plan asks for it.
	Together bool
}

// Cycles is how many cycles ago it happened, not below 0, by its attribute
// [schema.AttrCycle]. counted is false if it has none, or if Cycle is 0.
func (t Terms) Cycles() (ago int64, counted bool) {
	cycle, err := strconv.ParseInt(t.Memory.Attributes[schema.AttrCycle], 10, 64)
	if err != nil || t.Cycle == 0 {
		return 0, false
	}
	return max(0, t.Cycle-cycle), true
}

// Age is how long before Now it happened, not below 0.
func (t Terms) Age() time.Duration { return max(0, t.Now.Sub(t.Memory.EventTime.Time)) }

// rescore orders the most relevant candidates by the searcher's scorer. The candidates
// come best first. weak are those that it does not score.
func (s *Searcher) rescore(ctx context.Context, snap *schema.Snapshot, userID int64, q Query, similar *similar, candidates []scored) (weighed, weak []scored, err error) {
	depth := min(len(candidates), max(ScoreDepth, 3*q.Limit))
	weighed, weak = candidates[:depth], candidates[depth:]
	if depth == 0 {
		return weighed, weak, nil
	}
	ids := make([]int64, depth)
	for i := range weighed {
		ids[i] = weighed[i].memoryID
	}
	memories, err := snap.WeighedByID(ctx, userID, ids)
	if err != nil {
		return nil, nil, err
	}
	var companions map[int64]bool
	if q.divided != nil && q.divided.Together {
		if companions, err = s.shown.With(ctx, snap, userID, s.db.Now(), ids[:min(depth, q.Limit)]); err != nil {
			return nil, nil, err
		}
	}
	best, worst := candidates[0].score, candidates[len(candidates)-1].score
	relevance := make(map[int64]float64, depth)
	for i := range weighed {
		c := &weighed[i]
		m := memories[c.memoryID]
		if m == nil {
			m = &schema.Memory{ID: c.memoryID} // an arm proposed what the file does not hold yet
		}
		t := Terms{Relevance: 1, Retention: s.retention.Of(m, q.Now), Memory: m, Now: q.Now, Cycle: q.Cycle, Arms: c.arms, Plan: q.divided, Together: companions[c.memoryID]}
		if best > worst {
			t.Relevance = (c.score - worst) / (best - worst)
		}
		relevance[c.memoryID], c.relevant = t.Relevance, t.Relevance
		if similar != nil {
			if best := similar.closest(c.memoryID); best.vectors > 0 {
				t.Cosine, t.Compared = min(1, max(0, float64(best.Cosine))), true
			}
		}
		if c.terms, err = askScorer(s.scorer, t); err != nil {
			return nil, nil, err
		}
		c.score = 0
		for _, term := range c.terms {
			c.score += term.Contribution()
		}
		if math.IsNaN(c.score) || math.IsInf(c.score, 0) {
			return nil, nil, &schema.InvalidError{Field: "Scorer", Reason: "gives a score that is not a finite number"}
		}
	}
	among := depth
	if s.candidateFactor > 0 { // among equally relevant candidates, the score decides
		among = int(math.Ceil(s.candidateFactor * float64(q.Limit)))
		slices.SortStableFunc(weighed, func(a, b scored) int {
			return cmp.Or(cmp.Compare(relevance[b.memoryID], relevance[a.memoryID]), cmp.Compare(b.score, a.score))
		})
	}
	for some := range slices.Chunk(weighed, among) {
		slices.SortStableFunc(some, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	}
	return weighed, weak, nil
}

// askScorer calls the scorer and returns its panic as an error.
func askScorer(scorer Scorer, t Terms) (terms []Signal, err error) {
	defer schema.RecoverForeign("the scorer", &err)
	return scorer(t), nil
}

// result converts a candidate to a result.
func (s *Searcher) result(c *scored, m *schema.Memory, w *Weights) Result {
	r := Result{Memory: *m, Score: c.score, Similarity: c.signals.Vector, Arms: c.arms, Signals: c.signals.weighed(nil, w), signals: c.signals, passage: c.passage, alike: c.alike, echo: c.echo, MinRelevance: c.least}
	if c.lifted > 0 {
		r.Signals = append(r.Signals, Signal{"links", c.lifted, 1})
	}
	if c.picked != nil {
		r.Why, r.MinRelevance = c.picked.why, max(c.least, c.picked.minRelevance)
	}
	if s.scorer != nil {
		r.Signals, r.Parts = c.terms, r.Signals
	}
	return r
}

// ranked is the ranker's score.
func (r *Result) ranked() (sum float64) {
	if r.Parts == nil {
		return r.Score
	}
	for _, s := range r.Parts {
		sum += s.Contribution()
	}
	return sum
}
