package main

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/racing"
)

// turnLines are n turns as an import reads them.
func turnLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"t%d","session":"s","time":"2026-01-02T03:04:05Z","speaker":"Ada","role":"user","text":"Kettle number %d is blue."}`+"\n", i, i)
	}
	return b.String()
}

func writeTo(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func imported(t *testing.T, o outcome) (v importView) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(o.out), &v), "%s%s", o.out, o.err)
	return v
}

func TestImportFilesFoldersAndStandardInput(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "memory.db")
	in := filepath.Join(dir, "in")
	file := writeTo(t, filepath.Join(in, "a.jsonl"), turnLines(3))
	writeTo(t, filepath.Join(in, "b.json"), `[{"id":"c","create_time":1740823200,"current_node":"n","mapping":{"n":{"message":{"id":"m","author":{"role":"user"},"content":{"content_type":"text","parts":["Which tea?"]}}}}}]`)
	writeTo(t, filepath.Join(in, "notes.txt"), "not for us")
	writeTo(t, filepath.Join(in, "below", "c.jsonl"), turnLines(9))

	o := ebb(t, "", "--db", db, "import", file)
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "name one with --user NAME")
	require.NoFileExists(t, db, "no file is made for nobody")

	o = ebb(t, "", "--db", db, "--user", "ada", "import", file)
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "a.jsonl: 3 turns stored, 0 were there already\n3 read and 3 stored in")

	v := imported(t, ebb(t, "", "--db", db, "--user", "ada", "--json", "import", in))
	require.Equal(t, 4, v.Read)
	require.Equal(t, 1, v.Stored)
	require.Equal(t, 3, v.Duplicates)
	require.Len(t, v.Files, 2)
	require.Equal(t, transfer.FormatChatGPT, v.Files[1].Format)

	v = imported(t, ebb(t, turnLines(4), "--db", db, "--json", "import", "-"))
	require.Equal(t, 1, v.Stored, "the file's only user is meant")

	o = ebb(t, "", "--db", db, "search", "kettle number")
	require.Contains(t, o.out, "Kettle number 3 is blue.")
}

// Files of a folder that count from 1 each, and messages that do not count at all.
func TestImportOfAFolderWhoseIDsRepeat(t *testing.T) {
	dir := t.TempDir()
	db, in := filepath.Join(dir, "memory.db"), filepath.Join(dir, "in")
	writeTo(t, filepath.Join(in, "a.jsonl"), turnLines(3))
	writeTo(t, filepath.Join(in, "b.jsonl"), strings.ReplaceAll(turnLines(2), "blue", "red")+"{\n")
	writeTo(t, filepath.Join(in, "c.jsonl"), `{"role":"system","content":"Be brief."}`+"\n"+`{"role":"user","content":"Which kettle is green?"}`+"\n")
	for n := range 2 {
		o := ebb(t, "", "--db", db, "--user", "ada", "import", in)
		require.Equal(t, exitUsage, o.code, o.err)
		require.Contains(t, o.err, "b.jsonl: line 3: JSON is not one whole object")
		require.Contains(t, o.out, fmt.Sprintf("b.jsonl: %d turns stored, %d were there already; stopped by a fault\n", 2-2*n, 2*n))
		require.Contains(t, o.out, fmt.Sprintf("c.jsonl: %d turn%s stored, %d were there already, 1 skipped (no text of user,", 1-n, []string{"", "s"}[n], n))
	}
	o := ebb(t, "", "--db", db, "search", "which kettle is green")
	require.Contains(t, o.out, "Which kettle is green?")
	writeTo(t, filepath.Join(in, "a.jsonl"), strings.Replace(turnLines(3), "number 2", "two", 1))
	o = ebb(t, "", "--db", db, "--user", "ada", "import", in)
	require.Contains(t, o.err, "a.jsonl: line 3: id was used by what is stored of this user", "what only one file has is no namespace's matter")
}

func TestImportOptionsReachTheMemory(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	o := ebb(t, turnLines(1), "--db", db, "--user", "ada", "import", "--session", "old", "--origin", "user_direct", "-")
	require.Equal(t, exitOK, o.code, o.err)
	var view struct {
		Results []struct {
			Memory extension.Record `json:"memory"`
		} `json:"results"`
	}
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "--db", db, "--json", "search", "kettle").out), &view))
	require.Equal(t, "old", view.Results[0].Memory.SessionName)
	require.EqualValues(t, "user_direct", view.Results[0].Memory.Origin)
	o = ebb(t, `[{"uuid":"c","chat_messages":[{"uuid":"m","sender":"human","created_at":"2026-01-05T09:12:02Z","text":"The teapot is green.","attachments":[{}]}]}]`, "--db", db, "import", "--mine", "-")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "1 turn stored, 0 were there already; left out: 1 attachments")
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "--db", db, "--json", "search", "teapot").out), &view))
	require.EqualValues(t, "user_direct", view.Results[0].Memory.Origin)
}

func TestImportErrors(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "memory.db")
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.Mkdir(empty, 0o755))
	tests := []struct {
		name, stdin string
		args        []string
		want        string
	}{
		{"no such file", "", []string{filepath.Join(dir, "nowhere.jsonl")}, "no such file"},
		{"a folder without files", "", []string{empty}, "has no *.jsonl and no *.json"},
		{"an empty file", "", []string{writeTo(t, filepath.Join(dir, "empty.jsonl"), "")}, "empty.jsonl: input is empty"},
		{"empty standard input", "", []string{"-"}, "-: input is empty"},
		{"bad JSON", turnLines(2) + "{\n", []string{"-"}, "-: line 3: JSON is not one whole object"},
		{"a line that is too long", `{"text":"` + strings.Repeat("x", 2<<20) + `"}`, []string{"-"}, "-: line 1: line is longer than 2 MiB"},
		{"bad time", strings.Replace(turnLines(1), "03:04:05Z", "3 o'clock", 1), []string{"-"}, `line 1: time "2026-01-02T3 o'clock" is no time`},
		{"an id for two texts", turnLines(1) + strings.Replace(turnLines(1), "blue", "red", 1), []string{"-"}, `line 2: id was used by line 1`},
		{"a memory file", "SQLite format 3\x00", []string{"-"}, "damaged SQLite"},
		{"Markdown", "# Notes", []string{"-"}, "give Markdown a name that ends in .md"},
		{"an unknown origin", turnLines(1), []string{"--origin", "heaven", "-"}, "--origin must be one of"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := ebb(t, test.stdin, append([]string{"--db", db, "--user", "ada", "import"}, test.args...)...)
			require.Equal(t, exitUsage, o.code, o.out)
			require.Contains(t, o.err, test.want)
			require.NotContains(t, strings.TrimSpace(o.err), "\n", "one line")
		})
	}
	stats := ebb(t, "", "--db", db, "--user", "ada", "--json", "stats")
	require.NotContains(t, stats.out, `"episode": 1`, "nothing of a faulty batch is kept")
}

func TestImportContinuesWithOtherFiles(t *testing.T) {
	dir := t.TempDir()
	writeTo(t, filepath.Join(dir, "in", "a.jsonl"), "{\n")
	writeTo(t, filepath.Join(dir, "in", "b.jsonl"), turnLines(2))
	db := filepath.Join(dir, "m.db")
	o := ebb(t, "", "--db", db, "--user", "ada", "--json", "import", filepath.Join(dir, "in"))
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "a.jsonl: line 1: JSON")
	var stats statsView
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "--db", db, "stats", "--json").out), &stats))
	require.NotEmpty(t, stats.Health.Consumers)
	for _, c := range stats.Health.Consumers {
		require.Zero(t, c.Lag, "%s: what was stored is read", c.Name)
	}
	v := imported(t, o)
	require.Equal(t, 2, v.Stored)
	require.Contains(t, v.Files[0].Error, "line 1")
	require.Empty(t, v.Files[1].Error)
}

func TestImportSkipsUnreadableFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "in"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "in", "a.jsonl")))
	writeTo(t, filepath.Join(dir, "in", "b.jsonl"), turnLines(2))
	o := ebb(t, "", "--db", filepath.Join(dir, "m.db"), "--user", "ada", "--json", "import", filepath.Join(dir, "in"))
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "a.jsonl: cannot be read: open ")
	require.Equal(t, 2, imported(t, o).Stored)
}

// A data export is a folder of which one file holds the conversations: the others are
// no faults.
func TestImportOfAnUnpackedDataExport(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	writeTo(t, filepath.Join(in, "conversations.json"), `[{"uuid":"c","chat_messages":[{"uuid":"m","sender":"human","created_at":"2026-01-05T09:12:02Z","text":"The teapot is green."}]}]`)
	writeTo(t, filepath.Join(in, "users.json"), `[{"uuid":"u","full_name":"Ada"}]`)
	writeTo(t, filepath.Join(in, "projects.json"), `[]`)
	o := ebb(t, "", "--db", filepath.Join(dir, "m.db"), "--user", "ada", "import", in)
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "1 turn stored")
	require.Contains(t, o.out, "Not conversations, and left out: projects.json, users.json.")

	packed := filepath.Join(dir, "export.zip")
	file, err := os.Create(packed)
	require.NoError(t, err)
	archive := zip.NewWriter(file)
	require.NoError(t, archive.AddFS(os.DirFS(in)))
	_, err = archive.Create("../users.json")
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	require.NoError(t, file.Close())
	o = ebb(t, "", "--db", filepath.Join(dir, "m.db"), "--user", "ada", "import", packed)
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "export.zip/conversations.json: 0 turns stored, 1 were there already")
	o = ebb(t, "", "audit", packed)
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "1 message")
	content, err := os.ReadFile(packed)
	require.NoError(t, err)
	o = ebb(t, "", "--db", filepath.Join(dir, "m.db"), "--user", "ada", "import", writeTo(t, filepath.Join(dir, "half.zip"), string(content[:len(content)/2])))
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "archive is damaged, or no ZIP file")
	require.Equal(t, exitUsage, ebb(t, "", "audit", dir).code, "of a folder with nothing to read")

	require.NoError(t, os.Remove(filepath.Join(in, "conversations.json")))
	o = ebb(t, "", "--db", filepath.Join(dir, "m.db"), "--user", "ada", "import", in)
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "projects.json: input holds nothing to import; ", "without one they are what was given")
}

// An editor may have put a byte order mark in front.
func TestImportEditedExport(t *testing.T) {
	ada, ben := newFixture(t, "ada"), newFixture(t, "ben")
	export := ebb(t, "", "--db", ada.db, "export").out
	o := ebb(t, "\ufeff"+export, "--db", ben.db, "import", "--restore", "-")
	require.Equal(t, exitOK, o.code, o.err)
	require.Equal(t, memtest.Undated(export), memtest.Undated(ebb(t, "", "--db", ben.db, "--user", "ada", "export").out))
}

func TestImportSilentStdinInterrupt(t *testing.T) {
	silent, end := io.Pipe()
	defer func() { require.NoError(t, end.Close()) }()
	ctx, interrupt := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, interrupt)
	code := run(ctx, []string{"--db", filepath.Join(t.TempDir(), "m.db"), "--user", "ada", "import", "-"}, silent, io.Discard, io.Discard)
	require.Equal(t, exitInterrupted, code)
}

// stuck is background work that never catches up.
type stuck struct{}

func (stuck) WaitIdle(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestImportDoesNotWaitForPermanentFaults(t *testing.T) {
	require.True(t, lasting(fmt.Errorf("commit: %w", extension.ErrDiskFull)))
	require.False(t, lasting(extension.ErrBusy), "another process will be done some time")

	ctx, giveUp := context.WithCancelCause(t.Context())
	giveUp(fmt.Errorf("ebb.enrich: %w", extension.ErrDiskFull))
	err := catchUp(ctx, newApp(t.Context(), nil, io.Discard, io.Discard), stuck{})
	require.ErrorIs(t, err, extension.ErrDiskFull)
	require.ErrorContains(t, err, "everything is stored")

	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	err = catchUp(interrupted, newApp(interrupted, nil, io.Discard, io.Discard), stuck{})
	require.Equal(t, context.Canceled, err)
}

func TestImportInterrupted(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := ebbContext(ctx, turnLines(10), "--db", db, "--user", "ada", "import", "-")
	require.Equal(t, exitInterrupted, o.code, o.err)
	o = ebb(t, turnLines(10), "--db", db, "--user", "ada", "import", "-")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "10 turns stored")
}

// TestImportProcess is the process that TestImportKilledAndRepeated kills.
func TestImportProcess(t *testing.T) {
	db, file := os.Getenv("EBB_TEST_IMPORT_DB"), os.Getenv("EBB_TEST_IMPORT_FILE")
	if db == "" {
		t.Skip("is run by TestImportKilledAndRepeated")
	}
	os.Exit(run(t.Context(), []string{"--db", db, "--user", "ada", "import", file}, os.Stdin, os.Stdout, os.Stderr))
}

func TestImportKilledAndRepeated(t *testing.T) {
	racing.Alone(t)
	const turns = 6000
	dir := t.TempDir()
	db := filepath.Join(dir, "memory.db")
	file := writeTo(t, filepath.Join(dir, "a.jsonl"), turnLines(turns))

	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestImportProcess$")
	child.Env = append(os.Environ(), "EBB_TEST_IMPORT_DB="+db, "EBB_TEST_IMPORT_FILE="+file)
	require.NoError(t, child.Start())
	require.Eventually(t, func() bool { // some of it is on disk
		info, err := os.Stat(db + "-wal")
		return err == nil && info.Size() > 1<<20
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, child.Process.Kill())
	_ = child.Wait()

	o := ebb(t, "", "--db", db, "--user", "ada", "--json", "import", file)
	require.Equal(t, exitOK, o.code, o.err)
	v := imported(t, o)
	require.Equal(t, turns, v.Read)
	require.Equal(t, turns, v.Stored+v.Duplicates)
	require.NotZero(t, v.Duplicates, "what was stored before the kill is still there")
	var stats struct {
		Users []struct {
			Memories map[string]int `json:"memories"`
		} `json:"users"`
	}
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "--db", db, "--json", "stats").out), &stats))
	require.Equal(t, turns, stats.Users[0].Memories["episode"])
}

// A table of many users is imported with a loop, and its bad lines are listed.
func TestImportOfATableOfManyUsers(t *testing.T) {
	db, table := filepath.Join(t.TempDir(), "memory.db"), filepath.Join(t.TempDir(), "table.jsonl")
	row := func(user, more string) string {
		return fmt.Sprintf(`{"user_id":%q,"session":"%[1]s:1","role":"user"%s,"text":"My name is %[1]s."}`+"\n", user, more)
	}
	const at = `,"ts":"2026-01-05 10:00:00"`
	writeTo(t, table, row("anna", at)+row("bob", at)+"{\n"+row("bob", ""))
	o := ebb(t, "", "--db", db, "--user", "carl", "import", table)
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, `line 1: user names another one than the user of this import; name whose turns are wanted by --of-user`)
	for _, user := range []string{"anna", "bob"} {
		o = ebb(t, "", "--db", db, "--user", user, "import", "--mine", "--of-user", user, "--only-session", user+":*", "--skip-bad", "--time", "2026-02-01", table)
		require.Equal(t, exitOK, o.code, o.err)
		require.Contains(t, o.out, "1 bad and skipped (line 3: JSON is not one whole object")
		o = ebb(t, "", "--db", db, "--user", user, "search", "what is my name")
		require.Contains(t, o.out, "My name is "+user)
		require.Contains(t, o.out, "2026-01-05")
		require.Equal(t, user == "bob", strings.Contains(o.out, "2026-02-01"))
		for _, other := range []string{"anna", "bob"} {
			require.Equal(t, other == user, strings.Contains(o.out, "My name is "+other))
		}
	}
	o = ebb(t, "", "--db", db, "--user", "anna", "import", "--archive", "--of-user", "anna", table)
	require.Equal(t, exitUsage, o.code)
}

// What one file of a folder shows of tools counts for the answers in the others.
func TestImportOfAFolderThatShowsTools(t *testing.T) {
	const answer = `{"id":1,"session":"s","time":"2026-01-05","role":"assistant","text":"The kettle page says that it is blue."}` + "\n"
	for other, want := range map[string]string{"user": `"trust": 3`, "tool": `"trust": 1`} {
		db, folder := filepath.Join(t.TempDir(), "memory.db"), t.TempDir()
		writeTo(t, filepath.Join(folder, "a.jsonl"), answer)
		writeTo(t, filepath.Join(folder, "b.jsonl"), strings.NewReplacer("assistant", other, "kettle page says that it", "teapot").Replace(answer))
		o := ebb(t, "", "--db", db, "--user", "ada", "import", "--mine", folder)
		require.Equal(t, exitOK, o.code, o.err)
		o = ebb(t, "", "--db", db, "--user", "ada", "search", "--json", "kettle page")
		require.Regexp(t, want, o.out, "numbers that two files have are told apart")
	}
}

// An export is restored for its own user into the tenant that is named.
func TestImportRestoresIntoATenant(t *testing.T) {
	db, from, export := filepath.Join(t.TempDir(), "memory.db"), filepath.Join(t.TempDir(), "from.db"), filepath.Join(t.TempDir(), "ada.jsonl")
	for _, args := range [][]string{
		{"--db", from, "--user", "ada", "remember", "The kettle is blue."}, {"--db", from, "--user", "ada", "export", "--out", export},
		{"--db", db, "--tenant", "acme", "import", "--restore", export},
	} {
		o := ebb(t, "", args...)
		require.Equal(t, exitOK, o.code, o.err)
	}
	o := ebb(t, "", "--db", db, "--tenant", "acme", "--user", "ada", "search", "kettle")
	require.Contains(t, o.out, "The kettle is blue.")
}
