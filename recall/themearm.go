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
	for i := range candidates {
		c := &candidates[i]
		c.signals.Topic = r.themes.Near(int32(c.doc))
		before, after := r.index.before(c.doc), r.index.after(c.doc)
		c.signals.TopicBeside = (r.themes.Near(before[0]) + r.themes.Near(after[0])) / 2
	}
}
