// Package cognitive holds the formulas of cognitive-v9.md as pure functions: how
// memories fade by category and tier, what orders the results of a search, and how
// utility changes with use. docs/profiles/COGNITIVE.md says where they differ from the document.
package cognitive

import (
	"math"
	"time"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// Category decides whether a memory fades at all.
type Category string

// The categories.
const (
	Preference Category = "preference"
	Entity     Category = "entity"
	Decision   Category = "decision"
	Fact       Category = "fact"
	Other      Category = "other"
)

// CategoryOf returns the category of a derived memory. Only the user's own words make
// a preference or what lasts of a person or thing (an entity): a page that a model
// read would otherwise decide what never fades.
func CategoryOf(m *schema.Memory) Category {
	typ := m.Attributes[schema.AttrTemporal]
	switch {
	case m.Attributes[schema.AttrType] == "decision" || m.Attributes[schema.AttrArchive] == "decision":
		return Decision
	case m.Kind != schema.KindFact && m.Kind != schema.KindPreference, typ == schema.TemporalPlan:
		return Other
	case m.OwnWords() && m.Kind == schema.KindPreference:
		return Preference
	case m.OwnWords() && m.Stands():
		return Entity
	}
	return Fact
}

// Permanent reports a category that does not fade.
func (c Category) Permanent() bool { return c == Preference || c == Entity }

// MinRetention is how long a memory of the category stays active at least (the
// document's minimum retention); 0 for a permanent one, which stays for good.
func (c Category) MinRetention() time.Duration {
	const day = 24 * time.Hour
	switch c {
	case Preference, Entity:
		return 0
	case Decision:
		return 45 * day
	case Fact:
		return 14 * day
	}
	return 7 * day
}

// Tier is how proven a memory is; it decides how fast it fades.
type Tier string

// The tiers.
const (
	Working  Tier = "working"
	Episodic Tier = "episodic"
	Semantic Tier = "semantic"
)

// TierOf returns the tier of a memory: its attribute, or episodic.
func TierOf(m *schema.Memory) Tier {
	switch t := Tier(m.Attributes[schema.AttrTier]); t {
	case Working, Semantic:
		return t
	}
	return Episodic
}

// Speed is the factor by which a tier's time runs.
func (t Tier) Speed() float64 {
	switch t {
	case Working:
		return 10
	case Semantic:
		return 1
	}
	return 3
}

// Boost is the factor of a memory's score by its source: ×1.1 what the user said or
// what was derived from it, ×.9 what comes from another memory, ×1 the rest; and in
// the semantic tier ×1.1 a reflection, ×1.05 a procedure.
func Boost(m *schema.Memory) float64 {
	if TierOf(m) == Semantic {
		switch {
		case m.Kind == schema.KindReflection:
			return 1.1
		case m.Attributes[schema.AttrType] == "procedure":
			return 1.05
		}
		return 1
	}
	switch {
	case m.OwnWords():
		return 1.1
	case m.Origin == schema.OriginFederation:
		return 0.9
	}
	return 1
}

// Retention returns a policy by a power law over a memory's stability: time runs by
// its tier, and what is pinned, protected or of a permanent category does not fade.
func Retention(law retention.PowerLaw) retention.Policy {
	scaled := retention.Policy(law.Left).Scaled(func(m *schema.Memory) float64 { return 1 / TierOf(m).Speed() })
	return func(m *schema.Memory, now time.Time) float64 {
		if m.Pinned || m.Protected || m.Kind == schema.KindEpisode || CategoryOf(m).Permanent() {
			return 1
		}
		return scaled(m, now)
	}
}

// Activation is ACT-R's base level, σ(ln max(n, 1) − ½·ln age), 0–1, of n uses and the
// time since the last one. An age below a second counts as a second.
func Activation(uses int64, age time.Duration) float64 {
	b := math.Log(float64(max(uses, 1))) - 0.5*math.Log(max(1, age.Seconds()))
	return 1 / (1 + math.Exp(-b))
}

// The numbers of utility.
const (
	UtilityRate  = 0.1  // α of an outcome
	UtilityDrift = 0.01 // per day towards ½
)

// Learnt is a utility after an outcome: u + α·(1 − u) if it helped, u − α·u if not.
func Learnt(utility float64, helped bool) float64 {
	target := 0.0
	if helped {
		target = 1
	}
	return utility + UtilityRate*(target-utility)
}

// Utility is a memory's utility at now: the stored one, which was learnt at the last
// use, drifts back to ½ by e^(−.01·days). Nothing is stored, so the number of nights
// does not matter.
func Utility(m *schema.Memory, now time.Time) float64 {
	days := max(0, now.Sub(retention.LastUse(m)).Hours()/24)
	return 0.5 + (m.Utility-0.5)*math.Exp(-UtilityDrift*days)
}

// Fusion is reciprocal rank fusion of the vector and the text arm by the weights of a
// strategy, K = 60, divided by what the first place in both would give: 0–1. An arm
// that answered nothing for any candidate is not known here, so a memory that one arm
// alone found gets at most its share.
func Fusion(arms []recall.ArmRank, s planner.Strategy) float64 {
	const k = 60
	sum, top := 0.0, (s.Vector+s.Text)/(k+1)
	for _, a := range arms {
		switch a.Arm {
		case "vector":
			sum += s.Vector / float64(k+a.Rank)
		case "text":
			sum += s.Text / float64(k+a.Rank)
		}
	}
	if top <= 0 {
		return 0
	}
	return sum / top
}
