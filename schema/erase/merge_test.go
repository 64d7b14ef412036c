package erase_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
)

// mergeSomePages is a step of mergeText that is cut short.
func mergeSomePages(t *testing.T, db *schema.DB, pages int64) {
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', ?)", pages)
		return err
	}))
}

// segments counts the segments of the text index.
func segments(t *testing.T, db *schema.DB) (n int) {
	t.Helper()
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		return s.Row(ctx, "SELECT count(DISTINCT segid) FROM chunks_fts_idx", nil, &n)
	})
	return n
}

// manyWords are enough for some pages of the text index.
func manyWords(of int) string {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "%c%dx%d ", 'b'+i%25, i, of)
	}
	return b.String()
}

// A merge that is half done has taken the segment of the first word in whole,
// and keeps its page until it is done.
func TestEraseDuringMerge(t *testing.T) {
	pgtest.FileOnly(t, "its text index")
	const word = "aaazorblatina"
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(t.Context(), path, &schema.Options{NoCheckpoint: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	var secret *schema.Memory
	for i := range 8 {
		content := manyWords(i)
		if i == 3 {
			content = word
		}
		m, err := memtest.Say(t.Context(), db, ada, content)
		require.NoError(t, err)
		if i == 3 {
			secret = m
		}
	}
	mergeSomePages(t, db, 1)
	require.Greater(t, segments(t, db), 1, "it is half done")

	receipt, err := erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{secret.UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	require.Equal(t, erase.Done, receipt.State)
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		require.NotContains(t, string(content), word, "memory.db%s", suffix)
	}
}
