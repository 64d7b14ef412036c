package recall

import (
	"context"
	"slices"

	"github.com/ebbmem/ebb/recall/lexicon"
)

// instructionArm proposes the user's standing instructions: "Always give prices in
// euros" governs the answers to questions with which it may share no word.
type instructionArm struct{}

func (instructionArm) Name() string { return "instruction" }

// instructionDepth is how many instructions are proposed, the newest first.
const instructionDepth = 64

func (instructionArm) Candidates(_ context.Context, r *Request) ([]Candidate, error) {
	var candidates []Candidate
	for _, doc := range slices.Backward(r.index.instructions) {
		if r.filter.admits(r.index, doc) {
			candidates = append(candidates, Candidate{MemoryID: r.index.memories.At(int(doc)), Score: 1, place: doc + 1})
		}
		if len(candidates) == instructionDepth {
			break
		}
	}
	return candidates, nil
}

// instructs reports whether a document is a standing instruction of the user.
func (d *document) instructs() bool {
	return d.form&lexicon.Instructs != 0 && d.flags&byUser != 0
}

// govern lifts the instruction that is ranked best and has something of its own to do
// with the question, to the third rank at best: an instruction is no answer. Others
// that only their arm proposed are dropped. The candidates stay in order.
func (ix *index) govern(candidates []scored, w Weights, vectors bool) []scored {
	if len(ix.instructions) == 0 {
		return candidates
	}
	const above = 2 // candidates that stay above it
	at := 0
	for at < len(candidates) && !(ix.docs[candidates[at].doc].instructs() && candidates[at].signals.own(vectors)) {
		at++
	}
	if at < len(candidates) && at > above && w.Governs > 0 {
		c, most := &candidates[at], candidates[above-1].score
		c.signals.Governs = min(1, (1-1e-9)*(most-c.score)/w.Governs)
		rank(candidates, w)
	}
	return slices.DeleteFunc(candidates, func(c scored) bool {
		return c.signals.Governs == 0 && len(c.arms) == 1 && c.arms[0].Arm == (instructionArm{}).Name()
	})
}

// alikeAtLeast is the vector signal, 1.5 standard deviations above the usual, from which
// an instruction has to do with a question. From 0 on it finds more instructions, but
// costs other questions more than that.
const alikeAtLeast = 0.3

// own reports whether a text itself has to do with the question, by its vector if there
// are vectors.
func (s *signals) own(vectors bool) bool {
	if vectors {
		return s.Vector >= alikeAtLeast
	}
	return s.Text > 0 || s.Related > 0 || s.Topic > 0 || s.Date > 0 || s.Number > 0 || s.Name > 0
}
