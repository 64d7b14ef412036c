package extension_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/consolidate/appraise"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/schema"
)

// thinking opens a memory of the Cognitive profile.
func thinking(t *testing.T, path string, now *clock.Simulated) *extension.Extension {
	t.Helper()
	cfg := extension.Cognitive()
	cfg.Now, cfg.Location, cfg.Night.NoSchedule = now.Now, time.UTC, true
	x, err := extension.Open(t.Context(), path, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	return x
}

func signal(r extension.Result, name string) (value float64, found bool) {
	for _, s := range r.Signals {
		if s.Name == name {
			return s.Value, true
		}
	}
	return 0, false
}

func TestCognitiveEndToEnd(t *testing.T) {
	now := clock.At(dualNow)
	x := thinking(t, fresh(t), now)
	for _, said := range []string{"I'm allergic to nuts.", "I play the cello on Sundays.", "My sister Noor lives in Bergen.", "The tram was late today."} {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, said)))
	}
	require.NoError(t, x.WaitIdle(t.Context()))

	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "What instrument do I play on Sundays, and where does Noor live?", Wait: true})
	require.NoError(t, err)
	require.Equal(t, planner.Factual, answer.Planned.Intent)
	require.Len(t, answer.Planned.Queries, 3)
	var found strings.Builder
	for _, r := range answer.Results[:4] {
		found.WriteString(r.Memory.Content + "\n")
		sum := 0.0
		for _, s := range r.Signals {
			sum += s.Contribution()
		}
		require.InDelta(t, sum, r.Score, 1e-12, "the score explains itself")
		for _, name := range []string{"similarity", "activation", "importance", "fusion", "entity", "utility"} {
			_, explained := signal(r, name)
			require.True(t, explained, name)
		}
	}
	require.Contains(t, found.String(), "cello")
	require.Contains(t, found.String(), "Bergen")

	session, err := x.Session(extension.Scope{User: "ada", Session: "later"})
	require.NoError(t, err)
	injected, err := session.Preview(t.Context(), "Where does my sister Noor live?")
	require.NoError(t, err)
	require.Contains(t, injected.Block, "Bergen")

	// A fact of an assistant's is used, proves itself and fades after all.
	fact, err := x.Remember(t.Context(), ada, "Noor keeps bees in Bergen")
	require.NoError(t, err)
	for range 5 {
		require.NoError(t, x.Outcome(t.Context(), ada, fact.Memory.UID, true))
	}
	got, err := x.Get(t.Context(), ada, fact.Memory.UID)
	require.NoError(t, err)
	require.InDelta(t, 1-0.5*0.9*0.9*0.9*0.9*0.9, got.Memory.Utility, 1e-12)
	now.Set(dualNow.AddDate(0, 0, 8))
	report, err := x.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	var stages []string
	for _, s := range report.Stages {
		stages = append(stages, s.Name)
	}
	require.Equal(t, []string{"extract", "conflict", "entities", "updates", "relations", "emotions", "replay", "outcomes", "tiers", "rehearsal", "foresight", "forgetting", "themes", "redundancy", "reflect"}, stages)
	got, err = x.Get(t.Context(), ada, fact.Memory.UID)
	require.NoError(t, err)
	require.Equal(t, "semantic", got.Memory.Attributes["tier"])
	answer, err = x.Recall(t.Context(), ada, extension.Query{Text: "Who keeps bees?", Wait: true, Kinds: []extension.Kind{extension.KindFact}})
	require.NoError(t, err)
	tier, explained := signal(answer.Results[0], "semantic tier")
	require.True(t, explained)
	require.InDelta(t, 1, tier, 0)

	_, err = x.Undo(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	got, err = x.Get(t.Context(), ada, fact.Memory.UID)
	require.NoError(t, err)
	require.Empty(t, got.Memory.Attributes["tier"])
}

func TestCognitiveAppraisal(t *testing.T) {
	now := clock.At(dualNow)
	x := thinking(t, fresh(t), now)
	say := func(text string, opts ...eventbus.MessageOption) *extension.Record {
		now.Set(now.Now().Add(time.Minute))
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{User: "ada", Session: "s"}, text, opts...)))
		require.NoError(t, x.WaitIdle(t.Context()))
		answer, err := x.Recall(t.Context(), ada, extension.Query{Text: text, Wait: true, Kinds: []extension.Kind{extension.KindEpisode}, Limit: 50})
		require.NoError(t, err)
		for _, r := range answer.Results {
			if r.Memory.Content == text && r.Memory.EventTime.Equal(now.Now()) {
				return &r.Memory
			}
		}
		t.Fatal("not found: " + text)
		return nil
	}
	plain := say("The tram stops at the harbour.")
	require.InDelta(t, 0.25+0.25*0.5, plain.Importance, 1e-9, "new, calm, without context")
	require.Empty(t, plain.Attributes["valence"])
	require.NotEmpty(t, plain.Attributes["tagged_until"])
	again := say("The tram stops at the harbour, the tram.")
	require.InDelta(t, 0.25*0.5+0.20, again.Importance, 1e-9, "nothing new, but what the talk is about")
	loud := say("URGENT!!! ERROR!!! I am so worried!")
	require.Equal(t, []string{"1", "-1", "fear"}, []string{loud.Attributes["arousal"], loud.Attributes["valence"], loud.Attributes["emotion"]})
	rated := say("The host rates this one.", eventbus.Importance(2))
	require.InDelta(t, 0.2, rated.Importance, 1e-9)
	require.Empty(t, rated.Attributes["tagged_until"])

	_, err := x.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	got, err := x.Get(t.Context(), ada, loud.UID)
	require.NoError(t, err)
	require.True(t, got.Memory.Pinned)
	require.False(t, got.Memory.Protected)

	// The mood of the question lifts what was said in it.
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "What error am I afraid of?", Wait: true})
	require.NoError(t, err)
	require.Negative(t, answer.Planned.Mood)
	require.Equal(t, loud.UID, answer.Results[0].Memory.UID)
	for _, s := range answer.Results[0].Signals {
		if s.Name == "similarity" {
			require.InDelta(t, 0.40*1.1*1.1, s.Weight, 1e-12)
		}
	}
}

func TestFailedAppraisalFallsBack(t *testing.T) {
	cfg := extension.Cognitive()
	var reported atomic.Int32
	cfg.Now, cfg.Night.NoSchedule = func() time.Time { return dualNow }, true
	cfg.Ranking.Appraise = func(appraise.Appraisal) float64 { panic("a secret") }
	cfg.Hooks.OnError = func(source string, err error) {
		require.NotContains(t, err.Error(), "a secret")
		reported.Add(1)
	}
	x, err := extension.Open(t.Context(), fresh(t), cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "Lunch at noon.")))
	require.NoError(t, x.WaitIdle(t.Context()))
	require.Positive(t, reported.Load())
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "lunch", Wait: true})
	require.NoError(t, err)
	require.InDelta(t, 0.3, answer.Results[0].Memory.Importance, 1e-9)
}

// What was said of lasting things is there after a year of nights.
func TestCognitiveYear(t *testing.T) {
	now := clock.At(dualNow)
	x := thinking(t, fresh(t), now)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I'm allergic to nuts.")))
	require.NoError(t, x.WaitIdle(t.Context()))
	for day := 1; day <= 365; day += 7 {
		now.Set(dualNow.AddDate(0, 0, day))
		_, err := x.Consolidate(t.Context(), ada)
		require.NoError(t, err)
	}
	profile, err := x.Profile(t.Context(), ada)
	require.NoError(t, err)
	require.Len(t, profile.Lines, 1)
	require.False(t, profile.Lines[0].Dormant)
}

func TestOutcomeOfUnknownMemory(t *testing.T) {
	x := thinking(t, fresh(t), clock.At(dualNow))
	rival := extension.Scope{User: "rival"}
	theirs, err := x.Remember(t.Context(), rival, "The walrus sings")
	require.NoError(t, err)
	_, err = x.Remember(t.Context(), ada, "The heron sings")
	require.NoError(t, err)
	require.ErrorIs(t, x.Outcome(t.Context(), ada, theirs.Memory.UID, false), extension.ErrNotFound)
	require.ErrorIs(t, x.Outcome(t.Context(), ada, "nope", false), extension.ErrNotFound)
	require.ErrorIs(t, x.Outcome(t.Context(), extension.Scope{User: "nobody"}, theirs.Memory.UID, false), extension.ErrNotFound)
	var invalid *extension.InvalidError
	require.ErrorAs(t, x.Outcome(t.Context(), extension.Scope{}, theirs.Memory.UID, false), &invalid)
	got, err := x.Get(t.Context(), rival, theirs.Memory.UID)
	require.NoError(t, err)
	require.InDelta(t, 0.5, got.Memory.Utility, 0)
	require.EqualValues(t, 1, got.Memory.Version)
}

func TestCognitiveOptionsValidation(t *testing.T) {
	for field, o := range map[string]extension.CognitiveOptions{
		"CognitiveOptions.Similarity":    {Similarity: -1},
		"CognitiveOptions.Lambda":        {Lambda: 1.1},
		"CognitiveOptions.MinRelevance":  {MinRelevance: -0.1},
		"Config.Injection.MinRelevance":  {MinRelevance: 1.1},
		"Config.Injection.FullRelevance": {FullRelevance: 1.1},
		"CognitiveOptions.Factor":        {Factor: math.Inf(1)},
		"CognitiveOptions.Capacity":      {Capacity: -3},
	} {
		_, err := extension.Open(t.Context(), fresh(t), o.Config())
		var invalid *extension.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
}

// What a conversation is about stays in its contexts for half an hour, and in no other's.
func TestWorkingSetOfAConversation(t *testing.T) {
	now := clock.At(dualNow)
	x := thinking(t, fresh(t), now)
	say := func(e eventbus.Event) {
		now.Set(now.Now().Add(time.Minute))
		require.NoError(t, x.Bus().Publish(t.Context(), e))
	}
	before := extension.Scope{User: "ada", Session: "before"}
	say(eventbus.AgentResponse(before, "The ferry to Vexmoor leaves at 7:15 from pier four."))
	say(eventbus.UserMessage(before, "I play the cello on Sundays."))
	require.NoError(t, x.WaitIdle(t.Context()))
	block := func(session, question string) string {
		s, err := x.Session(extension.Scope{User: "ada", Session: session})
		require.NoError(t, err)
		found, err := s.Context(t.Context(), question)
		require.NoError(t, err)
		return found.Block
	}
	const music = "Which violin teacher did Zelda hire?"
	require.NotContains(t, block("talk", music), "Vexmoor")
	require.Contains(t, block("talk", "When does the ferry to Vexmoor leave?"), "Vexmoor")
	require.Contains(t, block("talk", music), "Vexmoor")
	require.NotContains(t, block("another", music), "Vexmoor")
	require.NotContains(t, block("talk", "Thanks!"), "Vexmoor")
	now.Set(now.Now().Add(20 * time.Minute))
	require.Contains(t, block("talk", music), "Vexmoor")
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "ferry to Vexmoor", Wait: true})
	require.NoError(t, err)
	forgotten, err := x.Forget(t.Context(), ada, answer.Results[0].Memory.UID)
	require.NoError(t, err)
	require.NotContains(t, block("talk", music), "Vexmoor")
	_, err = x.Undo(t.Context(), ada, forgotten.RunID)
	require.NoError(t, err)
	require.Contains(t, block("talk", music), "Vexmoor")
	now.Set(now.Now().Add(31 * time.Minute))
	require.NotContains(t, block("talk", music), "Vexmoor")
}

// What rules choose stands in every context, within their bounds; one that fails costs
// nothing else.
func TestAlwaysInContext(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*extension.ContextRule)
		want   string // which of the three
	}{
		"by utility": {func(*extension.ContextRule) {}, "321"},
		"at most":    {func(r *extension.ContextRule) { r.Most = 2 }, "32"},
		"tokens":     {func(r *extension.ContextRule) { r.Tokens = 12 }, "3"},
		"by id":      {func(r *extension.ContextRule) { r.Worth = nil }, "123"},
		"when": {func(r *extension.ContextRule) {
			r.When = func(m *extension.Record, _ time.Time) bool { return m.Utility > 0.58 }
		}, "3"},
		"where": {func(r *extension.ContextRule) { r.Where.Kind = extension.KindPreference }, ""},
		"panic": {func(r *extension.ContextRule) { r.When = func(*extension.Record, time.Time) bool { panic("a secret") } }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rule := extension.ContextRule{Where: extension.Conditions{Kind: extension.KindFact}, Worth: func(m *extension.Record, _ time.Time) float64 { return m.Utility }}
			c.change(&rule)
			cfg := &extension.Config{Now: clock.At(dualNow).Now, CoreMemory: extension.CoreMemoryConfig{ProfileTokens: -1, Always: []extension.ContextRule{rule, rule}}}
			cfg.Night.NoSchedule = true
			x, err := extension.Open(t.Context(), fresh(t), cfg)
			require.NoError(t, err)
			defer func() { require.NoError(t, x.Close(context.Background())) }()
			for i, fact := range []string{"The depot is in Harrowgate, row 1", "The ferry sails to Vexmoor, quay 2", "The archive is in Tilbury, floor 3"} {
				r, err := x.Remember(t.Context(), ada, fact)
				require.NoError(t, err)
				for range i {
					require.NoError(t, x.Outcome(t.Context(), ada, r.Memory.UID, true))
				}
			}
			s, err := x.Session(extension.Scope{User: "ada", Session: "s"})
			require.NoError(t, err)
			found, err := s.Preview(t.Context(), "Which violin teacher did Zelda hire?")
			if name == "panic" {
				require.Error(t, err)
				require.NotContains(t, err.Error(), "a secret")
			} else {
				require.NoError(t, err)
			}
			got := ""
			for _, item := range found.Items {
				got += item.Memory.Content[len(item.Memory.Content)-1:]
			}
			require.ElementsMatch(t, strings.Split(c.want, ""), strings.Split(got, ""))
		})
	}
}

// A rule that fails in one turn is asked again in the next, and costs neither what it chose
// before nor the working set.
func TestRuleThatFailsOnceIsAskedAgain(t *testing.T) {
	now, fails := clock.At(dualNow), true
	rule := extension.ContextRule{Where: extension.Conditions{Kind: extension.KindFact}, When: func(*extension.Record, time.Time) bool {
		if fails {
			panic("once")
		}
		return true
	}}
	cfg := &extension.Config{Now: now.Now, CoreMemory: extension.CoreMemoryConfig{ProfileTokens: -1, Working: true, Always: []extension.ContextRule{rule}}}
	cfg.Night.NoSchedule = true
	x, err := extension.Open(t.Context(), fresh(t), cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	_, err = x.Remember(t.Context(), ada, "The depot is in Harrowgate")
	require.NoError(t, err)
	s, err := x.Session(extension.Scope{User: "ada", Session: "s"})
	require.NoError(t, err)
	for _, fails = range []bool{true, false, true, false} {
		found, err := s.Preview(t.Context(), "Which violin teacher did Zelda hire?")
		require.Equal(t, fails, err != nil)
		require.Equal(t, !fails || now.Now().After(dualNow), strings.Contains(found.Block, "Harrowgate"))
		if !fails {
			now.Add(6 * time.Minute)
		}
	}
}

// A question about times finds what held before, marked.
func TestTemporalQuestionsFindWhatHasEnded(t *testing.T) {
	now := clock.At(dualNow)
	x := thinking(t, fresh(t), now)
	for _, said := range []string{"I work at Fjordbank.", "I work at Nordlys now."} {
		now.Set(now.Now().AddDate(0, 0, 30))
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, said)))
		require.NoError(t, x.WaitIdle(t.Context()))
	}
	found := func(question string) (states []schema.State) {
		answer, err := x.Recall(t.Context(), ada, extension.Query{Text: question, Wait: true, Kinds: []extension.Kind{extension.KindFact}})
		require.NoError(t, err)
		for _, r := range answer.Results {
			states = append(states, r.Memory.State)
		}
		return states
	}
	require.Equal(t, []schema.State{schema.StateActive}, found("Which bank do I work at?"))
	require.Equal(t, []schema.State{schema.StateActive, schema.StateSuperseded}, found("When did I work at a bank?"))
}

// What rules, outcomes and plans leave behind goes with the memory.
func TestEraseCognitive(t *testing.T) {
	now := clock.At(dualNow)
	path := fresh(t)
	x := thinking(t, path, now)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "My sister Zorblatina lives in Vexmoor.")))
	require.NoError(t, x.WaitIdle(t.Context()))
	fact, err := x.Remember(t.Context(), ada, "Zorblatina keeps drindles")
	require.NoError(t, err)
	for range 5 {
		require.NoError(t, x.Outcome(t.Context(), ada, fact.Memory.UID, true))
	}
	_, err = x.Recall(t.Context(), ada, extension.Query{Text: "Where does Zorblatina live, and who keeps drindles?"})
	require.NoError(t, err)
	session, err := x.Session(extension.Scope{User: "ada", Session: "s"})
	require.NoError(t, err)
	call := func(fact string) {
		_, err := session.CallTool(t.Context(), llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: "remember_fact", Arguments: `{"content": "` + fact + `"}`}})
		require.NoError(t, err)
	}
	call("Zorblatina keeps drindles and quangs in Vexmoor")
	call("Zorblatina keeps drindles and small quangs in Vexmoor")
	_, err = session.Context(t.Context(), "Where does Zorblatina live?")
	require.NoError(t, err)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.AgentResponse(session.Scope(), "In Vexmoor, with her quangs.")))
	require.NoError(t, x.WaitIdle(t.Context()))
	now.Set(dualNow.AddDate(0, 0, 8))
	report, err := x.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	require.Positive(t, report.Changes())
	_, err = x.Erase(t.Context(), ada, extension.Erasure{Everything: true})
	require.NoError(t, err)
	require.NoError(t, x.Close(t.Context()))
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, canary := range []string{"Zorblatina", "zorblatina", "Vexmoor", "drindles", "quangs"} {
			require.NotContains(t, string(raw), canary, file)
		}
	}
}

// Relations come with a night, explain themselves, travel with an export, and go with
// what they relate.
func TestCognitiveRelations(t *testing.T) {
	now := clock.At(dualNow)
	path := fresh(t)
	x := thinking(t, path, now)
	remember := func(text string) string {
		r, err := x.Remember(t.Context(), ada, text)
		require.NoError(t, err)
		return r.Memory.UID
	}
	lives, bees, hives := remember("Noor lives in Bergen near the harbour"), remember("Noor keeps bees in Bergen near the harbour"), remember("Noor sold honey in Bergen near the harbour")
	require.NoError(t, x.WaitIdle(t.Context()))
	relations := func(x *extension.Extension, id string) (of []string) {
		d, err := x.Get(t.Context(), ada, id)
		require.NoError(t, err)
		for _, r := range d.Relations {
			of = append(of, r.Name()+" "+r.Memory.Content)
		}
		return of
	}
	dry, err := x.ConsolidateDry(t.Context(), ada)
	require.NoError(t, err)
	require.Contains(t, dry.Summary(), "relate applied")
	require.Empty(t, relations(x, lives), "nothing is changed")
	_, err = x.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	runs, err := x.Runs(t.Context(), ada, 1)
	require.NoError(t, err)
	require.Contains(t, string(runs[0].Stages), `"kind":"relate"`)
	require.Equal(t, []string{"elaborated by Noor keeps bees in Bergen near the harbour", "elaborated by Noor sold honey in Bergen near the harbour"}, relations(x, lives))

	var exported bytes.Buffer
	_, err = x.Export(t.Context(), &exported, ada)
	require.NoError(t, err)
	copied := thinking(t, fresh(t), now)
	_, err = copied.Import(t.Context(), bytes.NewReader(exported.Bytes()), transfer.ImportOptions{Restore: true})
	require.NoError(t, err)
	require.NoError(t, copied.WaitIdle(t.Context()))
	require.Equal(t, relations(x, lives), relations(copied, lives))
	again, err := copied.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	require.NotContains(t, again.Summary(), "relate applied", "what was looked at is not looked at again")

	forgotten, err := x.Forget(t.Context(), ada, bees)
	require.NoError(t, err)
	require.Equal(t, []string{"elaborated by Noor sold honey in Bergen near the harbour"}, relations(x, lives))
	_, err = x.Undo(t.Context(), ada, forgotten.RunID)
	require.NoError(t, err)
	require.Len(t, relations(x, lives), 2, "undoing brings them back")
	_, err = x.Erase(t.Context(), ada, extension.Erasure{Memories: []string{hives}})
	require.NoError(t, err)
	exported.Reset()
	_, err = x.Export(t.Context(), &exported, ada)
	require.NoError(t, err)
	for line := range strings.Lines(exported.String()) {
		if strings.HasPrefix(line, `{"link"`) {
			require.NotContains(t, line, hives)
		}
	}
	require.NoError(t, x.Close(t.Context()))
	for _, file := range []string{path, path + "-wal"} {
		if raw, err := os.ReadFile(file); err == nil {
			require.NotContains(t, string(raw), "honey")
		}
	}
}

// What was shown together three times lifts each other, for its user alone.
func TestShownTogether(t *testing.T) {
	now := clock.At(dualNow)
	x := thinking(t, fresh(t), now)
	for _, user := range []string{"ada", "rival"} {
		for _, text := range []string{"Noor's ferry leaves at 7:15.", "Noor's ferry leaves from pier four."} {
			now.Set(now.Now().Add(time.Minute))
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{User: user, Session: "said"}, text, eventbus.Trusted(3)))) // no line of the profile
		}
	}
	require.NoError(t, x.WaitIdle(t.Context()))
	lifted := func(scope extension.Scope) (n int) {
		now.Set(now.Now().Add(6 * time.Minute)) // what is known of pairs is read again
		answer, err := x.Recall(t.Context(), scope, extension.Query{Text: "When does Noor's ferry leave?", Wait: true, Kinds: []extension.Kind{extension.KindEpisode}})
		require.NoError(t, err)
		require.Len(t, answer.Results, 2)
		for _, r := range answer.Results {
			value, explained := signal(r, "together")
			require.True(t, explained)
			n += int(value)
		}
		return n
	}
	for shown, want := range []int{0, 0, 0, 2} {
		require.Equal(t, want, lifted(ada), "shown together %d times", shown)
		require.Zero(t, lifted(extension.Scope{User: "rival"}))
		session, err := x.Session(extension.Scope{User: "ada", Session: strconv.Itoa(shown)})
		require.NoError(t, err)
		found, err := session.Context(t.Context(), "When does Noor's ferry leave?")
		require.NoError(t, err)
		require.Contains(t, found.Block, "pier four")
		require.Contains(t, found.Block, "7:15")
		require.NoError(t, x.WaitIdle(t.Context()))
	}
}
