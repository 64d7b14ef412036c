package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
)

func TestRememberNeedsAUser(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	o := ebb(t, "", "remember", "I keep bees.", "--db", db)
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "--user")
	require.NoFileExists(t, db)
}

func TestDecideCommands(t *testing.T) {
	db := filepath.Join(t.TempDir(), "m.db")
	do := func(out any, args ...string) {
		t.Helper()
		r := ebb(t, "", append(args, "--db", db, "--user", "ada", "--json")...)
		require.Equal(t, exitOK, r.code, r.err)
		require.NoError(t, json.Unmarshal([]byte(r.out), out))
	}
	var first, second, third extension.Remembered
	do(&first, "remember", "I live in Ghent.")
	do(&second, "remember", "I live in Oslo.")
	require.Len(t, second.Ended, 1)
	require.Equal(t, first.Memory.UID, second.Ended[0].UID)
	do(&third, "remember", "I live in Oslo.")
	require.True(t, third.Known)
	require.Contains(t, ebb(t, "", "remember", "I", "live", "in", "Oslo.", "--db", db).out, "Known already")

	require.Contains(t, ebb(t, "", "protect", second.Memory.UID, "--db", db).out, "is protected")
	var corrected extension.Remembered
	do(&corrected, "correct", second.Memory.UID, "I live in Bergen.")
	require.Equal(t, "I live in Bergen.", corrected.Memory.Content)
	require.True(t, corrected.Memory.Protected, "protection is inherited")
	require.Equal(t, exitUsage, ebb(t, "", "correct", corrected.Memory.UID, "I live in Bergen.", "--db", db).code)
	require.Contains(t, ebb(t, "", "protect", "--off", corrected.Memory.UID, "--db", db).out, "no longer protected")
	require.Equal(t, exitNotFound, ebb(t, "", "protect", "Nobody Known", "--db", db).code)

	listed := ebb(t, "", "forget", "Bergen", "--db", db)
	require.Contains(t, listed.out, "Nothing is forgotten yet")
	require.Contains(t, listed.out, corrected.Memory.UID)
	require.Equal(t, exitNotFound, ebb(t, "", "forget", "zeppelin", "--db", db).code)
	require.Equal(t, exitNotFound, ebb(t, "", "forget", "01890000-0000-7000-8000-000000000000", "--db", db).code)
	var forgotten extension.Forgotten
	do(&forgotten, "forget", corrected.Memory.UID)
	require.Len(t, forgotten.Hidden, 1)
	require.NotContains(t, ebb(t, "", "search", "Bergen", "--db", db).out, "Bergen.")
	require.Contains(t, ebb(t, "", "runs", "--db", db).out, "host")
	require.Contains(t, ebb(t, "", "forget", corrected.Memory.UID, "--db", db).out, "Forgotten already")
	require.Equal(t, exitOK, ebb(t, "", "undo", forgotten.RunID, "--db", db).code)
	require.Contains(t, ebb(t, "", "search", "Bergen", "--db", db).out, "Bergen.")
	for _, args := range [][]string{{"correct", first.Memory.UID, "I live in Rome.", "--db", db}, {"remember", " ", "--db", db}, {"forget", "--db", db}} {
		require.NotEqual(t, exitOK, ebb(t, "", args...).code, "%v", args)
	}
}
