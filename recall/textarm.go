package recall

import "context"

// The text arm's score is a text's own BM25, plus shares of that of its keys and its
// surroundings, times a factor if the question names its speaker.
const (
	relatedShare  = 0.7
	keyShare      = 0.5
	besideShare   = 0.2
	besideShare2  = 0.08 // two turns away
	speakerFactor = 1.2
)

// textArm scores by BM25 with the user's own statistics: a message by its best chunk,
// plus shares of its neighbours' scores.
type textArm struct{}

func (textArm) Name() string { return "text" }

func (textArm) Candidates(_ context.Context, r *Request) ([]Candidate, error) {
	ix, m := r.index, r.matches
	m.match(ix, r.question)
	r.scoreKeys()
	near := m.surround(ix, r.filter)
	m.near, m.strengths = near[:0], m.strengths[:0]
	for _, doc := range near {
		if r.filter.admits(ix, doc) {
			m.near, m.strengths = append(m.near, doc), append(m.strengths, m.interest(ix, r.question, doc))
		}
	}
	m.keepStrongest(armDepth)
	candidates := make([]Candidate, len(m.near))
	for i, doc := range m.near {
		candidates[i] = Candidate{MemoryID: ix.memories.At(int(doc)), Score: float64(m.strengths[i]), place: doc + 1}
	}
	if r.Small && len(ix.docs) <= smallMemory {
		for doc := range uint32(len(ix.docs)) {
			if m.places[doc] == 0 && r.filter.admits(ix, doc) {
				candidates = append(candidates, Candidate{MemoryID: ix.memories.At(int(doc)), place: doc + 1})
			}
		}
	}
	return best(candidates), nil
}

// smallMemory is the largest memory in which every document is a candidate; see
// [Query.Small].
const smallMemory = 16

func (d *docMatch) score() float32 { return d.own + relatedShare*d.related }

// strength is the score plus a share of that of the best claim that rests on it.
func (d *docMatch) strength() float32 { return d.score() + keyShare*d.key }

// interest is the text arm's score of a document.
func (m *matches) interest(ix *index, q *question, doc uint32) float32 {
	score := m.of(doc).strength()
	before, after := ix.around(doc)
	score += besideShare * (m.at(before[0]).score() + m.at(after[0]).score())
	score += besideShare2 * (m.at(before[1]).score() + m.at(after[1]).score())
	if q.speakers.has(ix.meta[doc].speaker) || ix.beside(q, before, after) {
		score *= speakerFactor
	}
	return score
}
