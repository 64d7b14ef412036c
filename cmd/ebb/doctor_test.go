package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What an older ebb wrote is well, and every command says how to go on.
func TestAFileOfAnOlderVersion(t *testing.T) {
	f := newFixture(t, "ada")
	execute(t, f.db, "PRAGMA user_version = 1")
	got := ebb(t, "", "doctor", f.db)
	require.Equal(t, exitOK, got.code, got.out)
	require.Contains(t, got.out, "Healthy, with 1 warning.")
	require.Contains(t, got.out, "this ebb writes version")
	require.NotContains(t, got.out, "refused")
	got = ebb(t, "", "search", "violin", "--db", f.db)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "brought up to date first; ebb consolidate does it\n")
}

// A healthy file in a place where nobody may write is not called damaged.
func TestDoctorWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	f := newFixture(t, "ada")
	dir := filepath.Dir(f.db)
	t.Run("file", func(t *testing.T) {
		require.NoError(t, os.Chmod(f.db, 0))
		got := ebb(t, "", "doctor", f.db)
		require.Equal(t, exitFailure, got.code, got.out)
		require.Contains(t, got.err, "could not be examined")
		require.Contains(t, got.out, "fix: run ebb doctor as a user who may read and write")
		require.NotContains(t, got.out, "damaged")
	})
	t.Run("folder", func(t *testing.T) {
		require.NoError(t, os.Chmod(f.db, 0o400))
		require.NoError(t, os.Chmod(dir, 0o500))
		defer func() { require.NoError(t, os.Chmod(dir, 0o700)) }()
		got := ebb(t, "", "doctor", f.db)
		require.Equal(t, exitOK, got.code, got.out)
		require.Contains(t, got.out, "Healthy.\n")
		require.Contains(t, got.out, "skipped  text index\n")
		for name, args := range reading(f.adaID) {
			got := ebb(t, "", append(args, "--db", f.db)...)
			require.Equal(t, exitOK, got.code, "%s: %s", name, got.err)
		}
		left, err := filepath.Glob(f.db + "*")
		require.NoError(t, err)
		require.Equal(t, []string{f.db}, left)

		require.NoError(t, os.Chmod(dir, 0o700))
		require.NoError(t, os.WriteFile(f.db+"-wal", []byte("something"), 0o400))
		require.NoError(t, os.Chmod(dir, 0o500))
		got = ebb(t, "", "search", "violin", "--db", f.db)
		require.Equal(t, exitFailure, got.code)
		require.Contains(t, got.err, "copy both to a folder of your own")
	})
}

func TestDoctorRepairs(t *testing.T) {
	f := newFixture(t, "ada")
	execute(t, f.db, "UPDATE users SET nights_through = 'soon'")
	got := ebb(t, "", "doctor", f.db)
	require.Equal(t, exitDamaged, got.code)
	require.Contains(t, got.out, "ebb doctor --repair memory.db")
	require.NotContains(t, got.out, "sqlite3")

	got = ebb(t, "", "doctor", "--repair", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "1 days of the last night cleared")
	require.Contains(t, got.out, f.db+".before-repair")
	require.Contains(t, got.out, "Healthy now.")
	require.Equal(t, exitOK, ebb(t, "", "doctor", f.db).code)
	got = ebb(t, "", "doctor", "--repair", f.db)
	require.Equal(t, exitOK, got.code)
	require.Contains(t, got.out, "nothing was changed")

	require.Equal(t, exitNotFound, ebb(t, "", "doctor", "--repair", f.db+"x").code)
	got = ebb(t, "", "doctor", "--repair", f.db, "--json")
	require.Equal(t, exitOK, got.code)
	require.Contains(t, got.out, `"changed": []`)
}

func TestDoctorSalvages(t *testing.T) {
	f := newFixture(t, "ada", "ben")
	content, err := os.ReadFile(f.db)
	require.NoError(t, err)
	at := bytes.Index(content, []byte("Will the lessons go on?")) // the journal's leaf or the memories'
	require.Positive(t, at)
	clear(content[at/4096*4096 : at/4096*4096+4096])
	require.NoError(t, os.WriteFile(f.db, content, 0o600))

	target := filepath.Join(t.TempDir(), "new.db")
	got := ebb(t, "", "doctor", "--salvage", target, f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "6 memories, 6 messages in the journal")
	require.Contains(t, got.out, "What could not be read is lost")
	got = ebb(t, "", "doctor", target)
	require.Equal(t, exitOK, got.code, got.out)
	got = ebb(t, "", "search", "violin", "--db", target, "--user", "ada")
	require.Contains(t, got.out, "Ottilie")

	got = ebb(t, "", "doctor", "--salvage", target, f.db)
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.err, "exists already")
	got = ebb(t, "", "doctor", "--salvage", target+"2", f.db+"x")
	require.Equal(t, exitNotFound, got.code)
}
