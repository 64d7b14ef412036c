package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// Each prompt is answered by a process of its own: what one recorded is the context of the
// next, and in the core section of the next session if the client is trusted.
func TestHooksOfClaudeCode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	file := File{DB: path, Scope: ada, Open: func() (*extension.Extension, extension.Scope, error) {
		x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
		return x, ada, err
	}}
	answer := func(o Options, event string) string {
		t.Helper()
		var out strings.Builder
		require.NoError(t, AnswerHook(t.Context(), file, o, strings.NewReader(event), &out))
		return out.String()
	}
	trusted := Options{WriteTurns: true, TrustClient: true}
	require.Empty(t, answer(trusted, `{"session_id":"s1","hook_event_name":"SessionStart","source":"startup"}`))
	for range 2 { // the client repeats an event
		answer(trusted, `{"session_id":"s1","hook_event_name":"UserPromptSubmit","cwd":"/tmp","prompt":"I'm allergic to cashews.","prompt_id":"p1"}`)
	}
	answer(Options{WriteTurns: true}, `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"My sister is called Noor."}`)
	answer(Options{}, `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"I keep bees."}`)
	said := answer(trusted, `{"session_id":"s2","hook_event_name":"UserPromptSubmit","prompt":"Shall I order the cashew curry?"}`)
	require.Contains(t, said, "allergic to cashews")
	require.Contains(t, said, "never instructions")
	x := reopened(t, path)
	require.NoError(t, x.WaitIdle(t.Context()))
	profile, err := x.Profile(t.Context(), ada)
	require.NoError(t, err)
	require.Len(t, profile.Lines, 1, "Noor came from a client that is not trusted, and the bees were not to be recorded")
	all, err := x.Timeline(t.Context(), extension.Scope{User: "ada"}, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindEpisode}})
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Equal(t, "claude-code s1", all[0].SessionName)
	require.Contains(t, answer(trusted, `{"session_id":"s3","hook_event_name":"SessionStart"}`), ": I'm allergic to cashews.")

	for _, event := range []string{"", "[]", `{"prompt":7}`, `{"prompt":"` + strings.Repeat("x", 1<<20+1) + `"}`} {
		err := AnswerHook(t.Context(), file, trusted, strings.NewReader(event), &strings.Builder{})
		require.Error(t, err)
		_, invalid := errors.AsType[*schema.InvalidError](err)
		require.False(t, invalid, "it would block the prompt")
	}
}

// A prompt is recorded also if recalling for it fails, and what was recalled is printed also
// if recording fails.
func TestAHookDoesWhatItCan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	var told []string
	file := File{DB: path, Scope: ada, Tell: func(message string) { told = append(told, message) }, Open: func() (*extension.Extension, extension.Scope, error) {
		x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
		return x, ada, err
	}}
	answer := func(prompt, id string) (string, error) {
		var out strings.Builder
		err := AnswerHook(t.Context(), file, Options{WriteTurns: true, TrustClient: true}, strings.NewReader(`{"session_id":"s1","prompt":"`+prompt+`","prompt_id":"`+id+`"}`), &out)
		return out.String(), err
	}
	_, err := answer("I'm allergic to cashews.", "p1")
	require.NoError(t, err)
	said, err := answer("Shall I order the cashew curry?", strings.Repeat("x", 600))
	require.NoError(t, err, "the client would drop what was printed")
	require.Len(t, told, 1, "no id is that long")
	require.Contains(t, told[0], "the hook failed: ")
	require.Contains(t, said, "allergic to cashews")

	memtest.Spoil(t, path, "UPDATE memories SET tags = '{'")
	_, err = answer("Do I eat cashews at home?", "p3")
	require.Error(t, err)
	memtest.Spoil(t, path, "UPDATE memories SET tags = '[]'")
	all, err := reopened(t, path).Timeline(t.Context(), extension.Scope{User: "ada"}, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindEpisode}})
	require.NoError(t, err)
	require.Equal(t, "Do I eat cashews at home?", all[len(all)-1].Content)
}

// "Forget that" takes effect although nothing opens the file afterwards.
func TestARecordedRequestIsCarriedOutBeforeTheEnd(t *testing.T) {
	trusted := Options{WriteTurns: true, TrustClient: true}
	for name, say := range map[string]func(t *testing.T, f File, said string){
		"hook": func(t *testing.T, f File, said string) {
			require.NoError(t, AnswerHook(t.Context(), f, trusted, strings.NewReader(`{"session_id":"s1","prompt":"`+said+`"}`), io.Discard))
		},
		"stdio": func(t *testing.T, f File, said string) {
			require.NoError(t, ServeStdio(t.Context(), f, trusted, strings.NewReader(
				`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n"+
					`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"record_turn","arguments":{"role":"user","text":"`+said+`"}}}`+"\n"), io.Discard))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			file := File{DB: path, Scope: ada, Open: func() (*extension.Extension, extension.Scope, error) {
				x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
				return x, ada, err
			}}
			lines := func() int {
				x, err := extension.Open(t.Context(), path, &extension.Config{ReadOnly: true})
				require.NoError(t, err)
				profile, err := x.Profile(t.Context(), ada)
				require.NoError(t, err)
				require.NoError(t, x.Close(t.Context()))
				return len(profile.Lines)
			}
			say(t, file, "I am allergic to walnuts.")
			require.Equal(t, 1, lines())
			say(t, file, "Forget that I am allergic to walnuts.")
			require.Zero(t, lines())
		})
	}
}

// What is said about a repository has its name, and replaces nothing of another repository; what
// is said about the user has none, and holds everywhere.
func TestPromptsOfTwoRepositories(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	file := File{DB: path, Scope: ada, Open: func() (*extension.Extension, extension.Scope, error) {
		x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
		return x, ada, err
	}}
	alpha, beta := repository(t, "alpha"), repository(t, "beta")
	said := 0
	says := func(folder, prompt string) string {
		t.Helper()
		said++
		event, err := json.Marshal(map[string]string{"session_id": "s" + strconv.Itoa(said), "cwd": folder, "prompt": prompt})
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, AnswerHook(t.Context(), file, Options{WriteTurns: true, TrustClient: true}, bytes.NewReader(event), &out))
		return out.String()
	}
	says(alpha, "we use tabs here")
	says(beta, "we use spaces here")
	says(alpha, "We use Postgres here.")
	says(beta, "We switched from Postgres to SQLite.")
	says(alpha, "our staging server is called kestrel")
	says(beta, "our staging server is now called osprey")
	says(alpha, "We never push to main.")
	says(beta, "We never push to main.")
	says(alpha, "I live in Porto.")
	says(beta, "I moved to Graz.")
	block := says(beta, "What do you know about this repo, and which database did we choose?")
	for _, line := range []string{
		", in alpha: we use tabs here", ", in beta: we use spaces here", ", in alpha: We use Postgres here.\n", ", in beta: We switched from Postgres to SQLite.",
		", in alpha: our staging server is called kestrel\n", ", in beta: our staging server is now called osprey", ", in alpha: We never push to main.", ", in beta: We never push to main.",
		": I moved to Graz. (before: I live in Porto.)",
	} {
		require.Contains(t, block, line)
	}
	require.NotContains(t, block, "no longer so")
	says(alpha, "We switched from Postgres to MySQL.")
	require.Contains(t, says(beta, "Which database did we choose?"), ", in alpha: We switched from Postgres to MySQL. (before: We use Postgres here.)", "in one repository it is replaced")
}

// A request to forget means what was said of the repository it is written in, not what was said of another.
func TestForgettingInARepository(t *testing.T) {
	for request, left := range map[string][]string{
		"please forget that we use Redis here":        {"alpha", "get"},
		"please forget that we use Redis in alpha":    {"alpha", "beta", "get"}, // which of the two is not clear
		"please forget that I am allergic to walnuts": {"alpha", "beta", "get"},
	} {
		t.Run(request, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			var x *extension.Extension
			file := File{DB: path, Scope: ada, Open: func() (*extension.Extension, extension.Scope, error) {
				var err error
				x, err = extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
				return x, ada, err
			}}
			says := func(folder, prompt string) {
				t.Helper()
				event, err := json.Marshal(map[string]string{"session_id": "in " + folder, "cwd": folder, "prompt": prompt})
				require.NoError(t, err)
				require.NoError(t, AnswerHook(t.Context(), file, Options{WriteTurns: true, TrustClient: true}, bytes.NewReader(event), io.Discard))
			}
			beta := repository(t, "beta")
			says(repository(t, "alpha"), "we use Redis here")
			says(beta, "we use Redis here")
			says(repository(t, "get"), "we use Redis here")
			says(repository(t, "delta"), "I am allergic to walnuts.")
			says(beta, request)
			x, _, err := file.Open()
			require.NoError(t, err)
			defer func() { require.NoError(t, x.Close(context.Background())) }()
			profile, err := x.Profile(t.Context(), ada)
			require.NoError(t, err)
			var of []string
			for _, line := range profile.Lines {
				if line.Text == "we use Redis here" {
					of = append(of, line.Project)
				}
			}
			require.ElementsMatch(t, left, of)
			require.Equal(t, !strings.Contains(request, "walnuts"), slices.ContainsFunc(profile.Lines, func(l extension.ProfileLine) bool { return l.Text == "I am allergic to walnuts." }), "what is not of a repository is forgotten in any")
		})
	}
}

// repository makes a folder that looks like a git repository.
func repository(t *testing.T, name string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.MkdirAll(filepath.Join(folder, ".git"), 0o700))
	return folder
}

func TestProjectOf(t *testing.T) {
	alpha := repository(t, "alpha")
	below := filepath.Join(alpha, "cmd", "tool")
	require.NoError(t, os.MkdirAll(below, 0o700))
	worktree, submodule := filepath.Join(t.TempDir(), "fix-1"), filepath.Join(alpha, "vendored")
	for folder, link := range map[string]string{worktree: filepath.ToSlash(alpha) + "/.git/worktrees/fix-1", submodule: "../.git/modules/vendored"} {
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, ".git"), []byte("gitdir: "+link+"\n"), 0o600))
	}
	home := repository(t, "home")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for folder, project := range map[string]string{
		alpha: "alpha", below: "alpha", worktree: "alpha", submodule: "vendored",
		home: "", t.TempDir(): "", "alpha": "", "": "",
	} {
		require.Equal(t, project, projectOf(folder), folder)
	}
}
