package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
)

func TestBackup(t *testing.T) {
	f := newFixture(t, "ada", "ben")
	target := filepath.Join(t.TempDir(), "b.db")
	got := ebb(t, "", "backup", target, "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "verified: 6 memories of 2 users")

	// It is a memory like any other.
	got = ebb(t, "", "search", "violin", "--db", target, "--user", "ada")
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "Ottilie")

	got = ebb(t, "", "backup", target, "--db", f.db)
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.err, "exists already; give another name")

	got = ebb(t, "", "backup", target, "--verify", "--json")
	require.Equal(t, exitOK, got.code, got.err)
	var report extension.BackupReport
	require.NoError(t, json.Unmarshal([]byte(got.out), &report))
	require.Equal(t, int64(6), report.Rows["memories"])
	require.Equal(t, target, report.Path)

	require.NoError(t, os.Truncate(target, 8192))
	got = ebb(t, "", "backup", target, "--verify")
	require.Equal(t, exitDamaged, got.code, got.err)
	require.Empty(t, got.out)
}

func TestBackupWithoutSource(t *testing.T) {
	dir := t.TempDir()
	got := ebb(t, "", "backup", filepath.Join(dir, "b.db"), "--db", filepath.Join(dir, "none.db"))
	require.Equal(t, exitNotFound, got.code)
	require.Contains(t, got.err, "no memory file")
	got = ebb(t, "", "backup", filepath.Join(dir, "b.db"), "--verify")
	require.Equal(t, exitNotFound, got.code)
	require.Contains(t, got.err, "no backup")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// A backup is of all users, so it does not matter for whom other commands are.
func TestBackupIsOfAllUsers(t *testing.T) {
	f := newFixture(t, "ada")
	t.Setenv("EBB_USER", "nobody")
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte(strings.Repeat("ab", 32)), 0o600))
	for name, how := range map[string][]string{"as it is": nil, "plain": {"--plain"}, "sealed": {"--new-key-file", key}} {
		o := ebb(t, "", append([]string{"--db", f.db, "backup", filepath.Join(t.TempDir(), "copy.db")}, how...)...)
		require.Equal(t, exitOK, o.code, "%s: %s", name, o.err)
	}
}

func TestInterruptedBackup(t *testing.T) {
	f := newFixture(t, "ada")
	target := filepath.Join(t.TempDir(), "b.db")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := ebbContext(ctx, "", "backup", target, "--db", f.db)
	require.Equal(t, exitInterrupted, got.code)
	require.Contains(t, got.err, "there is no backup")
	require.NoFileExists(t, target)
}

func TestRestore(t *testing.T) {
	f := newFixture(t, "ada")
	backup := filepath.Join(t.TempDir(), "b.db")
	require.Equal(t, exitOK, ebb(t, "", "backup", backup, "--db", f.db).code)
	got := ebb(t, "", "restore", backup, "--db", f.db)
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.err, "--force")

	require.NoError(t, os.Truncate(f.db, 8192))
	got = ebb(t, "", "restore", backup, "--db", f.db, "--force")
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "restored and verified: 3 memories of 1 user")
	require.Contains(t, got.out, f.db+".before-restore")
	got = ebb(t, "", "search", "violin", "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "Ottilie")

	got = ebb(t, "", "restore", backup+"x", "--db", f.db, "--force")
	require.Equal(t, exitNotFound, got.code)
}
