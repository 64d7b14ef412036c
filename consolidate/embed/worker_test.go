package embed_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/embeddings/jina"

	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

type named struct{ scripted }

func (*named) ID() string { return "minilm-384" }

// Two models never share the default name.
func TestDefaultModel(t *testing.T) {
	db := memtest.Open(t)
	for _, c := range []struct {
		embedder embeddings.Embedder
		want     string // "" if the name is required
	}{
		{&named{}, "minilm-384"},
		{&scripted{}, "*embed_test.scripted"},
		{&embeddings.EmbedderImpl{}, ""},
		{&jina.Jina{}, ""},
	} {
		v, err := embed.New(db, c.embedder, embed.Options{})
		if c.want == "" {
			var invalid *schema.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, "Config.Embedding.Model", invalid.Field)
			v, err = embed.New(db, c.embedder, embed.Options{Model: "m"})
			require.NoError(t, err)
			require.NoError(t, v.Stop(t.Context()))
			continue
		}
		require.NoError(t, err)
		stats, err := v.Stats(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.want, stats.Model)
		require.NoError(t, v.Stop(t.Context()))
	}
}

// A text that was refused is tried again after an hour, and counts no longer once it is
// gone.
func TestRefusedTextRecovers(t *testing.T) {
	for name, recover := range map[string]func(t *testing.T, db *schema.DB, e *scripted){
		"accepted": func(_ *testing.T, _ *schema.DB, e *scripted) {
			e.set(nil)
			time.Sleep(61 * time.Minute)
		},
		"erased": func(t *testing.T, db *schema.DB, _ *scripted) {
			require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				_, err := tx.Exec(ctx, "DELETE FROM chunks WHERE id = (SELECT max(id) FROM chunks)")
				return err
			}))
			time.Sleep(time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := memtest.Open(t)
				say(t, db, "ada", 3)
				e := &scripted{size: 4}
				e.fault = func(texts []string, _ [][]float32) error {
					if slices.Contains(texts, "ada says 2") {
						return errors.New("400")
					}
					return nil
				}
				v := worker(t, db, e, embed.Options{})
				require.NoError(t, v.WaitIdle(t.Context()))
				stats, err := v.Stats(t.Context())
				require.NoError(t, err)
				require.EqualValues(t, 1, stats.Refused)
				require.Len(t, failures(t, db), 1)
				recover(t, db, e)
				stats, err = v.Stats(t.Context())
				require.NoError(t, err)
				require.Zero(t, stats.Pending)
				require.Empty(t, stats.LastError)
				require.Empty(t, failures(t, db))
				require.NoError(t, v.Stop(t.Context()))
			})
		})
	}
}

// Two processes with different models on one database do not replace each other's vectors
// without limit.
func TestTwoModelsOnOneDatabase(t *testing.T) {
	db := memtest.Open(t)
	say(t, db, "ada", 4)
	first, second := &scripted{seed: 1, size: 4}, &scripted{seed: 2, size: 4}
	v := worker(t, db, first, embed.Options{})
	require.NoError(t, v.WaitIdle(t.Context()))
	w := worker(t, db, second, embed.Options{})
	require.NoError(t, w.WaitIdle(t.Context()))
	calls, _ := first.seen()
	for _, user := range []string{"bob", "carl"} {
		say(t, db, user, 1)
		require.ErrorContains(t, v.WaitIdle(t.Context()), `is "model 1", but another process has replaced its vectors by those of "model 2" (4 numbers)`)
		require.NoError(t, w.WaitIdle(t.Context()))
	}
	after, _ := first.seen()
	require.Equal(t, calls, after)
	_, texts := second.seen()
	require.Len(t, texts, 6)
	serving, byText := stored(t, db)
	require.Equal(t, "model 2", serving.Model)
	require.Len(t, byText, 6)
	_, err := v.EmbedQuery(t.Context(), serving, "q")
	require.ErrorContains(t, err, "another process")
	require.NoError(t, v.Stop(t.Context()))

	third := worker(t, db, first, embed.Options{}) // the one that starts last decides
	require.NoError(t, third.WaitIdle(t.Context()))
	require.ErrorContains(t, w.WaitIdle(t.Context()), "another process")
	serving, _ = stored(t, db)
	require.Equal(t, "model 1", serving.Model)
}
