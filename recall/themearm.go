package recall

import "context"

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
	for _, near := range r.themes.Nearest(themeDepth, func(doc uint32) bool { return r.filter.admits(ix, doc) }) {
		candidates = append(candidates, Candidate{MemoryID: ix.memories.At(int(near.Doc)), Score: near.Value, place: near.Doc + 1})
	}
	return candidates, nil
}

// signalThemes sets the topic signals of the candidates.
func (r *Request) signalThemes(candidates []scored) {
	if r.themes == nil {
		return
	}
	ix := r.index
	for i := range candidates {
		doc := candidates[i].doc
		r.themes.Fetch(int32(doc))
		r.themes.Fetch(ix.docs[doc].prev)
		r.themes.Fetch(ix.docs[doc].next)
	}
	for i := range candidates {
		c := &candidates[i]
		c.signals.Topic = r.themes.Near(int32(c.doc))
		c.signals.TopicBeside = (r.themes.Near(ix.docs[c.doc].prev) + r.themes.Near(ix.docs[c.doc].next)) / 2
	}
}
