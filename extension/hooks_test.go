package extension_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/callbacks"
	lcmemory "github.com/tmc/langchaingo/memory"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/tenants"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

func healthOf(t *testing.T, x *extension.Extension) *extension.Health {
	t.Helper()
	h, err := x.Health(t.Context())
	require.NoError(t, err)
	return h
}

// A hook that panics is reported and ends nothing.
func TestPanicsOfHooks(t *testing.T) {
	var told atomic.Int32
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &extension.Config{
		Night:      extension.NightConfig{NoSchedule: true},
		CoreMemory: extension.CoreMemoryConfig{ProfileTokens: -1}, // it would show the fact in place of a result
		Hooks: extension.Hooks{
			OnError:    func(string, error) { told.Add(1); panic("OnError fails") },
			OnRecall:   func(extension.Scope, string, *extension.Answer) { panic("OnRecall fails") },
			OnProgress: func(extension.Progress) { panic("OnProgress fails") },
			OnOperation: func(_ context.Context, op extension.Operation) (context.Context, func(int, error)) {
				if op.Name == "search" {
					panic("OnOperation fails")
				}
				return nil, nil
			},
		},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	ada := extension.Scope{User: "ada", Session: "s"}
	s, err := x.Session(ada)
	require.NoError(t, err)
	require.NoError(t, s.Memory().SaveContext(t.Context(), map[string]any{"input": "My sister Noor lives in Ghent."}, map[string]any{"output": "Noted."}))
	later, err := x.Session(extension.Scope{User: "ada", Session: "t"})
	require.NoError(t, err)
	loaded, err := later.Memory().LoadMemoryVariables(t.Context(), map[string]any{"input": "Where does my sister Noor live?"})
	require.NoError(t, err)
	require.Contains(t, loaded["history"], "Ghent", "the turn goes on")
	_, err = x.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	h := healthOf(t, x)
	require.False(t, h.Healthy())
	var sources []string
	for _, f := range h.Failures {
		sources = append(sources, f.Source)
		require.Contains(t, f.Error, "panicked")
		require.NotContains(t, f.Error, "fails", "a panic may hold a user's text")
	}
	require.ElementsMatch(t, []string{"hook OnError", "hook OnRecall", "hook OnProgress", "hook OnOperation"}, sources)
	require.Positive(t, told.Load())
}

// A panic in a function of the config stops nothing, from any entry point and in any
// goroutine: the default result is used, and the panic is reported.
func TestPanicsOfConfigFunctions(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var broken atomic.Bool
	var f faults
	cfg := &extension.Config{
		Night: extension.NightConfig{NoSchedule: true},
		Now: func() time.Time {
			if broken.Load() {
				panic("Now fails")
			}
			return noon
		},
		Injection: extension.InjectionConfig{Skip: func(string) bool { panic("Skip fails") }},
		Ranking: extension.RankingConfig{
			Rater:     func(*extension.Record) float64 { panic("Rater fails") },
			Retention: func(*extension.Record, time.Time) float64 { panic("Retention fails") },
		},
		Attributes: func(extension.Scope) map[string]string { panic("Attributes fails") },
		Hooks:      extension.Hooks{OnError: f.hook},
	}
	x, err := extension.Open(t.Context(), fresh(t), cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	broken.Store(true)
	s := session(t, x, ada)
	m := s.Memory()
	inputs := map[string]any{"input": "My sister Noor lives in Ghent."}
	_, err = m.LoadMemoryVariables(t.Context(), inputs)
	require.NoError(t, err)
	require.NoError(t, m.SaveContext(t.Context(), inputs, map[string]any{"output": "Noted."}))
	require.NoError(t, x.WaitIdle(t.Context()))
	loaded, err := session(t, x, extension.Scope{User: "ada", Session: "later"}).Memory().LoadMemoryVariables(t.Context(), map[string]any{"input": "Where does my sister Noor live?"})
	require.NoError(t, err)
	require.Contains(t, loaded["history"], "Ghent")
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "sister Noor Ghent"})
	require.NoError(t, err)
	stored, err := x.Get(t.Context(), ada, answer.Results[0].Memory.UID)
	require.NoError(t, err)
	require.Equal(t, noon, stored.Memory.CreatedAt.Time, "the clock stands still")
	require.Positive(t, stored.Memory.Importance, "rated by default")
	_, err = x.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	_, err = x.Import(t.Context(), strings.NewReader(`{"user":"ada","session":"s","role":"user","text":"Noor has a cat.","time":"2026-03-01T09:00:00Z"}`+"\n"),
		transfer.ImportOptions{Scope: ada, Progress: func(int64, int64) { panic("Progress fails") }})
	require.NoError(t, err)

	sources := make(map[string]bool)
	for _, failure := range healthOf(t, x).Failures {
		sources[failure.Source] = true
		require.NotContains(t, failure.Error, "fails", "a panic may hold a user's text")
	}
	for _, source := range []string{"hook Now", "hook Skip", "hook Rater", "hook Retention", "attributes", "hook Progress"} {
		require.True(t, sources[source], "%s is reported: %v", source, sources)
	}
	reported := slices.DeleteFunc(slices.Clone(f.all), func(s string) bool { return !strings.HasPrefix(s, "hook Now") })
	require.Len(t, reported, 1, "once, and not at every reading")

	_, err = x.Recall(t.Context(), ada, extension.Query{Text: "sister Noor Ghent", Skip: func(*extension.Record) bool { panic("Skip fails") }})
	require.EqualError(t, err, "Query.Skip failed: panicked with a string", "not an answer without what it would have let through")
	_, err = x.Import(t.Context(), strings.NewReader(`{"role":"user","text":"Noor has a dog.","time":"2026-03-01T09:00:00Z"}`+"\n"),
		transfer.ImportOptions{Scope: ada, Clock: func(time.Time) { panic("Clock fails") }})
	require.ErrorContains(t, err, "ImportOptions.Clock failed: panicked with a string")
}

type throwing struct{ *lcmemory.ConversationBuffer }

func (throwing) GetMemoryKey(context.Context) string      { panic("it fails") }
func (throwing) MemoryVariables(context.Context) []string { panic("it fails") }
func (throwing) LoadMemoryVariables(context.Context, map[string]any) (map[string]any, error) {
	panic("it fails")
}
func (throwing) Clear(context.Context) error { panic("it fails") }

func (throwing) Read([]byte) (int, error)  { panic("it fails") }
func (throwing) Write([]byte) (int, error) { panic("it fails") }

// What a host passes to one call may panic too: the call returns an error, or goes on
// without it.
func TestPanicsOfArguments(t *testing.T) {
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Night: extension.NightConfig{NoSchedule: true}, Hooks: extension.Hooks{
		OnError:     func(string, error) {},
		OnOperation: func(context.Context, extension.Operation) (context.Context, func(int, error)) { panic("it fails") },
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	_, err = x.Remember(t.Context(), ada, "I live in Ghent.")
	require.NoError(t, err)

	m := session(t, x, ada).Memory(extension.WithInner(throwing{}))
	require.Empty(t, m.GetMemoryKey(t.Context()))
	require.Empty(t, m.MemoryVariables(t.Context()))
	_, err = m.LoadMemoryVariables(t.Context(), map[string]any{"input": "Where do I live?"})
	require.EqualError(t, err, "the inner memory failed: panicked with a string")
	require.EqualError(t, m.Clear(t.Context()), "the inner memory failed: panicked with a string")

	_, err = x.Import(t.Context(), throwing{}, transfer.ImportOptions{Scope: ada})
	require.ErrorContains(t, err, "the reader failed: panicked with a string")
	_, err = x.Export(t.Context(), throwing{}, ada)
	require.EqualError(t, err, "the writer failed: panicked with a string")

	if x.Capabilities().File {
		copied := filepath.Join(t.TempDir(), "copy.db")
		_, err = x.Backup(t.Context(), copied, func(int64, int64) { panic("it fails") })
		require.NoError(t, err)
		_, err = extension.BackupFile(t.Context(), copied, copied+"2", extension.Key{}, func(int64, int64) { panic("it fails") })
		require.NoError(t, err)
	}

	var sources []string
	for _, f := range healthOf(t, x).Failures {
		sources = append(sources, f.Source)
	}
	want := []string{"hook the inner memory", "hook OnOperation"}
	if x.Capabilities().File {
		want = append(want, "hook Progress")
	}
	require.ElementsMatch(t, want, sources)
}

type nameless struct{ extension.Stage }

func (nameless) Name() string { panic("it fails") }

// What Open asks for itself is its error.
func TestPanicsDuringOpen(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  extension.Config
		want string
	}{
		"the zero time":  {extension.Config{Now: func() time.Time { return time.Time{} }}, "Config.Now must give a time from the year 1 to 9999, and not the zero time"},
		"no clock":       {extension.Config{Now: func() time.Time { panic("Now fails") }}, "Config.Now must give the time: it panicked with a string"},
		"stages":         {extension.Config{Night: extension.NightConfig{Stages: func([]extension.Stage) []extension.Stage { panic("Stages fails") }}}, "Config.Night.Stages failed: panicked with a string"},
		"a stage's name": {extension.Config{Night: extension.NightConfig{Stages: func([]extension.Stage) []extension.Stage { return []extension.Stage{nameless{}} }}}, "Config.Night.Stages failed: panicked with a string"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := extension.Open(t.Context(), fresh(t), &c.cfg)
			require.EqualError(t, err, c.want)
			if c.cfg.Now != nil {
				_, err = tenants.Open(t.Context(), t.TempDir(), &tenants.Config{Memory: &c.cfg})
				require.EqualError(t, err, c.want)
			}
		})
	}
}

// panickyHandler is a callbacks handler of a host's that panics.
type panickyHandler struct{ callbacks.SimpleHandler }

func (panickyHandler) HandleToolStart(context.Context, string) { panic("a handler fails") }

func TestPanicOfToolHandler(t *testing.T) {
	var f faults
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{NoBackground: true, Hooks: extension.Hooks{OnError: f.hook}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	for _, tool := range session(t, x, ada).Tools(panickyHandler{}) {
		if tool.Name() == "memory_stats" {
			_, err := tool.Call(t.Context(), "{}")
			require.NoError(t, err)
		}
	}
	require.Equal(t, []string{"hook HandleToolStart: Handler.HandleToolStart failed: panicked with a string"}, f.all)
}

// A refused message is a failure until the same source has stored another message.
// Then it is listed as overcome.
func TestRefusedMessageAndHealth(t *testing.T) {
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &extension.Config{NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	s, err := x.Session(extension.Scope{User: "ada", Session: "s"})
	require.NoError(t, err)
	save := func(said string) {
		require.NoError(t, s.Memory().SaveContext(t.Context(), map[string]any{"input": said}, map[string]any{"output": ""}))
	}
	save("I have a brother.")
	require.True(t, healthOf(t, x).Healthy())
	save("\x00")
	h := healthOf(t, x)
	require.False(t, h.Healthy())
	require.Empty(t, h.Overcome)
	save("I have two brothers.")
	h = healthOf(t, x)
	require.True(t, h.Healthy())
	require.Len(t, h.Overcome, 1)
	require.Equal(t, "memory", h.Overcome[0].Source)
	save("\x00")
	h = healthOf(t, x)
	require.False(t, h.Healthy())
	require.EqualValues(t, 2, h.Failures[0].Count)

	// Storing answers does not clear the failure of an ambiguous question.
	ambiguous := map[string]any{"a": "one text", "b": "another text"}
	_, err = s.Memory().LoadMemoryVariables(t.Context(), ambiguous)
	require.NoError(t, err)
	save("I have three brothers.")
	require.False(t, healthOf(t, x).Healthy())
}

// Close keeps its deadline although another process holds the write lock.
func TestCloseKeepsItsDeadlineUnderALock(t *testing.T) {
	pgtest.FileOnly(t, "its only writer")
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "memory.db")
	x, err := extension.Open(ctx, path, &extension.Config{NoBackground: true})
	require.NoError(t, err)
	other, err := schema.Open(ctx, path, nil)
	require.NoError(t, err)
	held, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 2)
	go func() {
		done <- other.Write(ctx, func(context.Context, *schema.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	begun := make(chan struct{})
	go func() {
		close(begun)
		done <- x.Bus().Publish(ctx, eventbus.UserMessage(extension.Scope{User: "ada"}, "while it is locked"))
	}()
	<-begun
	time.Sleep(20 * time.Millisecond) // until the publish waits for the lock
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, x.Close(short), context.DeadlineExceeded)
	close(release)
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	require.NoError(t, x.Close(ctx))
	require.NoError(t, other.Close())
}
