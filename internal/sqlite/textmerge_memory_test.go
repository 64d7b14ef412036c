package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/vfstest"
	"github.com/ebbmem/ebb/schema"
)

// segments counts those of the text index: the upper bits of its pages' ids.
func segments(t *testing.T, db *schema.DB) (n int) {
	t.Helper()
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		return s.Row(ctx, "SELECT count(DISTINCT id >> 37) FROM chunks_fts_data WHERE id > 10", nil, &n)
	})
	return n
}

func TestCommitsDoNotMergeTheTextIndex(t *testing.T) {
	db := openPath(t, filepath.Join(t.TempDir(), "memory.db"), &schema.Options{NoCheckpoint: true})
	for i := range 15 { // SQLite's own setting would join four
		_, err := memtest.Say(t.Context(), db, ada, fmt.Sprint("kettle ", i))
		require.NoError(t, err)
	}
	require.Equal(t, 15, segments(t, db))
}

func TestTheTextIndexIsMergedBetweenCommits(t *testing.T) {
	key, err := schema.NewKey([]byte(strings.Repeat("k", 32)))
	require.NoError(t, err)
	for name, opts := range map[string]schema.Options{"plain": {}, "encrypted": {Key: key}} {
		t.Run(name, func(t *testing.T) {
			db := openPath(t, filepath.Join(t.TempDir(), "memory.db"), &opts)
			for i := range 100 {
				_, err := memtest.Say(t.Context(), db, ada, fmt.Sprint("kettle ", i))
				require.NoError(t, err)
			}
			require.Eventually(t, func() bool { return segments(t, db) < 16 }, 10*time.Second, 5*time.Millisecond)
			memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
				var found int
				err := s.Row(ctx, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'kettl'", nil, &found)
				require.Equal(t, 100, found)
				return err
			})
			require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				_, err := tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
				return err
			}))
			require.Empty(t, db.Faults())
		})
	}
}

func TestFailedMergeIsReported(t *testing.T) {
	disk := vfstest.New(t)
	var merging atomic.Bool
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &schema.Options{
		VFS: disk.Name(), OnFault: func(source string, _ error) {
			if source == "merge" {
				merging.Store(true)
			}
		},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	acknowledged := 0
	say := func() error {
		_, err := memtest.Say(t.Context(), db, ada, "kettle")
		if err == nil {
			acknowledged++
		}
		return err
	}
	for range 7 {
		require.NoError(t, say())
	}
	disk.Arm(vfstest.SyncError, 2, 1<<30) // the first is the eighth message's
	_ = say()
	require.Eventually(t, merging.Load, 10*time.Second, time.Millisecond)
	disk.Disarm()

	require.Eventually(t, func() bool { return say() == nil && acknowledged >= 20 && len(db.Faults()) == 0 }, 10*time.Second, time.Millisecond)
	require.Equal(t, map[string]int{"kettle": acknowledged}, messages(t, db))
}
