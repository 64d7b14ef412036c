package recall

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// With pgvector, a search of a user whose vectors are not in memory finds by them what it
// finds when they are.
func TestNearestByPgvector(t *testing.T) {
	dsn := memtest.Server(t)
	if err := pgtest.Exec(dsn, "CREATE EXTENSION vector SCHEMA public"); err != nil {
		t.Skip("pgvector is not installed: " + err.Error())
	}
	script, err := os.ReadFile("../docs/postgres/pgvector.sql")
	require.NoError(t, err)
	db, err := schema.Open(t.Context(), dsn, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	known := map[string]int{"cat": 0, "kitten": 0, "tabby": 0}
	for i := range 40 {
		known[fmt.Sprint("w", i)] = i
	}
	words := directions{dims: 41, known: known}
	var turns []turn
	for i := range 700 {
		turns = append(turns, turn{text: fmt.Sprintf("w%d w%d w%d, number %d.", i%40, i*7%40, i/40, i)})
	}
	turns[3].text = "The tabby sleeps all day."
	say(t, db, ada, turns[:600]...)
	say(t, db, schema.Scope{User: "bob"}, turn{text: "My cat is a tabby, a kitten."})
	g := openGeneration(t, db, "m", words.dims)
	embedAll(t, db, g, words)
	require.NoError(t, pgtest.Exec(dsn+"&search_path=ebb", string(script))) // takes what is there
	require.NoError(t, pgtest.Exec(dsn+"&search_path=ebb", string(script))) // again
	say(t, db, ada, turns[600:]...)
	embedAll(t, db, g, words) // and what comes

	warm := searcher(t, db, words, VectorOptions{})
	cold := searcher(t, db, words, VectorOptions{})
	cold.vectors.sets.inline, cold.vectors.sets.most = 10, 10
	for _, asked := range []string{"kitten", "w3 w21", "the w39"} {
		want, err := warm.Search(t.Context(), ada, Query{Text: asked, Now: noon, Wait: true})
		require.NoError(t, err)
		got := recalled(t, cold, ada, asked)
		require.Empty(t, got.Degraded)
		require.Equal(t, textsOf(want), textsOf(got), asked)
		for i := range got.Results {
			require.InDelta(t, want.Results[i].Similarity, got.Results[i].Similarity, 0.05) // candidates that are not near have none
		}
	}
	require.Zero(t, cold.vectors.sets.get(1, g).len(), "too many to be read")
	require.NotContains(t, strings.Join(textsOf(recalled(t, cold, ada, "kitten")), " "), "My cat", "another user's")

	loading := searcher(t, db, words, VectorOptions{})
	loading.vectors.sets.inline = 10
	require.Empty(t, recalled(t, loading, ada, "kitten").Degraded, "found while they are read")
	require.Eventually(t, func() bool { return loading.vectors.sets.get(1, g).holds(1) }, 10*time.Second, time.Millisecond)

	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM vectors")
		return err
	}))
	var left int
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		return s.Row(ctx, "SELECT count(*) FROM embeddings", nil, &left)
	}))
	require.Zero(t, left)
}
