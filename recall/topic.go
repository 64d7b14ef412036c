package recall

import (
	"math"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

const (
	// priorChunks are added to the size of the memory when words are weighed, so that
	// the frequencies of a very small memory count little.
	priorChunks = 500
	// stretchChunks is how many chunks, in order of arrival, form a stretch: a topic
	// of one month may be rare in a memory of years.
	stretchChunks = 1024
	// usesIn is the number of words to which uses of a word are scaled, and
	// priorWords are added to a stretch, for the same reason as priorChunks.
	usesIn     = 4000
	priorWords = 1000
	// bigramsInWord is how many bigrams of a script without spaces correspond to one
	// word of the other scripts.
	bigramsInWord = 1.5
	// youngChunks is the size of a memory in which a missing word counts half as much
	// as in a large one.
	youngChunks = 40
	// topicDepth is how many results the relevance of an answer depends on.
	topicDepth = 5
	// bulkRank is the rank, from 1, of a typical candidate that shares only a word
	// with the question.
	bulkRank = 10
)

// topic compares the words of a question with one user's whole memory.
type topic struct {
	chunks    int       // of the memory
	stretches []stretch // of it, one after another

	asked    string
	terms    []string  // of the parts
	emphasis []float64 // of each part, 0–1; see [question.emphasis]
	df       []int     // chunks that hold the part itself
	stated   []int     // messages of the user's that hold the part; see [index.states]
	relation []float64 // weight of its best relative that is known, 0–1

	names    []name
	named    bool    // it names a speaker
	personal bool    // it is about the user
	general  bool    // no memory is needed to answer it
	vectors  float64 // trust in the vectors, 0–1; 0 without any

	interest []float32 // text scores of the candidates, in no order
}

// stretch is [stretchChunks] consecutive chunks.
type stretch struct {
	words int
	uses  []int // of each part
}

// name is a name in a question, with its occurrences in the memory.
type name struct {
	terms    []string
	chunks   []int   // that hold each
	mentions []int64 // memories that mention its bearer, under any name
	speaks   bool    // its bearer is a speaker
}

// newTopic looks up the parts of a question.
func newTopic(ix *index, m *matches, q *question, candidates []scored) *topic {
	t := &topic{
		asked: q.asked, chunks: ix.chunks.Len(), stretches: ix.stretches(q.parts), emphasis: q.emphasis(ix), named: q.namesPerson(ix),
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
		t.df, t.stated = append(t.df, ix.holding(p.term)), append(t.stated, ix.stating(p))
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

// holding is the number of chunks that hold a term.
func (ix *index) holding(term string) int {
	if id, known := ix.terms[term]; known {
		return int(ix.postings[id].N)
	}
	return 0
}

// states reports a message of the user's that does not only ask.
func (ix *index) states(doc uint32) bool {
	d := &ix.docs[doc]
	return ix.meta[doc].said() && d.flags&byUser != 0 && d.form&lexicon.OnlyAsks == 0
}

// stating is how many messages hold a part and state something.
func (ix *index) stating(p part) (n int) {
	if p.known {
		last := int64(-1)
		for at := range ix.postings[p.exact].All() {
			if doc := ix.chunks.Doc(at); int64(doc) != last {
				last = int64(doc)
				n += int(bit(ix.states(doc)))
			}
		}
	}
	return n
}

// stretches counts the uses of each part in every stretch of the memory, up to 255 per
// chunk. For a part that the memory does not hold it counts those of its relatives.
func (ix *index) stretches(parts []part) []stretch {
	all := make([]stretch, len(ix.stretchWords))
	uses := make([]int, len(all)*len(parts))
	for i := range all {
		all[i] = stretch{words: int(ix.stretchWords[i]), uses: uses[i*len(parts) : (i+1)*len(parts)]}
	}
	count := func(term uint32, part int) {
		for at, uses := range ix.postings[term].All() {
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

// roleName holds the terms of speakers that are stored under their role. They do not
// count as names: a question about user accounts names no speaker.
var roleName = text.TermsOf("user assistant human person ai bot chatbot model system agent customer me 用户 助手")

// namesPerson reports whether the question names a speaker by a personal name.
func (q *question) namesPerson(ix *index) bool {
	for _, s := range q.speakers {
		for term := range strings.FieldsSeq(ix.speakers[s]) {
			if !roleName[term] {
				return true
			}
		}
	}
	return false
}

// forget removes one candidate from the counts: it is in the prompt already, and may
// be the question itself.
func (t *topic) forget(m *schema.Memory, c *scored) {
	if c.echo { // it was not counted
		return
	}
	terms := text.Terms(m.Content)
	held := make(map[string]int)
	for _, term := range terms {
		held[term]++
	}
	t.discount(c, len(terms), func(term string) int { return held[term] })
}

// discount removes a candidate with so many words from the counts.
func (t *topic) discount(c *scored, words int, uses func(term string) int) {
	from := &t.stretches[c.passage.stretch]
	from.words = max(0, from.words-words)
	for i, term := range t.terms {
		if n := uses(term); n > 0 {
			t.df[i], from.uses[i] = max(0, t.df[i]-1), max(0, from.uses[i]-n)
			t.stated[i] = max(0, t.stated[i]-int(bit(c.passage.states)))
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

// familiar is how much the memory says about the question's words, in the stretch that
// says most: the mean, by emphasis, of ln(1 + uses of the word in 4,000 words). A user's
// topics recur. (In the ranker rare words weigh more: they identify the text that is
// meant, not whether there is any.) A few messages cannot hold every word of a question,
// so in a young memory the value counts up to four times.
func (t *topic) familiar() (most float64) {
	const doubt = 0.25 // of a word, for questions of few
	for _, s := range t.stretches {
		sum, weight := 0.0, doubt
		for i, e := range t.emphasis {
			rate := float64(s.uses[i]) * usesIn / float64(s.words+priorWords)
			if lexicon.IsUnspaced(t.terms[i]) {
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

// bulk is the text score of the tenth candidate divided by the first's, 0–1, and 0 if
// there are fewer. An answer stands out, a shared word does not.
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

// strangers counts the names in the question that do not occur in the memory, up to
// two, and less in a young memory.
func (t *topic) strangers() float64 {
	n := 0
	for i := range t.names {
		if !t.names[i].heard() {
			n++
		}
	}
	return t.maturity() * float64(min(n, 2))
}

// heard reports whether the memory holds any word of a name, or mentions its bearer.
func (n *name) heard() bool {
	return n.speaks || len(n.mentions) > 0 || slices.ContainsFunc(n.chunks, func(chunks int) bool { return chunks > 0 })
}

// maturity is how much a missing word counts, 0–1. It grows with the memory.
func (t *topic) maturity() float64 { return float64(t.chunks) / float64(t.chunks+youngChunks) }

// young is (1 − maturity)²: 1 for an empty memory.
func (t *topic) young() float64 { return (1 - t.maturity()) * (1 - t.maturity()) }

// shares are the weights of the question's parts by rarity. They add up to 1.
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
