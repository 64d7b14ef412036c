package extension_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/pgtest"
)

func TestEncryptedMemoryLeaksNothing(t *testing.T) {
	pgtest.FileOnly(t, "encryption")
	dir := t.TempDir()
	key, err := extension.NewKey([]byte("0123456789abcdefghijklmnopqrstuv"))
	require.NoError(t, err)
	canaries := []string{"zebrafinch", "Ottoline", "12345 Karlstad", "CREATE TABLE", "SQLite format 3"}
	seen := map[string]bool{} // which files there were
	scan := func() {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil //nolint:nilerr // it was taken away in the meantime
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return nil //nolint:nilerr // the same
			}
			name, _ := filepath.Rel(dir, path)
			seen[filepath.Base(name)] = len(content) > 0 || seen[filepath.Base(name)]
			for _, canary := range canaries {
				require.False(t, bytes.Contains(content, []byte(canary)), "%s shows %s", name, canary)
			}
			return nil
		}))
	}
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	cfg := &extension.Config{
		Key: key, Night: extension.NightConfig{NoSchedule: true}, Location: time.UTC, Now: func() time.Time { return now },
		Hooks: extension.Hooks{OnProgress: func(extension.Progress) { scan() }},
	}
	path := filepath.Join(dir, "memory.db")
	x, err := extension.Open(t.Context(), path, cfg)
	require.NoError(t, err)
	scope := extension.Scope{User: "ada", Session: "s"}
	for i := range 40 {
		require.NoError(t, x.Bus().Publish(t.Context(),
			eventbus.UserMessage(scope, fmt.Sprintf("Message %d: my zebrafinch Ottoline lives at 12345 Karlstad.", i))))
		scan()
	}
	require.NoError(t, x.WaitIdle(t.Context()))
	answer, err := x.Recall(t.Context(), scope, extension.Query{Text: "What is the zebrafinch called?"})
	require.NoError(t, err)
	require.NotEmpty(t, answer.Results)
	scan()
	_, err = x.ConsolidateDry(t.Context(), scope)
	require.NoError(t, err)
	report, err := x.Consolidate(t.Context(), scope)
	require.NoError(t, err)
	_, err = x.Undo(t.Context(), scope, report.RunID)
	require.NoError(t, err)
	scan()
	require.NoError(t, x.Close(t.Context()))
	scan()
	require.True(t, seen["memory.db"] && seen["memory.db-wal"] && seen["copy.db"], "what was scanned: %v", seen)

	d, err := doctor.Diagnose(t.Context(), path, key)
	require.NoError(t, err)
	require.True(t, d.Healthy, "%+v", d)
	d, err = doctor.Diagnose(t.Context(), path, extension.Key{})
	require.NoError(t, err)
	require.False(t, d.Healthy)
	require.Contains(t, d.Refused, "no key was given")

	cfg.Key = extension.Key{}
	_, err = extension.Open(t.Context(), path, cfg)
	require.ErrorIs(t, err, extension.ErrKeyMissing)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", extension.Config{Key: key}, &extension.Config{Key: key}, extension.Config{Key: key}), "0123456789")
	require.Contains(t, fmt.Sprint(extension.Config{Key: key}), "not shown")
	require.False(t, strings.Contains(fmt.Sprintf("%+v", x), "0123456789"))
}
