package planner

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestIntents(t *testing.T) {
	for question, want := range map[string]Intent{
		"Where does Ada live?":                    Factual,
		"How many cats does Bo have?":             Factual,
		"When did Ada move to Oslo?":              Temporal,
		"What happened last week?":                Temporal,
		"Why did Bo leave the company?":           Causal,
		"What led to the outage in March?":        Causal,
		"Who is Karim?":                           EntityProfile,
		"Tell me about Miso":                      EntityProfile,
		"What is Ada's favourite tea?":            Preference,
		"Does Bo like jazz?":                      Preference,
		"Ada, Oslo, the flat":                     General,
		"Ada ne zaman taşındı?":                   Temporal,
		"Bo neden ayrıldı?":                       Causal,
		"Karim kimdir?":                           EntityProfile,
		"Ada'nın en sevdiği çay hangisi, tercihi": Preference,
		"Ada nerede yaşıyor?":                     Factual,
		"":                                        General,
	} {
		require.Equal(t, want, IntentOf(question), question)
		require.Equal(t, want == Temporal, Cognitive(Question{question}).Superseded, question)
	}
}

// The table of the router, cognitive-v9.md.
func TestStrategies(t *testing.T) {
	for intent, want := range map[Intent]Strategy{
		Factual: {0.6, 0.4, 10, 0.2}, Temporal: {0.4, 0.6, 15, 0}, Causal: {0.3, 0.3, 20, 0},
		EntityProfile: {0.5, 0.5, 15, 0.3}, Preference: {0.5, 0.5, 10, 0}, General: {0.5, 0.5, 10, 0.2},
	} {
		require.Equal(t, want, StrategyOf(intent), intent)
	}
}

func TestDecompose(t *testing.T) {
	for question, want := range map[string][]string{
		"Where does Ada live, and when did Bo move to Oslo?":        {"Where does Ada live", "when did Bo move to Oslo"},
		"Where does Ada live? When did Bo move to Oslo?":            {"Where does Ada live", "When did Bo move to Oslo"},
		"Which tea does Ada drink and also which bread does Bo eat": {"Which tea does Ada drink", "which bread does Bo eat"},
		"Ada nerede yaşıyor ve Bo ne zaman taşındı?":                nil, // one verb phrase each, no joint that is known
		"Ada nerede yaşıyor ve neden taşındı Bergen'e?":             {"Ada nerede yaşıyor", "neden taşındı Bergen'e"},
		"What instruments do Ada and Bo play?":                      {"What instruments do Ada play?", "What instruments do Bo play?"},
		"Did Ada, Bo and Karim travel to Lisbon?":                   {"Did Ada travel to Lisbon?", "Did Bo travel to Lisbon?", "Did Karim travel to Lisbon?"},
		"Where does Ada live?":                                      nil,
		"When did Ada move and why?":                                nil, // "why" asks nothing by itself
		"What did Ada say about bread and butter?":                  nil,
		"Ada and Bo?": nil,
		"":            nil,
		"????":        nil,
		strings.Repeat("Where is Ada? Where is Bo now? ", 100): nil, // a text, not a question
		"\xff\xfe? \xff?": nil,
	} {
		got := Decompose(question)
		if want == nil {
			require.Empty(t, got, question)
			continue
		}
		require.Equal(t, want, got, question)
	}
	many := Decompose("Where is the red kite? Where is the blue boat? Where is the green hat? Where is the black cat? Where is the white dog?")
	require.Len(t, many, MaxQueries-1)
}

func TestHypotheses(t *testing.T) {
	for question, want := range map[string]struct {
		category Category
		first    string
	}{
		"What is a heron?":             {Definition, "heron is the following."},
		"How do I prune the roses?":    {HowTo, "To do prune roses, follow these steps."},
		"Why did the pump stop?":       {Reasoning, "The reason for pump stop is this."},
		"Where is the blue boat?":      {Lookup, "blue boat is located here."},
		"Why does Docker crash?":       {Technical, "The problem with Docker crash was fixed by a change of the code or the configuration."},
		"Does Ada like jazz?":          {Likes, "I like Ada jazz."},
		"the blue boat, Ada":           {Other, "This is about blue boat, Ada."},
		"Docker nedir?":                {Technical, "Docker ile ilgili sorun kodda veya yapılandırmada bir değişiklikle çözüldü."},
		"Balıkçıl nedir?":              {Definition, "Balıkçıl şudur."},
		"Mavi tekne nerede?":           {Lookup, "Mavi tekne burada bulunur."},
		"Ada hangi çayı tercih ediyor": {Likes, "Ada çayı tercih ediyor severim."},
	} {
		require.Equal(t, want.category, templatesOf(question).category, question)
		got := Hypotheses(question)
		require.Equal(t, want.first, got[0], question)
		require.True(t, len(got) >= 2 && len(got) <= MaxHypotheses)
	}
	require.Empty(t, Hypotheses("what is it?"))
	require.Empty(t, Hypotheses(""))
}

func TestPlanIsNormalised(t *testing.T) {
	p := Plan{Queries: []string{"", " ", "a\xff", strings.Repeat("x", 11), "b", "b", "c", "d", "e"}, Hypotheses: []string{"", "h", "h", "i", "j", "k"}}.Usable("q", 10)
	require.Equal(t, []string{"q", "b", "c", "d"}, p.Queries)
	require.Equal(t, []string{"h", "i", "j"}, p.Hypotheses)
	require.Equal(t, []string{"q"}, Plan{}.Usable("q", 10).Queries)
}

func TestFuse(t *testing.T) {
	require.Equal(t, []int64{2, 1, 4, 3}, Fuse([][]int64{{1, 2, 3}, {2, 4}}), "1/62 + 1/61, 1/61, 1/62, 1/63")
	require.Equal(t, []int64{3, 7}, Fuse([][]int64{{7}, {3}}), "the older of equals")
	require.Empty(t, Fuse(nil))
}

func FuzzCognitive(f *testing.F) {
	for _, s := range []string{"Where does Ada live, and when did Bo move?", "Ada, Bo and Karim?", "X and Y ve Z or Ü", "Docker nedir?", "???", "a? b? c?", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, question string) {
		p := Cognitive(Question{Text: question})
		require.Equal(t, question, p.Queries[0])
		require.LessOrEqual(t, len(p.Queries), MaxQueries)
		require.LessOrEqual(t, len(p.Hypotheses), MaxHypotheses)
		require.NotZero(t, p.Limit)
		for _, part := range p.Queries[1:] {
			require.NotEmpty(t, strings.TrimSpace(part))
			require.True(t, utf8.ValidString(part))
			require.LessOrEqual(t, len(part), len(question))
		}
		require.Equal(t, p, Cognitive(Question{Text: question}), "a function of its argument alone")
		require.False(t, slices.Contains(p.Hypotheses, ""))
	})
}
