package recall

import (
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/recall/vector"
)

// similar holds the vector arm's cosines for one search: of any memory with the query,
// and their distribution.
type similar struct {
	usual   vector.Distribution
	fluent  float64 // how far the embedder understands the user's language, 0–1
	set     *vectorSet
	query   vector.Query
	known   map[int64]closest  // by memory: the neighbours of a candidate are often candidates too
	lent    map[uint32]float32 // by turn, the best cosine of the claims that are keys to it
	release func()
}

// done releases the memory and the lock that the arm holds.
func (s *similar) done() {
	if s != nil {
		s.release()
	}
}

// standout is the deviation from the usual cosine, in standard deviations,
// that counts as 1. Models differ in what cosines mean, but not in this.
const standout = 5

// signal sets the vector signals of the candidates, scaled by the trust in the arm. It
// returns the trust times the share of the candidates that have a vector, 0–1. A nil s
// leaves the signals at 0.
func (s *similar) signal(ix *index, query string, candidates []scored) (trust float64) {
	if s == nil || s.usual.Deviation == 0 || len(candidates) == 0 {
		return 0
	}
	trust = s.fluent * s.trust(query, candidates)
	if trust == 0 {
		return 0
	}
	held, with := 0.0, 0
	for i := range candidates {
		if c := &candidates[i]; !c.echo {
			held = max(held, c.holds)
		}
	}
	for i := range candidates {
		c := &candidates[i]
		likeness, compared := s.of(c.memoryID)
		if compared {
			with++
		}
		before, after := ix.around(c.doc)
		likeness = max(likeness, s.inTalk(ix, c.doc, before[0], after[0]))
		if cosine, ok := s.lent[c.doc]; ok {
			likeness = max(likeness, s.above(cosine))
		}
		c.signals.Vector = trust * min(2, max(0, likeness))
		c.alike = trust * s.alike(c)
		beside := (s.at(ix, before[0]) + s.at(ix, after[0])) / 2
		c.signals.VectorBeside = trust * min(1, max(-1, beside))
		c.signals.VectorAlone = (1 - held) * c.signals.Vector
	}
	return trust * float64(with) / float64(len(candidates))
}

func (s *similar) closest(memory int64) closest {
	c, known := s.known[memory]
	if !known {
		c = s.set.closest(s.query, memory)
		s.known[memory] = c
	}
	return c
}

// replyShare is the share of the vectors of the turns before and after a turn that is
// added to its own.
const replyShare = 0.2

// inTalk is [similar.of] for a turn together with the turns beside it that someone else
// says: "In Oslo." answers "Where did you move?". None of a long text's vectors stands for
// the sentence that was replied to, so texts of several do not count.
func (s *similar) inTalk(ix *index, doc uint32, beside ...int32) float64 {
	own := s.closest(ix.memories.At(int(doc)))
	if own.vectors != 1 {
		return 0
	}
	parts := []vector.Part{{Match: own.Match, Share: 1}}
	for _, at := range beside {
		if at < 0 || ix.meta[at].speaker == ix.meta[doc].speaker {
			continue
		}
		if c := s.closest(ix.memories.At(int(at))); c.vectors == 1 {
			parts = append(parts, vector.Part{Match: c.Match, Share: replyShare})
		}
	}
	return s.set.vectors.Joined(s.usual, parts) / standout
}

// alike is a candidate's cosine, scaled so that the mean is 0 and that of equal texts
// is 1, 0–1. It measures absolute similarity, where [similar.of] is relative to the
// other memories.
func (s *similar) alike(c *scored) float64 {
	best := s.closest(c.memoryID)
	cosine, known := best.Cosine, best.vectors > 0
	if lent, keyed := s.lent[c.doc]; keyed && (!known || lent > cosine) {
		cosine, known = lent, true
	}
	if !known || s.usual.Mean >= 1 {
		return 0
	}
	return min(1, max(0, (float64(cosine)-s.usual.Mean)/(1-s.usual.Mean)))
}

// of is how far a memory's cosine lies above the mean, see [similar.above]; 0 without a
// vector.
func (s *similar) of(memory int64) (likeness float64, ok bool) {
	c := s.closest(memory)
	if c.vectors == 0 {
		return 0, false
	}
	return s.above(c.Cosine), true
}

// above is how far a cosine lies above the mean, in units of [standout] deviations.
func (s *similar) above(cosine float32) float64 {
	return (float64(cosine) - s.usual.Mean) / s.usual.Deviation / standout
}

func (s *similar) at(ix *index, doc int32) float64 {
	if doc < 0 {
		return 0
	}
	likeness, _ := s.of(ix.memories.At(int(doc)))
	return likeness
}

// trust is how well the embedder understands the query's language, 0–1, judged by the
// cosines of the texts that share words with the query. Few embedders fail entirely at a
// Latin script, so the threshold is lower there.
func (s *similar) trust(query string, candidates []scored) float64 {
	var sum, weights float64
	for i := range candidates {
		if likeness, ok := s.of(candidates[i].memoryID); ok {
			w := candidates[i].signals.Text * candidates[i].signals.Text
			sum += w * likeness * standout
			weights += w
		}
	}
	if weights == 0 {
		return 1 // no text matches to compare with
	}
	agreement := sum / weights
	if lexicon.IsLatin(query) {
		return min(1, max(0, agreement+0.5))
	}
	return min(1, max(0, 2*agreement-1))
}
