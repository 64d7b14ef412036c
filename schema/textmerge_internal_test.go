package schema

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mergeSomePages is a step of mergeText that is cut short.
func mergeSomePages(t *testing.T, db *DB, pages int64) {
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', ?)", pages)
		return err
	}))
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
func TestErasedWordsAreGoneFromAMergeThatIsHalfDone(t *testing.T) {
	const word = "aaazorblatina"
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := Open(t.Context(), path, &Options{NoCheckpoint: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	var secret *Memory
	for i := range mergeSegments {
		content := manyWords(i)
		if i == 3 {
			content = word
		}
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			m, err := remember(ctx, tx, "ada", content)
			if i == 3 {
				secret = m
			}
			return err
		}))
	}
	mergeSomePages(t, db, 1)
	require.Greater(t, segments(t, db), 1, "it is half done")

	receipt, err := db.Erase(t.Context(), Scope{User: "ada"}, Erasure{Memories: []string{secret.UID}}, Actor{Name: "host"})
	require.NoError(t, err)
	require.Equal(t, ErasureDone, receipt.State)
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		require.NotContains(t, string(content), word, "memory.db%s", suffix)
	}
}
