package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// A Scorer turns what is known of one candidate into the score that results are
// ordered by: the sum of the contributions of the signals it returns. One that
// multiplies returns its product as one signal of weight 1, and what went into
// it with weight 0.
//
// It is asked for the [ScoreDepth] most relevant candidates of a search, or
// three times the limit where that is more; others are no results then. It must
// be fast, safe for concurrent use, and a function of its argument alone. A
// score that is no finite number, and a panic, fail the search.
type Scorer func(Terms) []Signal

// ScoreDepth is how many candidates of a search a [Scorer] weighs, the most
// relevant: what it wants to know of each is read from the file.
const ScoreDepth = 200

// Terms is what a [Scorer] knows of a candidate.
type Terms struct {
	// Relevance to the question, 0–1: the ranker's score (see [Weights]) between
	// those of the worst and the best candidate of this search,
	// (s − min) / (max − min), as Park et al. 2023 normalise; 1 when all are
	// equal. How old and important a memory is has no part in it.
	Relevance float64
	// Cosine of the memory's vector with the question's, 0–1, what is below 0
	// counting as 0; 0 unless Compared.
	Cosine float64
	// Compared says that both have vectors of the model that serves.
	Compared bool
	// Retention is the share of the memory's strength that is left, 0–1, as
	// [Options].Retention has it.
	Retention float64
	// Memory is the candidate: kind, role, agent, times, confidence, importance,
	// use, forgetting, protection, origin, trust and attributes. Nothing else of
	// it is filled in.
	Memory *schema.Memory
	// Now is the moment of asking.
	Now time.Time
	// Cycle is the cycle of asking ([Query].Cycle), 0 for none.
	Cycle int64
}

// Cycles is how many cycles ago it happened, not below 0, by its attribute
// [schema.AttrCycle]. counted is false where it has none, or nobody counts.
func (t Terms) Cycles() (ago int64, counted bool) {
	cycle, err := strconv.ParseInt(t.Memory.Attributes[schema.AttrCycle], 10, 64)
	if err != nil || t.Cycle == 0 {
		return 0, false
	}
	return max(0, t.Cycle-cycle), true
}

// Age is how long before Now it happened, not below 0.
func (t Terms) Age() time.Duration { return max(0, t.Now.Sub(t.Memory.EventTime.Time)) }

// rescore orders the most relevant candidates, which come best first, by the
// searcher's scorer. weak are the others.
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
	best, worst := candidates[0].score, candidates[len(candidates)-1].score
	relevance := make(map[int64]float64, depth)
	for i := range weighed {
		c := &weighed[i]
		m := memories[c.memoryID]
		if m == nil {
			m = &schema.Memory{ID: c.memoryID} // of an arm that is ahead of the file
		}
		t := Terms{Relevance: 1, Retention: s.retention.Of(m, q.Now), Memory: m, Now: q.Now, Cycle: q.Cycle}
		if best > worst {
			t.Relevance = (c.score - worst) / (best - worst)
		}
		relevance[c.memoryID] = t.Relevance
		if similar != nil {
			if cosine, compared := similar.cosine(c.memoryID); compared {
				t.Cosine, t.Compared = min(1, max(0, float64(cosine))), true
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
	if s.scoreAmong > 0 { // of equally relevant ones, the score says which are given
		among = int(math.Ceil(s.scoreAmong * float64(q.Limit)))
		slices.SortStableFunc(weighed, func(a, b scored) int {
			return cmp.Or(cmp.Compare(relevance[b.memoryID], relevance[a.memoryID]), cmp.Compare(b.score, a.score))
		})
	}
	for some := range slices.Chunk(weighed, among) {
		slices.SortStableFunc(some, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	}
	return weighed, weak, nil
}

func askScorer(scorer Scorer, t Terms) (terms []Signal, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = schema.ForeignPanic("the scorer", r)
		}
	}()
	return scorer(t), nil
}

// result is a candidate as an answer shows it.
func (s *Searcher) result(c *scored, m *schema.Memory, w *Weights) Result {
	r := Result{Memory: *m, Score: c.score, Arms: c.arms, Signals: c.signals.list(*w), passage: c.passage, alike: c.alike, echo: c.echo}
	if c.picked != nil {
		r.Why, r.sure = c.picked.why, c.picked.sure
	}
	if s.scorer != nil {
		r.Signals, r.Parts = c.terms, r.Signals
	}
	return r
}

// ranking are the signals of the ranker, whatever the result is ordered by.
func (r *Result) ranking() []Signal {
	if r.Parts != nil {
		return r.Parts
	}
	return r.Signals
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
