package recall

import (
	"cmp"
	"math"
	"slices"
)

// Relevance feedback without anyone's judgement (RM3, Lavrenko and Croft 2001;
// Abdul-Jaleel et al. 2004): the terms that the best texts share speak for
// other texts too. The user's own memory is the thesaurus.
const (
	feedbackTexts = 10
	feedbackTerms = 20
)

type feedbackTerm struct {
	term   uint32
	weight float32
}

// feedback scores each candidate document's best chunk by the terms that the
// first of them share, 0–1 by the best. The candidates come best first.
func (m *matches) feedback(ix *index, docs []uint32, interest []float64) []float64 {
	scores := make([]float64, len(docs))
	if len(docs) == 0 || interest[0] <= 0 {
		return scores
	}
	model := m.model(ix, docs, interest)
	defer func() {
		for _, t := range model {
			m.terms[t.term] = termNote{part: m.terms[t.term].part}
		}
	}()
	for _, t := range model {
		m.terms[t.term].weight = t.weight
	}
	var top float64
	for i, doc := range docs {
		said := m.read(ix, doc)
		var sum float32
		for _, t := range said {
			if note := &m.terms[t]; note.weight > 0 && note.seen != uint32(i+1) {
				note.seen = uint32(i + 1)
				sum += note.weight
			}
		}
		scores[i] = float64(sum) / math.Sqrt(float64(len(said)+10))
		top = max(top, scores[i])
	}
	if top > 0 {
		for i := range scores {
			scores[i] /= top
		}
	}
	return scores
}

// model is the weightiest terms of the first texts, without the question's own
// and without those that are in one chunk only or in too many.
func (m *matches) model(ix *index, docs []uint32, interest []float64) []feedbackTerm {
	var touched []uint32
	for i, doc := range docs[:min(len(docs), feedbackTexts)] {
		said := m.read(ix, doc)
		weight := float32(interest[i]/interest[0]) / float32(len(said)+5)
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
	return model[:min(len(model), feedbackTerms)]
}

// chunkOf is the chunk a document is judged by: its best, or its first.
func (m *matches) chunkOf(ix *index, doc uint32) uint32 {
	if d := m.of(doc); d.most > 0 {
		return d.best
	}
	return ix.docs[doc].first
}

// phrase is the share of the question whose neighbouring parts stand close
// together in a chunk, at most three words apart: "support group" counts for
// more than "group" and "support" apart.
func (m *matches) phrase(ix *index, q *question, doc uint32) float64 {
	const reach = 3
	if len(q.parts) < 2 || q.total == 0 {
		return 0
	}
	var sum float32
	var pairs [maxParts]bool // by the first of two neighbouring parts, and the next but one
	var wide [maxParts]bool
	last, lastAt := -1, 0
	for at, t := range m.read(ix, doc) {
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

// mark notes for each term which part of the question it belongs to, and
// returns what undoes it.
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
