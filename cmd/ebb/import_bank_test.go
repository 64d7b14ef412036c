package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension/transfer"
)

func TestImportBankCommand(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	bank := filepath.Join("testdata", "threetier", "bank.md")
	require.Equal(t, exitUsage, ebb(t, "", "import", "--bank", bank, "--db", db).code, "for nobody")
	require.Equal(t, exitUsage, ebb(t, "", "import", "--bank", "--stream", bank, "--user", "team", "--db", db).code)
	require.Equal(t, exitUsage, ebb(t, "", "import", "--bank", "nowhere.md", "--user", "team", "--db", db).code)
	got := ebb(t, "", "import", "--bank", bank, "--user", "team", "--db", db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "lessons                  8 entries")
	require.Contains(t, got.out, "roleState of qa          3 entries")
	require.Contains(t, got.out, "left out Metrics: has no place in core memory")
	require.Contains(t, got.out, "tokens of core memory, those of all roles together.")
	for _, wrong := range [][]string{{"--bank", "--archive", bank}, {"--bank", "--retire", bank}, {"--retire", bank}, {"--bank", "--origin", "user_direct", bank}} {
		refused := ebb(t, "", append(append([]string{"import"}, wrong...), "--user", "team", "--db", db)...)
		require.Equal(t, exitUsage, refused.code, "%v", wrong)
		requireOneLine(t, refused)
	}
	none := filepath.Join(t.TempDir(), "none.db")
	require.Equal(t, exitUsage, ebb(t, "", "import", "--archive", filepath.Join("testdata", "threetier", "docs"), "--db", none).code)
	require.NoFileExists(t, none, "no file is made for nobody")
	var report transfer.BankReport
	again := ebb(t, "# Lessons\n- Tea helps", "import", "--bank", "-", "--json", "--db", db) // of the file's only user
	require.Equal(t, exitOK, again.code, again.err)
	require.NoError(t, json.Unmarshal([]byte(again.out), &report))
	require.Len(t, report.Blocks, 1)
	require.Equal(t, 1, report.Blocks[0].Entries)
}
