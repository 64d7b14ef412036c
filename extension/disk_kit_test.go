package extension

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/vfstest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/check"
)

// What the tests of faults and of power losses share.

// openOn opens a memory on a disk without background work. hear, which may be nil, gets
// the errors that are returned to no caller.
func openOn(ctx context.Context, disk *vfstest.Disk, dir string, key Key, hear func(source string, err error)) (*Extension, error) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	return OpenWith(ctx, filepath.Join(dir, "memory.db"),
		&Config{Now: func() time.Time { return now }, Location: time.UTC, NoBackground: true, Model: notary, Key: key, Hooks: Hooks{OnError: hear}},
		memory.Options{File: schema.Options{VFS: disk.Name(), NoCheckpoint: true, Readers: 1}})
}

func say(ctx context.Context, x *Extension, text string) error {
	return x.Bus().Publish(ctx, eventbus.UserMessage(ada, text))
}

// notary is a model that draws a fact from what was said about living in
// Lisbon, and nothing from all else.
var notary = llmtest.Model(func(prompt string) string {
	if !strings.Contains(prompt, "I live in Lisbon") {
		return `{"facts": []}`
	}
	return `{"facts": [{"text": "The user lives in Lisbon.", "kind": "fact", "subject": "the user", "predicate": "lives_in",
		"object": "Lisbon", "type": "state", "when": "", "confidence": 0.9, "importance": 8, "sources": ["m1"], "quote": "I live in Lisbon"}]}`
})

// checkTextIndex has FTS5 compare its index with the text, in a file.
func checkTextIndex(ctx context.Context, x *Extension) error {
	if !x.Capabilities().TextIndex {
		return nil
	}
	return x.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
		return err
	})
}

// isWhole finds nothing damaged, nothing half done, nothing twice, and all that
// was acknowledged.
func isWhole(x *Extension, acknowledged []string) error {
	ctx := context.Background()
	if err := checkTextIndex(ctx, x); err != nil {
		return fmt.Errorf("text index: %w", err)
	}
	return x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		report, nowhere := "ok", 0
		if !x.Capabilities().File {
			// The server checks its pages and references itself.
		} else if err := s.Row(ctx, "SELECT (SELECT group_concat(integrity_check) FROM pragma_integrity_check), (SELECT count(*) FROM pragma_foreign_key_check)",
			nil, &report, &nowhere); err != nil {
			return err
		}
		if report != "ok" || nowhere > 0 {
			return fmt.Errorf("integrity: %s; %d rows point nowhere", report, nowhere)
		}
		for _, i := range check.Invariants {
			n, err := i.Count(ctx, s)
			if err != nil {
				return fmt.Errorf("%s: %w", i.Name, err)
			}
			if n > 0 {
				return fmt.Errorf("%s: %d", i.Found, n)
			}
		}
		return holds(ctx, s, acknowledged)
	})
}

func holds(ctx context.Context, s *schema.Snapshot, acknowledged []string) error {
	rows, err := s.Query(ctx, "SELECT content, count(*) FROM memories WHERE kind = 'episode' GROUP BY content")
	if err != nil {
		return err
	}
	defer rows.Close()
	found := make(map[string]int)
	for rows.Next() {
		var text string
		var n int
		if err := rows.Scan(&text, &n); err != nil {
			return err
		}
		if n > 1 {
			return fmt.Errorf("%q is there %d times", text, n)
		}
		found[text] = n
	}
	for _, text := range acknowledged {
		if found[text] == 0 {
			return fmt.Errorf("%q was acknowledged and is lost", text)
		}
	}
	return rows.Err()
}

// fast is a folder in memory, if the system has one: no disk takes part.
func fast(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "ebb")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// copyFiles has to hold what from holds, but for the index of the log, as after
// a kill.
func copyFiles(t testing.TB, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "-shm") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(to, e.Name()), data, 0o600))
	}
}
