package recall

import (
	"cmp"
	"math"
	"slices"
)

// Whether a question is about what the memory holds at all is not for the
// ranker to say: it divides by the best of the search, so that something is
// always best. What is weighed here is absolute: how common the question's
// words are in this memory, whether a passage holds them together and stands
// out from the rest, and whether anybody has ever heard of whom it names.

// grounds are what [Answer.Relevance] rests on: the [topic] of a question beside
// the first five results. All are 0 when there is nothing to say.
type grounds struct {
	Familiar  float64 // how much the memory speaks of the question's words, 0–about 3; see topic.familiar
	Close     float64 // largest share of the question that stands within eight words of another part of it, 0–1
	Bulk      float64 // text score of the tenth candidate by that of the first, 0–1: nothing stands out
	Strangers float64 // names it holds that the memory has never heard, 0–2
	Named     float64 // 1 when it names someone who speaks in the memory
	Entity    float64 // 1 when it names nobody who speaks, but an entity that a result mentions
	Vector    float64 // largest of the vector signal, 0–1
}

// groundWeights are ln odds for every unit of a ground.
type groundWeights struct {
	grounds

	Bias float64
	// Behind is what every point of score behind the best result takes off.
	Behind float64
}

// relevanceWeights were fitted by internal/train -relevance on three sets of
// real conversations, each question asked of its own and of all other
// conversations' memories. Those sets came without vectors: Vector is chosen, so
// that a memory in another language than the question can be relevant.
var relevanceWeights = groundWeights{
	grounds: grounds{
		Familiar: 2.67, Close: 1.33, Bulk: -2.14, Strangers: -2.84, Named: 2.34, Entity: 1.44,
		Vector: 1,
	},
	Bias:   -2.23,
	Behind: 0.05,
}

// list names the grounds; their contributions add up to ln odds.
func (g grounds) list(w groundWeights) []Signal {
	return []Signal{
		{"familiar", g.Familiar, w.Familiar},
		{"close", g.Close, w.Close},
		{"bulk", g.Bulk, w.Bulk},
		{"strangers", g.Strangers, w.Strangers},
		{"named", g.Named, w.Named},
		{"entity", g.Entity, w.Entity},
		{"vector", g.Vector, w.Vector},
		{"bias", 1, w.Bias},
	}
}

// verdict is how relevant an answer is.
type verdict struct {
	grounds []Signal
	odds    float64 // ln
	top     float64 // best score
	found   bool    // anything speaks for a result but who says it
}

// judge weighs the topic of a question beside the results, which it looks at in
// the ranker's order, whatever a plan has put first.
func (t *topic) judge(results []Result) verdict {
	if len(results) > 0 && results[0].Why != "" {
		results = slices.Clone(results)
		slices.SortStableFunc(results, func(a, b Result) int { return cmp.Compare(b.ranked(), a.ranked()) })
	}
	g := t.grounds(results)
	v := verdict{grounds: g.list(relevanceWeights), found: t.found(results, g)}
	for _, ground := range v.grounds {
		v.odds += ground.Contribution()
	}
	for i, r := range results {
		if score := r.ranked(); i == 0 || score > v.top {
			v.top = score
		}
	}
	return v
}

// relevance of a result with a score, 0–1: the logistic function of the ln
// odds of the answer, less what the result stands behind the best.
func (v verdict) relevance(score float64) float64 {
	if !v.found {
		return 0
	}
	return logistic(v.odds - relevanceWeights.Behind*max(0, v.top-score))
}

// logistic turns ln odds into a probability.
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
