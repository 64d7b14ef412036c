package embed_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// scripted is an embedder for tests. Its vectors depend on the text and the seed
// alone.
type scripted struct {
	seed uint64
	size int

	mu    sync.Mutex
	calls int
	texts []string
	// fault, when set, may fail a call or spoil its answer.
	fault func(texts []string, answer [][]float32) error
}

func (e *scripted) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	answer := make([][]float32, len(texts))
	for i, text := range texts {
		answer[i] = e.vector(text)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	e.texts = append(e.texts, texts...)
	if e.fault != nil {
		if err := e.fault(texts, answer); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

func (e *scripted) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	answer, err := e.EmbedDocuments(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return answer[0], nil
}

func (e *scripted) vector(text string) []float32 {
	h := fnv.New64a()
	h.Write([]byte(text))
	random := rand.New(rand.NewPCG(h.Sum64(), e.seed))
	v := make([]float32, e.size)
	for i := range v {
		v[i] = float32(3 * random.NormFloat64())
	}
	return v
}

func (e *scripted) set(fault func([]string, [][]float32) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fault = fault
}

func (e *scripted) seen() (calls int, texts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls, append([]string(nil), e.texts...)
}

func worker(t testing.TB, db *schema.DB, e *scripted, opts embed.Options) *embed.Worker {
	t.Helper()
	if opts.Model == "" {
		opts.Model = fmt.Sprint("model ", e.seed)
	}
	if opts.FirstPause == 0 {
		opts.FirstPause = time.Millisecond
	}
	v, err := embed.New(db, e, opts)
	require.NoError(t, err)
	require.NoError(t, v.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, v.Stop(context.Background())) })
	return v
}

func say(t testing.TB, db *schema.DB, user string, n int) {
	t.Helper()
	for i := range n {
		memtest.Remember(t, db, schema.Scope{User: user}, schema.Memory{Content: fmt.Sprintf("%s says %d", user, i), Role: "user"})
	}
}

// stored reads the vectors of the serving generation by text.
func stored(t testing.TB, db *schema.DB) (g *vecstore.Generation, byText map[string]vecstore.Vector) {
	t.Helper()
	byText = make(map[string]vecstore.Vector)
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) (err error) {
		if g, err = vecstore.ServingGeneration(ctx, s); err != nil || g == nil {
			return err
		}
		rows, err := s.QueryContext(ctx, `SELECT m.content, v.vector FROM vectors v JOIN chunks c ON c.id = v.chunk_id
			JOIN memories m ON m.id = c.memory_id WHERE v.generation = ?`, g.ID)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var content string
			var v vecstore.Vector
			if err := rows.Scan(&content, &v); err != nil {
				return err
			}
			byText[content] = v
		}
		return rows.Err()
	}))
	return g, byText
}

func failures(t testing.TB, db *schema.DB) (all []schema.Failure) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) (err error) {
		all, err = schema.Failures(ctx, s)
		return err
	}))
	return all
}

func TestEveryTextGetsItsVector(t *testing.T) {
	db := memtest.Open(t)
	say(t, db, "ada", 10)
	say(t, db, "bob", 3)
	e := &scripted{seed: 1, size: 6}
	v := worker(t, db, e, embed.Options{BatchSize: 4})
	require.NoError(t, v.WaitIdle(t.Context()))
	calls, texts := e.seen()
	require.Equal(t, 4, calls, "13 texts in batches of 4, across users")
	require.Len(t, texts, 13)
	g, byText := stored(t, db)
	require.Equal(t, 6, g.Dims)
	require.Len(t, byText, 13)
	want, err := vecstore.Vector(e.vector("ada says 7")).Unit(0)
	require.NoError(t, err)
	require.Equal(t, want, byText["ada says 7"])

	say(t, db, "carl", 2)
	v.Wake()
	require.NoError(t, v.WaitIdle(t.Context()))
	_, texts = e.seen()
	require.Len(t, texts, 15, "nothing is embedded twice")

	stats, err := v.Stats(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 15, stats.Chunks)
	require.Zero(t, stats.Pending)
	require.True(t, stats.Since.IsZero())
	require.Equal(t, "model 1", stats.Serving)
	require.Empty(t, stats.LastError)
	require.Empty(t, failures(t, db))
}

func TestEmbeddingResumes(t *testing.T) {
	db := memtest.Open(t)
	say(t, db, "ada", 10)
	first := &scripted{seed: 1, size: 4}
	first.set(func(_ []string, _ [][]float32) error {
		if first.calls > 2 {
			return fmt.Errorf("of %q: %w", "a text", syscall.ENETDOWN)
		}
		return nil
	})
	v := worker(t, db, first, embed.Options{BatchSize: 3, Tries: 2})
	require.ErrorContains(t, v.WaitIdle(t.Context()), "network is down")
	stats, err := v.Stats(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 4, stats.Pending)
	require.False(t, stats.Since.IsZero())
	require.Contains(t, stats.LastError, "network is down")
	require.Zero(t, stats.Refused, "an outage says nothing about the texts")
	require.Len(t, failures(t, db), 1)
	require.NoError(t, v.Stop(t.Context()))
	require.NoError(t, v.Stop(t.Context()), "twice is fine")
	require.Error(t, v.WaitIdle(t.Context()))

	second := &scripted{seed: 1, size: 4}
	again := worker(t, db, second, embed.Options{})
	require.NoError(t, again.Start(t.Context()), "twice is fine")
	require.NoError(t, again.WaitIdle(t.Context()))
	_, texts := second.seen()
	require.Len(t, texts, 4, "what is stored is not paid for again")
	require.Empty(t, failures(t, db), "what works again is no failure")
}

func TestBadTextBlocksNoOther(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	spoil := func(change func([]float32) []float32) func([]string, [][]float32) error {
		return func(texts []string, answer [][]float32) error {
			for i, text := range texts {
				if strings.HasSuffix(text, " 5") {
					answer[i] = change(answer[i])
				}
			}
			return nil
		}
	}
	for name, fault := range map[string]func([]string, [][]float32) error{
		"refused": func(texts []string, _ [][]float32) error {
			for _, text := range texts {
				if strings.HasSuffix(text, " 5") {
					return errors.New("400: cannot embed this")
				}
			}
			return nil
		},
		"panic": func(texts []string, _ [][]float32) error {
			for _, text := range texts {
				if strings.HasSuffix(text, " 5") {
					panic("index out of range")
				}
			}
			return nil
		},
		"NaN":       spoil(func(v []float32) []float32 { v[1] = nan; return v }),
		"Inf":       spoil(func(v []float32) []float32 { v[0] = inf; return v }),
		"zero":      spoil(func(v []float32) []float32 { clear(v); return v }),
		"too short": spoil(func(v []float32) []float32 { return v[1:] }),
		"too long":  spoil(func(v []float32) []float32 { return append(v, 1) }),
		"empty":     spoil(func([]float32) []float32 { return nil }),
	} {
		t.Run(name, func(t *testing.T) {
			db := memtest.Open(t)
			say(t, db, "ada", 9)
			e := &scripted{seed: 1, size: 4, fault: fault}
			v := worker(t, db, e, embed.Options{Tries: 2})
			require.NoError(t, v.WaitIdle(t.Context()))
			_, byText := stored(t, db)
			require.Len(t, byText, 8)
			require.NotContains(t, byText, "ada says 5")
			stats, err := v.Stats(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 1, stats.Pending)
			require.EqualValues(t, 1, stats.Refused)
			require.NotEmpty(t, stats.LastError)
			require.NotContains(t, stats.LastError, "ada says", "texts are no part of errors")
			recorded := failures(t, db)
			require.Len(t, recorded, 1)
			require.Equal(t, "embed", recorded[0].Source)

			calls, _ := e.seen()
			say(t, db, "bob", 1)
			v.Wake()
			require.NoError(t, v.WaitIdle(t.Context()))
			after, _ := e.seen()
			require.Equal(t, calls+1, after, "it is not sent again before the next start")
		})
	}
}

func TestUnusableAnswerIsAnOutage(t *testing.T) {
	for name, c := range map[string]struct {
		dims  int
		fault func([]string, [][]float32) error
		want  string
	}{
		"all NaN": {fault: func(_ []string, answer [][]float32) error {
			for _, v := range answer {
				v[0] = float32(math.NaN())
			}
			return nil
		}, want: "NaN"},
		"all empty":            {fault: func(_ []string, answer [][]float32) error { clear(answer); return nil }, want: "empty"},
		"smaller than the cut": {dims: 9, want: "Config.Embedding.Dims is 9, but the model's vectors have 4 numbers: give at most 4"},
	} {
		t.Run(name, func(t *testing.T) {
			db := memtest.Open(t)
			say(t, db, "ada", 3)
			v := worker(t, db, &scripted{size: 4, fault: c.fault}, embed.Options{Dims: c.dims, Tries: 1})
			require.ErrorContains(t, v.WaitIdle(t.Context()), c.want)
			g, byText := stored(t, db)
			require.Nil(t, g)
			require.Empty(t, byText)
			stats, err := v.Stats(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 3, stats.Pending)
			require.Zero(t, stats.Refused)
		})
	}
}

func TestFailedCallsAreTriedAgain(t *testing.T) {
	db := memtest.Open(t)
	say(t, db, "ada", 3)
	e := &scripted{size: 4}
	e.fault = func([]string, [][]float32) error {
		if e.calls <= 2 {
			return errors.New("429")
		}
		return nil
	}
	v := worker(t, db, e, embed.Options{})
	require.NoError(t, v.WaitIdle(t.Context()))
	calls, _ := e.seen()
	require.Equal(t, 3, calls)
	require.Empty(t, failures(t, db))
}

func TestModelChangeBuildsThenServes(t *testing.T) {
	db := memtest.Open(t)
	say(t, db, "ada", 10)
	old := &scripted{seed: 1, size: 4}
	v := worker(t, db, old, embed.Options{})
	require.NoError(t, v.WaitIdle(t.Context()))
	require.NoError(t, v.Stop(t.Context()))

	next := &scripted{seed: 2, size: 6}
	half, on := make(chan struct{}), make(chan struct{})
	next.fault = func(_ []string, _ [][]float32) error {
		if next.calls == 2 {
			close(half)
			<-on
		}
		return nil
	}
	w := worker(t, db, next, embed.Options{BatchSize: 5})
	<-half
	serving, byText := stored(t, db)
	require.Equal(t, "model 1", serving.Model, "the old one serves")
	require.Len(t, byText, 10)
	stats, err := w.Stats(t.Context())
	require.NoError(t, err)
	require.Equal(t, "model 2", stats.Model)
	require.Equal(t, "model 1", stats.Serving)
	require.EqualValues(t, 5, stats.Pending)
	_, err = w.EmbedQuery(t.Context(), serving, "a question")
	require.ErrorContains(t, err, `is "model 2", whose vectors are being made`)
	idle, err := embed.New(db, next, embed.Options{Model: "model 2"})
	require.NoError(t, err)
	_, err = idle.EmbedQuery(t.Context(), serving, "a question")
	require.ErrorContains(t, err, `but the memory has vectors of "model 1", and this process makes none`)
	close(on)
	require.NoError(t, w.WaitIdle(t.Context()))

	serving, byText = stored(t, db)
	require.Equal(t, "model 2", serving.Model)
	require.Len(t, byText, 10)
	require.Len(t, byText["ada says 3"], 6)
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		all, err := vecstore.Generations(ctx, s)
		require.Len(t, all, 1, "the old one is dropped")
		return err
	}))
}

func TestOtherSizeIsAnotherGeneration(t *testing.T) {
	db := memtest.Open(t)
	say(t, db, "ada", 4)
	v := worker(t, db, &scripted{size: 4}, embed.Options{Model: "m"})
	require.NoError(t, v.WaitIdle(t.Context()))
	serving, _ := stored(t, db)
	require.NoError(t, v.Stop(t.Context()))

	w := worker(t, db, &scripted{size: 6}, embed.Options{Model: "m"})
	require.NoError(t, w.WaitIdle(t.Context()))
	_, err := w.EmbedQuery(t.Context(), serving, "a question")
	require.ErrorContains(t, err, "has 6 numbers, want 4", "it is never compared")
	require.NoError(t, w.WaitIdle(t.Context()))
	serving, byText := stored(t, db)
	require.Equal(t, 6, serving.Dims)
	require.Len(t, byText, 4)
}

func TestMatryoshkaCut(t *testing.T) {
	db := memtest.Open(t)
	say(t, db, "ada", 2)
	e := &scripted{size: 8}
	v := worker(t, db, e, embed.Options{Dims: 3})
	require.NoError(t, v.WaitIdle(t.Context()))
	g, byText := stored(t, db)
	require.Equal(t, 3, g.Dims)
	want, err := vecstore.Vector(e.vector("ada says 1")).Unit(3)
	require.NoError(t, err)
	require.Equal(t, want, byText["ada says 1"])
	query, err := v.EmbedQuery(t.Context(), g, "q")
	require.NoError(t, err)
	require.Len(t, query, 3)
}

func TestQueryCacheAndTimeout(t *testing.T) {
	db := memtest.Open(t)
	g := &vecstore.Generation{Model: "model 1", Dims: 4}
	e := &scripted{seed: 1, size: 4}
	v := worker(t, db, e, embed.Options{})
	for range 3 {
		_, err := v.EmbedQuery(t.Context(), g, "the same question")
		require.NoError(t, err)
	}
	calls, _ := e.seen()
	require.Equal(t, 1, calls)

	on := make(chan struct{})
	e.set(func([]string, [][]float32) error { <-on; return nil }) // deaf to its context
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := v.EmbedQuery(ctx, g, "a slow question")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(on)
	require.Eventually(t, func() bool {
		_, err := v.EmbedQuery(ctx, g, "a slow question")
		return err == nil
	}, 5*time.Second, time.Millisecond, "its answer is there for whoever asks again")

	_, err = v.EmbedQuery(t.Context(), &vecstore.Generation{Model: "another", Dims: 4}, "q")
	var invalid *schema.InvalidError
	require.ErrorAs(t, err, &invalid)
}

func TestNewRefuses(t *testing.T) {
	db := memtest.Open(t)
	_, err := embed.New(db, nil, embed.Options{})
	require.ErrorContains(t, err, "embedder")
	for field, opts := range map[string]embed.Options{
		"Config.Embedding.Dims": {Dims: -1}, "Config.Embedding.Model": {Model: "a\x00b"}, "Config.Embedding.CallsPerMinute": {CallsPerMinute: -1},
		"embed.Options.BatchSize": {BatchSize: -1}, "embed.Options.Timeout": {Timeout: -1}, "embed.Options.Tries": {Tries: -1},
	} {
		_, err := embed.New(db, &scripted{size: 1}, opts)
		require.ErrorContains(t, err, field)
	}
	v, err := embed.New(db, &scripted{size: 1}, embed.Options{})
	require.NoError(t, err)
	stats, err := v.Stats(t.Context())
	require.NoError(t, err)
	require.Equal(t, "*embed_test.scripted", stats.Model)
	require.NoError(t, v.Stop(t.Context()), "one that never started stops at once")
}

func TestCallsAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := memtest.Open(t)
		say(t, db, "ada", 6)
		e := &scripted{size: 4}
		v := worker(t, db, e, embed.Options{BatchSize: 2, CallsPerMinute: 6})
		started := time.Now()
		require.NoError(t, v.WaitIdle(t.Context()))
		calls, _ := e.seen()
		require.Equal(t, 3, calls)
		require.GreaterOrEqual(t, time.Since(started), 20*time.Second, "one in ten seconds")
		require.NoError(t, v.Stop(t.Context()))
	})
}

func TestOutageBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := memtest.Open(t)
		say(t, db, "ada", 6)
		e := &scripted{size: 4}
		back := time.Now().Add(10 * time.Minute)
		e.fault = func([]string, [][]float32) error {
			if time.Now().Before(back) {
				return errors.New("503")
			}
			return nil
		}
		v := worker(t, db, e, embed.Options{FirstPause: time.Second})
		time.Sleep(5 * time.Minute)
		stats, err := v.Stats(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 6, stats.Pending)
		require.Contains(t, stats.LastError, "status 503")
		calls, _ := e.seen()
		require.Less(t, calls, 120, "a broken embedder is left in peace")
		time.Sleep(7 * time.Minute) // nobody wakes it
		stats, err = v.Stats(t.Context())
		require.NoError(t, err)
		require.Zero(t, stats.Pending)
		require.Empty(t, stats.LastError)
		require.Empty(t, failures(t, db))
		require.NoError(t, v.Stop(t.Context()))
	})
}

// An embedder's error may repeat the texts, and may be of a kind that the
// retrying library takes apart. What is reported of it holds nothing of them.
func TestEmbedderErrorsHideText(t *testing.T) {
	for name, wrap := range map[string]func(error) error{
		"plain": func(err error) error { return err }, "permanent": backoff.Permanent,
	} {
		t.Run(name, func(t *testing.T) {
			db := memtest.Open(t)
			say(t, db, "ada", 3)
			e := &scripted{seed: 1, size: 8}
			e.set(func(texts []string, _ [][]float32) error { return wrap(fmt.Errorf("status 400: bad input %q", texts)) })
			heard := make(chan error, 100)
			v := worker(t, db, e, embed.Options{Tries: 2, OnError: func(err error) {
				select {
				case heard <- err:
				default:
				}
			}})
			said := (<-heard).Error()
			require.Contains(t, said, "the embedder failed: status 400")
			require.NotContains(t, said, "says")
			require.Eventually(t, func() bool {
				stats, err := v.Stats(t.Context())
				require.NoError(t, err)
				require.NotContains(t, stats.LastError, "says")
				return stats.LastError != ""
			}, 10*time.Second, time.Millisecond)
			calls, _ := e.seen()
			require.GreaterOrEqual(t, calls, 2, "it was tried again")
		})
	}
}
