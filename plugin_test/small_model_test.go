package plugin_test

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/text"
)

// Days of a user of an assistant, invented.
var smallModelDays = [][]string{
	{
		"Morning! Can you write a short text cancelling a gym class?",
		"It's the spinning class, I tore a ligament in my left ankle.",
		"Make it friendlier.",
		"My physio is called Mr Okafor, I see him on Thursdays at ten.",
		"Thanks a lot!",
	},
	{
		"What is a fixed rate?",
		"We're thinking about buying the flat we rent in Ottakring.",
		"Our rent is 1,140 euros at the moment.",
		"Is 3.9 percent a lot?",
	},
	{
		"Recipe for four people, thirty minutes, please.",
		"Not with peanuts, I'm allergic, badly.",
		"Ha, that one worked. Everyone had seconds.",
		"Friday is always our pizza night by the way.",
	},
}

// A real model, however small, spends three nights and answers one message. Its
// answers are whatever they are: no message is lost, and no text is trusted as the
// user's that the user has not written.
//
//	EBB_TEST_LLM_URL=http://127.0.0.1:8080/v1 go test ./plugin_test -run TestSmallModel -v
//
// The server is OpenAI-compatible. EBB_TEST_LLM_MODEL names the model, and
// OPENAI_API_KEY is the key, where the server wants them.
func TestSmallModel(t *testing.T) {
	url := os.Getenv("EBB_TEST_LLM_URL")
	if url == "" {
		t.Skip("skipped: EBB_TEST_LLM_URL names no server")
	}
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	llm, err := openai.New(openai.WithHTTPClient(&http.Client{Transport: transport}), openai.WithBaseURL(url), openai.WithToken(cmp.Or(os.Getenv("OPENAI_API_KEY"), "none")), openai.WithModel(cmp.Or(os.Getenv("EBB_TEST_LLM_MODEL"), "small")))
	require.NoError(t, err)
	now := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	cfg := &extension.Config{Model: llm, Location: time.UTC, Now: func() time.Time { return now }}
	cfg.Night.NoSchedule, cfg.Night.ModelTimeout = true, 10*time.Minute
	cfg.Night.Budget.Calls = 20
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.WithoutCancel(t.Context()))) }()

	var said []string
	for i, day := range smallModelDays {
		now = time.Date(2026, 3, 2+i, 8, 0, 0, 0, time.UTC)
		scope := extension.Scope{User: "ada", Session: now.Format(time.DateOnly)}
		for _, message := range day {
			now = now.Add(7 * time.Minute)
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, message)))
		}
		said = append(said, day...)
		require.NoError(t, x.WaitIdle(t.Context()))
		began := time.Now()
		report, err := x.Consolidate(t.Context(), scope)
		require.NoError(t, err)
		t.Logf("night %d: %s, %d calls, %d tokens in, %d out, %d faults: %s", i+1, time.Since(began).Round(time.Second),
			report.Usage.Calls, report.Usage.InputTokens, report.Usage.OutputTokens, report.Usage.Faults, report.Summary())
	}

	all, err := x.Timeline(t.Context(), extension.Scope{User: "ada"}, extension.TimelineQuery{Limit: 1000})
	require.NoError(t, err)
	var messages []string
	for _, m := range all {
		if m.Kind == extension.KindEpisode {
			messages = append(messages, m.Content)
			continue
		}
		t.Logf("%s, trust %d: %s", m.Kind, m.Trust, m.Content)
		if m.Trust == eventbus.OriginUser.Ceiling() {
			require.True(t, heard(said, m.Content), "trusted as the user's: %s", m.Content)
		}
	}
	require.Equal(t, said, messages, "every message is there")

	session, err := x.Session(extension.Scope{User: "ada", Session: "chat"})
	require.NoError(t, err)
	answer, err := chains.Run(t.Context(), chains.NewConversation(llm, session.Memory()), "What am I allergic to?")
	require.NoError(t, err)
	require.NotEmpty(t, strings.TrimSpace(answer))
	t.Logf("answer: %s", answer)
}

// heard reports whether most words of a text occur in one message.
func heard(messages []string, claim string) bool {
	words := text.QueryTerms(claim, 0)
	return slices.ContainsFunc(messages, func(m string) bool {
		there, held := text.QueryTerms(m, 0), 0
		for _, w := range words {
			if slices.Contains(there, w) {
				held++
			}
		}
		return 3*held >= 2*len(words)
	})
}
