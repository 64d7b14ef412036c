package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension/audit"
)

const auditFixture = "../../extension/audit/testdata/mem0.json"

func TestAuditCommand(t *testing.T) {
	db := filepath.Join(t.TempDir(), "m.db")
	o := ebb(t, "", "--db", db, "audit", auditFixture)
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "0 messages and 9 claims read (mem0).")
	require.Regexp(t, `(?m)^secrets +1$`, o.out)
	require.Contains(t, o.out, "memory 6: password")
	require.Contains(t, o.out, "memory 1: replaced by memory 5: “Lives in Ghent”")
	require.NotContains(t, o.out, "hunter2")
	require.NoFileExists(t, db)

	o = ebb(t, "", "--json", "audit", auditFixture, "--examples", "1")
	require.Equal(t, exitOK, o.code, o.err)
	var report audit.Report
	require.NoError(t, json.Unmarshal([]byte(o.out), &report))
	require.Len(t, report.Findings, len(audit.Kinds))
	require.Equal(t, 2, report.Findings[0].Count)
	require.Len(t, report.Findings[0].Examples, 1)
}

func TestAuditOfAMemoryFile(t *testing.T) {
	db := filepath.Join(t.TempDir(), "m.db")
	o := ebb(t, "", "--db", db, "--user", "noor", "import", auditFixture)
	require.Equal(t, exitOK, o.code, o.err)
	for name, args := range map[string][]string{"default": {"--db", db, "audit"}, "by name": {"audit", db}} {
		o = ebb(t, "", args...)
		require.Equal(t, exitOK, o.code, "%s: %s", name, o.err)
		require.Contains(t, o.out, "read (ebb).", name)
		require.Contains(t, o.out, "quarantined in this memory", name)
		require.NotContains(t, o.out, "hunter2", name)
	}
	o = ebb(t, "", "--db", db, "audit", "--until", "last month", "--json")
	require.JSONEq(t, `{"changes": []}`, o.out, "everything was changed now")
}

func TestAuditRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		stdin string
		code  int
		says  string
	}{
		"nothing there": {[]string{"audit", "nowhere.json"}, "", exitUsage, "cannot audit"},
		"no memory":     {[]string{"--db", "nowhere.db", "audit"}, "", exitNotFound, "no memory file"},
		"no history":    {[]string{"audit", "-"}, "hello", exitUsage, "neither JSON"},
		"examples":      {[]string{"audit", "--examples", "0"}, "", exitUsage, "at least 1"},
		"two modes":     {[]string{"audit", auditFixture, "--since", "last month"}, "", exitUsage, "leave the file out"},
	} {
		o := ebb(t, c.stdin, c.args...)
		require.Equal(t, c.code, o.code, "%s: %s", name, o.err)
		require.Contains(t, o.err, c.says, name)
		requireOneLine(t, o)
	}
}
