package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
)

func TestMigrate(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from.db"), filepath.Join(t.TempDir(), "to.db")
	turns := `{"id":"m1","session":"s","time":"2026-03-01T18:00:00Z","text":"I live in Lisbon."}`
	require.Equal(t, exitOK, ebb(t, turns, "--db", from, "--user", "ada", "import", "-").code)
	got := ebb(t, "", "--db", from, "migrate", to)
	require.Equal(t, exitOK, got.code, got)
	require.Equal(t, "1 user in both, of which 0 were there already\n", got.out)
	got = ebb(t, "", "--db", from, "migrate", to, "--json")
	require.JSONEq(t, `{"users": 1, "known": 1}`, got.out)
	exported := func(db string) string {
		return memtest.Undated(ebb(t, "", "--db", db, "--user", "ada", "export").out)
	}
	require.Equal(t, exported(from), exported(to))

	got = ebb(t, "", "--db", from, "migrate", from)
	require.Equal(t, exitUsage, got.code, got)
	require.Contains(t, got.err, "the memory itself")
	require.Empty(t, got.out)

	require.Equal(t, exitOK, ebb(t, "", "--db", to, "--user", "ada", "remember", "I keep hens.").code)
	got = ebb(t, "", "--db", from, "migrate", to, "--json")
	require.NotEqual(t, exitOK, got.code)
	require.Empty(t, got.out, "a failure reports no result")
}

// A password in the name of a server is in no output.
func TestPasswordOfAServerIsNotPrinted(t *testing.T) {
	for _, name := range []string{"postgres://ada:s3cret@127.0.0.1:1/m", "postgres://ada@127.0.0.1:1/m?password=s3cret", "Postgres:/ada:s3cret@h/m", "host=127.0.0.1 port=1 password=s3cret"} {
		for _, args := range [][]string{{"doctor", name}, {"--db", name, "--user", "ada", "search", "x"}, {"--db", name, "backup", "y"}, {"--db", name, "migrate", filepath.Join(t.TempDir(), "to.db")}} {
			got := ebb(t, "", args...)
			require.NotZero(t, got.code)
			require.NotContains(t, got.out+got.err, "s3cret", args)
		}
	}
}
