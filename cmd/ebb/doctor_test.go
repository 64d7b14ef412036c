package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFileOfAnUnreleasedVersion(t *testing.T) {
	f := newFixture(t, "ada")
	execute(t, f.db, "PRAGMA user_version = 9")
	for _, args := range [][]string{{"doctor", f.db}, {"search", "violin", "--db", f.db}, {"doctor", "--repair", f.db}} {
		got := ebb(t, "", args...)
		require.Equal(t, exitDamaged, got.code, got.out)
		require.Contains(t, strings.Join(strings.Fields(got.out+got.err), " "), "export the memory with that ebb and import it here")
		require.NotContains(t, strings.ToLower(got.out+got.err), "damaged", args)
	}
	execute(t, f.db, "PRAGMA user_version = 999")
	got := ebb(t, "", "doctor", f.db)
	require.Equal(t, exitDamaged, got.code, got.out)
	require.Contains(t, got.err, "of another version of ebb")
	require.NotContains(t, strings.ToLower(got.out+got.err), "damaged")
}

// What an older ebb wrote is well, and every command says how to go on.
func TestAFileOfAnOlderVersion(t *testing.T) {
	f := newFixture(t, "ada")
	execute(t, f.db, "PRAGMA user_version = 0")
	got := ebb(t, "", "doctor", f.db)
	require.Equal(t, exitOK, got.code, got.out)
	require.Contains(t, got.out, "Healthy, with 1 warning.")
	require.Contains(t, got.out, "this ebb writes version")
	require.NotContains(t, got.out, "refused")
	got = ebb(t, "", "search", "violin", "--db", f.db)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "brought up to date first; ebb consolidate does it\n")
}

// A healthy file in a read-only folder is not reported as damaged.
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
	execute(t, f.db, "UPDATE entities SET mention_count = 77 WHERE id = 1")
	got := ebb(t, "", "doctor", f.db)
	require.Equal(t, exitDamaged, got.code)
	require.Contains(t, got.out, "ebb doctor --repair memory.db")
	require.NotContains(t, got.out, "sqlite3")

	got = ebb(t, "", "doctor", "--repair", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "1 mentions counted again")
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
