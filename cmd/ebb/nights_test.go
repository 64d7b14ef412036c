package main

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/llmtest"
)

func TestConsolidateRunsUndo(t *testing.T) {
	f := newFixture(t, "ada")
	require.Equal(t, "No night yet, and no message that changed anything.\n", ebb(t, "", "runs", "--db", f.db).out)
	require.Equal(t, exitNotFound, ebb(t, "", "undo", "--last", "--db", f.db).code)

	dry := ebb(t, "", "consolidate", "--dry-run", "--db", f.db)
	require.Equal(t, exitOK, dry.code, dry.err)
	require.Equal(t, "No night yet, and no message that changed anything.\n", ebb(t, "", "runs", "--db", f.db).out, "a dry run changes nothing")

	got := ebb(t, "", "consolidate", "--json", "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	var report extension.Report
	require.NoError(t, json.Unmarshal([]byte(got.out), &report))
	require.Equal(t, "done", report.State)

	list := ebb(t, "", "runs", "--db", f.db)
	require.Contains(t, list.out, report.RunID)
	require.Contains(t, list.out, "manual  done")

	require.Equal(t, exitUsage, ebb(t, "", "undo", "--db", f.db).code)
	require.Equal(t, exitUsage, ebb(t, "", "undo", report.RunID, "--last", "--db", f.db).code)
	none := ebb(t, "", "undo", "fffff", "--db", f.db)
	require.Equal(t, exitNotFound, none.code)
	require.Contains(t, none.err, "ebb runs prints ids")
	undone := ebb(t, "", "undo", report.RunID[:13], "--db", f.db)
	require.Equal(t, exitOK, undone.code, undone.err)
	require.Contains(t, undone.out, "of run "+report.RunID+" reverted")
	again := ebb(t, "", "undo", report.RunID, "--db", f.db)
	require.Equal(t, exitFailure, again.code)
	require.Contains(t, again.err, "undone already")
	require.Contains(t, ebb(t, "", "runs", "--db", f.db).out, "undone")
	require.Contains(t, ebb(t, "", "stats", "--db", f.db).out, "last run")
	require.Equal(t, "Nothing is pending.\n", ebb(t, "", "proposals", "--db", f.db).out)
	require.Equal(t, exitNotFound, ebb(t, "", "proposals", "approve", "01", "--db", f.db).code)
}

func TestConsolidateModelIsOptional(t *testing.T) {
	f := newFixture(t, "ada")
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Text("I would rather not."))
	t.Setenv("OPENAI_API_KEY", "key")
	t.Setenv("OPENAI_BASE_URL", server.URL)
	require.Equal(t, exitOK, ebb(t, "", "consolidate", "--db", f.db).code)
	require.Empty(t, server.Requests(), "a key in the environment sends nobody's messages away")

	short := ebb(t, "", "consolidate", "--model", "scripted", "--max-cost", "1", "--db", f.db)
	require.Equal(t, exitUsage, short.code)
	require.Contains(t, short.err, "--price-input")
	for flag, values := range map[string][]string{"--max-calls": {"0", "-2", "-7"}, "--max-time": {"0s", "-1s"}, "--max-tokens": {"-1"}, "--max-cost": {"-1"}} {
		for _, value := range values {
			refused := ebb(t, "", "consolidate", "--model", "scripted", flag+"="+value, "--db", f.db)
			require.Equal(t, exitUsage, refused.code, "%s=%s", flag, value)
			require.Contains(t, refused.err, flag)
		}
	}
	require.Empty(t, server.Requests())
	require.Equal(t, exitOK, ebb(t, "", "consolidate", "--dry-run", "--max-calls=-1", "--db", f.db).code)
	got := ebb(t, "", "consolidate", "--model", "scripted", "--max-calls", "1", "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Len(t, server.Requests(), 1)
	require.Contains(t, got.out, "1 call, ")
	require.Contains(t, ebb(t, "", "stats", "--db", f.db).out, "1 fault in 2 runs")
}

func TestInterruptedNightResumes(t *testing.T) {
	f := newFixture(t, "ada")
	server := llmtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	server.On(llmtest.Any, llmtest.Answer(func(llmtest.Request) llmtest.Reply {
		cancel()
		time.Sleep(50 * time.Millisecond)
		return llmtest.Text("{}")
	})).Times(1)
	server.On(llmtest.Any, llmtest.Text("{}"))
	args := []string{"consolidate", "--base-url", server.URL, "--db", f.db}
	got := ebbContext(ctx, "", args...)
	require.Equal(t, exitInterrupted, got.code, got.err)
	require.Contains(t, got.err, "the next ebb consolidate goes on there")
	requireOneLine(t, got)
	require.Contains(t, ebb(t, "", "runs", "--db", f.db).out, "interrupted")

	var report extension.Report
	resumed := ebb(t, "", append(args, "--json")...)
	require.Equal(t, exitOK, resumed.code, resumed.err)
	require.NoError(t, json.Unmarshal([]byte(resumed.out), &report))
	require.True(t, report.Resumed)
	require.NotContains(t, ebb(t, "", "runs", "--db", f.db).out, "interrupted")
}
