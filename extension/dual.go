package extension

import (
	"cmp"
	"math"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/retention"
)

// A profile is a constructor of a [Config] that selects policies. The host adds
// model, embedder and hooks to the returned config.

// Simple returns the default profile (simplified-memory.md), which is an empty
// Config.
func Simple() *Config { return &Config{} }

// DocumentRetention is the forgetting curve of simplified-memory.md,
// exp(−rate·days^0.8) since the last use, applied to every derived memory
// regardless of its source and number of uses. Set it as
// [Config].Ranking.Retention.
func DocumentRetention(m *Record, now time.Time) float64 { return retention.Document(m, now) }

// Dual returns the profile of dual-memory.md with its default numbers: observations
// and reflections, retrieved as in Generative Agents (Park et al. 2023). It is
// [DualOptions]{}.Config().
func Dual() *Config { return DualOptions{}.Config() }

// DualOptions vary the [Dual] profile. The zero value has the document's numbers.
type DualOptions struct {
	// Relevance, Recency and Importance are the weights α, β and γ of the score.
	// Default, if all are 0: 0.5, 0.3 and 0.2.
	Relevance, Recency, Importance float64
	// Tau is τ of the recency e^(−Δt/τ): how long a message stays of interest. The
	// document gives no value. Default [consolidate.DefaultRecency], a year; 200 h
	// corresponds to the 0.995 an hour of Generative Agents.
	Tau time.Duration
	// Threshold is the accumulated importance, 1–10 a message, above which a night
	// reflects. Default 100.
	Threshold float64
	// Questions is how many questions a reflection asks, and PerQuestion how many
	// memories it retrieves for each. Default 3 and 10.
	Questions, PerQuestion int
	// RateBatch is how many messages a model rates in one call. Default 20.
	RateBatch int
	// Observations and Reflections are how many of each stay active. Above that, a
	// night makes the least valuable dormant. Default 1,000 and 100; below 0 there
	// is no bound.
	Observations, Reflections int
	// Worth rates what to keep active: [consolidate.ByImportance] with Tau,
	// [consolidate.FIFO] or [consolidate.ByRecency]. Default ByImportance.
	Worth consolidate.Worth
	// Lite leaves out what needs a model: there are no reflections, and messages
	// are rated by their words alone. Default false.
	Lite bool
}

// Config returns the profile with these options. Invalid options make [Open] return
// an [*InvalidError].
//
// Messages are the observations. [eventbus.Importance] sets a rating of the host's,
// eventbus.Attribute("location", …) a location; [Extension.Get] reports the
// embedding model. Messages without a rating are rated by their words at once
// ([enrich.Importance]) and by the model at night ([consolidate.Rate]). Facts are
// stored by tools and the host; none are extracted from messages. Nothing fades:
// old memories score lower, and those above the bounds become dormant.
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

		coreStoredOnly: true, // the document extracts no facts from messages
	}
}

func (o DualOptions) validate() error {
	return validOptions("DualOptions.",
		option{"Relevance", o.Relevance}, option{"Recency", o.Recency}, option{"Importance", o.Importance}, option{"Tau", float64(o.Tau)}, option{"Threshold", o.Threshold},
		option{"Questions", float64(o.Questions)}, option{"PerQuestion", float64(o.PerQuestion)}, option{"RateBatch", float64(o.RateBatch)})
}

// option is a numeric option of a profile.
type option struct {
	name  string
	value float64
}

// validOptions returns an [*InvalidError] for the first option that is not a finite
// number ≥ 0.
func validOptions(of string, options ...option) error {
	for _, o := range options {
		if !(o.value >= 0) || math.IsInf(o.value, 0) {
			return &InvalidError{Field: of + o.name, Reason: "must be a number from 0 (0 means the default)"}
		}
	}
	return nil
}

// score is α·relevance + β·recency + γ·importance, each 0–1. Relevance is the
// ranker's, not the document's cosine alone: it finds more by text, names and time,
// includes the cosine if there is an embedder, and works without one.
func (o DualOptions) score(t recall.Terms) []recall.Signal {
	return []recall.Signal{
		{Name: "relevance", Value: t.Relevance, Weight: o.Relevance},
		{Name: "recency", Value: consolidate.Recency(t.Age(), o.Tau), Weight: o.Recency},
		{Name: "importance", Value: t.Memory.Importance, Weight: o.Importance},
	}
}

// stages returns the stages of the profile's nights.
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
