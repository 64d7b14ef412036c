package evalset

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// Cutoffs are the depths at which rankings are measured.
var Cutoffs = [...]int{5, 10, 20}

const ndcgDepth = 10

// Found is one result of a search, reduced to what the metrics need.
type Found struct {
	Turns []string // ids of the turns it came from; itself for a turn
	Text  string   // as a model would see it
	Score float64
}

// Ranked is one turn's place in a ranking.
type Ranked struct {
	Turn   string
	Score  float64
	Tokens int // estimated tokens since the previous rank
}

// Rank turns results, best first, into a ranking of turns by first occurrence. A
// result without a new turn adds only its tokens, to the next turn.
func Rank(results []Found) []Ranked {
	var ranking []Ranked
	seen := make(map[string]bool)
	cost := 0
	for _, r := range results {
		cost += text.Tokens(r.Text)
		for _, turn := range r.Turns {
			if seen[turn] {
				continue
			}
			seen[turn] = true
			ranking = append(ranking, Ranked{Turn: turn, Score: r.Score, Tokens: cost})
			cost = 0
		}
	}
	return ranking
}

// Metrics measure one ranking, or the mean of N. Arrays follow [Cutoffs].
type Metrics struct {
	N      int
	Recall [len(Cutoffs)]float64
	Hit    [len(Cutoffs)]float64
	All    [len(Cutoffs)]float64
	Tokens [len(Cutoffs)]float64
	MRR    float64
	NDCG   float64 // at 10
}

// Score measures a ranking against the turns that answer the question. Turns
// must not repeat, in either; evidence must not be empty.
func Score(ranking []Ranked, evidence []string) Metrics {
	m := Metrics{N: 1}
	found, tokens := 0, 0
	gain := 0.0
	next := 0 // the cutoff not reached yet
	record := func() {
		m.Recall[next] = float64(found) / float64(len(evidence))
		m.Tokens[next] = float64(tokens)
		if found > 0 {
			m.Hit[next] = 1
		}
		if found == len(evidence) {
			m.All[next] = 1
		}
		next++
	}
	for i, r := range ranking {
		rank := i + 1
		tokens += r.Tokens
		if slices.Contains(evidence, r.Turn) {
			found++
			if found == 1 {
				m.MRR = 1 / float64(rank)
			}
			if rank <= ndcgDepth {
				gain += discount(rank)
			}
		}
		if next < len(Cutoffs) && rank == Cutoffs[next] {
			record()
		}
	}
	for next < len(Cutoffs) { // a ranking shorter than the cutoff
		record()
	}
	best := 0.0
	for rank := 1; rank <= min(len(evidence), ndcgDepth); rank++ {
		best += discount(rank)
	}
	m.NDCG = gain / best
	return m
}

func discount(rank int) float64 { return 1 / math.Log2(float64(rank)+1) }

// Mean averages, each part weighing by its N. Without parts it is zero.
func Mean(parts ...Metrics) Metrics {
	var sum Metrics
	for _, p := range parts {
		sum.add(p, float64(p.N))
		sum.N += p.N
	}
	if sum.N == 0 {
		return sum
	}
	var mean Metrics
	mean.add(sum, 1/float64(sum.N))
	mean.N = sum.N
	return mean
}

func (m *Metrics) add(p Metrics, weight float64) {
	for i := range Cutoffs {
		m.Recall[i] += weight * p.Recall[i]
		m.Hit[i] += weight * p.Hit[i]
		m.All[i] += weight * p.All[i]
		m.Tokens[i] += weight * p.Tokens[i]
	}
	m.MRR += weight * p.MRR
	m.NDCG += weight * p.NDCG
}

// View is the JSON of [Metrics]; maps go by cutoff.
type View struct {
	Name      string             `json:"name"`
	Questions int                `json:"questions"`
	Recall    map[string]float64 `json:"recall"`
	Hit       map[string]float64 `json:"hit"`
	All       map[string]float64 `json:"all"`
	Tokens    map[string]float64 `json:"tokens"`
	MRR       float64            `json:"mrr"`
	NDCG      float64            `json:"ndcg"` // at 10
}

// View returns the metrics under a name.
func (m *Metrics) View(name string) View {
	v := View{
		Name: name, Questions: m.N, MRR: m.MRR, NDCG: m.NDCG,
		Recall: map[string]float64{}, Hit: map[string]float64{}, All: map[string]float64{}, Tokens: map[string]float64{},
	}
	for i, k := range Cutoffs {
		key := strconv.Itoa(k)
		v.Recall[key], v.Hit[key], v.All[key], v.Tokens[key] = m.Recall[i], m.Hit[i], m.All[i], m.Tokens[i]
	}
	return v
}

// Answered is a question with its ranking.
type Answered struct {
	Query   Query
	Ranking []Ranked
}

// Category is the mean over the questions of one category.
type Category struct {
	Metrics

	Name string
}

// ByCategory scores every ranking: the mean of each category, by name, and of
// all questions together.
func ByCategory(answers []Answered) (categories []Category, total Metrics) {
	parts := make(map[string][]Metrics)
	all := make([]Metrics, 0, len(answers))
	for _, a := range answers {
		m := Score(a.Ranking, a.Query.Evidence)
		parts[a.Query.Category] = append(parts[a.Query.Category], m)
		all = append(all, m)
	}
	for name, of := range parts {
		categories = append(categories, Category{Mean(of...), name})
	}
	slices.SortFunc(categories, func(a, b Category) int { return strings.Compare(a.Name, b.Name) })
	return categories, Mean(all...)
}
