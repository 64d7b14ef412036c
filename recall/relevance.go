package recall

import (
	"math"
	"math/bits"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Whether a question is about what the memory holds at all is not for the
// ranker to say: it divides by the best of the search, so that something is
// always best. What is weighed here is absolute: how much of the question the
// best results hold, close together, and what of it nobody has ever heard of.

// grounds are what [Answer.Relevance] rests on, the topic of a question beside
// the first five results. Shares weigh words by their rarity. All are 0 when
// there is nothing to say.
type grounds struct {
	Held     float64 // largest share of the question that one passage holds, 0–1
	Close    float64 // largest share that stands within eight words of another part of it, 0–1
	Known    float64 // share that the user's memory holds anywhere, 0–1
	Stranger float64 // share of the names it holds that the memory has never heard, 0–1
	Named    float64 // 1 when it names someone who speaks in the memory
	Entity   float64 // 1 when a result mentions an entity it names
	Vector   float64 // largest of the vector signal, 0–1
}

// groundWeights are ln odds for every unit of a ground.
type groundWeights struct {
	grounds

	Bias float64
	// Behind is what every point of score behind the best result takes off.
	Behind float64
}

// relevanceWeights were fitted by internal/train -relevance on three sets of
// real conversations, each question asked of its own and of another
// conversation's memory. Those sets came without vectors: Vector is chosen, so
// that a memory in another language than the question can be relevant.
var relevanceWeights = groundWeights{
	grounds: grounds{
		Held: 1.39, Close: 1.91, Known: 0.53, Stranger: -4.02, Named: 0.65, Entity: 1.30,
		Vector: 1,
	},
	Bias:   -1.71,
	Behind: 0.1,
}

// list names the grounds; their contributions add up to ln odds.
func (g grounds) list(w groundWeights) []Signal {
	return []Signal{
		{"held", g.Held, w.Held},
		{"close", g.Close, w.Close},
		{"known", g.Known, w.Known},
		{"stranger", g.Stranger, w.Stranger},
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
	found   bool
}

// judge weighs the topic of a question beside the results, best first.
func (t *topic) judge(results []Result) verdict {
	v := verdict{grounds: t.grounds(results).list(relevanceWeights), found: len(results) > 0}
	for _, g := range v.grounds {
		v.odds += g.Contribution()
	}
	for i, r := range results {
		if i == 0 || r.Score > v.top {
			v.top = r.Score
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

const (
	// priorChunks are added to the size of the memory when words are weighed,
	// so that three messages are not taken for the world.
	priorChunks = 500
	// topicDepth is how many results decide.
	topicDepth = 5
	// closeBy is how many words apart two parts of a question stand together.
	closeBy = 8
	// asideShare is the weight of words that any question may hold: what frames
	// it, dates, and the commonest words.
	asideShare = 0.1
)

// topic is what a question is about, weighed beside one user's whole memory.
type topic struct {
	terms    []string  // of the parts
	weights  []float64 // of the parts, squared inverse document frequency
	df       []int     // chunks that hold the part, 0 when only relatives are known
	relation []float64 // weight of the best relative that is known, 0–1
	names    []string  // terms of the names it holds that are no speaker's
	heard    []int     // chunks that hold them
	named    bool
	total    float64
	content  int // parts that are no aside
}

// newTopic weighs the parts of a question.
func newTopic(ix *index, q *question) *topic {
	t := &topic{named: len(q.speakers) > 0}
	for _, p := range q.parts {
		df := 0
		if p.known {
			df = len(ix.postings[p.exact])
		}
		w := inverseDocumentFrequency(len(ix.chunks)+priorChunks, df)
		if isAside(p.term) {
			w *= asideShare
		} else {
			t.content++
		}
		relation := 0.0
		for _, r := range p.related {
			relation = max(relation, float64(r.weight))
		}
		t.terms, t.weights, t.df, t.relation = append(t.terms, p.term), append(t.weights, w), append(t.df, df), append(t.relation, relation)
		t.total += w
	}
	for _, name := range q.names {
		for _, term := range text.Terms(name) {
			if len(ix.named[term]) > 0 || text.IsStopWord(term) {
				t.names, t.heard = append(t.names, term), append(t.heard, math.MaxInt32)
				continue
			}
			df := 0
			if id, known := ix.terms[term]; known {
				df = len(ix.postings[id])
			}
			t.names, t.heard = append(t.names, term), append(t.heard, df)
		}
	}
	return t
}

// isAside reports a term that says little about what a question is about.
func isAside(term string) bool {
	return frameWord[term] || dateWord[term] || commonWord[term] || term[0] >= '0' && term[0] <= '9'
}

// forget takes one memory out of what is known: it is in the prompt already,
// perhaps the question itself.
func (t *topic) forget(m *schema.Memory) {
	held := make(map[string]bool)
	for _, term := range text.Terms(m.Content) {
		held[term] = true
	}
	for i, term := range t.terms {
		if held[term] && t.df[i] > 0 {
			t.df[i]--
		}
	}
	for i, term := range t.names {
		if held[term] && t.heard[i] > 0 {
			t.heard[i]--
		}
	}
}

// share is the weight of some parts in the question, 0–1.
func (t *topic) share(some parts, weight func(part int) float64) float64 {
	if t.total == 0 {
		return 0
	}
	sum := 0.0
	for ; some != 0; some &= some - 1 {
		i := bits.TrailingZeros64(uint64(some))
		sum += t.weights[i] * weight(i)
	}
	return sum / t.total
}

// topic weighs the question and looks through every candidate's best passage.
func (m *matches) topic(ix *index, q *question, candidates []scored) *topic {
	undo := m.mark(q)
	defer undo()
	t := newTopic(ix, q)
	for i := range candidates {
		candidates[i].passage = m.passage(ix, q, t, candidates[i].doc)
	}
	return t
}

// passage is how much of a question one memory's best chunk holds.
type passage struct{ held, close float64 }

// passage looks through the best chunk of a document. The terms must be
// marked, see [matches.mark].
func (m *matches) passage(ix *index, q *question, t *topic, doc uint32) passage {
	var exact, loose, near parts
	last, lastAt := -1, 0
	for at, term := range ix.termsOf(m.chunkOf(ix, doc)) {
		part := int(m.terms[term].part) - 1
		if part < 0 {
			continue
		}
		if q.parts[part].known && q.parts[part].exact == term {
			exact |= 1 << part
		} else {
			loose |= 1 << part
		}
		if last >= 0 && last != part && at-lastAt <= closeBy {
			near |= 1<<part | 1<<last
		}
		last, lastAt = part, at
	}
	weight := func(i int) float64 {
		if exact&(1<<i) != 0 {
			return 1
		}
		return t.relation[i]
	}
	p := passage{t.share(exact|loose, weight), t.share(near, weight)}
	if t.content < 2 {
		p.close = p.held
	}
	return p
}

// grounds are those of the results, best first.
func (t *topic) grounds(results []Result) grounds {
	g := grounds{Named: bit(t.named)}
	for _, r := range results[:min(len(results), topicDepth)] {
		g.Held, g.Close = max(g.Held, r.passage.held), max(g.Close, r.passage.close)
		for _, s := range r.Signals {
			switch s.Name {
			case "entity":
				g.Entity = max(g.Entity, s.Value)
			case "vector":
				g.Vector = max(g.Vector, s.Value)
			}
		}
	}
	for i, w := range t.weights {
		if t.total > 0 {
			g.Known += w / t.total * max(t.relation[i], bit(t.df[i] > 0))
		}
	}
	for _, chunks := range t.heard {
		if chunks == 0 {
			g.Stranger += 1 / float64(len(t.heard))
		}
	}
	return g
}

// commonWord lists the commonest words that may stand in a question about
// anything and, missing from a memory, say nothing about its topic.
var commonWord = vocabulary(`call called good bad better best well great big small little long short old young high low
	find found keep put set turn start stop begin end finish work working live lived need like love enjoy prefer favorite favourite
	know learn learned understand understanding believe hope wish hear heard see saw look watch meet met visit visited
	buy bought pay spend cost bring leave left stay move moved go went come came back return run play attend
	ask asked answer reply speak spoke write wrote read use used using approach handle manage
	day week month year today tomorrow yesterday morning afternoon evening night weekend hour minute moment future past
	man woman friend friends family life world home house place city country part side end point number kind
	idea reason problem issue question result change changed improve improved increase develop developed progress
	important main major minor general overall total full complete whole entire single couple few several next early late later
	especially usually always never sometimes already still together alone instead besides around away
	influence impact affect feel feeling relate related interest interested information detail details step steps
	option options choose choice suggest suggestion recommend advice tip mean meaning true false real possible likely
	current previous original key focus goal experience role level type form case event reach allow follow create receive`)
