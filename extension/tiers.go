package extension

import (
	"cmp"
	"math"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/recall"
)

// defaultLambda is λ of a [ThreeTier] score: e^(−.012·100) is the 30 % at 100
// cycles that the design names. Its own .995 would leave e^(−99.5), nothing.
const defaultLambda = 0.012

// ThreeTierOptions vary the [ThreeTier] profile. The zero value is the design's.
type ThreeTierOptions struct {
	// Recency, Importance and Relevance are the weights α, β and γ of the score.
	// Default, when all are 0: 1, 1 and 1.
	Recency, Importance, Relevance float64
	// Lambda is λ of the recency e^(−λ·cycles). Default 0.012.
	Lambda float64
	// Among is how many memories, for each that is wanted, the score chooses from:
	// the most relevant ([Config].Ranking.CandidateFactor). Default 1: the score is the order of
	// what is given. Weighed among all of them, recency and importance, which count
	// like relevance, push aside what answers: a question that one entry answers
	// is about that entry, however old and small.
	Among float64
	// Keep is how many cycles stay in the recall tier. Default 100.
	Keep int64
}

// Config is the profile with these options. What is wrong with one of them is an
// [*InvalidError] of [Open].
func (o ThreeTierOptions) Config() *Config {
	if o.Recency == 0 && o.Importance == 0 && o.Relevance == 0 {
		o.Recency, o.Importance, o.Relevance = 1, 1, 1
	}
	o.Lambda, o.Among = cmp.Or(o.Lambda, defaultLambda), cmp.Or(o.Among, 1)
	return &Config{
		invalid: validOptions("ThreeTierOptions.",
			option{"Recency", o.Recency}, option{"Importance", o.Importance}, option{"Relevance", o.Relevance}, option{"Lambda", o.Lambda},
			option{"Among", o.Among}, option{"Keep", float64(o.Keep)}),
		CoreMemory: CoreMemoryConfig{Blocks: threeTierBlocks(), BlockTokens: DefaultBlockTokens},
		onlyForms:  true, // what is kept of a stream is for its tools to say
		Tools:      []string{"core_memory_update", "core_memory_append", "recall_search", "recall_by_cycle", "archival_search", "archival_insert", "memory_log"},
		Ranking:    RankingConfig{Scorer: o.score, CandidateFactor: o.Among},
		Night:      NightConfig{Stages: func([]Stage) []Stage { return []Stage{consolidate.Archive{Keep: o.Keep}, o.reflect()} }},
	}
}

// score is α·recency + β·importance + γ·relevance, each 0–1
// (ada-three-tier.md §3.2).
func (o ThreeTierOptions) score(t recall.Terms) []recall.Signal {
	recency := 0.0
	if ago, counted := t.Cycles(); counted {
		recency = math.Exp(-o.Lambda * float64(ago))
	}
	return []recall.Signal{
		{Name: "recency", Value: recency, Weight: o.Recency},
		{Name: "importance", Value: t.Memory.Importance, Weight: o.Importance},
		{Name: "relevance", Value: t.Relevance, Weight: o.Relevance},
	}
}

// reflectFocus is what insights are to be about (ada-three-tier.md §5.2).
const reflectFocus = "Patterns you notice, lessons learned, emerging themes, cross-role dynamics, strategic implications."

// reflect is the stage of ada-three-tier.md §5: when importance of more than 100
// has gathered, every 10 cycles, when the sprint is another, and by hand
// ([Extension.Consolidate]), over what is rated 5 or more since the last time;
// three to five insights, rated 9 or 10, the latter also in core memory's lessons.
func (o ThreeTierOptions) reflect() Stage {
	var lessons *BlockSpec
	for _, spec := range threeTierBlocks() {
		if spec.Name == BlockLessons {
			lessons = &spec
		}
	}
	return consolidate.Reflect{
		Lessons:   lessons,
		Threshold: 100, Sessions: -1, Cycles: 10, Boundary: consolidate.BlockField{Block: BlockStatus, Field: "sprint"}, OnDemand: true,
		Everyone: true, MinImportance: 5, Least: 9, Questions: 5, Insights: 3, Focus: reflectFocus,
	}
}
