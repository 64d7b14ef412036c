package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/cmd/ebb/demo"
	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/racing"
)

// What is new in every run: ids, and the nonce of a fence.
var changing = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|nonce="[A-Z0-9]{12}"|\bm[0-9]{5}\b`)

func TestDemo(t *testing.T) {
	racing.Alone(t)
	t.Setenv("TMPDIR", t.TempDir())
	first := ebb(t, "", "demo")
	require.Equal(t, exitOK, first.code, first.err)
	require.Empty(t, first.err)
	for _, part := range []string{
		"remember_fact  Ada lives in Lisbon, in Graça.", "correct_fact  Ada lives in Oslo.", "Closed and opened again. The file holds 124 episodes",
		"<memory nonce=", "When is Noor's wedding?",
		"today     Ada lives in Oslo.", "in March  Ada lives in Lisbon, in Graça.",
		"all 124 messages are still there",
	} {
		require.Contains(t, first.out, part)
	}
	require.Regexp(t, `where do I live now\?\n   ● –  .* We're here. Oslo is where I live now.*\n(   ● – .*\n)*   ● 1  .* We're here. Oslo .*\n     2  .* Ada lives in Oslo.\n`, first.out, "where she lives now comes first")
	require.Regexp(t, `before making me dinner\?\n   ● –  .* I'm allergi`, first.out, "the cook is told of the cashews")
	require.Regexp(t, `Ada is allergic to cashews .* active\n.*Ada lives in Oslo .* active\n`, first.out, "neither is lost")
	require.Regexp(t, `7 of 7 questions that the story answers`, strings.Join(strings.Fields(first.out), " "))
	for line := range strings.Lines(first.out) {
		require.LessOrEqual(t, cells.Width(strings.TrimRight(line, "\n")), 80, line)
	}
	lines := strings.Count(first.out, "\n")
	require.Greater(t, lines, 80)
	require.Less(t, lines, 240)
	require.NotContains(t, first.out, "\x1b", "no colour outside a terminal")

	path := filepath.Join(t.TempDir(), "story.db")
	second := ebb(t, "", "demo", "--keep", path)
	require.Equal(t, exitOK, second.code, second.err)
	require.Equal(t, changing.ReplaceAllString(first.out, "#"), changing.ReplaceAllString(second.out, "#"), "the demo is the same every time")
	requireNothingLeft(t)
	require.Equal(t, exitOK, ebb(t, "", "doctor", path).code)
	require.Contains(t, ebb(t, "", "search", "cashews", "--db", path).out, "allergic")
	again := ebb(t, "", "demo", "--keep", path)
	require.Equal(t, exitUsage, again.code)
	require.Contains(t, again.err, "exists already")
}

func TestDemoInterruptedLeavesNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, exitInterrupted, ebbContext(ctx, "", "demo").code)
	requireNothingLeft(t)
}

func requireNothingLeft(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestDemoThatFindsNothingFails(t *testing.T) {
	require.Equal(t, exitFailure, exitCode(demo.ErrNothingFound))
}
