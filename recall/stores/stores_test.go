package stores

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func days(n float64) time.Time { return noon.Add(time.Duration(n * 24 * float64(time.Hour))) }

// The document's weights, with the corrected log2(n + 2) and the limit at 1.
func TestDecay(t *testing.T) {
	weights := map[string]float64{Core: 1.5, Episodic: 0.8, Semantic: 1.2, Procedural: 1.0}
	set := Document()
	for name, weight := range weights {
		require.InDelta(t, weight, set.Named(name).Weight, 0)
		for _, uses := range []int64{0, 1, 2, 6, 100} {
			for _, n := range []float64{-1, 0, 1, 7, 23, 30, 60, 90, 365} {
				want := math.Min(1, math.Exp(-0.03*math.Max(0, n))*math.Log2(float64(uses+2))*weight)
				require.InDelta(t, want, Curve{}.At(n, uses, weight), 1e-12, "%s %d %v", name, uses, n)
				m := &schema.Memory{Kind: schema.KindFact, CreatedAt: schema.At(noon), DecayRate: 0.1, AccessCount: uses, Attributes: schema.Attributes{schema.AttrStore: name}}
				require.InDelta(t, want, set.Retention(Curve{}).Of(m, days(n)), 1e-12)
			}
		}
	}
	// values computed by hand: e^−.69 · log2 2 · 1; e^−.9 · log2 3 · .8; e^−3 · log2 4 · 1.2
	require.InDelta(t, 0.5015760690660556, Curve{}.At(23, 0, 1), 1e-12)
	require.InDelta(t, 0.5155181316958476, Curve{}.At(30, 1, 0.8), 1e-12)
	require.InDelta(t, 0.11948896408287346, Curve{}.At(100, 2, 1.2), 1e-12)
	require.InDelta(t, 1, Curve{}.At(1e9, 0, set.Named(Vault).Weight), 0, "no ∞·0")
	require.InDelta(t, math.Exp(-1), Curve{Rate: 0.1}.At(10, 0, 1), 1e-12)
}

func TestBands(t *testing.T) {
	for relevance, want := range map[float64]Band{
		1: Active, 0.5: Active, 0.4999999: Fading, 0.2: Fading, 0.1999999: Dormant, 0.05: Dormant, 0.0499999: Archived, 0: Archived,
	} {
		require.Equal(t, want, BandOf(relevance), relevance)
	}
	require.Equal(t, Archived, BandOf(math.NaN()))
}

func TestStoreOfAMemory(t *testing.T) {
	set := Document()
	as := func(store string) schema.Attributes { return schema.Attributes{schema.AttrStore: store} }
	for want, memories := range map[string][]schema.Memory{
		Episodic:   {{Kind: schema.KindEpisode}, {Kind: schema.KindFact, Attributes: as(Episodic)}},
		Semantic:   {{Kind: schema.KindFact}, {Kind: schema.KindPreference}, {Kind: schema.KindReflection}, {Kind: schema.KindFact, Attributes: as("nonsense")}, {Kind: schema.KindFact, Attributes: as(Vault)}},
		Procedural: {{Kind: schema.KindFact, Attributes: as(Procedural)}},
		Vault:      {{Kind: schema.KindFact, Protected: true}, {Kind: schema.KindFact, Protected: true, Attributes: as(Procedural)}},
	} {
		for i := range memories {
			require.Equal(t, want, set.Of(&memories[i]).Name, memories[i])
		}
	}
	require.NoError(t, set.Validate())
	require.Equal(t, []string{Episodic, Semantic, Procedural, Vault}, set.Names())
	for _, bad := range []Set{{{Name: "A b", Weight: 1}}, {{Weight: 1}}, {{Name: "a"}}, {{Name: "a", Weight: math.NaN()}}, {{Name: "a", Weight: 1}, {Name: "a", Weight: 2}}} {
		require.Error(t, bad.Validate(), fmt.Sprint(bad))
	}
}

// A year: what does not fade is where it was, what fades equals the formula.
func TestWhatFades(t *testing.T) {
	set := Document()
	policy, letter := set.Retention(Curve{}), set.Retention(Curve{Messages: true})
	message := &schema.Memory{Kind: schema.KindEpisode, CreatedAt: schema.At(noon)}
	for day := range 366 {
		now := days(float64(day))
		for _, m := range []schema.Memory{
			{Kind: schema.KindFact, Protected: true}, {Kind: schema.KindFact, Pinned: true, DecayRate: 0.1}, {Kind: schema.KindFact}, *message,
		} {
			m.CreatedAt = schema.At(noon)
			require.InDelta(t, 1, policy.Of(&m, now), 0)
		}
		require.InDelta(t, math.Exp(-0.03*float64(day))*0.8, letter.Of(message, now), 1e-12)
	}
	hidden := set.Hidden(Curve{}, func() time.Time { return days(107) }) // 1.2·e^−3.21 < .05
	old := &schema.Memory{Kind: schema.KindFact, State: schema.StateDormant, CreatedAt: schema.At(noon), DecayRate: 0.1}
	require.True(t, hidden(old))
	old.CreatedAt = schema.At(days(2))
	require.False(t, hidden(old))
	old.CreatedAt, old.State = schema.At(noon), schema.StateActive
	require.False(t, hidden(old), "what is active is found")
}

func TestScores(t *testing.T) {
	set := Document()
	m := &schema.Memory{Kind: schema.KindFact, CreatedAt: schema.At(noon), DecayRate: 0.1, AccessCount: 1}
	terms := recall.Terms{Relevance: 0.7, Memory: m, Now: days(40)}
	decay := math.Exp(-1.2) * math.Log2(3) * 1.2
	sum := func(signals []recall.Signal) (sum float64) {
		for _, s := range signals {
			sum += s.Contribution()
		}
		return sum
	}
	require.InDelta(t, 0.7+0.1*decay, sum(set.Scorer(Curve{}, DefaultShare)(terms)), 1e-12)
	require.InDelta(t, 0.7*decay, sum(set.Product(Curve{})(terms)), 1e-12)
}

func TestRoute(t *testing.T) {
	for content, want := range map[string]string{
		"To deploy the site, run make build and copy dist to the server": Procedural,
		"How to renew the certificate: run certbot":                      Procedural,
		"First drain the node, then upgrade it":                          Procedural,
		"1. Stop the pump. 2. Close the valve.":                          Procedural,
		"Always run the linter before pushing":                           Procedural,
		"Deploys go lint -> test -> push":                                Procedural,
		"Remember that to deploy the site, you run make":                 Procedural,
		"Ada lives in Oslo":                                              "",
		"Ada wants to visit Oslo":                                        "",
		"Ada never eats nuts":                                            "",
	} {
		require.Equal(t, want, Route(content, "state"), content)
	}
	require.Equal(t, Episodic, Route("The server fell over on Monday", schema.TemporalEvent))
}

func TestTriggers(t *testing.T) {
	for message, want := range map[string]Trigger{
		"reflect": Immediate, "Let's reflect.": Immediate, "Please reflect on this week": Immediate, "OK, consolidate memories": Immediate,
		"Done for today. Review your memories, please.": Immediate,
		"I'm going to sleep now":                        SoftTrigger, "logging off": SoftTrigger,
		"Does the mirror reflect light?": NoTrigger, "Don't reflect now": NoTrigger, "The prices reflect on demand": NoTrigger, "": NoTrigger,
		"Why would you consolidate memories?": NoTrigger,

		"Can we reflect on today?": Immediate, "Could we reflect now?": Immediate, "Shall we reflect on the week?": Immediate, "Should we reflect?": Immediate,
		"May we reflect about this?": Immediate, "It's time to reflect on the week.": Immediate, "Time to review memories": Immediate, "I think we should reflect": Immediate,
		"I'd like to reflect on our week with you.": Immediate, "Hey, reflect on what happened today": Immediate, "Would you consolidate our memories?": Immediate,
		"Can we reflect light with a mirror?": NoTrigger, "Can mirrors reflect on water?": NoTrigger, "I reflect on my day every evening.": NoTrigger,
		"We should not reflect on this": NoTrigger, "Can we talk about the mirror?": NoTrigger, "He thinks we should reflect": NoTrigger, "Do we have time to reflect?": NoTrigger,
		"What can we reflect on?": NoTrigger, "Why should we reflect on that?": NoTrigger, "Can we not reflect today?": NoTrigger, "Time to review the memo": NoTrigger,
	} {
		require.Equal(t, want, TriggerOf(message), message)
	}
}

func TestAgrees(t *testing.T) {
	for message, want := range map[string]bool{
		"Yes.": true, "yes please!": true, "Sure, go ahead": true, "Now, please.": true, "OK": true,
		"Yes, but tomorrow": false, "not now": false, "Yes. What time is it?": false, "No": false, "": false, "Nowhere": false, "Okay, wait until I am back": false,
	} {
		require.Equal(t, want, Agrees(message), message)
	}
}

func TestTried(t *testing.T) {
	set := Document()
	m := &schema.Memory{Kind: schema.KindFact, Attributes: schema.Attributes{schema.AttrStore: Procedural, schema.AttrSuccesses: "2", schema.AttrFailures: "x"}}
	require.Equal(t, map[string]string{schema.AttrSuccesses: "3"}, set.Tried(m, true))
	require.Equal(t, map[string]string{schema.AttrFailures: "1"}, set.Tried(m, false))
	require.Nil(t, set.Tried(&schema.Memory{Kind: schema.KindFact}, true))
}
