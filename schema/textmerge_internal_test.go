package schema

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

func TestStepsOfAMerge(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	later := now.Add(time.Hour)
	const never = -1
	for name, c := range map[string]struct {
		m     merging
		pause bool
		pages int64
		wait  time.Duration
	}{
		"too little":                     {m: merging{newest: mergeSegments - 1, most: mergeSegments - 1}, pause: true, wait: never},
		"in a pause":                     {m: merging{newest: mergeSegments, rest: later}, pause: true, pages: mergePages, wait: writePause},
		"above the lowest level, in one": {m: merging{most: mergeSegments, rest: later}, pause: true, pages: mergePages, wait: writePause},
		"in one that goes on":            {m: merging{newest: mergeSegments, paused: true}, pause: true, pages: mergePages, wait: mergePause},
		"a pause is waited for":          {m: merging{newest: mergeUrgent - 1}, wait: writePause},
		"before FTS5 would merge":        {m: merging{newest: mergeUrgent, rest: later}, pages: mergeFew, wait: writePause},
		"above the lowest level":         {m: merging{most: mergeSegments, rest: now}, pages: mergeFew, wait: writePause},
		"half merged":                    {m: merging{merged: mergeSegments, rest: now}, pages: mergeFew, wait: writePause},
		"so many that FTS5 prefers it to the lowest level": {m: merging{merged: mergeUrgent, rest: later}, pages: mergePages, wait: writePause},
		"others have their time":                           {m: merging{newest: mergeUrgent - 1, most: mergeLate - 1, merged: mergeUrgent - 1, rest: now.Add(1)}, wait: writePause},
		"unless far too much has been left":                {m: merging{most: mergeLate, rest: later}, pages: mergeFew, wait: writePause},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.pages, c.m.pages(now, c.pause))
			wait, some := c.m.wait()
			require.Equal(t, c.wait != never, some)
			if some {
				require.Equal(t, c.wait, wait)
			}
		})
	}
}

// Whoever gives way to those who write would wait for merges, of which there can
// be one after the other.
func TestAMergeIsNoWriteToGiveWayTo(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for i := range mergeSegments {
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			_, err := remember(ctx, tx, "ada", manyWords(i))
			return err
		}))
	}
	last := db.pauses.last.Load()
	require.Eventually(t, func() bool { return segments(t, db) == 1 }, 10*time.Second, time.Millisecond)
	require.Equal(t, last, db.pauses.last.Load())
}

// Enriching would stop for others who are none.
func TestAMergeWaitsForNoWrite(t *testing.T) {
	merge, some, more := &write{merge: true}, &write{}, &write{}
	for n, group := range [][]*write{{merge}, {merge, some}, {merge, some, more}} {
		require.Equal(t, n, waiting(group))
	}
	require.Equal(t, 2, waiting([]*write{some, more}))
}
