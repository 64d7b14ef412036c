package schema

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/ebbmem/ebb/internal/sqlite"
)

// OpenCopy opens a file written by [DB.CopyTo], with this database's clock and key.
func (db *DB) OpenCopy(ctx context.Context, path string) (*DB, error) {
	return Open(ctx, path, &Options{Now: db.Now, Key: db.Key()})
}

// Scratch opens a temporary copy, readable by its owner only, in which what is tried for
// a user changes nothing. release closes and deletes it.
//
// Of a file it is a copy of the whole beside it. If this process is killed, the next Open
// of the database deletes it, except on systems without file locks. Of a server it is a
// file in the system's folder for temporary files, with the user's rows alone, and
// encrypted by a key that no other process knows.
//
// Errors: those of [DB.CopyTo] and [Open]; [ErrBusy] while there are too many copies.
func (db *DB) Scratch(ctx context.Context, scope Scope) (scratch *DB, release func() error, err error) {
	var path string
	var remove func() error
	if db.file == nil {
		scratch, remove, err = db.scratchUser(ctx, scope)
	} else if path, remove, err = db.ScratchFile(ctx); err == nil {
		scratch, err = db.OpenCopy(ctx, path)
	}
	if err != nil {
		if remove != nil {
			err = errors.Join(err, remove())
		}
		return nil, nil, err
	}
	return scratch, func() error { return errors.Join(scratch.Close(), remove()) }, nil
}

// scratchUser copies the rows of a user on a server to a new file.
func (db *DB) scratchUser(ctx context.Context, scope Scope) (scratch *DB, remove func() error, err error) {
	secret := make([]byte, sqlite.KeySize)
	if _, err := rand.Read(secret); err != nil {
		return nil, nil, err
	}
	key, err := NewKey(secret)
	if err != nil {
		return nil, nil, err
	}
	folder, err := os.MkdirTemp("", "ebb-scratch-") // mode 0700
	if err != nil {
		return nil, nil, err
	}
	remove = func() error { return os.RemoveAll(folder) }
	if scratch, err = open(ctx, filepath.Join(folder, "copy.db"), &Options{Now: db.Now, Key: key}); err != nil {
		return nil, remove, err
	}
	err = db.ReadUser(ctx, scope, func(ctx context.Context, s *Snapshot, userID int64) error {
		return scratch.Write(ctx, func(ctx context.Context, tx *Tx) error { return tx.copyUser(ctx, s, userID) })
	})
	if err != nil {
		err = errors.Join(err, scratch.Close())
	}
	return scratch, remove, err
}

// userRows are the tables with rows of users, and the condition that selects those of one.
// A row refers to rows above it, or of its table.
var userRows = []struct{ table, of string }{
	{"users", "id = ?"}, {"watermarks", "user_id = ?"}, {"sessions", "user_id = ?"}, {"events", "user_id = ?"}, {"runs", "user_id = ?"},
	{"memories", "user_id = ?"},
	{"memory_sources", "memory_id IN (SELECT id FROM memories WHERE user_id = ?1) AND source_id IN (SELECT id FROM memories WHERE user_id = ?1)"},
	{"chunks", "memory_id IN (SELECT id FROM memories WHERE user_id = ?)"},
	{"entities", "user_id = ?"}, {"entity_aliases", "user_id = ?"}, {"memory_entities", "entity_id IN (SELECT id FROM entities WHERE user_id = ?)"},
	{"links", "from_id IN (SELECT id FROM memories WHERE user_id = ?1) AND to_id IN (SELECT id FROM memories WHERE user_id = ?1)"},
	{"embedding_generations", "? > 0"}, {"vectors", "user_id = ?"},
	{"blocks", "user_id = ?"}, {"block_history", "block_id IN (SELECT id FROM blocks WHERE user_id = ?)"},
	{"gaps", "user_id = ?"}, {"proposals", "user_id = ?"}, {"ops", "user_id = ?"}, {"injections", "user_id = ?"},
	{"tombstones", "user_id = ?"}, {"erasures", "user_id = ?"}, {"erasing", "erasure_id IN (SELECT id FROM erasures WHERE user_id = ?)"},
	{"documents", "user_id = ?"},
}

// copyUser copies the rows of a user from a server, whose tables are those of a file.
func (tx *Tx) copyUser(ctx context.Context, from *Snapshot, userID int64) error {
	if _, err := tx.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil { // for rows that refer to others of their table
		return err
	}
	for _, t := range userRows {
		columns, err := sqlite.Texts(ctx, tx, "SELECT name FROM pragma_table_info('"+t.table+"')")
		if err != nil {
			return err
		}
		names := strings.Join(columns, ", ")
		values, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		insert := "INSERT INTO " + t.table + " (" + names + ") VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"
		if err := Each(ctx, from.Query, dest, func() error {
			_, err := tx.Exec(ctx, insert, values...)
			return err
		}, "SELECT "+names+" FROM "+t.table+" WHERE "+t.of, userID); err != nil {
			return err
		}
	}
	return tx.RebuildTextIndex(ctx)
}
