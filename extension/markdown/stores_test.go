package markdown

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// everything is all that a folder holds, the objects of git uncompressed included.
func everything(t *testing.T, folder string) (all string, names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		all += string(raw)
		within, _ := filepath.Rel(folder, path)
		names = append(names, filepath.ToSlash(within))
		return err
	}))
	if _, err := os.Stat(filepath.Join(folder, ".git")); err == nil {
		for _, args := range [][]string{{"log", "-p", "--all", "--reflog"}, {"cat-file", "--batch-check", "--batch-all-objects", "--unordered"}} {
			cmd := exec.CommandContext(t.Context(), "git", args...)
			cmd.Dir = folder
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			all += string(out)
		}
	}
	return all, names
}

func TestStores(t *testing.T) {
	cfg := extension.FourStores()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	cfg.Night.NoSchedule, cfg.Tools.MainAgent, cfg.Now = true, "main", func() time.Time { return now }
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(t.Context())) })
	lead := extension.Scope{User: "ada", Session: "one", Agent: "main"}
	for _, said := range []string{"Never forget that Zorblatina keeps drindles.", "My sister Noor lives in Ghent.\n# Not a heading", "I am allergic to walnuts."} {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(lead, said)))
	}
	require.NoError(t, x.WaitIdle(t.Context()))
	call := func(scope extension.Scope, name, input string) {
		s, err := x.Session(scope)
		require.NoError(t, err)
		for _, tool := range s.Tools() {
			if tool.Name() == name {
				_, err := tool.Call(t.Context(), input)
				require.NoError(t, err)
			}
		}
	}
	call(lead, "remember_fact", `{"content": "To sharpen a knife, wet the stone first, then grind"}`)
	call(extension.Scope{User: "ada", Agent: "scout"}, "remember_fact", `{"content": "The bakery moved"}`)
	_, err = x.SetBlock(t.Context(), lead, "soul", `{"boundaries": ["I do not lie"]}`, 0)
	require.NoError(t, err)
	_, err = x.Reflections().Request(t.Context(), lead, fourstores.Request{Extra: 100, ExtraReason: "much"})
	require.NoError(t, err)

	dir := t.TempDir()
	report, err := Stores(t.Context(), x, lead, dir, StoresOptions{Git: true})
	require.NoError(t, err)
	if report.Note != "" {
		t.Log(report.Note) // no git here
	}
	got, names := everything(t, report.Folder)
	for _, name := range []string{
		"MEMORY.md", "SOUL.md", "IDENTITY.md", "memory/episodes/2026-03-01.md", "memory/graph/index.md", "memory/graph/relations.md", "memory/graph/facts.md", "memory/meta/decay-scores.json",
		"memory/meta/evolution.md", "memory/meta/audit.log", "memory/meta/pending-memories.md", "memory/meta/pending-reflection.md",
	} {
		require.Contains(t, names, name)
	}
	for folder, n := range map[string]int{"memory/procedures/": 1, "memory/vault/": 1, "memory/graph/entities/": 1} {
		found := 0
		for _, name := range names {
			if strings.HasPrefix(name, folder) {
				found++
			}
		}
		require.GreaterOrEqual(t, found, n, folder)
	}
	for _, text := range []string{"I do not lie", "wet the stone first", `\# Not a heading`, "**From**: scout", "baseline 8000, extra 100", "drindles"} {
		require.Contains(t, got, text)
	}
	facts, err := os.ReadFile(filepath.Join(report.Folder, "memory", "graph", "facts.md"))
	require.NoError(t, err)
	require.Contains(t, string(facts), "walnuts")
	require.NotContains(t, string(facts), "drindles", "that is in the vault")
	again, err := Stores(t.Context(), x, lead, dir, StoresOptions{Git: true})
	require.NoError(t, err)
	require.Empty(t, again.Commit, "a second export changes nothing")

	vault, err := x.Recall(t.Context(), lead, extension.Query{Text: "Zorblatina drindles"})
	require.NoError(t, err)
	require.NotEmpty(t, vault.Results)
	_, err = x.Erase(t.Context(), lead, extension.Erasure{Memories: []string{vault.Results[0].Memory.UID}})
	require.NoError(t, err)
	_, err = Stores(t.Context(), x, lead, dir, StoresOptions{Git: true})
	require.NoError(t, err)
	got, _ = everything(t, report.Folder)
	require.NotContains(t, got, "drindles", "neither in a file nor in the history")
	require.Contains(t, got, "wet the stone first")

	theirs := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.MkdirAll(filepath.Join(theirs, "ada"), 0o700))
	_, err = Stores(t.Context(), x, lead, theirs, StoresOptions{})
	require.ErrorContains(t, err, "did not write")
	_, err = Stores(t.Context(), x, extension.Scope{User: "bob"}, theirs, StoresOptions{})
	require.ErrorIs(t, err, extension.ErrNotFound)
}

// What of the folder written before cannot be deleted costs neither the new folder nor the
// history.
func TestStoresOverAFolderThatCannotBeDeleted(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can delete everything")
	}
	cfg := extension.FourStores()
	cfg.Night.NoSchedule = true
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(t.Context())) })
	ada := extension.Scope{User: "ada"}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I keep bees.")))
	dir := t.TempDir()
	report, err := Stores(t.Context(), x, ada, dir, StoresOptions{Git: true})
	require.NoError(t, err)
	git := filepath.Join(report.Folder, ".git")
	require.NoError(t, os.MkdirAll(git, 0o700)) // no git here
	require.NoError(t, os.WriteFile(filepath.Join(git, "mark"), nil, 0o600))
	locked := filepath.Join(report.Folder, "locked")
	require.NoError(t, os.Mkdir(locked, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(locked, "x"), nil, 0o600))
	require.NoError(t, os.Chmod(locked, 0o500))
	t.Cleanup(func() {
		all, _ := filepath.Glob(filepath.Join(dir, "*", "locked"))
		hidden, _ := filepath.Glob(filepath.Join(dir, ".*", "locked"))
		for _, path := range append(all, hidden...) {
			_ = os.Chmod(path, 0o700)
		}
	})
	_, err = Stores(t.Context(), x, ada, dir, StoresOptions{})
	require.ErrorContains(t, err, "locked")
	require.FileExists(t, filepath.Join(git, "mark"))
	require.FileExists(t, filepath.Join(report.Folder, "MEMORY.md"))
}

// A folder that cannot be replaced stays as it was.
func TestAFolderIsReplacedOrStays(t *testing.T) {
	dir := t.TempDir()
	at := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	require.NoError(t, os.MkdirAll(at("ada", ".git"), 0o700))
	require.Error(t, replaceFolder(at("partial"), at("ada"), at("old"), true), "there is no new folder")
	require.DirExists(t, at("ada", ".git"))
	require.NoDirExists(t, at("old"))
	require.NoError(t, os.MkdirAll(at("partial", ".git", "x"), 0o700)) // the history cannot be moved there
	require.Error(t, replaceFolder(at("partial"), at("ada"), at("old"), true))
	require.DirExists(t, at("ada", ".git"))
	require.NoDirExists(t, at("ada", ".git", "x"))
	require.DirExists(t, at("partial"))
	require.NoError(t, os.RemoveAll(at("partial", ".git")))
	require.NoError(t, replaceFolder(at("partial"), at("ada"), at("old"), true))
	require.DirExists(t, at("ada", ".git"))
	require.NoDirExists(t, at("old", ".git"))
}
