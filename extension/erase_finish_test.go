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
	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/bustest"
	"github.com/ebbmem/ebb/internal/claims"
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
	x := openFile(t, path)
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
func cutOff(t *testing.T, path string, scope Scope, what Erasure, after int) {
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
	_, err = erase.Run(ctx, db, scope, what, memory.ByHost)
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
			cutOff(t, path, ada, test.what, 4)

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
	x := openFile(t, path)
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

// Background work that has read something of a user, and the reports of what was shown,
// may be late. They name the user by scope, and must not store the name or a text again:
// neither while the user's rows are being deleted, nor later, nor beside what a user who
// has come back under the name says.
func TestLateWritersDoNotBringErasedUserBack(t *testing.T) {
	pgtest.FileOnly(t, "the number of its writes")
	quinn := Scope{User: "quinn@vexillary.example", Session: "s"}
	for _, stage := range []string{"half erased", "erased", "back"} {
		t.Run(stage, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			x, err := Open(t.Context(), path, &Config{NoBackground: true})
			require.NoError(t, err)
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(quinn, "My dog is called Zanzibarix.", eventbus.WithID("m1"))))
			all, err := x.Timeline(t.Context(), quinn, TimelineQuery{})
			require.NoError(t, err)
			said := &all[0]
			claim := x.reader.Says(quinn, said)
			require.NotNil(t, claim)

			if stage == "half erased" {
				cutOff(t, path, quinn, Erasure{Everything: true}, 2)
				users, err := x.Users(t.Context())
				require.NoError(t, err)
				require.Empty(t, users)
				_, err = schema.Get(t.Context(), x.db, func(ctx context.Context, s *schema.Snapshot) (*Record, error) {
					return s.Memory(ctx, said.UserID, said.UID)
				})
				require.NoError(t, err, "its rows are still to be deleted")
			} else {
				_, err = x.Erase(t.Context(), quinn, Erasure{Everything: true})
				require.NoError(t, err)
			}
			var now []string
			if stage == "back" {
				require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(quinn, "Good morning")))
				now = []string{eventbus.TopicUserMessage, eventbus.TopicMemoryStored}
			}

			require.NoError(t, x.reader.ReadAll(t.Context(), []*claims.Message{claim}))
			_, err = x.reader.Read(t.Context(), quinn, said)
			require.NoError(t, err)
			err = x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				m := &schema.Memory{UserID: said.UserID, Kind: KindFact, Content: "Zanzibarix is a dog", Origin: schema.OriginUser, Trust: schema.MaxTrust}
				if err := tx.AddDerived(ctx, m, schema.PrepareChunks(m.Content, ""), nil, memory.ByHost); err != nil {
					return err
				}
				return x.mem.Announce(ctx, tx, quinn, m)
			})
			require.ErrorIs(t, err, ErrNotFound)
			require.ErrorIs(t, enrich.ApplyRecalled(t.Context(), x.db, quinn, said.EventSeq, "model", "Zanzibarix?", nil, time.Now()), ErrNotFound)
			require.NoError(t, x.lowerTrust(t.Context(), quinn, []string{"m1"}, 0))
			if stage != "back" { // a report of now is of who is here now
				s, err := x.Session(quinn)
				require.NoError(t, err)
				s.recordShown(t.Context(), "model", &Answer{Query: "Zanzibarix?", Results: []Result{{Memory: *said}}})
				x.announceRun(t.Context(), quinn, &Report{RunID: "r"}, nil)
			}

			require.NoError(t, x.finishErasures(t.Context()))
			var topics []string
			for _, e := range bustest.Journal(t, x.bus) {
				topics = append(topics, e.Topic)
			}
			require.Equal(t, now, topics)
			users, err := x.Users(t.Context())
			require.NoError(t, err)
			require.Len(t, users, len(now)/2)
			require.NoError(t, x.Close(t.Context()))
			require.Empty(t, holding(t, path, forms("Zanzibarix")...))
			if stage != "back" {
				require.Empty(t, holding(t, path, []byte(quinn.User)))
			}
			diagnosed(t, path)
		})
	}
}
