package cognitive

import (
	"strconv"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// Weights of the composite score. The zero value is replaced by the document's.
type Weights struct {
	Similarity, Activation, Importance, Fusion float64 // they add up to 1
	Entity                                     float64 // for each entity of the question that it mentions
}

// DocumentWeights are those of cognitive-v9.md.
var DocumentWeights = Weights{Similarity: 0.40, Activation: 0.30, Importance: 0.15, Fusion: 0.15, Entity: 0.1}

// congruent is the factor of a memory of the question's mood.
const congruent = 1.1

// companion is what is added for a memory that was shown together with one of the best
// results three times or more.
const companion = 0.05

// lowConfidence is the confidence below which a memory is moved down.
const lowConfidence = 0.3

// Scorer returns the composite score: similarity, ACT-R activation, importance and
// fusion by their weights, plus the entities that the memory shares with the question
// and the utility that the question's intent asks for, all times the boost of its
// source. Similarity is the ranker's relevance, of which the cosine is a part.
func Scorer(w Weights) recall.Scorer {
	if w == (Weights{}) {
		w = DocumentWeights
	}
	return func(t recall.Terms) []recall.Signal {
		strategy := planner.StrategyOf(planner.General)
		if t.Plan != nil {
			strategy = t.Plan.Strategy
		}
		boost := Boost(t.Memory)
		if t.Memory.Confidence < lowConfidence {
			boost *= 0.9
		}
		valence, _ := strconv.ParseFloat(t.Memory.Attributes[schema.AttrValence], 64)
		if t.Plan != nil && t.Plan.Mood*valence > 0 {
			boost *= congruent
		}
		entities := 0.0
		for _, a := range t.Arms {
			if a.Arm == "entity" {
				entities = a.Score
			}
		}
		companions := 0.0
		if t.Together {
			companions = 1
		}
		arousal, _ := strconv.ParseFloat(t.Memory.Attributes[schema.AttrArousal], 64)
		signals := []recall.Signal{
			{Name: "similarity", Value: t.Relevance, Weight: boost * w.Similarity},
			{Name: "activation", Value: Activation(t.Memory.AccessCount, t.Now.Sub(retention.LastUse(t.Memory))), Weight: boost * w.Activation},
			{Name: "importance", Value: t.Memory.Importance, Weight: boost * w.Importance},
			{Name: "fusion", Value: Fusion(t.Arms, strategy), Weight: boost * w.Fusion},
			{Name: "entity", Value: entities, Weight: boost * w.Entity},
			{Name: "utility", Value: Utility(t.Memory, t.Now), Weight: boost * strategy.Utility},
			{Name: "together", Value: companions, Weight: companion},
			{Name: "valence", Value: valence}, {Name: "arousal", Value: arousal}, // for the explanation alone, as those below
		}
		if emotion := t.Memory.Attributes[schema.AttrEmotion]; emotion != "" {
			signals = append(signals, recall.Signal{Name: "emotion: " + emotion, Value: 1})
		}
		if t.Memory.Kind != schema.KindEpisode {
			signals = append(signals, recall.Signal{Name: "strength S", Value: t.Memory.Stability}, recall.Signal{Name: "retention R", Value: t.Retention},
				recall.Signal{Name: string(TierOf(t.Memory)) + " tier", Value: 1})
		}
		return signals
	}
}
