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
	// youngChunks is the size of a memory in which a missing word says half of
	// what it says in a large one: a few messages know of little.
	youngChunks = 40
	// topicDepth is how many results decide.
	topicDepth = 5
	// closeBy is how many words apart two parts of a question stand together.
	closeBy = 8
	// asideShare is the weight of words that any question may hold: what frames
	// it, dates, and the commonest words.
	asideShare = 0.1
)

// topic is what a question is about, beside one user's whole memory.
type topic struct {
	chunks   int       // of the memory
	terms    []string  // of the parts
	df       []int     // chunks that hold the part itself
	relation []float64 // weight of its best relative that is known, 0–1
	names    []string  // terms of the names it holds
	heard    []int     // chunks that hold them; of a speaker's, very many
	named    bool      // it names a speaker
}

// newTopic looks the parts of a question up.
func newTopic(ix *index, q *question) *topic {
	t := &topic{chunks: len(ix.chunks), named: len(q.speakers) > 0}
	chunks := func(term string) int {
		if id, known := ix.terms[term]; known {
			return len(ix.postings[id])
		}
		return 0
	}
	for _, p := range q.parts {
		relation := 0.0
		for _, r := range p.related {
			relation = max(relation, float64(r.weight))
		}
		t.terms, t.df, t.relation = append(t.terms, p.term), append(t.df, chunks(p.term)), append(t.relation, relation)
	}
	for _, name := range q.names {
		for _, term := range text.Terms(name) {
			heard := chunks(term)
			if len(ix.named[term]) > 0 || text.IsStopWord(term) {
				heard = math.MaxInt32
			}
			t.names, t.heard = append(t.names, term), append(t.heard, heard)
		}
	}
	return t
}

// maturity is how much it says that a word is missing, 0–1.
func (t *topic) maturity() float64 { return float64(t.chunks) / float64(t.chunks+youngChunks) }

// known is whether the memory holds a part, or by how much a relative, 0–1.
func (t *topic) known(part int) float64 { return max(t.relation[part], bit(t.df[part] > 0)) }

// shares are the weights of the parts in the question; they add up to 1.
func (t *topic) shares() []float64 {
	shares, total := make([]float64, len(t.terms)), 0.0
	for i, term := range t.terms {
		shares[i] = inverseDocumentFrequency(t.chunks+priorChunks, t.df[i])
		if isAside(term) {
			shares[i] *= asideShare
		}
		if t.known(i) == 0 {
			shares[i] *= t.maturity()
		}
		total += shares[i]
	}
	for i := range shares {
		shares[i] /= total
	}
	return shares
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

// topic looks the question up, and looks through every candidate's best passage.
func (m *matches) topic(ix *index, q *question, candidates []scored) *topic {
	undo := m.mark(q)
	defer undo()
	for i := range candidates {
		candidates[i].passage = m.passage(ix, q, candidates[i].doc)
	}
	return newTopic(ix, q)
}

// passage is the parts of a question that one memory's best chunk holds.
type passage struct {
	exact, loose parts // itself, and by a relative
	near         parts // close by another part
}

// passage looks through the best chunk of a document. The terms must be
// marked, see [matches.mark].
func (m *matches) passage(ix *index, q *question, doc uint32) (p passage) {
	last, lastAt := -1, 0
	for at, term := range ix.termsOf(m.chunkOf(ix, doc)) {
		part := int(m.terms[term].part) - 1
		if part < 0 {
			continue
		}
		if q.parts[part].known && q.parts[part].exact == term {
			p.exact |= 1 << part
		} else {
			p.loose |= 1 << part
		}
		if last >= 0 && last != part && at-lastAt <= closeBy {
			p.near |= 1<<part | 1<<last
		}
		last, lastAt = part, at
	}
	return p
}

// weigh is how much of the question some parts of a passage are, 0–1. A part
// that only a relative stands for counts as much as the relative does.
func (t *topic) weigh(p passage, some parts, shares []float64) (sum float64) {
	for ; some != 0; some &= some - 1 {
		i := bits.TrailingZeros64(uint64(some))
		if p.exact&(1<<i) != 0 {
			sum += shares[i]
		} else {
			sum += shares[i] * t.relation[i]
		}
	}
	return sum
}

// grounds are those of the results, best first.
func (t *topic) grounds(results []Result) grounds {
	g := grounds{Named: bit(t.named)}
	shares := t.shares()
	content := 0
	for i, term := range t.terms {
		g.Known += shares[i] * t.known(i)
		if !isAside(term) {
			content++
		}
	}
	for _, r := range results[:min(len(results), topicDepth)] {
		p := r.passage
		held := t.weigh(p, p.exact|p.loose, shares)
		g.Held, g.Close = max(g.Held, held), max(g.Close, t.weigh(p, p.near, shares))
		if content < 2 { // nothing to stand beside
			g.Close = max(g.Close, held)
		}
		for _, s := range r.Signals {
			switch s.Name {
			case "entity":
				g.Entity = max(g.Entity, s.Value)
			case "vector":
				g.Vector = max(g.Vector, s.Value)
			}
		}
	}
	for _, chunks := range t.heard {
		if chunks == 0 {
			g.Stranger += t.maturity() / float64(len(t.heard))
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
