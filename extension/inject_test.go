package extension

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

func previewed(t *testing.T, cfg Config) *Session {
	t.Helper()
	cfg.NoBackground, cfg.Location = true, time.UTC
	cfg.Now = func() time.Time { return time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC) }
	x := openConfig(t, filepath.Join(t.TempDir(), "m.db"), &cfg)
	scope := Scope{User: "ada", Session: "march"}
	for _, said := range []string{
		"Ottilie teaches the violin in Ghent on Thursdays.", "The kettle is broken again.", "We planted tomatoes behind the shed.",
		"My brother Marek drives a tram.", "The library closes at eight.", "thanks", "I repaired the blue bicycle with a spoon.",
		strings.Repeat("The ferry crossing to the island took hours. ", 20),
	} {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, said)))
	}
	s, err := x.Session(Scope{User: "ada", Session: "april"})
	require.NoError(t, err)
	return s
}

func TestPreview(t *testing.T) {
	shown := 0
	s := previewed(t, Config{Hooks: Hooks{OnRecall: func(schema.Scope, string, *recall.Answer) { shown++ }}})
	found, err := s.Preview(t.Context(), "What does Ottilie teach in Ghent?")
	require.NoError(t, err)
	require.Contains(t, found.Block, ": Ottilie teaches the violin in Ghent on Thursdays.\n")
	require.Contains(t, found.Block, "\n# march, Mon 2026-03-09\n")
	require.Positive(t, found.Tokens)
	require.LessOrEqual(t, found.Tokens, DefaultInjectionTokens)
	require.True(t, found.Items[0].Whole)
	require.Greater(t, found.Items[0].Relevance, 0.6)
	require.Contains(t, found.Items[0].Explain(), "relevance")
	require.Zero(t, shown, "a preview is not reported as shown")

	for _, q := range []string{"hi", "谢谢", "Ok, great!", "🙂", ""} {
		found, err := s.Preview(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, &Injection{}, found, "%q is not searched for", q)
	}
}

func TestIrrelevantIsNotInjected(t *testing.T) {
	const elsewhere = "Which submarine did Captain Brannigan torpedo near Reykjavik while the library burned?"
	found, err := previewed(t, Config{Injection: InjectionConfig{MinRelevance: 0.5}}).Preview(t.Context(), elsewhere)
	require.NoError(t, err)
	require.NotEmpty(t, found.Answer.Results, "something is always nearest")
	require.Empty(t, found.Block)
	require.Empty(t, found.Items)

	found, err = previewed(t, Config{Injection: InjectionConfig{MinRelevance: -1}}).Preview(t.Context(), elsewhere)
	require.NoError(t, err)
	require.NotEmpty(t, found.Block, "below 0 lets everything through")
}

func TestLongTextIsCutToTheQuestion(t *testing.T) {
	found, err := previewed(t, Config{Injection: InjectionConfig{ItemTokens: 20}}).Preview(t.Context(), "How long did the ferry crossing take?")
	require.NoError(t, err)
	require.Contains(t, found.Block, " (cut)\n")
	require.False(t, found.Items[0].Whole)
}

func TestInjectionSkip(t *testing.T) {
	s := previewed(t, Config{Injection: InjectionConfig{Skip: func(text string) bool { return text != "thanks" }}})
	found, err := s.Preview(t.Context(), "What does Ottilie teach?")
	require.NoError(t, err)
	require.Nil(t, found.Answer)
	found, err = s.Preview(t.Context(), "thanks")
	require.NoError(t, err)
	require.NotNil(t, found.Answer)
}

func TestChoose(t *testing.T) {
	results := []Result{{Relevance: 0.9}, {Relevance: 0.6}, {Relevance: 0.4}, {Relevance: 0.1}}
	cfg := &Config{Injection: InjectionConfig{MinRelevance: 0.5, MinResultRelevance: 0.4, ItemTokens: 56}}
	require.Len(t, choose(0.5, results, cfg, nil), 3)
	require.Len(t, choose(0.49, results, cfg, nil), 2, "about something else, only what is sure by itself")
	require.Empty(t, choose(0.5, results, &Config{Injection: InjectionConfig{MinResultRelevance: 0.95}}, nil))

	for i := range results {
		results[i].Memory.Content = strings.Repeat("The ferry to the island left late. ", 60)
	}
	chosen := choose(0.5, results, cfg, nil)
	require.Len(t, chosen, 1, "what takes twice the place must be twice as relevant")
	require.True(t, chosen[0].Cut)
}

func TestInjectionConfigValidation(t *testing.T) {
	for field, cfg := range map[string]Config{
		"Config.Injection.MinRelevance":       {Injection: InjectionConfig{MinRelevance: 1.5}},
		"Config.Injection.MinResultRelevance": {Injection: InjectionConfig{MinResultRelevance: 1.5}},
		"Config.Injection.ItemTokens":         {Injection: InjectionConfig{ItemTokens: 19}},
	} {
		_, err := Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), &cfg)
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, field, invalid.Field)
	}
	_, err := Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), &Config{Injection: InjectionConfig{MinRelevance: math.NaN()}})
	require.ErrorContains(t, err, "MinRelevance")
}

// Whatever the reason: nothing in its words or its origin gives this one away.
func TestQuarantinedIsNotInjected(t *testing.T) {
	s := previewed(t, Config{})
	const question = "What does Ottilie teach in Ghent?"
	found, err := s.Preview(t.Context(), question)
	require.NoError(t, err)
	require.NotEmpty(t, found.Items)
	err = s.ext.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.SetState(ctx, &found.Items[0].Memory, schema.StateQuarantined, schema.Actor{Name: "host"})
	})
	require.NoError(t, err)
	after, err := s.Preview(t.Context(), question)
	require.NoError(t, err)
	require.NotContains(t, after.Block, "violin")
}

// The thresholds of cognitive-v9.md: from .7 in full, from .4 cut, below not at all.
func TestDocumentThresholds(t *testing.T) {
	cfg, err := CognitiveOptions{MinRelevance: 0.4, FullRelevance: 0.7}.Config().WithDefaults()
	require.NoError(t, err)
	long := strings.Repeat("the ferry to Vexmoor leaves at seven ", 12)
	var results []Result
	for _, relevance := range []float64{0.9, 0.7, 0.69, 0.4, 0.39} {
		results = append(results, Result{Relevance: relevance, Memory: Record{Content: long}})
	}
	chosen := choose(0.9, results, &cfg, nil)
	require.Len(t, chosen, 4)
	for i, e := range chosen {
		if i < 2 {
			require.Greater(t, text.Tokens(e.Content), prompt.ShortTokens)
		} else {
			require.True(t, e.Cut)
			require.LessOrEqual(t, text.Tokens(strings.TrimSuffix(e.Content, " (cut)")), prompt.ShortTokens)
		}
	}
	plain, err := Cognitive().WithDefaults()
	require.NoError(t, err)
	require.InDelta(t, DefaultMinRelevance, plain.Injection.MinRelevance, 0)
	require.InDelta(t, DefaultMinResultRelevance, plain.Injection.MinResultRelevance, 0)
}
