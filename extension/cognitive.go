package extension

import (
	"cmp"
	"context"

	"github.com/ebbmem/ebb/consolidate/appraise"
	"github.com/ebbmem/ebb/consolidate/dream"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/recall/cognitive"
	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// Cognitive is the profile of cognitive-v9.md with its own numbers, as far as
// docs/PROFILES.md says. It is [CognitiveOptions]{}.Config().
func Cognitive() *Config { return CognitiveOptions{}.Config() }

// CognitiveOptions vary the [Cognitive] profile. The zero value is the document's.
type CognitiveOptions struct {
	// Similarity, Activation, Importance and Fusion are the weights of the composite
	// score. Default, when all are 0: .40, .30, .15 and .15.
	Similarity, Activation, Importance, Fusion float64
	// Entity is added for each entity of the question that a memory mentions. Default
	// .1.
	Entity float64
	// Among is how many memories, for each that is wanted, the score chooses from: the
	// most relevant ([Config].Ranking.CandidateFactor). Default ½: relevance selects,
	// and the score is the order of either half.
	Among float64
	// Lambda is λ of maximal marginal relevance, the weight of relevance, 0–1, in what
	// is injected. Default .7.
	Lambda float64
	// Factor and Exponent are those of the forgetting curve (1 + Factor·t/S)^−Exponent.
	// Default, when both are 0: 1/9 and 2. 19/81 and .5 are those of FSRS-4.5.
	Factor, Exponent float64
	// Capacity is how many derived memories may be active; when there are more, nights
	// leave nine tenths of it. Default 500.
	Capacity int
	// Rehearsals is how many memories a day rehearses. Default 50.
	Rehearsals int
}

// Config is the profile with these options. What is wrong with one of them is an
// [*InvalidError] of [Open].
func (o CognitiveOptions) Config() *Config {
	invalid := validOptions("CognitiveOptions.",
		option{"Similarity", o.Similarity}, option{"Activation", o.Activation}, option{"Importance", o.Importance}, option{"Fusion", o.Fusion},
		option{"Entity", o.Entity}, option{"Among", o.Among}, option{"Lambda", o.Lambda}, option{"Factor", o.Factor}, option{"Exponent", o.Exponent},
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
			Scorer: cognitive.Scorer(weights), CandidateFactor: cmp.Or(o.Among, 0.5), Retention: fades,
			Planner: planner.Cognitive, Appraise: appraise.Cognitive,
		},
		Injection: InjectionConfig{Diversity: cmp.Or(1-cmp.Or(o.Lambda, 0.7), -1)},
		Night:     NightConfig{Stages: func([]Stage) []Stage { return dream.Stages(cycle) }},
	}
}

// Outcome says whether a memory helped: its utility moves a tenth of the way to 1 or to
// 0. Profiles that rank or forget by utility use it; [Cognitive] does both.
//
// Errors: [*InvalidError] for the scope, [ErrNotFound] for an id that is not this
// user's, [ErrReadOnly], the database's errors.
func (x *Extension) Outcome(ctx context.Context, scope Scope, id string, helped bool) error {
	return x.write(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		m, err := tx.Memory(ctx, userID, id)
		if err != nil {
			return err
		}
		learnt := cognitive.Learnt(m.Utility, helped)
		return tx.Revise(ctx, m, schema.Revision{Utility: &learnt}, "outcome", memory.ByHost)
	})
}
