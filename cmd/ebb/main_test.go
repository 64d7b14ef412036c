package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/build"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // what the tests print must not depend on where they run
	for _, name := range []string{"EBB_DB", "EBB_USER", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_MODEL", "OLLAMA_HOST", "NO_COLOR"} {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// outcome is what one run of the command left behind.
type outcome struct {
	code     int
	out, err string
}

// ebb runs the command line as a process would, on buffers.
func ebb(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	return ebbContext(t.Context(), stdin, args...)
}

func ebbContext(ctx context.Context, stdin string, args ...string) outcome {
	var out, errs bytes.Buffer
	code := run(ctx, args, strings.NewReader(stdin), &out, &errs)
	return outcome{code, out.String(), errs.String()}
}

// fixture is a memory of two users that holds messages and no claims, and the id
// of one memory of each.
type fixture struct {
	db           string
	adaID, benID string
}

var spring = time.Date(2026, 3, 2, 7, 45, 0, 0, time.UTC)

func newFixture(t *testing.T, users ...string) fixture {
	t.Helper()
	f := fixture{db: filepath.Join(t.TempDir(), "memory.db")}
	x, err := extension.Open(t.Context(), f.db, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoClaims: true, Now: func() time.Time { return spring.AddDate(0, 0, 9) }})
	require.NoError(t, err)
	for i, user := range users {
		scope := extension.Scope{User: user, Session: "monday"}
		require.NoError(t, x.Bus().Publish(t.Context(),
			eventbus.UserMessage(scope, "My violin teacher Ottilie moved to Ghent.", eventbus.At(spring), eventbus.Speaker(user), eventbus.WithID("m1")),
			eventbus.AgentResponse(scope, "Will the lessons go on?", eventbus.At(spring.Add(time.Minute)), eventbus.WithID("m2")),
			eventbus.UserMessage(scope, "Yes, by video, on Fridays.\nShe insists.", eventbus.At(spring.AddDate(0, 0, 1)), eventbus.WithID("m3"))))
		require.NoError(t, x.WaitIdle(t.Context()))
		answer, err := x.Recall(t.Context(), scope, extension.Query{Text: "violin teacher", Limit: 1})
		require.NoError(t, err)
		require.Len(t, answer.Results, 1)
		switch i {
		case 0:
			f.adaID = answer.Results[0].Memory.UID
		case 1:
			f.benID = answer.Results[0].Memory.UID
		}
	}
	require.NoError(t, x.Close(t.Context()))
	return f
}

func TestWrongUsage(t *testing.T) {
	f := newFixture(t, "ada")
	for _, test := range []struct {
		name string
		args []string
		says string
	}{
		{"unknown command", []string{"recollect"}, "unexpected argument recollect"},
		{"unknown flag", []string{"stats", "--colour"}, "unknown flag --colour"},
		{"no query", []string{"search"}, "expected \"<query> ...\""},
		{"empty query", []string{"search", " "}, "query is empty"},
		{"limit 0", []string{"search", "x", "--limit", "0"}, "--limit must be from 1 to 1000"},
		{"limit below 0", []string{"search", "x", "--limit=-3"}, "limit must be from 1 to 1000"},
		{"limit too large", []string{"search", "x", "-n", "1000000000"}, "ebb: --limit must be from 1 to 1000\n"},
		{"timeline limit too large", []string{"timeline", "-n", "1001"}, "ebb: --limit must be from 1 to 1000\n"},
		{"limit not a number", []string{"search", "x", "-n", "ten"}, "expected a valid 64 bit int"},
		{"timeline limit 0", []string{"timeline", "-n", "0"}, "--limit must be from 1 to 1000"},
		{"unknown kind", []string{"search", "x", "--kind", "dream"}, "kind is not one of episode, fact, preference, reflection"},
		{"unknown kind of timeline", []string{"timeline", "--kind", "dream"}, "kind is not one of"},
		{"no time", []string{"search", "x", "--since", "ere long"}, "\"ere long\" is no time; write 2026-03-01"},
		{"no now", []string{"search", "x", "--now", "later"}, "\"later\" is no time"},
		{"since after until", []string{"timeline", "--since", "2026-03-02", "--until", "2026-03-01"}, "since must be earlier than until"},
		{"no id", []string{"show"}, "expected \"<id>\""},
		{"no such provider", []string{"chat", "--provider", "abacus"}, "must be one of"},
		{"restore over a file", []string{"restore", f.db}, "ebb: restore " + f.db + ": target is taken: " + f.db + " exists already"},
		{"restore into no folder", []string{"restore", f.db, "--db", "nowhere/memory.db"}, "nowhere; make it first\n"},
		{"backup into no folder", []string{"backup", "nowhere/copy.db"}, "ebb: back up " + f.db + ": target lies in a folder that does not exist"},
		{"tenants of a file", []string{"tenants", f.db}, "path is a file; give the folder that holds the memories\n"},
		{"a long user", []string{"remember", "x", "--user", strings.Repeat("x", 2000)}, "--user "},
		{"demo file exists", []string{"demo", "--keep", f.db}, "exists already"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ebb(t, "", append([]string{"--db", f.db}, test.args...)...)
			require.Equal(t, exitUsage, got.code, got.err)
			require.Contains(t, got.err, test.says)
			requireOneLine(t, got)
		})
	}
}

func requireOneLine(t *testing.T, got outcome) {
	t.Helper()
	require.True(t, strings.HasPrefix(got.err, "ebb: "), got.err)
	require.Equal(t, 1, strings.Count(got.err, "\n"), got.err)
	require.NotContains(t, got.err, "goroutine")
	require.NotRegexp(t, `\b[A-Z][a-z]+\.[A-Z]`, got.err, "a name of the library's")
}

func TestHelpNamesEveryCommandAndExitCode(t *testing.T) {
	got := ebb(t, "", "--help")
	require.Equal(t, exitOK, got.code)
	for _, word := range []string{"demo", "chat", "search", "explain", "show", "timeline", "stats", "consolidate", "doctor", "version", "Exit codes: 0 done, 1 failure, 2 wrong usage"} {
		require.Contains(t, strings.Join(strings.Fields(got.out), " "), word)
	}
	require.Empty(t, got.err)
	require.Contains(t, ebb(t, "", "explain", "--help").out, `"signals"`)
}

// reading is every command that looks at an existing file.
func reading(id string) map[string][]string {
	return map[string][]string{
		"search": {"search", "violin"}, "explain": {"explain", "violin"}, "show": {"show", id},
		"timeline": {"timeline"}, "stats": {"stats"}, "doctor": {"doctor"},
	}
}

func TestFilesThatAreNoMemory(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	foreign := filepath.Join(dir, "foreign.db")
	execute(t, foreign, "CREATE TABLE recipes (name TEXT)")
	newer := newFixture(t, "ada").db
	execute(t, newer, "PRAGMA user_version = 999")

	commands := reading("some-id")
	commands["consolidate"] = []string{"consolidate"}
	for name, args := range commands {
		for _, test := range []struct {
			name, path string
			code       int
		}{
			{"missing", filepath.Join(dir, "nowhere.db"), exitNotFound},
			{"directory", dir, exitUsage},
			{"text file", write("notes.txt", "buy milk, and a good deal more than a header of bytes"), exitDamaged},
			{"empty file", write("empty.db", ""), exitDamaged},
			{"another program's database", foreign, exitDamaged},
			{"newer version", newer, exitDamaged},
		} {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				before := snapshot(t, test.path)
				got := ebb(t, "", append(args, "--db", test.path)...)
				require.Equal(t, test.code, got.code, got.err)
				requireOneLine(t, got)
				require.Equal(t, before, snapshot(t, test.path), "the file changed")
			})
		}
	}
}

// snapshot is the content of a file; nil for a directory or none.
func snapshot(t *testing.T, path string) []byte {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return content
}

func execute(t *testing.T, path, statements string) {
	t.Helper()
	db, err := driver.Open("file:" + path)
	require.NoError(t, err)
	defer func(db *sql.DB) { require.NoError(t, db.Close()) }(db)
	_, err = db.ExecContext(t.Context(), statements)
	require.NoError(t, err)
}

func TestLookingChangesNothing(t *testing.T) {
	f := newFixture(t, "ada")
	before := snapshot(t, f.db)
	for name, args := range reading(f.adaID) {
		got := ebb(t, "", append(args, "--db", f.db)...)
		require.Equal(t, exitOK, got.code, "%s: %s", name, got.err)
		require.Equal(t, before, snapshot(t, f.db), "%s changed the file", name)
	}
}

func TestEveryJSONIsOneDocument(t *testing.T) {
	f := newFixture(t, "ada")
	for name, args := range reading(f.adaID) {
		got := ebb(t, "", append(args, "--json", "--db", f.db)...)
		require.Equal(t, exitOK, got.code, "%s: %s", name, got.err)
		decoder := json.NewDecoder(strings.NewReader(got.out))
		var document map[string]any
		require.NoError(t, decoder.Decode(&document), name)
		_, err := decoder.Token()
		require.ErrorIs(t, err, io.EOF, name)
	}
	var v build.Info
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "version", "--json").out), &v))
	require.NotEmpty(t, v.Go)
	require.True(t, strings.HasPrefix(ebb(t, "", "version").out, "ebb "))
}

func TestAmbiguousUser(t *testing.T) {
	f := newFixture(t, "ada", "ben")
	for _, args := range [][]string{{"search", "violin"}, {"explain", "violin"}, {"show", f.adaID}, {"timeline"}, {"consolidate"}} {
		got := ebb(t, "", append(args, "--db", f.db)...)
		require.Equal(t, exitUsage, got.code, "%v: %s", args, got.err)
		require.Equal(t, "ebb: the file holds 2 users; choose one with --user NAME: \"ada\", \"ben\"\n", got.err)
	}
	got := ebb(t, "", "search", "violin", "--user", "ben", "--json", "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, f.benID)
	require.NotContains(t, got.out, f.adaID)

	t.Setenv("EBB_USER", "ben")
	t.Setenv("EBB_DB", f.db)
	require.Contains(t, ebb(t, "", "search", "violin").out, f.benID, "the environment names user and file")
	require.Contains(t, ebb(t, "", "search", "violin", "--user", "ada").out, f.adaID, "a flag wins over the environment")
}

func TestUnknownUserIsAnError(t *testing.T) {
	f := newFixture(t, "ada", "ben")
	commands := reading(f.adaID)
	delete(commands, "doctor")
	commands["explain one"] = []string{"explain", "violin", "--memory", f.adaID}
	commands["export"] = []string{"export"}
	commands["consolidate"] = []string{"consolidate"}
	for name, args := range commands {
		got := ebb(t, "", append(args, "--db", f.db, "--user", "aad")...)
		require.Equal(t, exitNotFound, got.code, "%s: %s", name, got.out)
		require.Equal(t, "ebb: no user \"aad\" in the file; it holds \"ada\", \"ben\"\n", got.err, name)
	}
	got := ebb(t, "", "search", "violin", "--db", f.db, "--user", "ada", "--tenant", "acme")
	require.Equal(t, "ebb: no user \"ada\" of tenant \"acme\" in the file; it holds \"ada\", \"ben\"\n", got.err)
	got = ebb(t, "", "search", "violin", "--db", f.db, "--tenant", "acme")
	require.Equal(t, exitUsage, got.code)
	require.Equal(t, "ebb: the file holds no user of tenant \"acme\"; name one with --user NAME\n", got.err)
	require.Contains(t, ebb(t, "", "stats", "--db", f.db).out, "ben", "and nobody was added")
	require.NotContains(t, ebb(t, "", "stats", "--db", f.db).out, "aad")
}

func TestAnotherUsersIDIsUnknown(t *testing.T) {
	f := newFixture(t, "ada", "ben")
	unknown := "01999999-0000-7000-8000-000000000000"
	foreign := ebb(t, "", "show", f.benID, "--user", "ada", "--db", f.db)
	none := ebb(t, "", "show", unknown, "--user", "ada", "--db", f.db)
	require.Equal(t, exitNotFound, foreign.code)
	require.Equal(t, exitNotFound, none.code)
	why := ebb(t, "", "explain", "violin", "--memory", unknown, "--user", "ada", "--db", f.db)
	require.Equal(t, exitNotFound, why.code)
	require.Equal(t, none.err, why.err)
	require.Equal(t, strings.ReplaceAll(none.err, unknown, "ID"), strings.ReplaceAll(foreign.err, f.benID, "ID"))
	require.Equal(t, exitNotFound, ebb(t, "", "show", "'; DROP TABLE memories", "--user", "ada", "--db", f.db).code)
}

func TestInterrupt(t *testing.T) {
	f := newFixture(t, "ada")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, args := range reading(f.adaID) {
		got := ebbContext(ctx, "", append(args, "--db", f.db)...)
		require.Equal(t, exitInterrupted, got.code, "%s: %s", name, got.err)
		requireOneLine(t, got)
	}
}

func TestNoArguments(t *testing.T) {
	got := ebb(t, "")
	require.Equal(t, exitOK, got.code)
	require.Contains(t, got.out, "Usage: ebb")
	require.Empty(t, got.err)
}

func TestVersionFlag(t *testing.T) {
	got := ebb(t, "", "--version")
	require.Equal(t, exitOK, got.code)
	require.Equal(t, ebb(t, "", "version").out, got.out)
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		got := ebb(t, "", "completion", shell)
		require.Equal(t, exitOK, got.code, got.err)
		require.Contains(t, got.out, "complete", shell)
		require.NotContains(t, got.out, "Execute", "a pipe gets code and no advice")
		require.Equal(t, got.out, ebb(t, "", "completion", "--code", shell).out)
	}
}

func TestJSONErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.db")
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"stats", "--json", "--db", missing}, exitNotFound},
		{[]string{"search", "--json"}, exitUsage}, // of the command line itself
		{[]string{"search", "x", "--json", "--limit", "0", "--db", missing}, exitUsage},
	} {
		got := ebb(t, "", c.args...)
		var said struct {
			Error string
			Code  int
		}
		require.NoError(t, json.Unmarshal([]byte(got.err), &said), got.err)
		require.NotEmpty(t, said.Error)
		require.Equal(t, c.code, said.Code)
		require.Equal(t, c.code, got.code)
	}
}
