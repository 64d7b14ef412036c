package extension

import (
	"cmp"
	"context"
	"time"

	"github.com/ebbmem/ebb/consolidate/appraise"
	"github.com/ebbmem/ebb/consolidate/dream"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/recall/cognitive"
	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
)

// Cognitive returns the profile of cognitive-v9.md with its default numbers;
// docs/profiles/COGNITIVE.md lists the deviations. It is [CognitiveOptions]{}.Config().
func Cognitive() *Config { return CognitiveOptions{}.Config() }

// CognitiveOptions vary the [Cognitive] profile; in quotation marks are the sections of
// the document. The zero value has its numbers, but for the thresholds of injection.
type CognitiveOptions struct {
	// Similarity, Activation, Importance and Fusion are the weights of the composite
	// score ("Weighted composite"). Default, if all are 0: .40, .30, .15 and .15.
	Similarity, Activation, Importance, Fusion float64
	// Entity is added to the score for each entity of the question that a memory
	// mentions ("Entity boost"). Default .1.
	Entity float64
	// CandidateFactor is the number of candidates scored for each requested result
	// ([Config].Ranking.CandidateFactor). Default ¼: relevance selects the results, and
	// the score orders each quarter of them. The document's 3 ("3x overfetch") finds less.
	CandidateFactor float64
	// Lambda is λ of "Maximal Marginal Relevance", 0–1: the weight of relevance against
	// dissimilarity when memories are selected for injection. Default .7.
	Lambda float64
	// MinRelevance and FullRelevance are the thresholds of "Confidence-Gated Dynamic
	// Injection" ([InjectionConfig]): the document's are .4, below which a memory is not
	// injected, and .7, below which it is cut. Default 0: those of [Config].
	MinRelevance, FullRelevance float64
	// Factor and Exponent parameterize the forgetting curve ("FSRS-6", Retention
	// Formula), (1 + Factor·t/S)^−Exponent. Default, if both are 0: 1/9 and 2. FSRS-4.5
	// uses 19/81 and .5.
	Factor, Exponent float64
	// Capacity is the maximum number of active derived memories ("Capacity trim"). If
	// there are more, a night reduces them to nine tenths of it. Default 500.
	Capacity int
	// Rehearsals is how many memories are rehearsed a day ("Testing Effect Cron").
	// Default 50.
	Rehearsals int
}

// Config returns the profile with these options. Invalid options make [Open] return
// an [*InvalidError].
func (o CognitiveOptions) Config() *Config {
	invalid := validOptions("CognitiveOptions.",
		option{"Similarity", o.Similarity}, option{"Activation", o.Activation}, option{"Importance", o.Importance}, option{"Fusion", o.Fusion},
		option{"Entity", o.Entity}, option{"CandidateFactor", o.CandidateFactor}, option{"Lambda", o.Lambda},
		option{"MinRelevance", o.MinRelevance}, option{"FullRelevance", o.FullRelevance}, option{"Factor", o.Factor}, option{"Exponent", o.Exponent},
		option{"Capacity", float64(o.Capacity)}, option{"Rehearsals", float64(o.Rehearsals)})
	if invalid == nil && o.Lambda > 1 {
		invalid = &InvalidError{Field: "CognitiveOptions.Lambda", Reason: "must be at most 1 (0 means .7)"}
	}
	weights := cognitive.DocumentWeights
	if o.Similarity+o.Activation+o.Importance+o.Fusion > 0 {
		weights = cognitive.Weights{Similarity: o.Similarity, Activation: o.Activation, Importance: o.Importance, Fusion: o.Fusion, Entity: weights.Entity}
	}
	weights.Entity = cmp.Or(o.Entity, weights.Entity)
	fades := cognitive.Retention(retention.PowerLaw{Factor: o.Factor, Exponent: o.Exponent})
	cycle := dream.Options{Retention: fades, Capacity: o.Capacity, Rehearsals: o.Rehearsals}
	return &Config{
		invalid: invalid,
		Ranking: RankingConfig{
			Scorer: cognitive.Scorer(weights), CandidateFactor: cmp.Or(o.CandidateFactor, 0.25), Retention: fades,
			Planner: planner.Cognitive, Appraise: appraise.Cognitive, Reconcile: reconcile.Cognitive,
		},
		CoreMemory: CoreMemoryConfig{Working: true, Always: []ContextRule{{
			Where: Conditions{Is: map[string]string{schema.AttrTier: string(cognitive.Semantic)}}, When: cognitive.IsHot, Most: cognitive.HotItems,
			Worth: func(m *Record, _ time.Time) float64 { return m.Utility },
		}}},
		Injection: InjectionConfig{
			Diversity: cmp.Or(1-cmp.Or(o.Lambda, 0.7), -1), MinRelevance: o.MinRelevance, MinResultRelevance: o.MinRelevance, FullRelevance: o.FullRelevance,
		},
		Night: NightConfig{Stages: func([]Stage) []Stage { return dream.Stages(cycle) }},
	}
}

// Outcome records whether a memory helped: its utility moves a tenth of the way to
// 1 or to 0, and a procedure of [FourStores] counts a success or a failure. Only
// profiles that rank or forget by utility are affected, such as [Cognitive].
//
// Errors: [*InvalidError] for the scope, [ErrNotFound] for an id that is not this
// user's, [ErrReadOnly], the database's errors.
func (x *Extension) Outcome(ctx context.Context, scope Scope, id string, helped bool) error {
	return x.db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		m, err := tx.Memory(ctx, userID, id)
		if err != nil {
			return err
		}
		learnt := cognitive.Learnt(m.Utility, helped)
		return tx.Revise(ctx, m, schema.Revision{Utility: &learnt, Attributes: stores.Set(x.cfg.Stores).Tried(m, helped)}, "outcome", memory.ByHost)
	})
}
