package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeyOfAnEncryptedMemory(t *testing.T) {
	dir := t.TempDir()
	digits := strings.Repeat("0123456789abcdef", 4)
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	db, key := filepath.Join(dir, "memory.db"), file("key", digits+"\n")
	other, bad := file("other", strings.Repeat("a", 32)), file("bad", "correct horse battery staple")
	turns := file("turns.jsonl", `{"speaker":"Ada","text":"My zebrafinch is called Ottoline.","session":"s","time":"2026-03-01T18:00:00Z"}`+"\n")
	ebb := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"--db", db, "--user", "ada"}, args...), strings.NewReader(""), &out, &errs)
		said := out.String() + errs.String()
		require.NotContains(t, said, digits[:16])
		return code, said
	}
	code, said := ebb("--key-file", key, "import", turns)
	require.Zero(t, code, said)
	content, err := os.ReadFile(db)
	require.NoError(t, err)
	require.NotContains(t, string(content), "zebrafinch")

	code, said = ebb("--key-file", key, "search", "zebrafinch")
	require.Zero(t, code, said)
	require.Contains(t, said, "Ottoline")

	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"search", "zebrafinch"}, "it is encrypted, and no key was given; name it with --key-file or EBB_KEY"},
		{[]string{"--key-file", other, "search", "zebrafinch"}, "encrypted with another one"},
		{[]string{"--key-file", bad, "search", "zebrafinch"}, "neither 32 bytes nor 64 hexadecimal digits"},
		{[]string{"--key-file", filepath.Join(dir, "none"), "search", "zebrafinch"}, "key file cannot be read"},
		{[]string{"--key-file", dir, "search", "zebrafinch"}, "is a directory"},
		{[]string{"--key-file", file("huge", digits+strings.Repeat(" ", longestKey)), "search", "zebrafinch"}, "holds more than 4096 bytes"},
		{[]string{"--key-file", file("short", strings.Repeat("a", 31)), "search", "zebrafinch"}, "neither 32 bytes nor 64 hexadecimal digits"},
		{[]string{"--key-file", file("long", strings.Repeat("a", 33)), "search", "zebrafinch"}, "neither 32 bytes nor 64 hexadecimal digits"},
		{[]string{"--key-file", file("line", strings.Repeat("a", 32)+"\n"), "search", "zebrafinch"}, "neither 32 bytes nor 64 hexadecimal digits"},
		{[]string{"--key-file", file("empty", ""), "search", "zebrafinch"}, "neither 32 bytes nor 64 hexadecimal digits"},
	} {
		code, said := ebb(c.args...)
		require.Equal(t, exitUsage, code, said)
		require.Contains(t, said, c.says)
		require.NotContains(t, said, "battery")
	}

	for _, format := range []string{"stores", "markdown"} {
		folder := filepath.Join(dir, format)
		code, said = ebb("--key-file", key, "export", "--format", format, folder)
		require.Equal(t, exitUsage, code, said)
		require.Contains(t, said, "--plain")
		require.NoDirExists(t, folder)
		code, said = ebb("--key-file", key, "export", "--format", format, "--plain", folder)
		require.Zero(t, code, said)
		require.DirExists(t, folder)
	}

	code, said = ebb("--key-file", key, "doctor")
	require.Zero(t, code, said)
	require.Contains(t, said, "Healthy")
	code, said = ebb("doctor")
	require.Equal(t, exitFailure, code, said)
	require.Contains(t, said, "no key was given")

	same, plain, changed := filepath.Join(dir, "same.db"), filepath.Join(dir, "plain.db"), filepath.Join(dir, "changed.db")
	for _, args := range [][]string{
		{"--key-file", key, "backup", same}, {"--key-file", key, "backup", same, "--verify"},
		{"--key-file", key, "backup", plain, "--plain"}, {"backup", plain, "--verify"},
		{"--db", plain, "backup", changed, "--new-key-file", other}, {"--key-file", other, "backup", changed, "--verify"},
		{"--key-file", key, "restore", same, "--db", filepath.Join(dir, "back.db")},
		{"--key-file", key, "--db", filepath.Join(dir, "back.db"), "search", "zebrafinch"},
	} {
		code, said = ebb(args...)
		require.Zero(t, code, "%s: %s", args, said)
	}
	for name, readable := range map[string]bool{same: false, plain: true, changed: false} {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, readable, bytes.Contains(content, []byte("zebrafinch")), name)
	}
	code, said = ebb("--key-file", key, "backup", changed, "--verify")
	require.Equal(t, exitUsage, code, said)

	t.Setenv("EBB_KEY", digits)
	code, said = ebb("search", "zebrafinch")
	require.Zero(t, code, said)
	code, said = ebb("--key-file", key, "search", "zebrafinch")
	require.Equal(t, exitUsage, code)
	require.Contains(t, said, "keep one")
}
