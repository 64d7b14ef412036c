package retention

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/schema"
)

var noon = time.Date(2025, 5, 14, 12, 0, 0, 0, time.UTC) // a Wednesday

func TestRetention(t *testing.T) {
	for _, test := range []struct{ rate, days, want float64 }{
		{0, 1000, 1},
		{0.1, 0, 1},
		{0.1, -3, 1},
		{0.1, 1, math.Exp(-0.1)},
		{0.1, 32, math.Exp(-0.1 * 16)}, // 32^0.8 = 16
		{1, 1024, math.Exp(-256)},
	} {
		require.InDelta(t, test.want, Exponential{Rate: test.rate}.At(test.days), 1e-12, test)
	}
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0, 2).Draw(t, "rate")
		days := rapid.Float64Range(0, 1e4).Draw(t, "days")
		r := Exponential{Rate: rate}.At(days)
		require.True(t, r >= 0 && r <= 1)
		require.LessOrEqual(t, Exponential{Rate: rate}.At(days+1), r)
		require.LessOrEqual(t, Exponential{Rate: rate + 0.1}.At(days), r)
	})
}

func TestRetentionCountsFromTheLastUse(t *testing.T) {
	m := &schema.Memory{CreatedAt: schema.At(noon), EventTime: schema.At(noon.AddDate(-10, 0, 0)), DecayRate: 0.1}
	require.InDelta(t, 1, Document(m, noon), 1e-12, "learnt today, however long ago it happened")
	later := noon.Add(32 * 24 * time.Hour)
	require.InDelta(t, math.Exp(-1.6), Document(m, later), 1e-12)
	m.LastAccessed = schema.At(later)
	require.InDelta(t, 1, Document(m, later), 1e-12)
}

// A plan is as fresh on its day as what was stored then.
func TestPlansFadeFromTheirBeginning(t *testing.T) {
	stored := schema.Memory{CreatedAt: schema.At(noon), ValidFrom: schema.At(after(60)), DecayRate: 0.1}
	plan := stored
	plan.Attributes = schema.Attributes{schema.AttrTemporal: schema.TemporalPlan}
	for _, p := range []Policy{nil, Document, PowerLaw{}.Left} {
		require.InDelta(t, 1, p.Of(&plan, after(59)), 1e-12)
		require.InDelta(t, p.Of(&stored, after(7)), p.Of(&plan, after(67)), 1e-12)
		require.Less(t, p.Of(&stored, after(59)), 1.0)
	}
	require.True(t, plan.LastAccessed.IsZero())
}

// after is the moment so many days after noon.
func after(days float64) time.Time { return noon.Add(time.Duration(days * 24 * float64(time.Hour))) }

func TestRetentionFormulas(t *testing.T) {
	m := &schema.Memory{CreatedAt: schema.At(noon), DecayRate: 0.1}
	for _, days := range []float64{0, 0.5, 1, 7, 32, 70, 365, 10_000} {
		require.InDelta(t, math.Exp(-0.1*math.Pow(days, 0.8)), Exponential{}.Left(m, after(days)), 1e-12)
		require.InDelta(t, math.Exp(-0.1*math.Pow(days, 0.8)), Document(m, after(days)), 1e-12, "the document's")
		require.InDelta(t, math.Exp(-0.3*math.Pow(days, 0.5)), Exponential{Rate: 0.3, Power: 0.5}.Left(m, after(days)), 1e-12)
		require.InDelta(t, 0.2+0.8*math.Exp(-0.1*math.Pow(days, 0.8)), Standing{Floor: 0.2, Of: Document}.Left(m, after(days)), 1e-12)
		half := Policy(Document).Scaled(func(*schema.Memory) float64 { return 2 })
		require.InDelta(t, math.Exp(-0.1*math.Pow(days/2, 0.8)), half.Of(m, after(days)), 1e-12)
	}
	for _, factor := range []float64{0, -1, math.NaN()} {
		scaled := Policy(Document).Scaled(func(*schema.Memory) float64 { return factor })
		require.InDelta(t, Document(m, after(9)), scaled.Of(m, after(9)), 0, "a factor of %v counts as 1", factor)
	}
	steady := &schema.Memory{CreatedAt: schema.At(noon)}
	require.InDelta(t, 1, Exponential{Rate: 5}.Left(steady, after(365)), 0, "a decay rate of 0 never fades")
}

func TestDefaultRetention(t *testing.T) {
	user := func(kind schema.Kind, typ string) *schema.Memory {
		m := &schema.Memory{Kind: kind, Origin: schema.OriginUser, Trust: schema.MaxTrust, DecayRate: 0.1, Importance: 0.5, Stability: 1, CreatedAt: schema.At(noon)}
		if typ != "" {
			m.Attributes = schema.Attributes{schema.AttrTemporal: typ}
		}
		return m
	}
	assistants := user(schema.KindFact, "state")
	assistants.Origin = schema.OriginAssistant
	lower := user(schema.KindFact, "state")
	lower.Trust = 3
	important := user(schema.KindFact, "event")
	important.Importance = 0.9
	used := user(schema.KindFact, "plan")
	used.Stability = 3
	for name, test := range map[string]struct {
		m    *schema.Memory
		want func(days float64) float64
	}{
		"state":       {user(schema.KindFact, "state"), standing},
		"habit":       {user(schema.KindPreference, "habit"), standing},
		"trait":       {user(schema.KindFact, "trait"), standing},
		"not said":    {user(schema.KindFact, ""), standing},
		"event":       {user(schema.KindFact, "event"), curve(1)},
		"plan":        {user(schema.KindFact, "plan"), curve(1)},
		"reflection":  {user(schema.KindReflection, ""), curve(1)},
		"assistant's": {assistants, curve(1)},
		"less trust":  {lower, curve(1)},
		"important":   {important, curve(1.8)},
		"used":        {used, curve(3)},
	} {
		for _, days := range []float64{0, 1, 60, 70, 90, 365, 3650} {
			require.InDelta(t, test.want(days), Default(test.m, after(days)), 1e-12, "%s after %v days", name, days)
		}
	}
}

func standing(days float64) float64 { return 0.5 + 0.5*math.Exp(-0.1*math.Pow(days, 0.8)) }

func curve(strength float64) func(float64) float64 {
	return func(days float64) float64 { return math.Exp(-0.1 * math.Pow(days/strength, 0.8)) }
}

// Whatever a memory is, it keeps between nothing and all, loses it with time alone,
// and nothing while the clock goes backwards.
func TestDefaultRetentionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &schema.Memory{
			Kind: rapid.SampledFrom(schema.Kinds).Draw(t, "kind"), Origin: rapid.SampledFrom([]schema.Origin{schema.OriginUser, schema.OriginAssistant}).Draw(t, "origin"),
			Trust: schema.Trust(rapid.IntRange(0, 4).Draw(t, "trust")), CreatedAt: schema.At(noon),
			DecayRate: rapid.Float64Range(0, 2).Draw(t, "rate"), Importance: rapid.Float64Range(0, 1).Draw(t, "importance"),
			Stability:  rapid.OneOf(rapid.Float64Range(-2, 20), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1)})).Draw(t, "stability"),
			Attributes: schema.Attributes{schema.AttrTemporal: rapid.SampledFrom([]string{"", "state", "event", "plan", "?"}).Draw(t, "type")},
		}
		if rapid.Bool().Draw(t, "used") {
			m.LastAccessed = schema.At(after(rapid.Float64Range(-10, 10).Draw(t, "last use")))
		}
		days := rapid.Float64Range(-1000, 5000).Draw(t, "days")
		left := Default(m, after(days))
		require.True(t, left >= 0 && left <= 1, left)
		require.LessOrEqual(t, Default(m, after(days+1)), left)
		if days <= 0 {
			require.InDelta(t, 1, left, 0, "the clock is before the beginning")
		}
		stronger := *m
		stronger.Importance, stronger.Stability = 1, schema.MaxStability
		require.GreaterOrEqual(t, Default(&stronger, after(days)), left)
		require.GreaterOrEqual(t, left, Document(m, after(days)), "no memory fades faster than by the document")
	})
}

// The table is computed from cognitive-v9.md's R = (1 + t/(9·S))^(−1/0.5), and from
// FSRS-4.5's (1 + 19/81·t/S)^(−0.5).
func TestPowerLawFormula(t *testing.T) {
	for _, c := range []struct{ days, stability, document, fsrs float64 }{
		{0, 1, 1, 1},
		{1, 1, 0.81, 0.9},
		{9, 1, 0.25, math.Pow(1+19.0/9, -0.5)},
		{9, 9, 0.81, 0.9},
		{81, 9, 0.25, math.Pow(1+19.0/9, -0.5)},
		{36, 1, 0.04, math.Pow(1+4*19.0/9, -0.5)},
		{10, 10, 0.81, 0.9},
		{-5, 1, 1, 1},             // a clock that went back
		{1, 0, 0.81, 0.9},         // no stability is that of 1
		{1, -3, 0.81, 0.9},        //
		{1, math.NaN(), .81, 0.9}, //
	} {
		require.InDelta(t, c.document, PowerLaw{}.At(c.days, c.stability), 1e-12, c)
		require.InDelta(t, c.fsrs, PowerLaw{Factor: 19.0 / 81, Exponent: 0.5}.At(c.days, c.stability), 1e-12, c)
	}
	m := &schema.Memory{CreatedAt: schema.At(noon), DecayRate: 0.1, Stability: 2}
	require.InDelta(t, 0.81, PowerLaw{}.Left(m, after(2)), 1e-12)
	m.LastAccessed = schema.At(after(2))
	require.InDelta(t, 1, PowerLaw{}.Left(m, after(2)), 0)
	m.DecayRate = 0
	require.InDelta(t, 1, PowerLaw{}.Left(m, after(9999)), 0, "what is protected does not fade")
	rapid.Check(t, func(t *rapid.T) {
		days, stability := rapid.Float64Range(0, 1e5).Draw(t, "days"), rapid.Float64Range(1, 10).Draw(t, "stability")
		r := PowerLaw{}.At(days, stability)
		require.True(t, r > 0 && r <= 1)
		require.LessOrEqual(t, PowerLaw{}.At(days+1, stability), r)
		require.GreaterOrEqual(t, PowerLaw{}.At(days, stability+0.5), r)
	})
}
