package recall

import (
	"context"
	"math/bits"
)

// themeArm proposes memories about the same everyday topics as the question, or about
// related ones: "I can't eat gluten" for "Shall we order the pizza?".
type themeArm struct{}

func (themeArm) Name() string { return "topic" }

// themeDepth is how many memories the arm proposes.
const themeDepth = 100

func (themeArm) Candidates(_ context.Context, r *Request) ([]Candidate, error) {
	if r.themes == nil {
		return nil, nil
	}
	ix := r.index
	var candidates []Candidate
	least := 0.0 // the score that the best candidates exceed
	for i, marks := range ix.themes.Touched(r.themes) {
		for ; marks != 0; marks &= marks - 1 {
			doc := uint32(64*i + bits.TrailingZeros64(marks))
			near := r.themes.Above(ix.themes.Of(doc), least)
			if near == 0 || !r.filter.admits(ix, doc) {
				continue
			}
			candidates = append(candidates, Candidate{MemoryID: ix.memories.At(int(doc)), Score: near, place: doc + 1})
			if len(candidates) == 2*themeDepth {
				candidates = best(candidates)[:themeDepth]
				least = candidates[themeDepth-1].Score
			}
		}
	}
	candidates = best(candidates)
	return candidates[:min(len(candidates), themeDepth)], nil
}

// signalThemes sets the topic signals of the candidates.
func (r *Request) signalThemes(candidates []scored) {
	if r.themes == nil {
		return
	}
	for i := range candidates {
		c := &candidates[i]
		c.signals.Topic = r.near(int32(c.doc))
		before, after := r.index.before(c.doc), r.index.after(c.doc)
		c.signals.TopicBeside = (r.near(before[0]) + r.near(after[0])) / 2
	}
}

// near is the similarity of a document's topics to those of the question, 0–1; 0 for
// no document.
func (r *Request) near(doc int32) float64 {
	if doc < 0 {
		return 0
	}
	return r.themes.Near(r.index.themes.Of(uint32(doc)))
}
