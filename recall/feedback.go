package recall

import (
	"cmp"
	"math"
	"slices"
)

// Pseudo-relevance feedback (RM3, Lavrenko and Croft 2001; Abdul-Jaleel et al.
// 2004): texts that share terms with the best texts score higher. The user's own
// memory is the thesaurus.
const (
	feedbackTexts = 10
	feedbackTerms = 20
)

type feedbackTerm struct {
	term   uint32
	weight float32
}

// feedback scores the chunk of a candidate by the terms of the model. nth counts the
// candidates from 1.
func (m *matches) feedback(said []uint32, nth int) float64 {
	var sum float32
	for _, t := range said {
		if note := &m.terms[t]; note.weight > 0 && note.seen != uint32(nth) {
			note.seen = uint32(nth)
			sum += note.weight
		}
	}
	return float64(sum) / math.Sqrt(float64(len(said)+10))
}

// toBest divides the feedback of all candidates by the greatest.
func toBest(candidates []scored) {
	var top float64
	for i := range candidates {
		top = max(top, candidates[i].signals.Feedback)
	}
	if top > 0 {
		for i := range candidates {
			candidates[i].signals.Feedback /= top
		}
	}
}

// drop clears the weights of a model's terms.
func (m *matches) drop(model []feedbackTerm) {
	for _, t := range model {
		m.terms[t.term] = termNote{part: m.terms[t.term].part}
	}
}

// model sets the weights of the most important terms of the first candidates, until
// it is dropped. It leaves out the question's own terms and those in one chunk only
// or in too many. The candidates come best first.
func (m *matches) model(ix *index, candidates []scored) []feedbackTerm {
	if len(candidates) == 0 || candidates[0].interest <= 0 {
		return nil
	}
	var touched []uint32
	most := float64(candidates[0].interest)
	for i := range candidates[:min(len(candidates), feedbackTexts)] {
		c := &candidates[i]
		said := m.read(ix, c.doc)
		weight := float32(float64(c.interest)/most) / float32(len(said)+5)
		for _, t := range said {
			note := &m.terms[t]
			if note.part != 0 || weight <= 0 {
				continue
			}
			if note.weight == 0 {
				touched = append(touched, t)
			}
			note.weight += weight
		}
	}
	var model []feedbackTerm
	for _, t := range touched {
		df := ix.frequency(t)
		if df >= 2 && df*10 <= ix.counts.chunks {
			model = append(model, feedbackTerm{t, m.terms[t].weight * float32(inverseDocumentFrequency(ix.counts.chunks, df))})
		}
		m.terms[t].weight = 0
	}
	slices.SortFunc(model, func(a, b feedbackTerm) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term))
	})
	model = model[:min(len(model), feedbackTerms)]
	for _, t := range model {
		m.terms[t.term].weight = t.weight
	}
	return model
}

// chunkOf is the chunk that represents a document: its best match, or its first.
func (m *matches) chunkOf(ix *index, doc uint32) uint32 {
	if d := m.of(doc); d.most > 0 {
		return d.best
	}
	return ix.chunks.First(doc)
}

// phrase is the share of the question whose neighbouring parts stand close
// together in a chunk, at most three words apart: "support group" counts for
// more than "group" and "support" apart.
func (m *matches) phrase(q *question, said []uint32) float64 {
	const reach = 3
	if len(q.parts) < 2 || q.total == 0 {
		return 0
	}
	var sum float32
	var pairs [maxParts]bool // by the first of two neighbouring parts, and the next but one
	var wide [maxParts]bool
	last, lastAt := -1, 0
	for at, t := range said {
		part := int(m.terms[t].part) - 1
		if part < 0 {
			continue
		}
		if last >= 0 && last != part && at-lastAt <= reach {
			a, b := min(last, part), max(last, part)
			seen := &pairs
			if b-a == 2 {
				seen = &wide
			}
			if b-a <= 2 && !seen[a] {
				seen[a] = true
				sum += min(q.parts[a].idf, q.parts[b].idf)
			}
		}
		last, lastAt = part, at
	}
	return float64(sum / q.total)
}

// mark records for each term which part of the question it belongs to, until undo
// is called.
func (m *matches) mark(q *question) (undo func()) {
	each := func(visit func(term uint32, part uint8)) {
		for i := range q.parts {
			p := &q.parts[i]
			if p.known {
				visit(p.exact, uint8(i+1))
			}
			for _, r := range p.related {
				visit(r.term, uint8(i+1))
			}
		}
	}
	each(func(term uint32, part uint8) {
		if m.terms[term].part == 0 {
			m.terms[term].part = part
		}
	})
	return func() { each(func(term uint32, _ uint8) { m.terms[term].part = 0 }) }
}
