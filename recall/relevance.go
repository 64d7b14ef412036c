package recall

import (
	"cmp"
	"math"
	"slices"

	"github.com/ebbmem/ebb/recall/lexicon"
)

// The ranker cannot decide whether a question is about what the memory holds: it
// divides by the best score of the search, so some result is always best. Two logistic
// models decide, fitted by benchmarks/fit relevance on questions that share words
// with their answers and on questions that share none. The first judges the question
// against the whole memory. The second judges each result, given that the first is
// true. Each has weights for memories without vectors and for memories with vectors;
// the trust in the vectors interpolates between them.

// aboutIt is the relevance of an answer from which the question counts as being about
// what the memory holds.
const aboutIt = 0.6

// subject holds the features of [Answer.Relevance]: the [topic] of a question compared
// with the first results. A feature without data is 0.
type subject struct {
	Familiar  float64 // how much the memory speaks of the question's words, 0–about 3; see topic.familiar
	Close     float64 // largest share of the question within eight words of another part of it, 0–1
	Bulk      float64 // text score of the tenth candidate divided by that of the first, 0–1
	Strangers float64 // names in it that do not occur in the memory, 0–2
	Named     float64 // 1 when it names someone who speaks in the memory
	Entity    float64 // 1 when it names no speaker, but an entity that a result mentions
	Personal  float64 // 1 when it is about the user
	General   float64 // 1 when it asks for a text, a sum or what an encyclopedia knows
	Young     float64 // 1 for an empty memory, ¼ for one of 40 chunks, 0 for a large one
	YoungOwn  float64 // Young of a personal question
	Alike     float64 // how near the nearest meaning is, from the usual to the same, 0–1; see similar.alike
	Topic     float64 // largest topic signal of the first results
	Bias      float64
}

// evidence holds the features of [Result.Relevance], given that the question is about
// what the memory holds.
type evidence struct {
	Holds  float64 // share of the question that its best passage holds, 0–1
	Close  float64 // share of the question there within eight words of another part of it, 0–1
	Window float64 // share of the question that it and two turns to either side hold, 0–1
	Entity float64 // 1 when it mentions an entity that the question names
	Time   float64 // 1 in the time that the question names
	Vector float64 // how alike its meaning is; see [Weights]
	Alike  float64 // how near its meaning is, from the usual to the same, 0–1
	Beside float64 // similarity of the turns before and after; see [Weights]
	Topic  float64 // how near its everyday topics are; see [Weights]
	Around float64 // topic similarity of the turns before and after; see [Weights]
	Asks   float64 // 1 when it asks and states nothing
	Echo   float64 // 1 when it repeats the question, or says that it has no answer
	Behind float64 // by how much the ranker's score lies below the best
	Rank   float64 // ln of its place
	Young  float64 // as of the question
	Bias   float64
}

// The weights are ln odds per unit. Echo is set by hand: the sets hold no example.
var (
	textSubject = subject{
		Familiar: 1.9, Close: 0.7, Bulk: -2.28, Strangers: -2.28, Named: 3.22, Entity: 0.98,
		Personal: 1.51, General: -0.96, Young: 0.95, YoungOwn: 1.38, Topic: -0.14, Bias: -2.12,
	}
	textAnswers = evidence{
		Holds: -0.41, Close: 1.09, Window: 0.44, Entity: 0.2, Time: -0.01, Topic: 0.83, Around: 0.05, Asks: -0.11, Echo: -6,
		Behind: -0.97, Rank: -0.58, Young: 1.22, Bias: -1.53,
	}

	// Fitted with a small English encoder, before there were topics.
	vectorSubject = subject{
		Familiar: 1.59, Close: 0.51, Bulk: -1.64, Strangers: -2.36, Named: 2.99, Entity: 1.57,
		Personal: 1.08, General: -0.64, Young: 0.58, YoungOwn: 1.33, Alike: 2.9, Bias: -2.85,
	}
	vectorAnswers = evidence{
		Holds: 0.06, Close: 0.64, Window: 0.58, Entity: 0.1, Time: 0.2, Vector: 1.15, Alike: -0.08, Beside: 0.33,
		Asks: -0.04, Echo: -6, Behind: -0.42, Rank: -0.56, Young: 1.61, Bias: -1.79,
	}
)

// list returns the features with their weights. The contributions add up to ln odds.
func (g *subject) list(w *subject) []Signal {
	return []Signal{
		{"familiar", g.Familiar, w.Familiar},
		{"close", g.Close, w.Close},
		{"bulk", g.Bulk, w.Bulk},
		{"strangers", g.Strangers, w.Strangers},
		{"named", g.Named, w.Named},
		{"entity", g.Entity, w.Entity},
		{"personal", g.Personal, w.Personal},
		{"general", g.General, w.General},
		{"young", g.Young, w.Young},
		{"young own", g.YoungOwn, w.YoungOwn},
		{"alike", g.Alike, w.Alike},
		{"topic", g.Topic, w.Topic},
		{"bias", 1, w.Bias},
	}
}

// list returns the features with their weights. The contributions add up to ln odds.
func (g *evidence) list(w *evidence) []Signal {
	return []Signal{
		{"holds", g.Holds, w.Holds},
		{"close", g.Close, w.Close},
		{"window", g.Window, w.Window},
		{"entity", g.Entity, w.Entity},
		{"time", g.Time, w.Time},
		{"vector", g.Vector, w.Vector},
		{"alike", g.Alike, w.Alike},
		{"beside", g.Beside, w.Beside},
		{"topic", g.Topic, w.Topic},
		{"topic beside", g.Around, w.Around},
		{"asks", g.Asks, w.Asks},
		{"echo", g.Echo, w.Echo},
		{"behind", g.Behind, w.Behind},
		{"rank", g.Rank, w.Rank},
		{"young", g.Young, w.Young},
		{"bias", 1, w.Bias},
	}
}

// between interpolates the weights, by the trust in vectors, 0–1.
func between(text, vectors []Signal, trust float64) []Signal {
	for i := range text {
		text[i].Weight += trust * (vectors[i].Weight - text[i].Weight)
	}
	return text
}

// judge computes the relevance of the answer, and sets that of each result. It does
// not depend on their order.
func (t *topic) judge(results []Result) (relevance float64, grounds []Signal) {
	about := subject{
		Familiar: t.familiar(), Bulk: t.bulk(), Strangers: t.strangers(), Named: bit(t.named),
		Personal: bit(t.personal), General: bit(t.general), Young: t.young(), YoungOwn: bit(t.personal) * t.young(),
	}
	shares, top := t.shares(), math.Inf(-1)
	all, order := make([]evidence, len(results)), make([]int, len(results))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(results[b].ranked(), results[a].ranked()) })
	place := 0
	for _, i := range order {
		r, g := &results[i], &all[i]
		*g = t.evidence(r, shares)
		if r.echo {
			continue
		}
		top = max(top, r.ranked())
		if place++; place <= topicDepth {
			about.Close, about.Alike = max(about.Close, g.Close), max(about.Alike, g.Alike)
			about.Topic = max(about.Topic, g.Topic)
			about.Entity = max(about.Entity, g.Entity*(1-about.Named))
		}
		g.Rank = math.Log(float64(place))
	}
	grounds = between(about.list(&textSubject), about.list(&vectorSubject), t.vectors)
	if t.found(results, &about) {
		relevance = logistic(odds(grounds))
	}
	numbers, words := parts(lexicon.Identifying(t.terms, t.df)), parts(lexicon.Distinctive(t.asked, t.terms, t.stated, t.chunks))
	for i := range results {
		r, g := &results[i], &all[i]
		if !r.echo {
			g.Behind = top - r.ranked()
		}
		r.Grounds = between(g.list(&textAnswers), g.list(&vectorAnswers), t.vectors)
		r.Relevance = max(r.MinRelevance, relevance*logistic(odds(r.Grounds)))
		if p := r.passage; !r.echo && (p.exact&p.near&numbers != 0 || p.states && p.exact&words != 0) {
			r.Relevance = max(r.Relevance, aboutIt)
		}
	}
	return relevance, grounds
}

// evidence is what speaks for one result, whatever stands above it.
func (t *topic) evidence(r *Result, shares []float64) evidence {
	p := r.passage
	s := &r.signals
	return evidence{
		Holds: t.weigh(p, p.exact|p.loose, shares), Close: t.close(p, shares), Window: s.Window, Entity: s.Entity, Time: s.Time,
		Vector: s.Vector, Alike: r.alike, Beside: s.VectorBeside, Topic: s.Topic, Around: s.TopicBeside,
		Asks: s.Question, Echo: bit(r.echo), Young: t.young(),
	}
}

// found reports whether any candidate holds a word of the question, or any result is
// from a time that it names, mentions an entity that it names, has a similar vector,
// or is about related topics. Otherwise the results match by their speaker alone, which
// counts only in a small memory.
func (t *topic) found(results []Result, about *subject) bool {
	if len(results) == 0 {
		return false
	}
	if about.Entity > 0 || about.Alike > 0 || about.Topic > 0 || t.chunks <= smallMemory || slices.ContainsFunc(t.interest, func(score float32) bool { return score > 0 }) {
		return true
	}
	return slices.ContainsFunc(results, func(r Result) bool { return r.signals.Time > 0 })
}

// odds is the sum of the contributions, in ln odds.
func odds(signals []Signal) (sum float64) {
	for _, s := range signals {
		sum += s.Contribution()
	}
	return sum
}

// logistic turns ln odds into a probability.
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
