package extension

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
)

// A reader of an older snapshot keeps the log from being truncated. The erasure reports
// that, and completes on its own once the reader is gone.
func TestErasureBlockedByReaderIsReportedAndFinished(t *testing.T) {
	pgtest.FileOnly(t, "its log")
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	x, err := Open(t.Context(), path, &Config{NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The Xylqorvant is blue", eventbus.WithID("m1"))))

	reader, err := schema.Open(t.Context(), path, &schema.Options{ReadOnly: true})
	require.NoError(t, err)
	reading, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_ = reader.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
			var n int
			err := s.Row(ctx, "SELECT count(*) FROM memories", nil, &n)
			close(reading)
			<-release
			return err
		})
	}()
	<-reading
	receipt, err := x.Erase(t.Context(), ada, Erasure{Events: []string{"m1"}})
	var unfinished *ErasureError
	require.ErrorAs(t, err, &unfinished)
	require.ErrorIs(t, err, ErrBusy)
	require.Equal(t, erase.Logged, unfinished.State)
	require.Contains(t, err.Error(), "write-ahead log")
	require.Equal(t, erase.Logged, receipt.State)
	require.NotEmpty(t, receipt.Pending)
	require.EqualValues(t, 1, receipt.Erased["memories"])
	health, err := x.Health(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, health.OpenErasures)
	require.False(t, health.Healthy())
	require.NotEmpty(t, holding(t, path, []byte("Xylqorvant")), "the log has it still: it was right to say so")
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The kettle is green", eventbus.WithID("m2"))), "writing goes on")

	close(release)
	<-done
	require.NoError(t, reader.Close())
	require.Eventually(t, func() bool {
		health, err := x.Health(t.Context())
		return err == nil && health.OpenErasures == 0
	}, 20*time.Second, 10*time.Millisecond)
	require.Empty(t, holding(t, path, forms("Xylqorvant")...))
	receipts, err := x.Erasures(t.Context(), ada)
	require.NoError(t, err)
	require.Len(t, receipts, 1)
	require.Equal(t, receipt.ID, receipts[0].ID)
	require.Equal(t, erase.Done, receipts[0].State)
	require.Empty(t, receipts[0].Pending)
}

// many publishes so many messages of ada's in session "monday", and one beside.
func many(t *testing.T, x *Extension, n int) {
	t.Helper()
	var turns strings.Builder
	for i := range n {
		fmt.Fprintf(&turns, `{"id":"m%d","session":"monday","time":"2026-01-02T03:04:05Z","text":"The Xylqorvant number %d is blue"}`+"\n", i, i)
	}
	turns.WriteString(`{"id":"t","session":"tuesday","time":"2026-01-03T03:04:05Z","text":"The kettle is green"}`)
	_, err := x.Import(t.Context(), strings.NewReader(turns.String()), transfer.ImportOptions{Scope: ada})
	require.NoError(t, err)
}

// cutOff stops a large erasure after its first transactions, as the end of the
// process would.
func cutOff(t *testing.T, path string, what Erasure, after int) {
	t.Helper()
	var calls atomic.Int32 // the background asks for the time too
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	db, err := schema.Open(t.Context(), path, &schema.Options{Now: func() time.Time {
		if calls.Add(1) > int32(after) {
			cancel()
		}
		return time.Now()
	}})
	require.NoError(t, err)
	_, err = erase.Run(ctx, db, ada, what, memory.ByHost)
	require.Error(t, err)
	var unfinished *ErasureError
	require.ErrorAs(t, err, &unfinished)
	require.True(t, errors.Is(err, context.Canceled))
	require.NoError(t, db.Close())
}

func TestInterruptedErasureHidesAllAndResumesAtOpen(t *testing.T) {
	pgtest.FileOnly(t, "the number of its writes")
	t.Parallel()
	const n = 1200
	for _, test := range []struct {
		name string
		what Erasure
		left int
	}{
		{"a session", Erasure{Sessions: []string{"monday"}}, 1},
		{"a span of time", Erasure{Until: time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)}, 1},
		{"a user", Erasure{Everything: true}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			x, err := Open(t.Context(), path, &Config{NoBackground: true})
			require.NoError(t, err)
			many(t, x, n)
			require.NoError(t, x.Close(t.Context()))
			cutOff(t, path, test.what, 4)

			// Looking only: nothing goes on, and nothing of it is found.
			x, err = Open(t.Context(), path, &Config{ReadOnly: true})
			require.NoError(t, err)
			require.NotEmpty(t, holding(t, path, []byte("Xylqorvant")), "there is something left to finish")
			answer, err := x.Recall(t.Context(), ada, Query{Text: "Xylqorvant number kettle", Limit: 50})
			require.NoError(t, err)
			require.Len(t, answer.Results, test.left)
			listed, err := x.Timeline(t.Context(), ada, TimelineQuery{})
			require.NoError(t, err)
			require.Len(t, listed, test.left)
			health, err := x.Health(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 1, health.OpenErasures)
			require.NoError(t, x.Close(t.Context()))
			_, checks := Examine(t, path)
			require.Contains(t, strings.Join(checks, "\n"), "erasures: warning 1 not finished")

			x, err = Open(t.Context(), path, &Config{NoBackground: true})
			require.NoError(t, err)
			defer func() { require.NoError(t, x.Close(context.Background())) }()
			require.Eventually(t, func() bool {
				health, err := x.Health(t.Context())
				return err == nil && health.OpenErasures == 0
			}, 20*time.Second, 10*time.Millisecond)
			require.Empty(t, holding(t, path, forms("Xylqorvant")...))
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The Xylqorvant number 7 is blue", eventbus.WithID("m7"))))
			require.Empty(t, holding(t, path, forms("Xylqorvant")...))
			of := ada
			if test.what.Everything {
				of = Scope{}
			}
			receipts, err := x.Erasures(t.Context(), of)
			require.NoError(t, err)
			require.Len(t, receipts, 1)
			require.EqualValues(t, n+1-test.left, receipts[0].Erased["memories"], "counted over both processes")
			require.EqualValues(t, 2*(n+1-test.left), receipts[0].Erased["events"])
			diagnosed(t, path)
		})
	}
}

// Another process knows the user's row by its number. It must not write under
// that number once the user was erased.
func TestStaleUserIDOfAnotherProcessAfterErase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	x, err := Open(t.Context(), path, &Config{NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	y, err := Open(t.Context(), path, &Config{NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, y.Close(context.Background())) }()
	monday := Scope{User: "ada", Session: "monday"}
	for i, one := range []*Extension{x, y} {
		require.NoError(t, one.Bus().Publish(t.Context(), eventbus.UserMessage(monday, fmt.Sprint("The Xylqorvant is blue ", i))))
	}
	_, err = y.Recall(t.Context(), monday, Query{Text: "Xylqorvant"})
	require.NoError(t, err)
	for _, what := range []Erasure{{Sessions: []string{"monday"}}, {Everything: true}} {
		_, err = x.Erase(t.Context(), monday, what)
		require.NoError(t, err)
		require.NoError(t, y.Bus().Publish(t.Context(), eventbus.UserMessage(monday, "The kettle is green")))
		for _, one := range []*Extension{x, y} {
			answer, err := one.Recall(t.Context(), monday, Query{Text: "Xylqorvant or kettle"})
			require.NoError(t, err)
			require.Len(t, answer.Results, 1)
			require.Equal(t, "The kettle is green", answer.Results[0].Memory.Content)
		}
	}
	diagnosed(t, path)
}

// What is kept in memory goes too.
func TestIndexesDropErased(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	x, err := Open(t.Context(), path, &Config{Night: NightConfig{NoSchedule: true}, Embedding: EmbeddingConfig{Embedder: letters{}, Model: "letters"}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The Xylqorvant is blue", eventbus.WithID("m1"))))
	require.NoError(t, x.WaitIdle(t.Context()))
	_, err = x.Recall(t.Context(), ada, Query{Text: "What is a Xylqorvant?"})
	require.NoError(t, err)
	require.Positive(t, x.searcher.Remembered(), "it is in memory to be forgotten")
	require.Positive(t, x.vectors.RememberedQueries())
	_, err = x.Erase(t.Context(), ada, Erasure{Events: []string{"m1"}})
	require.NoError(t, err)
	require.Zero(t, x.searcher.Remembered())
	require.Zero(t, x.vectors.RememberedQueries())
}

// midway is a stage that reads what was said, lets something happen, and then
// claims what it has read.
type midway struct{ happens func() }

func (midway) Name() string { return "midway" }

func (m midway) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	var heard []schema.Memory
	if err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		heard, err = s.EpisodesAfter(ctx, in.UserID, 0, 10)
		return err
	}); err != nil {
		return err
	}
	var cited []consolidate.Citation
	for _, e := range heard {
		cited = append(cited, consolidate.Citation{UID: e.UID, Quote: e.Content, Holds: true})
	}
	m.happens()
	_, err := apply(ctx, consolidate.AddClaim{Claim: consolidate.Claim{Content: "It was said: " + heard[0].Content, Kind: schema.KindFact, Sources: cited}})
	return err
}

// A night may have read what is erased while it waits for a model. What it
// makes of that must not be written.
func TestNightWritesNothingErasedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	var x *Extension
	erase := func() {
		_, err := x.Erase(t.Context(), ada, Erasure{Events: []string{"m1"}})
		require.NoError(t, err)
	}
	x, err := Open(t.Context(), path, &Config{NoBackground: true, Night: NightConfig{Stages: func([]consolidate.Stage) []consolidate.Stage {
		return []consolidate.Stage{midway{func() { erase() }}}
	}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	require.NoError(t, x.Bus().Publish(t.Context(),
		eventbus.UserMessage(ada, "The Xylqorvant is blue", eventbus.WithID("m1")), eventbus.UserMessage(ada, "The kettle is green", eventbus.WithID("m2"))))
	_, err = x.Consolidate(t.Context(), ada)
	require.ErrorIs(t, err, ErrConflict, "it does not begin again for ever")
	require.Empty(t, holding(t, path, forms("Xylqorvant")...))
	again := erase
	erase = func() { again(); erase = func() {} }
	_, err = x.Consolidate(t.Context(), ada)
	require.NoError(t, err, "it goes on after the erasure")
	require.Empty(t, holding(t, path, forms("Xylqorvant")...))
	diagnosed(t, path)
}
