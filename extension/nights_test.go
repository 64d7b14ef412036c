package extension_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/schema"
)

// asking is a stage that asks the model once for each episode it has not seen.
type asking struct{}

func (asking) Name() string { return "asking" }

func (asking) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	through, err := in.Watermark(ctx, "asking")
	if err != nil {
		return err
	}
	var episodes []schema.Memory
	if err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		episodes, err = s.EpisodesAfter(ctx, in.UserID, through, 100)
		return err
	}); err != nil {
		return err
	}
	for i, e := range episodes {
		in.Progress(i, len(episodes))
		err := in.Model.Ask(ctx, ask.Prompt{Name: "probe", Version: 3, System: "Say yes.", User: e.Content}, func(decode func(any) error) error {
			var answer struct{ Yes bool }
			if err := decode(&answer); err != nil {
				return err
			}
			if !answer.Yes {
				return errors.New("say yes")
			}
			return nil
		})
		var useless *ask.AnswerError
		proposals := []consolidate.Proposal{consolidate.Advance{Stage: "asking", Through: e.ID}}
		switch {
		case errors.As(err, &useless):
			proposals = append(proposals, consolidate.Skip{Stage: "asking", Memories: []string{e.UID}, Reason: err.Error()})
		case err != nil:
			return err
		}
		if _, err := apply(ctx, proposals...); err != nil {
			return err
		}
		in.Count("asked", 1)
	}
	return nil
}

func onlyAsking([]consolidate.Stage) []consolidate.Stage { return []consolidate.Stage{asking{}} }

func heard(t *testing.T, x *extension.Extension, texts ...string) extension.Scope {
	t.Helper()
	scope := extension.Scope{User: "ada", Session: "monday"}
	for _, text := range texts {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, text)))
	}
	return scope
}

func TestNightBudgetAndProgress(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Contains("garbage"), llmtest.Text("no idea"))
	server.On(llmtest.Any, llmtest.Text(`{"yes": true}`))
	var steps atomic.Int64
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &extension.Config{
		Model: server.LLM(t),
		Night: extension.NightConfig{
			NoSchedule: true, Stages: onlyAsking,
			Budget: extension.Budget{Calls: 3}, Prices: extension.Prices{Input: 1e6, Output: 1e6}, // a token costs 1
		},
		Hooks: extension.Hooks{OnProgress: func(extension.Progress) { steps.Add(1) }},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	scope := heard(t, x, "one apple", "garbage", "three plums", "four figs")

	dry, err := x.ConsolidateDry(t.Context(), scope)
	require.NoError(t, err)
	require.True(t, dry.Dry)
	runs, err := x.Runs(t.Context(), scope, 0)
	require.NoError(t, err)
	require.Empty(t, runs, "a dry run is none")

	first, err := x.Consolidate(t.Context(), scope)
	require.NoError(t, err)
	require.Equal(t, 3, first.Usage.Calls, "one for the apple, two for garbage")
	require.Equal(t, 2, first.Usage.Faults)
	require.True(t, first.Stages[0].OutOfBudget)
	require.Equal(t, []string{"probe@3"}, first.Stages[0].Prompts)
	require.Positive(t, steps.Load())
	second, err := x.Consolidate(t.Context(), scope)
	require.NoError(t, err)
	require.Equal(t, 2, second.Usage.Calls, "what did not fit comes first")
	require.InDelta(t, second.Usage.InputTokens+second.Usage.OutputTokens, second.Usage.Cost, 1e-6)

	stats, err := x.Stats(t.Context(), scope)
	require.NoError(t, err)
	require.EqualValues(t, 2, stats.Model.Faults, "a night that goes well forgets no fault")
	require.EqualValues(t, 5, stats.Model.Calls)
	require.EqualValues(t, 1, stats.Gaps.Batches)
	require.EqualValues(t, 1, stats.Gaps.Messages)
	require.Zero(t, stats.Gaps.GivenUp)
	require.Contains(t, stats.Gaps.LastError, "no usable answer to probe@3")
	require.Equal(t, second.Summary(), stats.LastSummary)
	require.True(t, stats.Health.Healthy(), "old faults and a gap that is tried again are no illness")

	runs, err = x.Runs(t.Context(), scope, 1)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	require.Equal(t, second.RunID, runs[0].UID, "newest first")
	recorded, err := consolidate.Recorded(&runs[0])
	require.NoError(t, err)
	require.Equal(t, second.Usage, recorded.Usage)

	undone, err := x.Undo(t.Context(), scope, first.RunID)
	require.NoError(t, err)
	require.NotEmpty(t, undone.Kept, "the second run went on from the first's watermark")
	_, err = x.Undo(t.Context(), scope, first.RunID)
	require.ErrorIs(t, err, extension.ErrConflict)
	_, err = x.Undo(t.Context(), extension.Scope{User: "ben"}, second.RunID)
	require.ErrorIs(t, err, extension.ErrNotFound)

	tool := ""
	s, err := x.Session(scope)
	require.NoError(t, err)
	for _, one := range s.Tools() {
		if one.Name() == "memory_stats" {
			tool, err = one.Call(t.Context(), "{}")
			require.NoError(t, err)
		}
	}
	var told struct {
		Model struct{ Faults int } `json:"model"`
		Last  map[string]any       `json:"last_run"`
	}
	require.NoError(t, json.Unmarshal([]byte(tool), &told), tool)
	require.Equal(t, 2, told.Model.Faults)
	require.NotContains(t, told.Last, "stages")
}

// broken is a stage that fails.
type broken struct{}

func (broken) Name() string { return "broken" }
func (broken) Propose(context.Context, *consolidate.Input, consolidate.Apply) error {
	return errors.New("the stage broke")
}

func TestFailedNightIsReported(t *testing.T) {
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &extension.Config{
		Night: extension.NightConfig{NoSchedule: true, Stages: func(list []extension.Stage) []extension.Stage { return append(list, broken{}) }},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	scope := heard(t, x, "hello there")
	told := make(chan eventbus.Consolidated, 1)
	_, err = x.Bus().Subscribe(t.Context(), "host", func(_ context.Context, e eventbus.Event) error {
		var c eventbus.Consolidated
		err := e.Decode(&c)
		told <- c
		return err
	}, eventbus.Topics(eventbus.TopicMemoryConsolidated))
	require.NoError(t, err)
	report, err := x.Consolidate(t.Context(), scope)
	var failed *extension.StageError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, "broken", failed.Stage)
	require.Equal(t, "failed", report.State)
	event := <-told
	require.Equal(t, "failed", event.State)
	require.Contains(t, event.Error, "stage broken: the stage failed", "what a host's own stage says may hold a text")
	health, err := x.Health(t.Context())
	require.NoError(t, err)
	require.True(t, health.NightFailed)
	require.False(t, health.Healthy())
}

// episodic is a stage made of a function.
type episodic func(context.Context) error

func (episodic) Name() string { return "episodic" }

func (f episodic) Propose(ctx context.Context, _ *consolidate.Input, _ consolidate.Apply) error {
	return f(ctx)
}

func TestEventsOfDueNights(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	nights := []func(context.Context) error{
		func(context.Context) error { return errors.New("the stage broke") },
		func(ctx context.Context) error { cancel(); return ctx.Err() },
		func(context.Context) error { return nil },
	}
	var days atomic.Int64
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{
		Now: func() time.Time { return time.Now().AddDate(0, 0, int(days.Load())) },
		Night: extension.NightConfig{NoSchedule: true, Stages: func([]extension.Stage) []extension.Stage {
			return []extension.Stage{episodic(func(ctx context.Context) error {
				night := nights[0]
				nights = nights[1:]
				return night(ctx)
			})}
		}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	heard(t, x, "hello there")
	require.NoError(t, x.WaitIdle(t.Context()))
	days.Store(3)
	require.Error(t, x.RunDueNights(t.Context()))
	require.ErrorIs(t, x.RunDueNights(ctx), context.Canceled)
	require.NoError(t, x.RunDueNights(t.Context()))
	require.NoError(t, x.RunDueNights(t.Context()), "the day is done")
	require.Empty(t, nights)
	var told []eventbus.Consolidated
	_, err = x.Bus().Subscribe(t.Context(), "host", func(_ context.Context, e eventbus.Event) error {
		told = append(told, eventbus.Consolidated{})
		return e.Decode(&told[len(told)-1])
	}, eventbus.Topics(eventbus.TopicMemoryConsolidated), eventbus.FromStart())
	require.NoError(t, err)
	require.NoError(t, x.WaitIdle(t.Context()))
	require.Len(t, told, 2, "the night that was cut off ends with the next attempt: %+v", told)
	require.Equal(t, "failed", told[0].State)
	require.Contains(t, told[0].Error, "stage episodic")
	require.Equal(t, "done", told[1].State)
	require.Empty(t, told[1].Error)
}

func TestNightConfigValidation(t *testing.T) {
	for field, cfg := range map[string]extension.Config{
		"Config.Night.ModelTimeout": {Night: extension.NightConfig{ModelTimeout: -time.Second}},
		"Config.Night.Prices":       {Night: extension.NightConfig{Prices: extension.Prices{Input: -1}}},
		"Config.Night.Budget.Cost":  {Night: extension.NightConfig{Budget: extension.Budget{Cost: 2}}},
		"RunnerOptions.Stages": {Night: extension.NightConfig{Stages: func([]extension.Stage) []extension.Stage {
			return []extension.Stage{broken{}, broken{}}
		}}},
	} {
		_, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &cfg)
		var invalid *extension.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
}

// slow is a stage that takes until its test says.
type slow struct{ began, end chan struct{} }

func (slow) Name() string { return "slow" }

func (s slow) Propose(context.Context, *consolidate.Input, consolidate.Apply) error {
	close(s.began)
	<-s.end
	return nil
}

func TestUndoOfAForgettingDuringANight(t *testing.T) {
	stage := slow{make(chan struct{}), make(chan struct{})}
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Night: extension.NightConfig{
		NoSchedule: true, Stages: func([]extension.Stage) []extension.Stage { return []extension.Stage{stage} }}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	stated, err := x.Remember(t.Context(), ada, "I keep bees.")
	require.NoError(t, err)
	forgotten, err := x.Forget(t.Context(), ada, stated.Memory.UID)
	require.NoError(t, err)
	night := make(chan error, 1)
	go func() {
		_, err := x.Consolidate(context.Background(), ada)
		night <- err
	}()
	select {
	case <-stage.began:
	case err := <-night:
		require.FailNow(t, "the night ended without its stage", err)
	}
	_, err = x.Undo(t.Context(), ada, forgotten.RunID)
	close(stage.end)
	require.NoError(t, err)
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "bees", Wait: true})
	require.NoError(t, err)
	require.Len(t, answer.Results, 1)
	require.NoError(t, <-night)
}
