package extension

import (
	"cmp"
	"math"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/recall"
)

// A profile is a constructor of a [Config] that picks policies of the one
// engine. What it returns is the host's to complete: model, embedder, hooks.

// Simple is the default profile (simplified-memory.md): what an empty Config,
// or none, gives.
func Simple() *Config { return &Config{} }

// DocumentRetention is the forgetting curve of simplified-memory.md for every
// derived memory, exp(−rate·days^0.8) since the last use, whoever said it and
// however often it was used. Set it as [Config].Ranking.Retention.
func DocumentRetention(m *Record, now time.Time) float64 { return recall.RetentionOf(m, now) }

// Dual is the profile of dual-memory.md with its own numbers: observations and
// reflections, retrieved as in Generative Agents (Park et al. 2023). It is
// [DualOptions]{}.Config().
func Dual() *Config { return DualOptions{}.Config() }

// DualOptions vary the [Dual] profile. The zero value is the design's.
type DualOptions struct {
	// Relevance, Recency and Importance are the weights α, β and γ of the score.
	// Default, when all are 0: 0.5, 0.3 and 0.2.
	Relevance, Recency, Importance float64
	// Tau is τ of the recency e^(−Δt/τ): make it as long as what is said stays
	// of interest. The design names none. Default [consolidate.DefaultRecency], a
	// year; 200 h is the 0.995 an hour of Generative Agents.
	Tau time.Duration
	// Threshold is what the importance that has gathered, 1–10 a message, must
	// exceed for a reflection. Default 100.
	Threshold float64
	// Questions of a reflection, and memories looked up for each. Default 3 and
	// 10.
	Questions, PerQuestion int
	// RateBatch is how many messages a model rates in one call. Default 20.
	RateBatch int
	// Observations and Reflections are how many of each take part in searches;
	// of more, the least worth become dormant at night. Default 1,000 and 100;
	// below 0 no bound.
	Observations, Reflections int
	// Worth decides which stay: [consolidate.ByImportance] of Tau,
	// [consolidate.FIFO] or [consolidate.ByRecency]. Default the first.
	Worth consolidate.Worth
	// Lite leaves out what needs a model: no reflections, and messages are rated
	// by their words alone. Default false.
	Lite bool
}

// Config is the profile with these options. What is wrong with one of them is
// an [*InvalidError] of [Open].
//
// Messages are the observations: [eventbus.Importance] rates one that the host
// knows better, eventbus.Attribute("location", …) says where it was made, and
// [Extension.Get] which model its vector is of. Those not rated are rated by
// their words at once ([enrich.Importance]) and by the model at night
// ([consolidate.Rate]). Facts are kept when they are told, none are extracted.
// Nothing fades: what is old is scored lower, what is too much put away.
func (o DualOptions) Config() *Config {
	if o.Relevance == 0 && o.Recency == 0 && o.Importance == 0 {
		o.Relevance, o.Recency, o.Importance = 0.5, 0.3, 0.2
	}
	o.Tau = cmp.Or(o.Tau, consolidate.DefaultRecency)
	o.Observations, o.Reflections = cmp.Or(o.Observations, 1000), cmp.Or(o.Reflections, 100)
	if o.Worth == nil {
		o.Worth = consolidate.ByImportance(o.Tau)
	}
	return &Config{
		invalid:  o.validate(),
		NoClaims: true,
		Ranking:  RankingConfig{Scorer: o.score, Retention: func(*Record, time.Time) float64 { return 1 }},
		Night:    NightConfig{Stages: func([]Stage) []Stage { return o.stages() }},

		coreToldOnly: true, // its document extracts no facts from messages
	}
}

func (o DualOptions) validate() error {
	return validOptions("DualOptions.",
		option{"Relevance", o.Relevance}, option{"Recency", o.Recency}, option{"Importance", o.Importance}, option{"Tau", float64(o.Tau)}, option{"Threshold", o.Threshold},
		option{"Questions", float64(o.Questions)}, option{"PerQuestion", float64(o.PerQuestion)}, option{"RateBatch", float64(o.RateBatch)})
}

// option is a number among the options of a profile.
type option struct {
	name  string
	value float64
}

// validOptions returns an [*InvalidError] for the first that cannot be.
func validOptions(of string, options ...option) error {
	for _, o := range options {
		if !(o.value >= 0) || math.IsInf(o.value, 0) {
			return &InvalidError{Field: of + o.name, Reason: "must be a number from 0 (0 means the default)"}
		}
	}
	return nil
}

// score is α·relevance + β·recency + γ·importance, each 0–1. Relevance is the
// ranker's own, which the cosine is part of where an embedder serves: by text,
// names, time and meaning it finds more than the cosine alone, which is what the
// design takes, and it is there without an embedder.
func (o DualOptions) score(t Terms) []Signal {
	return []Signal{
		{Name: "relevance", Value: t.Relevance, Weight: o.Relevance},
		{Name: "recency", Value: consolidate.Recency(t.Age(), o.Tau), Weight: o.Recency},
		{Name: "importance", Value: t.Memory.Importance, Weight: o.Importance},
	}
}

// stages are the profile's nights.
func (o DualOptions) stages() []Stage {
	bound := consolidate.Cap{Observations: o.Observations, Reflections: o.Reflections, Worth: o.Worth}
	if o.Lite {
		return []Stage{consolidate.Conflict{}, consolidate.Entities{}, bound}
	}
	return []Stage{
		consolidate.Rate{Batch: o.RateBatch}, consolidate.Conflict{}, consolidate.Entities{},
		consolidate.Reflect{
			Threshold: o.Threshold, Sessions: -1, Questions: o.Questions, PerQuestion: o.PerQuestion, Newest: true,
		},
		bound,
	}
}
