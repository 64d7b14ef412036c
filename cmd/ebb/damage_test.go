package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// commands are all that open a memory file.
func commands(dir string) [][]string {
	return [][]string{
		{"search", "violin"},
		{"explain", "violin"},
		{"show", "019a0000-0000-7000-8000-000000000000"},
		{"timeline"},
		{"stats"},
		{"export"},
		{"export", "--out", filepath.Join(dir, "out.jsonl")},
		{"import", filepath.Join(dir, "turns.jsonl")},
		{"consolidate"},
		{"runs"},
		{"undo", "019a0000-0000-7000-8000-000000000000"},
		{"proposals"},
		{"quarantine"},
		{"backup", filepath.Join(dir, "backup.db")},
		{"doctor"},
	}
}

// Every command says of every bad file what is wrong, with the exit code for
// it, in one line, and leaves the file as it is.
func TestCommandsOnBadFiles(t *testing.T) {
	f := newFixture(t, "ada")
	good, err := os.ReadFile(f.db)
	require.NoError(t, err)
	changed := func(change func(b []byte)) []byte {
		b := bytes.Clone(good)
		change(b)
		return b
	}
	for name, test := range map[string]struct {
		content []byte
		code    int
	}{
		"no bytes":                 {nil, exitDamaged},
		"text":                     {[]byte("dear diary, this is no database"), exitDamaged},
		"an image":                 {append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), make([]byte, 5000)...), exitDamaged},
		"nothing but a header":     {good[:100], exitDamaged},
		"cut after the first page": {good[:4096], exitDamaged},
		"another page size":        {changed(func(b []byte) { binary.BigEndian.PutUint16(b[16:], 8192) }), exitDamaged},
		"no page size":             {changed(func(b []byte) { binary.BigEndian.PutUint16(b[16:], 77) }), exitDamaged},
		"no schema":                {changed(func(b []byte) { clear(b[100:4096]) }), exitDamaged},
		"another application":      {changed(func(b []byte) { b[68] ^= 1 }), exitDamaged},
		"a newer version":          {changed(func(b []byte) { binary.BigEndian.PutUint32(b[60:], 999) }), exitDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "memory.db")
			require.NoError(t, os.WriteFile(path, test.content, 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "turns.jsonl"), []byte(`{"role":"user","text":"hello there","time":"2026-03-01T10:00:00Z"}`+"\n"), 0o600))
			for _, args := range commands(dir) {
				if args[0] == "backup" && name == "a newer version" {
					continue // it may be copied
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				got := ebbContext(ctx, "", append(args, "--db", path)...)
				require.NoError(t, ctx.Err(), args)
				cancel()
				if args[0] != "doctor" || name != "a newer version" {
					require.Equal(t, test.code, got.code, "%s: %s %s", args, got.out, got.err)
				}
				require.NotContains(t, got.err, "a fault inside ebb")
				require.Len(t, strings.Split(strings.TrimSpace(got.err), "\n"), 1, got.err)
			}
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, bytes.Equal(test.content, after), "the file was changed")
			require.NoFileExists(t, filepath.Join(dir, "out.jsonl"))
			require.NoFileExists(t, filepath.Join(dir, "backup.db"))
		})
	}
}

// What is no file is refused as wrong usage or not found, and nothing is made.
func TestCommandsOnNonFiles(t *testing.T) {
	dir := t.TempDir()
	dangling, ring := filepath.Join(dir, "dangling.db"), filepath.Join(dir, "ring.db")
	require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere", "memory.db"), dangling))
	require.NoError(t, os.Symlink(ring, ring))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "turns.jsonl"), []byte("{}\n"), 0o600))
	for _, path := range []string{dir, dangling, ring} {
		before := entries(t, dir)
		for _, args := range commands(dir) {
			got := ebb(t, "", append(args, "--db", path)...)
			require.Contains(t, []int{exitFailure, exitUsage, exitNotFound}, got.code, "%s %s: %s", args, path, got.err)
			require.NotContains(t, got.err, "a fault inside ebb")
		}
		require.Equal(t, before, entries(t, dir))
	}
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range found {
		names = append(names, e.Name())
	}
	return names
}

// What stands beside a file after a crash of another kind: a log of another
// file, a hot journal, an index of the log that means nothing.
func TestCommandsWithForeignSideFiles(t *testing.T) {
	f := newFixture(t, "ada")
	good, err := os.ReadFile(f.db)
	require.NoError(t, err)
	garbage := bytes.Repeat([]byte("garbage "), 5000)
	for name, companions := range map[string]map[string][]byte{
		"a log of garbage":            {"-wal": garbage},
		"a log cut in its header":     {"-wal": {0x37, 0x7f, 0x06, 0x82, 0, 0}},
		"an index of garbage":         {"-shm": garbage},
		"a hot journal of garbage":    {"-journal": garbage},
		"a hot journal of zeroes":     {"-journal": make([]byte, 8192)},
		"all of them":                 {"-wal": garbage, "-shm": garbage, "-journal": garbage},
		"a journal with a good begin": {"-journal": append([]byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\xff\xff\xff\xff"), garbage...)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "memory.db")
			require.NoError(t, os.WriteFile(path, good, 0o600))
			for suffix, content := range companions {
				require.NoError(t, os.WriteFile(path+suffix, content, 0o600))
			}
			got := ebb(t, "", "search", "violin", "--db", path)
			if got.code == exitOK {
				require.Contains(t, got.out, "Ottilie", "the memory looks empty")
			} else {
				require.NotContains(t, got.err, "a fault inside ebb")
			}
			got = ebb(t, "", "doctor", path)
			require.Contains(t, []int{exitOK, exitDamaged, exitFailure}, got.code, got.err)
			got = ebb(t, "", "consolidate", "--db", path)
			require.NotContains(t, got.err, "a fault inside ebb")
			got = ebb(t, "", "search", "violin", "--db", path)
			if got.code == exitOK {
				require.Contains(t, got.out, "Ottilie", "the memory looks empty")
			}
		})
	}
}
