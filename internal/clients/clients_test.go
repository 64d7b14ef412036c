package clients

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var entry = Entry{Command: `/opt/ebb "x"/ebb`, Args: []string{"mcp", "--db", "/home/ada/memory.db", "--user", `Ada "the\` + "\x01é"}}

func named(t testing.TB, name string) *Client {
	c, err := Named(name)
	require.NoError(t, err)
	return c
}

// files are what people have in these files, with what becomes of them.
var files = []struct{ name, client, before, after string }{
	{"new", "claude-desktop", "", "{\n  \"mcpServers\": {\n    \"ebb\": {\n      \"command\": \"C\",\n      \"args\": []\n    }\n  }\n}\n"},
	{"empty", "claude-desktop", "{}", "{\n  \"mcpServers\": {\n    \"ebb\": {\n      \"command\": \"C\",\n      \"args\": []\n    }\n  }\n}"},
	{
		"others", "cursor", "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"git\": {\"command\": \"git-mcp\"}\n    }\n}\n",
		"{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"git\": {\"command\": \"git-mcp\"},\n        \"ebb\": {\n            \"command\": \"C\",\n            \"args\": []\n        }\n    }\n}\n",
	},
	{
		"comments", "zed", "// Zed\n{\n  /* keep, { this */ \"a\": \"//\", // and this\n  \"context_servers\": {\n    \"x\": {}, // last\n  },\n}\n",
		"// Zed\n{\n  /* keep, { this */ \"a\": \"//\", // and this\n  \"context_servers\": {\n    \"x\": {},\n    \"ebb\": {\n      \"command\": \"C\",\n      \"args\": []\n    }, // last\n  },\n}\n",
	},
	{
		"vs code", "vscode", "{\"inputs\": []}",
		"{\"inputs\": [],\n  \"servers\": {\n    \"ebb\": {\n      \"type\": \"stdio\",\n      \"command\": \"C\",\n      \"args\": []\n    }\n  }}",
	},
	{"old entry", "claude-desktop", "{\n  \"mcpServers\": {\n    \"ebb\": {\"command\": \"old\"}\n  }\n}", "{\n  \"mcpServers\": {\n    \"ebb\": {\n      \"command\": \"C\",\n      \"args\": []\n    }\n  }\n}"},
	{"codex", "codex", "model = \"x\" # keep\n\n[mcp_servers.git]\ncommand = \"g\"\n", "model = \"x\" # keep\n\n[mcp_servers.git]\ncommand = \"g\"\n\n[mcp_servers.ebb]\ncommand = \"C\"\nargs = []\n"},
	{"new codex", "codex", "", "[mcp_servers.ebb]\ncommand = \"C\"\nargs = []\n"},
	{
		"old codex", "codex", "[mcp_servers.ebb]\ncommand = \"old\"\n[mcp_servers.ebb.env]\nA = \"1\"\n[tui]\nx = 1\n",
		"[tui]\nx = 1\n\n[mcp_servers.ebb]\ncommand = \"C\"\nargs = []\nenv = {A = '1'}\n",
	},
	{
		"settings of the old entry", "vscode", `{"servers": {"ebb": {"url": "http://x", "type": "http", "headers": {"a": "b"}, "env": {"A": "1"}, "disabled": true}, "other": {}}}`,
		"{\"servers\": {\"ebb\": {\n      \"type\": \"stdio\",\n      \"command\": \"C\",\n      \"args\": [],\n      \"env\": {\"A\": \"1\"},\n      \"disabled\": true\n    }, \"other\": {}}}",
	},
	{
		"settings between", "cursor", "{\n  \"mcpServers\": {\n    \"ebb\": {\n      \"env\": {\"A\": \"1\"}, // mine\n      \"command\": \"old\"\n    }\n  }\n}\n",
		"{\n  \"mcpServers\": {\n    \"ebb\": {\n      \"command\": \"C\",\n      \"args\": [],\n      \"env\": {\"A\": \"1\"}\n    }\n  }\n}\n",
	},
	{
		"settings in lines of codex", "codex", "[mcp_servers.ebb]\ncommand = \"old\"\nargs = [\n  \"a\",\n]\nstartup_timeout_sec = 20\nenabled = false\nenv = { A = \"1\", B = \"x\\\"y\" }\n[mcp_servers.ebb.tools]\nmode = \"auto\"\n",
		"[mcp_servers.ebb]\ncommand = \"C\"\nargs = []\nenabled = false\nenv = {A = '1', B = 'x\"y'}\nstartup_timeout_sec = 20\ntools = {mode = 'auto'}\n",
	},
}

func TestSetKeepsEverythingElse(t *testing.T) {
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) {
			c := named(t, f.client)
			after, err := c.Set([]byte(f.before), Entry{Command: "C", Args: []string{}})
			require.NoError(t, err)
			require.Equal(t, f.after, string(after))
			again, err := c.Set(after, Entry{Command: "C", Args: []string{}})
			require.NoError(t, err)
			require.Equal(t, f.after, string(again), "a second time changes nothing")
		})
	}
}

// What was added is taken back: the rest is as it was.
func TestRemove(t *testing.T) {
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) {
			c := named(t, f.client)
			without, found, err := c.Remove([]byte(f.after))
			require.NoError(t, err)
			require.True(t, found)
			require.NotContains(t, string(without), `"ebb"`)
			if strings.Contains(f.before, "git") || f.name == "comments" {
				require.Equal(t, strings.TrimRight(f.before, "\n"), strings.TrimRight(string(without), "\n"))
			}
			again, found, err := c.Remove(without)
			require.NoError(t, err)
			require.False(t, found)
			require.Equal(t, without, again)
		})
	}
	middle := "{\"mcpServers\": {\"a\": 1, \"ebb\": {}, \"b\": 2}}"
	without, found, err := named(t, "cursor").Remove([]byte(middle))
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "{\"mcpServers\": {\"a\": 1, \"b\": 2}}", string(without))

	// The line break of a comment stays, or the comment would go on.
	without, found, err = named(t, "cursor").Remove([]byte("{\"mcpServers\": { // mine\n  \"ebb\": 1}}"))
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "{\"mcpServers\": { // mine\n}}", string(without))
}

// A file that cannot be understood is left alone.
func TestStrangeFilesAreRefused(t *testing.T) {
	for client, contents := range map[string][]string{
		"cursor": {
			"[]", "{", "nonsense", `{"mcpServers": []}`, `{"mcpServers": 1}`, `{"mcpServers": {}, "mcpServers": {}}`, `{"mcpServers": {"ebb": {}, "ebb": {}}}`,
			`{"a": 1} {"b": 2}`, `{"a": /*}`, "{'a': 1}", strings.Repeat("[", 100000), `{"a": "` + "\x01" + `"}`,
		},
		"codex": {"[", "a = ", "mcp_servers = 1", "[mcp_servers]\nebb = {command = \"x\"}\n", "mcp_servers.ebb.command = \"x\"\n", "a = '''\n[mcp_servers.ebb]\n'''\n"},
	} {
		for _, content := range contents {
			_, err := named(t, client).Set([]byte(content), entry)
			require.Error(t, err, "%s", content)
		}
	}
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	real := filepath.Join(folder, "dotfiles", "mcp.json")
	require.NoError(t, Write(real, []byte("{}")))
	require.NoError(t, os.Chmod(real, 0o640))
	link := filepath.Join(folder, "mcp.json")
	require.NoError(t, os.Symlink(real, link))
	require.NoError(t, Write(link, []byte(`{"a":1}`)))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink, "a link stays one")
	info, err = os.Stat(real)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	content, err := Read(link)
	require.NoError(t, err)
	require.JSONEq(t, `{"a":1}`, string(content))
	left, err := os.ReadDir(filepath.Dir(real))
	require.NoError(t, err)
	require.Len(t, left, 1)
	content, err = Read(filepath.Join(folder, "none"))
	require.NoError(t, err)
	require.Nil(t, content)
}

func TestFiles(t *testing.T) {
	for i := range All {
		path, err := All[i].File("")
		require.NoError(t, err)
		require.True(t, filepath.IsAbs(path))
		if All[i].project != nil {
			path, err = All[i].File("/srv/site")
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(path, "/srv/site/"))
		}
	}
	_, err := named(t, "claude-desktop").File("/srv/site")
	require.Error(t, err)
	_, err = Named("emacs")
	require.ErrorContains(t, err, "claude-desktop")
}

// For any object, with white space and comments anywhere: what is added is there,
// the rest is unchanged, and removing it gives the same values again.
func TestAnyFileSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom([]string{"mcpServers", "a", "ebb", "\\u0061"})
		space := rapid.SampledFrom([]string{"", " ", "\n", "\t", "// x\n", "/* , } */", "\r\n"})
		var write func(depth int, object bool) string
		write = func(depth int, object bool) string {
			kind := rapid.IntRange(0, 3).Draw(t, "kind")
			if object {
				kind = 3
			}
			gap := func() string { return space.Draw(t, "space") }
			if depth > 3 || kind == 0 {
				return rapid.SampledFrom([]string{"1", "null", `"}"`, `"// \" ,"`, "-1e3", "true"}).Draw(t, "scalar")
			}
			var items []string
			for range rapid.IntRange(0, 3).Draw(t, "n") {
				item := gap() + write(depth+1, false) + gap()
				if kind == 3 {
					item = gap() + `"` + key.Draw(t, "key") + `"` + gap() + ":" + item
				}
				items = append(items, item)
			}
			tail := ""
			if len(items) > 0 && rapid.Bool().Draw(t, "comma") {
				tail = "," + gap()
			}
			if kind == 3 {
				return "{" + gap() + strings.Join(items, ",") + tail + "}"
			}
			return "[" + gap() + strings.Join(items, ",") + tail + "]"
		}
		c := All[0]
		text := []byte(space.Draw(t, "lead") + write(0, true))
		with, err := c.Set(text, entry)
		if err != nil {
			return // two members of one name, or servers that are no object
		}
		without, found, err := c.Remove(with)
		require.NoError(t, err)
		require.True(t, found)
		_, found, err = c.Remove(without)
		require.NoError(t, err)
		require.False(t, found)
	})
}

// Whatever a file holds: an edit is refused, or the result holds ebb's entry and
// can be taken back.
func FuzzFiles(f *testing.F) {
	for _, file := range files {
		f.Add(file.before, file.client == "codex")
		f.Add(file.after, file.client == "codex")
	}
	f.Fuzz(func(t *testing.T, content string, isTOML bool) {
		c := named(t, map[bool]string{true: "codex", false: "claude-desktop"}[isTOML])
		_, _, _ = c.Remove([]byte(content))
		with, err := c.Set([]byte(content), entry)
		if err != nil {
			return
		}
		if !isTOML && json.Valid([]byte(content)) {
			require.True(t, json.Valid(with), "strict JSON stays strict")
		}
		again, err := c.Set(with, entry)
		require.NoError(t, err)
		require.True(t, isTOML || bytes.Equal(with, again))
		_, found, err := c.Remove(with)
		require.NoError(t, err)
		require.True(t, found)
	})
}

// answering writes to the file before it answers: clients do while a person reads.
type answering struct {
	path string
	done bool
}

func (a *answering) Read(p []byte) (int, error) {
	if a.done {
		return 0, io.EOF
	}
	a.done = true
	return copy(p, "y\n"), os.WriteFile(a.path, []byte(`{"projects":{"new":{}}}`), 0o600)
}

// What a client writes while the question waits is not overwritten.
func TestAChangedFileIsLeftAlone(t *testing.T) {
	client, err := Named("claude-code")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(path, []byte(`{}`), 0o600))
	d := &Dialogue{Client: client, Path: path, In: &answering{path: path}, Out: io.Discard, Ask: io.Discard}
	require.ErrorContains(t, d.Set(Entry{Command: "ebb"}), "changed meanwhile")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.JSONEq(t, `{"projects":{"new":{}}}`, string(raw))
}

// What is shown of a change holds nothing of other servers, whose keys stand in the same
// file.
func TestKeysOfOthersAreNotShown(t *testing.T) {
	for _, c := range All {
		content := "{\"" + c.key + "\": {\"other\": {\"command\": \"x\", \"env\": {\"API_KEY\": \"s3cret\"}}}, \"oauth\": \"s3cret\"}"
		if c.toml {
			content = "oauth = \"s3cret\"\n[mcp_servers.other]\nenv = {API_KEY = \"s3cret\"}\n"
		}
		path := filepath.Join(t.TempDir(), "config")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		var shown strings.Builder
		d := &Dialogue{Client: &c, Path: path, Out: &shown, Ask: io.Discard, Yes: true}
		require.NoError(t, d.Set(Entry{Command: "/bin/ebb", Args: []string{"mcp"}}))
		require.Contains(t, shown.String(), "/bin/ebb")
		require.NoError(t, d.Remove())
		require.NotContains(t, shown.String(), "s3cret", c.Name)
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, 2, strings.Count(string(left), "s3cret"), c.Name)
	}
}
