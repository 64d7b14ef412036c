package embed_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/internal/memtest"
)

// A failure that passes refuses no text.
func TestPassingFailures(t *testing.T) {
	for name, c := range map[string]struct {
		texts int
		fails func(call int) bool
	}{
		"a limit for large batches": {2, func(call int) bool { return call == 1 || call == 3 }},
		"away after the probe":      {2, func(call int) bool { return call != 2 && call < 6 }},
		"back just for the probe":   {1, func(call int) bool { return call == 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			db := memtest.Open(t)
			say(t, db, "ada", c.texts)
			e := &scripted{size: 4}
			e.fault = func([]string, [][]float32) error {
				if c.fails(e.calls) {
					return errors.New("429")
				}
				return nil
			}
			v := worker(t, db, e, embed.Options{Tries: 1})
			require.Eventually(t, func() bool { return v.WaitIdle(t.Context()) == nil }, 10*time.Second, time.Millisecond)
			_, byText := stored(t, db)
			require.Len(t, byText, c.texts)
			require.Empty(t, failures(t, db))
		})
	}
}

// deaf is an embedder whose first call ignores its context.
type deaf struct {
	*scripted
	called atomic.Bool
	end    chan struct{}
}

func (d *deaf) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	if !d.called.Swap(true) {
		<-d.end
	}
	return d.scripted.EmbedDocuments(ctx, texts)
}

func TestEmbedderThatIgnoresItsContext(t *testing.T) {
	db := memtest.Open(t)
	say(t, db, "ada", 1)
	e := &deaf{scripted: &scripted{size: 4}, end: make(chan struct{})}
	defer close(e.end)
	v, err := embed.New(db, e, embed.Options{Model: "deaf", Timeout: 200 * time.Millisecond, Tries: 1, FirstPause: time.Millisecond})
	require.NoError(t, err)
	require.NoError(t, v.Start(t.Context()))
	defer func() { require.NoError(t, v.Stop(context.Background())) }()
	require.Eventually(t, func() bool { return v.WaitIdle(t.Context()) == nil }, 10*time.Second, time.Millisecond)
	_, byText := stored(t, db)
	require.Len(t, byText, 1)
}

// A batch that is always too large is not tried for all texts.
func TestBatchesThatAreTooLarge(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		failed int // calls
	}{
		"refused":  {errors.New("413"), 6}, // 2 of 8 texts, 2 halves, 2 of 4 texts
		"too slow": {context.DeadlineExceeded, 4},
	} {
		t.Run(name, func(t *testing.T) {
			db := memtest.Open(t)
			say(t, db, "ada", 32)
			failed := 0
			e := &scripted{size: 4, fault: func(texts []string, _ [][]float32) error {
				if len(texts) > 3 {
					failed++
					return c.err
				}
				return nil
			}}
			v := worker(t, db, e, embed.Options{BatchSize: 8, Tries: 2})
			require.NoError(t, v.WaitIdle(t.Context()))
			_, byText := stored(t, db)
			require.Len(t, byText, 32)
			require.Equal(t, c.failed, failed)
		})
	}
}

// A model that is replaced behind its name starts a new generation.
func TestModelIsSwapped(t *testing.T) {
	db := memtest.Open(t)
	say(t, db, "ada", 3)
	e := &scripted{size: 4}
	v := worker(t, db, e, embed.Options{})
	require.NoError(t, v.WaitIdle(t.Context()))
	e.size = 6
	say(t, db, "ada", 1)
	require.NoError(t, v.WaitIdle(t.Context()))
	g, byText := stored(t, db)
	require.Equal(t, 6, g.Dims)
	require.Len(t, byText, 3, "two have the same words")
	require.Empty(t, failures(t, db))
}

// One wrong answer to a query says nothing about the model.
func TestWrongQueryAnswer(t *testing.T) {
	db := memtest.Open(t)
	say(t, db, "ada", 3)
	e := &scripted{size: 4, fault: func(texts []string, answer [][]float32) error {
		if texts[0] == "q" {
			answer[0] = append(answer[0], 1)
		}
		return nil
	}}
	v := worker(t, db, e, embed.Options{Model: "m"})
	require.NoError(t, v.WaitIdle(t.Context()))
	require.NoError(t, v.Stop(t.Context()))
	g, _ := stored(t, db)

	w, err := embed.New(db, e, embed.Options{Model: "m"})
	require.NoError(t, err)
	_, err = w.EmbedQuery(t.Context(), g, "q")
	require.ErrorContains(t, err, "has 5 numbers, want 4")
	say(t, db, "bob", 1)
	require.NoError(t, w.Start(t.Context()))
	require.NoError(t, w.WaitIdle(t.Context()))
	after, byText := stored(t, db)
	require.Equal(t, g.ID, after.ID)
	require.Len(t, byText, 4)
	require.NoError(t, w.Stop(t.Context()))
}
