package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const notesFixture = "../../extension/testdata/import_markdown"

func TestMarkdownInAndOut(t *testing.T) {
	db, out := filepath.Join(t.TempDir(), "m.db"), filepath.Join(t.TempDir(), "out")
	o := ebb(t, "", "--db", db, "--user", "noor", "import", "--markdown", "--mine", notesFixture)
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "3 read and 3 stored")
	o = ebb(t, "", "--db", db, "export", "--format", "markdown", out)
	require.Equal(t, exitOK, o.code, o.err)
	profile, err := os.ReadFile(filepath.Join(out, "noor", "profile.md"))
	require.NoError(t, err)
	require.Contains(t, string(profile), "I'm allergic to cashews. (said 2026-01-05)")
	require.FileExists(t, filepath.Join(out, "noor", "days", "2026-01-05.md"))

	o = ebb(t, "", "--db", db, "export", "--format", "markdown", out)
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "nothing is overwritten")
	o = ebb(t, "", "--db", db, "import", filepath.Join(notesFixture, "2026-01-05.md"), "--session", "x")
	require.Equal(t, exitOK, o.code, "a file named *.md needs no flag: %s", o.err)
	o = ebb(t, "", "audit", filepath.Join(notesFixture, "2026-01-05.md"))
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "2 messages and 0 claims read (markdown)")

	bad := filepath.Join(t.TempDir(), "bad.md")
	require.NoError(t, os.WriteFile(bad, []byte("fine\n\xff"), 0o600))
	o = ebb(t, "", "--db", db, "import", bad)
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, bad+": line 2:")
}

func TestMarkdownOfAnEncryptedMemory(t *testing.T) {
	t.Setenv(keyVariable, strings.Repeat("a1", 32))
	db, out := filepath.Join(t.TempDir(), "m.db"), filepath.Join(t.TempDir(), "out")
	o := ebb(t, "", "--db", db, "--user", "noor", "remember", "I keep bees.")
	require.Equal(t, exitOK, o.code, o.err)
	o = ebb(t, "", "--db", db, "export", "--format", "markdown", out)
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "--plain")
	require.NoDirExists(t, out)
	o = ebb(t, "", "--db", db, "export", "--format", "markdown", "--plain", out)
	require.Equal(t, exitOK, o.code, o.err)
}

func TestMarkdownFlagsRefuse(t *testing.T) {
	for name, args := range map[string][]string{
		"no folder": {"export", "--format", "markdown"}, "out": {"export", "--format", "markdown", "x", "--out", "y"}, "ebb": {"export", "x"},
		"archive": {"import", "--markdown", "--archive", "x"}, "nothing": {"import", "--markdown", t.TempDir()},
	} {
		o := ebb(t, "", args...)
		require.Equal(t, exitUsage, o.code, name)
		requireOneLine(t, o)
	}
}
