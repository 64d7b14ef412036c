package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	cipher "lukechampine.com/adiantum"
)

// Names in random order make SQLite split pages in their middle, which leaves
// copies of the moved cells.
func TestDeletedTextIsInNoPage(t *testing.T) {
	secret, err := NewKey(bytes.Repeat([]byte("k"), KeySize))
	require.NoError(t, err)
	for name, key := range map[string]Key{"plain": {}, "sealed": secret} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			db, err := Open(t.Context(), path, Config{Format: testFormat, Options: Options{Key: key}})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			canary := []byte("zorblatina")
			write := func(statement string, args ...any) {
				require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
					_, err := tx.Exec(ctx, statement, args...)
					return err
				}))
			}
			names := rand.New(rand.NewPCG(1, 2))
			require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
				for i := range 6000 {
					word := "kept"
					if i%2 == 0 {
						word = string(canary)
					}
					if _, err := tx.Exec(ctx, "INSERT INTO notes (name) VALUES (?)", fmt.Sprintf("%x%s%s", names.Uint64(), strings.Repeat("-", names.IntN(60)), word)); err != nil {
						return err
					}
				}
				return nil
			}))
			require.NoError(t, db.Checkpoint(t.Context()))
			require.Contains(t, string(unsealed(t, path, key)), string(canary), "it can be seen")

			write("DELETE FROM notes WHERE name LIKE '%zorblatina'")
			require.NoError(t, db.TruncateLog(t.Context()))
			require.Zero(t, bytes.Count(unsealed(t, path, key), canary))

			// Later writes must not bring a copy back from memory.
			write("UPDATE notes SET name = name || '.' WHERE id % 20 = 0")
			if key.IsZero() {
				log, err := os.ReadFile(path + "-wal")
				require.NoError(t, err)
				require.NotEmpty(t, log)
				require.Zero(t, bytes.Count(log, canary), "the log")
			}
			require.NoError(t, db.Checkpoint(t.Context()))
			require.Zero(t, bytes.Count(unsealed(t, path, key), canary))
			require.Contains(t, string(unsealed(t, path, key)), "kept.")
		})
	}
}

// unsealed returns the decrypted content of a database file.
func unsealed(t *testing.T, path string, key Key) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	own, err := fileKey(bytes.NewReader(content), key)
	require.NoError(t, err)
	if own == nil {
		return content
	}
	content = content[sealPage:]
	var tweak [8]byte
	for at := 0; at < len(content); at += sealPage {
		binary.LittleEndian.PutUint64(tweak[:], uint64(at))
		cipher.New(own).Decrypt(content[at:at+sealPage], tweak[:])
	}
	return content
}

func TestLeftovers(t *testing.T) {
	page := func(change func(p []byte)) []byte {
		p := bytes.Repeat([]byte{0xee}, 512)
		p[0] = tableLeaf
		binary.BigEndian.PutUint16(p[3:], 3)   // cells
		binary.BigEndian.PutUint16(p[5:], 400) // offset of the first one
		change(p)
		return p
	}
	for name, c := range map[string]struct {
		page     []byte
		off      int64
		from, to int
	}{
		"leaf":                       {page(func([]byte) {}), 512, 14, 400},
		"node":                       {page(func(p []byte) { p[0] = indexNode }), 512, 18, 400},
		"first page of the file":     {page(func(p []byte) { p[100], p[103], p[104], p[105], p[106] = tableLeaf, 0, 1, 1, 0 }), 0, 110, 256},
		"zeroes":                     {page(func(p []byte) { clear(p[14:400]) }), 512, 400, 400},
		"nothing between":            {page(func(p []byte) { p[5], p[6] = 0, 14 }), 512, 14, 14},
		"an overflow page":           {page(func(p []byte) { p[0] = 0 }), 512, 0, 0},
		"more entries than room":     {page(func(p []byte) { p[3] = 1 }), 512, 0, 0},
		"entries past the end":       {page(func(p []byte) { p[5] = 9 }), 512, 0, 0},
		"entries past the end, none": {page(func(p []byte) { p[5], p[6] = 0, 0 }), 512, 0, 0},
		"a part of a page":           {page(func([]byte) {}), 100, 0, 0},
		"not a page":                 {page(func([]byte) {})[:500], 500, 0, 0},
		"too far":                    {page(func([]byte) {}), maxTidyPage * 512, 0, 0},
	} {
		from, to := leftovers(c.page, c.off)
		require.Equal(t, [2]int{c.from, c.to}, [2]int{from, to}, name)
	}
}
