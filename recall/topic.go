package recall

import (
	"math"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

const (
	// priorChunks are added to the size of the memory when words are weighed,
	// so that three messages are not taken for the world.
	priorChunks = 500
	// stretchChunks is how many chunks, in order of arrival, are looked at
	// together: what was spoken of for a month may be nothing beside years.
	stretchChunks = 1024
	// usesIn is the number of words for which uses of a word are counted, and
	// priorWords are added to a stretch then, for the same reason.
	usesIn     = 4000
	priorWords = 1000
	// bigramsInWord is how many bigrams of a script without spaces make as much
	// text as one word of the others.
	bigramsInWord = 1.5
	// youngChunks is the size of a memory in which a missing word says half of
	// what it says in a large one: a few messages know of little.
	youngChunks = 40
	// topicDepth is how many results decide.
	topicDepth = 5
	// bulkRank is the candidate, from 1, that stands for all that have little
	// to do with a question but a word.
	bulkRank = 10
)

// topic is what a question is about, beside one user's whole memory.
type topic struct {
	chunks    int       // of the memory
	stretches []stretch // of it, one after another

	terms    []string  // of the parts
	emphasis []float64 // what each says of the topic, 0–1
	df       []int     // chunks that hold the part itself
	relation []float64 // weight of its best relative that is known, 0–1

	names    []name
	named    bool    // it names a speaker
	personal bool    // it speaks of its asker
	general  bool    // it asks for what no memory is needed for
	vectors  float64 // how far vectors are trusted, 0–1; 0 without any

	interest []float32 // text scores of the candidates, in no order
}

// stretch is so many chunks that arrived one after another.
type stretch struct {
	words int
	uses  []int // how often each part is used there
}

// name is one that a question holds, and how often the memory has heard it.
type name struct {
	terms    []string
	chunks   []int   // that hold each
	mentions []int64 // memories that mention its bearer, under whatever name
	speaks   bool    // its bearer does
}

// newTopic looks the parts of a question up.
func newTopic(ix *index, m *matches, q *question, candidates []scored) *topic {
	t := &topic{
		chunks: ix.chunks.len(), stretches: ix.stretches(q.parts), emphasis: q.emphasis(ix), named: q.namesPerson(ix),
		personal: q.personal, general: q.general,
		interest: make([]float32, len(candidates)),
	}
	for i := range candidates {
		t.interest[i] = candidates[i].interest
	}
	for _, p := range q.parts {
		relation := 0.0
		for _, r := range p.related {
			relation = max(relation, float64(r.weight))
		}
		t.terms, t.relation = append(t.terms, p.term), append(t.relation, relation)
		t.df = append(t.df, ix.holding(p.term))
	}
	for _, written := range q.names {
		n := name{mentions: slices.Clone(q.mentions[written])}
		for _, term := range text.QueryTerms(written, maxParts) {
			n.terms, n.chunks = append(n.terms, term), append(n.chunks, ix.holding(term))
			n.speaks = n.speaks || len(ix.named[term]) > 0
		}
		t.names = append(t.names, n)
	}
	for i := range candidates {
		if c := &candidates[i]; c.echo {
			said := m.read(ix, c.doc)
			t.discount(c, len(said), func(term string) (uses int) {
				id, known := ix.terms[term]
				for _, t := range said {
					if known && t == id {
						uses++
					}
				}
				return uses
			})
		}
	}
	return t
}

// holding is how many chunks hold a term.
func (ix *index) holding(term string) int {
	if id, known := ix.terms[term]; known {
		return int(ix.postings[id].n)
	}
	return 0
}

// stretches counts the uses of each part in every stretch of the memory, up to
// 255 a chunk; of one that is not there those of its relatives.
func (ix *index) stretches(parts []part) []stretch {
	all := make([]stretch, len(ix.stretchWords))
	uses := make([]int, len(all)*len(parts))
	for i := range all {
		all[i] = stretch{words: int(ix.stretchWords[i]), uses: uses[i*len(parts) : (i+1)*len(parts)]}
	}
	count := func(term uint32, part int) {
		for at, uses := range ix.postings[term].all() {
			all[at/stretchChunks].uses[part] += uses
		}
	}
	for i := range parts {
		if parts[i].known {
			count(parts[i].exact, i)
			continue
		}
		for _, r := range parts[i].related {
			if r.weight == 1 {
				count(r.term, i)
			}
		}
	}
	return all
}

// roleName are terms of speakers who are stored under what they are to the
// conversation: a question about user accounts names nobody.
var roleName = vocabulary("user assistant human person ai bot chatbot model system agent customer me 用户 助手")

// namesPerson reports whether the question names someone who speaks, by a name
// of their own.
func (q *question) namesPerson(ix *index) bool {
	for s := range q.speakers {
		for term := range strings.FieldsSeq(ix.speakers[s]) {
			if !roleName[term] {
				return true
			}
		}
	}
	return false
}

// forget takes one candidate out of what is known: it is in the prompt already,
// perhaps the question itself.
func (t *topic) forget(m *schema.Memory, c *scored) {
	if c.echo { // it never counted
		return
	}
	terms := text.Terms(m.Content)
	held := make(map[string]int)
	for _, term := range terms {
		held[term]++
	}
	t.discount(c, len(terms), func(term string) int { return held[term] })
}

// discount takes a candidate of so many words out of what is known.
func (t *topic) discount(c *scored, words int, uses func(term string) int) {
	from := &t.stretches[c.passage.stretch]
	from.words = max(0, from.words-words)
	for i, term := range t.terms {
		if n := uses(term); n > 0 {
			t.df[i], from.uses[i] = max(0, t.df[i]-1), max(0, from.uses[i]-n)
		}
	}
	for k := range t.names {
		n := &t.names[k]
		n.mentions = slices.DeleteFunc(n.mentions, func(id int64) bool { return id == c.memoryID })
		for i, term := range n.terms {
			if uses(term) > 0 {
				n.chunks[i] = max(0, n.chunks[i]-1)
			}
		}
	}
	if i := slices.Index(t.interest, c.interest); i >= 0 {
		t.interest = slices.Delete(t.interest, i, i+1)
	}
}

// familiar is how much the memory speaks of what is asked, in the stretch that
// speaks of it most: the mean, by emphasis, of ln(1 + how often a word is used
// in 4,000 words). What somebody is about comes up again and again. (The
// ranker's weights say the reverse, that rare words matter more: they tell
// which text is meant, not whether any is.) A few messages cannot hold every
// word of a question, so in a young memory it counts up to four times.
func (t *topic) familiar() (most float64) {
	const doubt = 0.25 // of a word, for questions of few
	for _, s := range t.stretches {
		sum, weight := 0.0, doubt
		for i, e := range t.emphasis {
			rate := float64(s.uses[i]) * usesIn / float64(s.words+priorWords)
			if isUnspaced(t.terms[i]) {
				rate *= bigramsInWord
			}
			sum += e * math.Log1p(rate)
			weight += e
		}
		most = max(most, sum/weight)
	}
	young := 1 - t.maturity()
	return most * (1 + 3*young*young)
}

// bulk is the text score of the tenth candidate by the first's, 0–1, and 0
// when there are fewer: an answer stands out, a shared word does not.
func (t *topic) bulk() float64 {
	if len(t.interest) < bulkRank {
		return 0
	}
	strongest := slices.Clone(t.interest)
	slices.Sort(strongest)
	top := strongest[len(strongest)-1]
	if top <= 0 {
		return 0
	}
	return float64(strongest[len(strongest)-bulkRank] / top)
}

// strangers counts the names in the question whose bearers the memory has
// never heard of, up to two, less in a young memory.
func (t *topic) strangers() float64 {
	n := 0
	for i := range t.names {
		if !t.names[i].heard() {
			n++
		}
	}
	return t.maturity() * float64(min(n, 2))
}

// heard reports whether any word of a name is in the memory, or its bearer.
func (n *name) heard() bool {
	return n.speaks || len(n.mentions) > 0 || slices.ContainsFunc(n.chunks, func(chunks int) bool { return chunks > 0 })
}

// maturity is how much it says that a word is missing, 0–1.
func (t *topic) maturity() float64 { return float64(t.chunks) / float64(t.chunks+youngChunks) }

// young is the square of what maturity lacks: 1 of an empty memory.
func (t *topic) young() float64 { return (1 - t.maturity()) * (1 - t.maturity()) }

// shares are the weights of the parts in the question by rarity; they add up
// to 1.
func (t *topic) shares() []float64 {
	shares, total := make([]float64, len(t.terms)), 0.0
	for i, e := range t.emphasis {
		shares[i] = e * inverseDocumentFrequency(t.chunks+priorChunks, t.df[i])
		if t.df[i] == 0 && t.relation[i] == 0 {
			shares[i] *= t.maturity()
		}
		total += shares[i]
	}
	for i := range shares {
		shares[i] /= total
	}
	return shares
}
