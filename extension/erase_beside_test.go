package extension

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema/erase"
)

// Copies that lie beside the file hold what is erased from it: the receipt names
// them, and nothing that is not one.
func TestReceiptListsCopiesBesideFile(t *testing.T) {
	pgtest.FileOnly(t, "copies beside it")
	path := filepath.Join(t.TempDir(), "memory.db")
	x := openFile(t, path)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The kettle is green", eventbus.WithID("m1"))))
	copies := []string{path + ".before-repair", path + ".before-restore-2", filepath.Join(filepath.Dir(path), ".memory.db.scratch-3")}
	for _, name := range append(copies, filepath.Join(filepath.Dir(path), "other.db.before-repair")) {
		require.NoError(t, os.WriteFile(name, []byte("a copy"), 0o600))
	}
	named := func(reach []erase.Reach) (places []string) {
		for _, r := range reach {
			if filepath.IsAbs(r.Place) {
				places = append(places, r.Place)
			}
		}
		return places
	}
	what := Erasure{Events: []string{"m1"}}
	preview, err := x.PreviewErase(t.Context(), ada, what)
	require.NoError(t, err)
	receipt, err := x.Erase(t.Context(), ada, what)
	require.NoError(t, err)
	receipts, err := x.Erasures(t.Context(), ada)
	require.NoError(t, err)
	for _, reach := range [][]erase.Reach{preview.OutOfReach, receipt.OutOfReach, receipts[0].OutOfReach} {
		require.ElementsMatch(t, copies, named(reach))
		require.Greater(t, len(reach), len(copies), "and what is out of reach everywhere")
	}
}

// A backup that was killed leaves a copy wherever it was to lie: doctor and a preview
// name it, and an erasure, which could not reach into it, takes it away.
func TestEraseRemovesKilledBackup(t *testing.T) {
	pgtest.FileOnly(t, "backups")
	path := filepath.Join(t.TempDir(), "memory.db")
	x := openFile(t, path)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The kettle is green", eventbus.WithID("m1"))))
	copy := filepath.Join(t.TempDir(), ".backup.db.new")
	require.NoError(t, os.WriteFile(copy, []byte("The kettle is green"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), ".memory.db.backup-1"), []byte(copy), 0o600))

	_, checks := Examine(t, path)
	require.Contains(t, strings.Join(checks, "\n"), copy)
	what := Erasure{Events: []string{"m1"}}
	preview, err := x.PreviewErase(t.Context(), ada, what)
	require.NoError(t, err)
	require.Equal(t, copy, preview.OutOfReach[0].Place)
	require.FileExists(t, copy, "a preview does nothing")
	receipt, err := x.Erase(t.Context(), ada, what)
	require.NoError(t, err)
	require.NoFileExists(t, copy)
	require.NotContains(t, text.JSON(receipt.OutOfReach), copy)
	require.Equal(t, []string{copy}, receipt.Removed)
}
