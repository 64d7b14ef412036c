package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The integrity check lists pages that could not be read beside damaged ones. A
// failing disk must not be reported as a damaged file.
func TestUnreadablePageIsNotDamage(t *testing.T) {
	require.Equal(t, ErrIO, IntegrityError([]string{"*** in database main ***\nTree 79 page 79: unable to get the page. error code=266"}))
	require.Equal(t, ErrCorrupt, IntegrityError([]string{"Tree 31 page 94: btreeInitPage() returns error code 11"}))
	require.Equal(t, ErrCorrupt, IntegrityError([]string{"row 3 missing from index memories_scope"}))
}

// A copy that somebody puts in the place of its original, beside the log of that, is
// refused: the log would be applied to it and damage it.
func TestACopyBesideTheLogOfItsOriginalIsRefused(t *testing.T) {
	db := open(t, Options{NoCheckpoint: true})
	for i := range 30 {
		require.NoError(t, db.Write(t.Context(), func(_ context.Context, tx *Tx) error { return add(tx, fmt.Sprint("early ", i)) }))
	}
	dir := t.TempDir()
	backup, copied := filepath.Join(dir, "backup.db"), filepath.Join(dir, "copy.db")
	_, err := db.Backup(t.Context(), backup, nil)
	require.NoError(t, err)
	require.NoError(t, db.CopyTo(t.Context(), copied))
	require.NoError(t, db.Checkpoint(t.Context())) // the log begins anew
	require.NoError(t, db.Write(t.Context(), func(_ context.Context, tx *Tx) error { return add(tx, "late") }))
	log, err := os.ReadFile(db.Path() + "-wal")
	require.NoError(t, err)
	for _, path := range []string{backup, copied} {
		whole, err := Open(t.Context(), path, Config{Format: testFormat})
		require.NoError(t, err)
		require.NoError(t, whole.Close())
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path+"-wal", log, 0o600))
		for _, readOnly := range []bool{true, false} {
			_, err = Open(t.Context(), path, Config{Options: Options{ReadOnly: readOnly}, Format: testFormat})
			require.ErrorContains(t, err, "of another memory")
		}
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, before, after)
	}
}

// A check of a backup leaves no key in memory, also if it refuses the file.
func TestVerifyBackupDropsTheKey(t *testing.T) {
	held := func() (n int) {
		keys.Range(func(any, any) bool { n++; return true })
		return n
	}
	key, err := NewKey(bytes.Repeat([]byte{7}, KeySize))
	require.NoError(t, err)
	db := open(t, Options{Key: key})
	backup := filepath.Join(t.TempDir(), "backup.db")
	_, err = db.Backup(t.Context(), backup, nil)
	require.NoError(t, err)
	before, config := held(), Config{Options: Options{Key: key}, Format: testFormat}
	_, err = VerifyBackup(t.Context(), backup, config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(backup+"-wal", []byte("a log"), 0o600))
	_, err = VerifyBackup(t.Context(), backup, config)
	require.ErrorAs(t, err, new(*InvalidError))
	require.Equal(t, before, held())
}
