package cognitive

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func days(n float64) time.Time { return noon.Add(time.Duration(n * 24 * float64(time.Hour))) }

// Computed from B = ln(max(n, 1)) − ½·ln(age in seconds), 1/(1 + e^−B), which is
// n/(n + √age).
func TestActivation(t *testing.T) {
	for _, c := range []struct {
		uses int64
		age  time.Duration
		want float64
	}{
		{0, time.Second, 0.5},
		{1, time.Second, 0.5},
		{1, 100 * time.Second, 1.0 / 11},
		{10, 100 * time.Second, 0.5},
		{1, 24 * time.Hour, 1 / (1 + math.Sqrt(86400))},
		{3, time.Hour, 3.0 / 63},
		{0, 0, 0.5},
		{1, -time.Hour, 0.5}, // a clock that went back
	} {
		require.InDelta(t, c.want, Activation(c.uses, c.age), 1e-12, c)
	}
}

func TestUtility(t *testing.T) {
	require.InDelta(t, 0.55, Learnt(0.5, true), 1e-12)
	require.InDelta(t, 0.45, Learnt(0.5, false), 1e-12)
	u := 0.5
	for range 10 {
		u = Learnt(u, true)
	}
	require.InDelta(t, 1-0.5*math.Pow(0.9, 10), u, 1e-12)

	m := &schema.Memory{CreatedAt: schema.At(noon), Utility: 0.9}
	for _, n := range []float64{0, 1, 30, 365} {
		require.InDelta(t, 0.5+0.4*math.Exp(-0.01*n), Utility(m, days(n)), 1e-12)
	}
	m.Utility = 0.1
	require.InDelta(t, 0.5-0.4*math.Exp(-1), Utility(m, days(100)), 1e-12, "what was of little use drifts up")
	require.InDelta(t, 0.1, Utility(m, days(-1)), 1e-12)
	m.LastAccessed = schema.At(days(100))
	require.InDelta(t, 0.1, Utility(m, days(100)), 1e-12, "from the last use on")
}

func user(m schema.Memory) *schema.Memory {
	m.Origin, m.Trust = schema.OriginUser, schema.MaxTrust
	return &m
}

func TestCategories(t *testing.T) {
	as := func(typ string) schema.Attributes { return schema.Attributes{schema.AttrTemporal: typ} }
	for name, c := range map[string]struct {
		m    *schema.Memory
		want Category
		keep float64 // days
	}{
		"the user's preference":     {user(schema.Memory{Kind: schema.KindPreference}), Preference, 0},
		"what lasts, by the user":   {user(schema.Memory{Kind: schema.KindFact}), Entity, 0},
		"a page's preference":       {&schema.Memory{Kind: schema.KindPreference, Trust: 1}, Fact, 14},
		"a model's fact":            {&schema.Memory{Kind: schema.KindFact, Trust: 2}, Fact, 14},
		"an event":                  {user(schema.Memory{Kind: schema.KindFact, Attributes: as("event")}), Fact, 14},
		"a plan":                    {user(schema.Memory{Kind: schema.KindFact, Attributes: as("plan")}), Other, 7},
		"a decision":                {user(schema.Memory{Kind: schema.KindFact, Attributes: schema.Attributes{"type": "decision"}}), Decision, 45},
		"a reflection":              {&schema.Memory{Kind: schema.KindReflection}, Other, 7},
		"a page that lies about it": {&schema.Memory{Kind: schema.KindFact, Origin: schema.OriginUser, Trust: 3}, Fact, 14},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, CategoryOf(c.m))
			require.Equal(t, c.keep*24, CategoryOf(c.m).MinRetention().Hours())
			require.Equal(t, c.keep == 0, CategoryOf(c.m).Permanent())
		})
	}
}

func TestRetentionByTierAndCategory(t *testing.T) {
	fades := Retention(retention.PowerLaw{})
	m := &schema.Memory{Kind: schema.KindFact, CreatedAt: schema.At(noon), DecayRate: 0.1, Stability: 2}
	for tier, speed := range map[string]float64{"": 3, "episodic": 3, "semantic": 1, "working": 10, "nonsense": 3} {
		m.Attributes = schema.Attributes{schema.AttrTier: tier}
		for _, n := range []float64{0, 1, 7, 30, 365} {
			require.InDelta(t, math.Pow(1+speed*n/(9*2), -2), fades.Of(m, days(n)), 1e-12, "%s %v", tier, n)
		}
	}
	for name, m := range map[string]*schema.Memory{
		"pinned":    {Kind: schema.KindFact, DecayRate: 0.1, Pinned: true},
		"protected": {Kind: schema.KindFact, DecayRate: 0.1, Protected: true},
		"permanent": user(schema.Memory{Kind: schema.KindPreference, DecayRate: 0.1}),
		"a message": {Kind: schema.KindEpisode},
	} {
		m.CreatedAt, m.Stability = schema.At(noon), 1
		require.InDelta(t, 1, fades.Of(m, days(9999)), 0, name)
	}
}

func TestFusion(t *testing.T) {
	half := planner.Strategy{Vector: 0.5, Text: 0.5}
	arm := func(name string, rank int) recall.ArmRank { return recall.ArmRank{Arm: name, Rank: rank} }
	require.InDelta(t, 1, Fusion([]recall.ArmRank{arm("text", 1), arm("vector", 1)}, half), 1e-12)
	require.InDelta(t, 0.5, Fusion([]recall.ArmRank{arm("text", 1)}, half), 1e-12)
	require.InDelta(t, (0.6/62+0.4/70)/(1.0/61), Fusion([]recall.ArmRank{arm("vector", 2), arm("text", 10), arm("time", 1)}, planner.StrategyOf(planner.Factual)), 1e-12)
	require.Zero(t, Fusion([]recall.ArmRank{arm("text", 1)}, planner.Strategy{}))
}

func TestTheCompositeScore(t *testing.T) {
	m := &schema.Memory{Kind: schema.KindFact, Importance: 0.8, AccessCount: 10, Utility: 0.5, Confidence: 1, CreatedAt: schema.At(noon), Stability: 1.5}
	terms := recall.Terms{
		Relevance: 0.7, Memory: m, Now: noon.Add(100 * time.Second), Retention: 0.9,
		Arms: []recall.ArmRank{{Arm: "text", Rank: 1}, {Arm: "vector", Rank: 1}, {Arm: "entity", Rank: 1, Score: 2}},
	}
	sum := func(signals []recall.Signal) (sum float64) {
		for _, s := range signals {
			sum += s.Contribution()
		}
		return sum
	}
	score := Scorer(Weights{})
	plain := 0.40*0.7 + 0.30*0.5 + 0.15*0.8 + 0.15*1 + 0.1*2
	require.InDelta(t, plain+0.2*0.5, sum(score(terms)), 1e-12, "a general question adds .2 of utility")
	terms.Plan = &planner.Plan{Strategy: planner.StrategyOf(planner.EntityProfile)}
	require.InDelta(t, plain+0.3*0.5, sum(score(terms)), 1e-12)
	terms.Plan = &planner.Plan{Strategy: planner.StrategyOf(planner.Preference)}
	require.InDelta(t, plain, sum(score(terms)), 1e-12)
	terms.Together = true
	require.InDelta(t, plain+0.05, sum(score(terms)), 1e-12)
	terms.Together = false
	for want, change := range map[float64]func(*schema.Memory){
		1.1 * plain:              func(m *schema.Memory) { m.Origin, m.Trust = schema.OriginUser, schema.MaxTrust },
		0.9 * plain:              func(m *schema.Memory) { m.Origin = schema.OriginFederation },
		1.05 * plain:             func(m *schema.Memory) { m.Attributes = schema.Attributes{"tier": "semantic", "type": "procedure"} },
		0.9 * plain * 1.00000000: func(m *schema.Memory) { m.Confidence = 0.29 },
	} {
		changed := *m
		change(&changed)
		terms.Memory = &changed
		require.InDelta(t, want, sum(score(terms)), 1e-12)
	}
	reflection := *m
	reflection.Kind, reflection.Attributes = schema.KindReflection, schema.Attributes{"tier": "semantic"}
	terms.Memory = &reflection
	require.InDelta(t, 1.1*plain, sum(score(terms)), 1e-12)
}
