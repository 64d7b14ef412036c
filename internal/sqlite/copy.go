package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CopyTo writes a consistent copy of the database to a new file that only its owner
// can read. Reads and writes go on meanwhile. When CopyTo returns nil the copy is
// on disk; on an error there is none. The copy of an encrypted database has the
// same key but another salt, so no encrypted block is equal.
//
// Errors: [*InvalidError] when path exists, [ErrDiskFull], the context's error.
func (db *DB) CopyTo(ctx context.Context, path string) error {
	return db.CopyWithKey(ctx, path, db.opts.Key)
}

// CopyWithKey is [DB.CopyTo] with another key for the copy. It encrypts the copy of
// a plain file, changes the key of an encrypted one, or, with no key, writes plain
// text.
func (db *DB) CopyWithKey(ctx context.Context, path string, key Key) (err error) {
	if db.isClosed() {
		return ErrClosed
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return &InvalidError{Field: "path", Reason: fmt.Sprintf("is taken: %s exists already", path)}
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(db.classifyFile(path, err), removeDatabase(path))
		}
	}()
	opts, err := db.opts.writeSeal(f, key)
	defer func() { dropKey(opts.sealNumber) }()
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	from := db.readers
	if db.writer != nil {
		from = db.writer // a query_only connection cannot write to another file either
	}
	conn, err := from.Conn(ctx)
	if err != nil {
		return db.readError(ctx, err) // the database may have closed meanwhile
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", copyName(path, opts)); err != nil {
		if strings.Contains(err.Error(), "output file already exists") {
			// The file exists and is empty; SQLite reports this error also when it
			// cannot read the size.
			return &namedError{ErrIO, err}
		}
		return err
	}
	if err := renewIdentity(ctx, path, opts); err != nil {
		return err
	}
	if err := syncPath(path); err != nil {
		return err
	}
	return syncPath(filepath.Dir(path))
}

// Key returns the key of the file, or the zero Key.
func (db *DB) Key() Key { return db.opts.Key }

// renewIdentity gives a copy an identity of its own: [DB.refuseForeignLog] then
// refuses the log of the original beside it. It turns write-ahead logging on, which
// VACUUM INTO leaves off.
func renewIdentity(ctx context.Context, path string, opts Config) error {
	return finishFile(ctx, path, opts, func(conn *sql.DB) error {
		_, err := conn.ExecContext(ctx, "UPDATE identity SET id = lower(hex(randomblob(16)))")
		return err
	})
}

// copyName is the URI that VACUUM INTO writes to. It names the file system too: the
// default would be the original's, which may encrypt.
func copyName(path string, opts Config) string {
	opts.ReadOnly = false
	if opts.VFS == "" && opts.sealNumber == "" {
		opts.VFS = "os"
	}
	return strings.Replace(dsn(path, opts, false), "mode=rw", "mode=rwc", 1)
}
