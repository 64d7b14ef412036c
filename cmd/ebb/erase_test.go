package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var confirmCode = regexp.MustCompile(`--confirm ([0-9a-f]{6})\.`)

func TestEraseNeedsCode(t *testing.T) {
	f := newFixture(t, "ada", "ben")
	args := []string{"erase", "--session", "monday", "--user", "ada", "--db", f.db}
	before, err := os.ReadFile(f.db)
	require.NoError(t, err)

	shown := ebb(t, "", args...)
	require.Equal(t, exitOK, shown.code, shown.err)
	require.Contains(t, shown.out, "Would be erased:")
	require.Contains(t, shown.out, "Nothing was erased.")
	code := confirmCode.FindStringSubmatch(shown.out)
	require.Len(t, code, 2, shown.out)
	require.Contains(t, ebb(t, "", "search", "violin", "--user", "ada", "--db", f.db).out, "Ottilie")
	after, err := os.ReadFile(f.db)
	require.NoError(t, err)
	require.Len(t, after, len(before), "looking takes no room")

	for _, wrong := range []string{"yes", "000000", code[1] + "0"} {
		got := ebb(t, "", append(args, "--confirm", wrong)...)
		require.Equal(t, exitUsage, got.code)
		require.Contains(t, got.err, "look again")
	}
	other := ebb(t, "", "erase", "--all", "--user", "ada", "--db", f.db, "--confirm", code[1])
	require.Equal(t, exitUsage, other.code, "the code is for what was shown")

	got := ebb(t, "", append(args, "--confirm", code[1], "--json")...)
	require.Equal(t, exitOK, got.code, got.err)
	var receipt struct {
		State  string
		Erased map[string]int64
		Reach  []any `json:"out_of_reach"`
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &receipt))
	require.Equal(t, "done", receipt.State)
	require.EqualValues(t, 3, receipt.Erased["memories"])
	require.NotEmpty(t, receipt.Reach)
	require.NotContains(t, ebb(t, "", "search", "violin", "--user", "ada", "--db", f.db).out, "Ottilie")
	require.Contains(t, ebb(t, "", "search", "violin", "--user", "ben", "--db", f.db).out, "Ottilie")
	require.Equal(t, exitOK, ebb(t, "", "doctor", "--db", f.db).code)
}

func TestEraseUser(t *testing.T) {
	f := newFixture(t, "ada", "ben")
	code := confirmCode.FindStringSubmatch(ebb(t, "", "erase", "--all", "--user", "ada", "--db", f.db).out)
	require.Len(t, code, 2)
	got := ebb(t, "", "erase", "--all", "--user", "ada", "--db", f.db, "--confirm", code[1])
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, exitNotFound, ebb(t, "", "erase", "--all", "--user", "ada", "--db", f.db).code)
	require.Contains(t, ebb(t, "", "search", "violin", "--db", f.db).out, "Ottilie", "ben is the only one now")
}

func TestEraseErrors(t *testing.T) {
	f := newFixture(t, "ada")
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exitUsage, "say what to erase with --id, --event,"},
		{[]string{"--all", "--id", f.adaID}, exitUsage, "--all stands beside a choice"},
		{[]string{"--id", "nobody"}, exitNotFound, `memory "nobody"`},
		{[]string{"--event", "nothing"}, exitNotFound, `event "nothing"`},
		{[]string{"--session", "never"}, exitNotFound, `session "never"`},
		{[]string{"--since", "2026-03-02", "--until", "2026-03-01"}, exitUsage, "--until is not later than the span's beginning"},
	} {
		got := ebb(t, "", append([]string{"erase", "--db", f.db}, test.args...)...)
		require.Equal(t, test.code, got.code, "%v: %s", test.args, got.err)
		require.Contains(t, got.err, test.says)
		requireOneLine(t, got)
	}
}

func TestImportingAnErasedTurnSaysSo(t *testing.T) {
	dir := t.TempDir()
	db, history := filepath.Join(dir, "memory.db"), filepath.Join(dir, "history.jsonl")
	require.NoError(t, os.WriteFile(history, []byte(`{"id":"t1","time":"2026-03-01T18:00:00Z","session":"monday","role":"user","text":"The vault opens with a hum."}
{"id":"t2","time":"2026-03-02T18:00:00Z","session":"tuesday","role":"user","text":"The kettle is blue."}
`), 0o600))
	run := func(args ...string) string {
		got := ebb(t, "", append(args, "--user", "ada", "--db", db)...)
		require.Equal(t, exitOK, got.code, got.err)
		return got.out
	}
	require.Contains(t, run("import", history), "2 turns stored, 0 were there already\n")
	code := confirmCode.FindStringSubmatch(run("erase", "--session", "monday"))
	require.Len(t, code, 2)
	run("erase", "--session", "monday", "--confirm", code[1])
	require.Contains(t, run("import", history), "0 turns stored, 1 were there already, 1 passed over (erased here before)\n")
}
