package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/llmtest"
)

// chatting are the arguments of a chat with a scripted server.
func chatting(server *llmtest.Server, db string, more ...string) []string {
	return append([]string{"chat", "--base-url", server.URL, "--model", "scripted", "--user", "ada", "--db", db}, more...)
}

func TestChatRemembersAcrossProcesses(t *testing.T) {
	for _, agent := range []string{"functions", "conversational"} {
		t.Run(agent, func(t *testing.T) {
			say := func(s string) llmtest.Reply {
				if agent == "conversational" {
					s = "Thought: Do I need to use a tool? No\nAI: " + s
				}
				return llmtest.Text(s)
			}
			server := llmtest.New(t)
			server.On(llmtest.Contains("marries on 12 June", "When is the wedding of Noor?"), say("On 12 June, you said."))
			server.On(llmtest.Contains("marries on 12 June"), say("How lovely!"))
			db := filepath.Join(t.TempDir(), "memory.db")

			first := ebb(t, "My sister Noor marries on 12 June.\n\n/quit\nnever read\n", chatting(server, db, "--agent", agent, "--session", "one")...)
			require.Equal(t, exitOK, first.code, first.err)
			require.Equal(t, "How lovely!\n", first.out)

			second := ebb(t, "When is the wedding of Noor?\n/why\n", chatting(server, db, "--agent", agent, "--session", "two")...)
			require.Equal(t, exitOK, second.code, second.err)
			require.True(t, strings.HasPrefix(second.out, "On 12 June, you said.\n"), second.out)
			require.Contains(t, second.out, "My sister Noor marries on 12 June.", "/why")
			require.Regexp(t, "text arm|What the user has said, by day", second.out, "found by the search, or in the core section once it was read")
			requests := server.Requests()
			require.Len(t, requests, 2)
			require.Contains(t, requests[1].Prompt(), "<memory nonce=")

			require.Contains(t, ebb(t, "", "timeline", "--db", db).out, "On 12 June, you said.")
		})
	}
}

// What was said last is carried out before the chat ends.
func TestChatForgetsAtItsEnd(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Text("Fine."))
	db := filepath.Join(t.TempDir(), "memory.db")
	o := ebb(t, "The garage code is 7741.\nRemember that the rent is due on the third.\nRemove the garage code from memory.\n", chatting(server, db)...)
	require.Equal(t, exitOK, o.code, o.err)
	require.NotContains(t, ebb(t, "", "search", "garage code", "--db", db).out, "7741")
	require.Contains(t, ebb(t, "", "profile", "--db", db).out, "Remember that the rent is due on the third.")
}

func TestChatCallsTools(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.LastContains("Saved"), llmtest.Text("Noted."))
	server.On(llmtest.Any, llmtest.ToolCall("call-1", "remember_fact", map[string]string{"__arg1": "Ada is allergic to cashews."}))
	db := filepath.Join(t.TempDir(), "memory.db")
	got := ebb(t, "Please remember: I am Ada and allergic to cashews.", chatting(server, db, "--json")...)
	require.Equal(t, exitOK, got.code, got.err)
	var turn turnView
	require.NoError(t, json.Unmarshal([]byte(got.out), &turn))
	require.Equal(t, "Noted.", turn.Output)
	require.Contains(t, ebb(t, "", "search", "cashews", "--kind", "fact", "--db", db).out, "Ada is allergic to cashews.")
}

// A small model that writes calls as text is asked again, without tools.
func TestChatGoesOnWithoutTools(t *testing.T) {
	for _, written := range []string{
		`{"name": "search_memory", "arguments": {"query": "cashews"}}`,
		"```json\n{\"name\": \"search_memory\", \"parameters\": {\"query\": \"cashews\"}}\n```",
		`<tool_call>{"name": "search_memory", "arguments": {}}</tool_call>`,
	} {
		server := llmtest.New(t)
		server.On(func(r llmtest.Request) bool { return len(r.Tools) > 0 }, llmtest.Text(written))
		server.On(llmtest.Any, llmtest.Text("AI: Hello, Ada!"))
		db := filepath.Join(t.TempDir(), "memory.db")
		got := ebb(t, "I am Ada.\nHello?\n", chatting(server, db)...)
		require.Equal(t, exitOK, got.code, got.err)
		require.Equal(t, "Hello, Ada!\nHello, Ada!\n", got.out)
		require.Equal(t, 1, strings.Count(got.err, "without tools"), got.err)
		require.Len(t, server.Requests(), 3)
		require.NotContains(t, server.Requests()[2].Prompt(), "Use the tools")
	}
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Text(`{"name": "Biscuit", "arguments": []}`))
	got := ebb(t, "Describe my dog in JSON.\n", chatting(server, filepath.Join(t.TempDir(), "memory.db"))...)
	require.Contains(t, got.out, "Biscuit")
	require.Len(t, server.Requests(), 1)
}

func TestChatExplainsFormatToSmallModels(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Contains("That was not in the format"), llmtest.Text("AI: Sorry. Good morning!"))
	server.On(llmtest.Any, llmtest.Text("good morning"))
	got := ebb(t, "Good morning", chatting(server, filepath.Join(t.TempDir(), "m.db"), "--agent", "conversational")...)
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, "Sorry. Good morning!\n", got.out)
}

func TestChatThroughOllama(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/chat" {
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"model": "tiny", "created_at": time.Now(), "done": true,
			"message": map[string]string{"role": "assistant", "content": "AI: Hello from the cellar."},
		})
	}))
	defer server.Close()
	t.Setenv("OLLAMA_HOST", server.URL)
	got := ebb(t, "Hello?", "chat", "--model", "tiny", "--user", "ada", "--db", filepath.Join(t.TempDir(), "m.db"))
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, "Hello from the cellar.\n", got.out)
}

func TestChatMissingOptions(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	for _, test := range []struct {
		name string
		env  string
		args []string
		says string
	}{
		{"no model", "", []string{"--user", "ada"}, "there is no model to talk to: set OPENAI_API_KEY"},
		{"no key", "", []string{"--user", "ada", "--provider", "openai"}, "OPENAI_API_KEY is not set"},
		{"no ollama model", "", []string{"--user", "ada", "--provider", "ollama"}, "--model is missing"},
		{"no user", "", []string{"--base-url", "http://127.0.0.1:1"}, "name one with --user NAME"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ebb(t, "hello\n", append([]string{"chat", "--db", db}, test.args...)...)
			require.Equal(t, exitUsage, got.code, got.err)
			require.Contains(t, got.err, test.says)
			requireOneLine(t, got)
			_, err := os.Stat(db)
			require.ErrorIs(t, err, os.ErrNotExist, "no file is made for a mistake")
		})
	}
}

func TestChatWithAServerThatFails(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Status(401, "wrong key"))
	db := filepath.Join(t.TempDir(), "memory.db")
	got := ebb(t, "hello\nagain\n", chatting(server, db)...)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "no answer")
	requireOneLine(t, got)
	require.Len(t, server.Requests(), 1, "a pipe is not read on after a failure")
	require.Contains(t, ebb(t, "", "timeline", "--user", "ada", "--db", db).out, "hello", "what was said is kept")
}

func TestChatIsInterruptedWhileTheModelThinks(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Hang())
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	got := ebbContext(ctx, "hello\n", chatting(server, filepath.Join(t.TempDir(), "m.db"))...)
	require.Equal(t, exitInterrupted, got.code, got.err)
	requireOneLine(t, got)
}
