package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReflectStates(t *testing.T) {
	db := filepath.Join(t.TempDir(), "m.db")
	run := func(args ...string) outcome {
		return ebb(t, "", append([]string{"--db", db, "--user", "ada"}, args...)...)
	}
	require.Equal(t, exitOK, run("remember", "I keep bees.").code)
	require.Contains(t, run("reflect").out, "No reflection was asked for yet")
	require.Equal(t, exitNotFound, run("reflect", "grant").code)
	o := run("reflect", "request", "--extra", "500", "--reason", "much happened")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "8500 tokens: baseline 8000, extra 500 (much happened), penalty 0")
	require.Contains(t, o.out, "ebb reflect grant")
	require.NotEqual(t, exitOK, run("reflect", "request").code, "one is open")
	require.Equal(t, exitUsage, run("reflect", "request", "--extra=-1").code)
	require.Equal(t, exitUsage, run("reflect", "grant", "--verdict", "reduce", "--amount", "8500").code)
	require.Equal(t, exitNotFound, run("reflect", "approve").code)
	o = run("reflect", "grant", "--verdict", "reduce", "--amount", "500", "--json")
	require.Equal(t, exitOK, o.code, o.err)
	var status struct {
		State string `json:"state"`
		Grant struct {
			Tokens int `json:"tokens"`
		} `json:"grant"`
	}
	require.NoError(t, json.Unmarshal([]byte(o.out), &status))
	require.Equal(t, "granted", status.State)
	require.Equal(t, 8000, status.Grant.Tokens)
	require.NotEqual(t, exitOK, run("reflect", "draft").code, "no model was named")
	require.Contains(t, run("reflect", "reject").out, "rejected")
	require.Contains(t, run("reflect", "--history", "5").out, "much happened")
	require.Equal(t, exitUsage, run("reflect", "--history=-2").code)
	for _, step := range [][]string{{"approve", "--history", "2"}, {"approve", "--amount", "5"}, {"grant", "--penalty", "5"}, {"request", "--verdict", "bonus"}, {"--reason", "none"}} {
		o = run(append([]string{"reflect"}, step...)...)
		require.Equal(t, exitUsage, o.code, step)
		require.Contains(t, o.err, "is for ebb reflect")
	}

	o = run("--profile", "fourstores", "audit", "--actor", "host")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "decide")
	o = run("--profile", "fourstores", "audit", "--since", "2020-01-01", "--json")
	require.Contains(t, o.out, `"actor": "reflection"`)
	require.Equal(t, exitUsage, run("audit", "--actor", "host", "x.jsonl").code)
	require.Equal(t, exitOK, run("--profile", "fourstores", "export", "--format", "stores", "--git", t.TempDir()).code)
	require.Equal(t, exitOK, ebb(t, "", "--db", db, "--user", "bob", "remember", "I keep hens.").code)
	o = ebb(t, "", "--db", db, "export", "--format", "stores", "--all-users", "--json", t.TempDir())
	require.Equal(t, exitOK, o.code, o.err)
	require.Equal(t, 2, strings.Count(o.out, `"folder"`))
	require.Equal(t, exitUsage, run("export", "--all-users").code)
	require.Equal(t, exitUsage, run("export", "--git").code)
	require.Equal(t, exitUsage, run("export", "--format", "markdown", "--git", t.TempDir()).code)
}
