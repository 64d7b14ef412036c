package schema

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CopyTo writes a consistent copy of the whole database to a new file, which
// only its owner can read, while reading and writing go on. The copy is on disk
// when CopyTo returns, or there is none. It is encrypted with the same key, if
// the database is; no two copies have a block in common.
//
// Errors: [*InvalidError] when there is a file at path, [ErrDiskFull], the
// context's error.
func (db *DB) CopyTo(ctx context.Context, path string) error {
	return db.CopyWithKey(ctx, path, db.opts.Key)
}

// CopyWithKey is [DB.CopyTo] with a key of the copy's own: it encrypts a plain
// memory, gives an encrypted one another key, or, without a key, writes it in
// the clear.
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
	opts, err := db.opts.sealing(f, key)
	defer func() { dropKey(opts.sealNumber) }()
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	from := db.readers
	if db.writer != nil {
		from = db.writer // a reader's connection may change nothing, not even another file
	}
	conn, err := from.Conn(ctx)
	if err != nil {
		return db.readError(ctx, err) // it may have been closed since
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", copyName(path, opts)); err != nil {
		if strings.Contains(err.Error(), "output file already exists") {
			// It does, empty, and SQLite says so too when it cannot see its size.
			return &namedError{ErrIO, err}
		}
		return err
	}
	// The copy comes without write-ahead logging, which every file of ours has.
	if err := buildEmpty(ctx, path, opts); err != nil {
		return err
	}
	if err := syncPath(path); err != nil {
		return err
	}
	return syncPath(filepath.Dir(path))
}

// OpenCopy opens what [DB.CopyTo] wrote, with this database's clock and key.
func (db *DB) OpenCopy(ctx context.Context, path string) (*DB, error) {
	return Open(ctx, path, &Options{Now: db.opts.Now, Key: db.opts.Key})
}

// copyName is the name under which VACUUM makes the copy. It names the file
// system too: by default that is the original's, which may encrypt.
func copyName(path string, opts Options) string {
	opts.ReadOnly = false
	if opts.VFS == "" && opts.sealNumber == "" {
		opts.VFS = "os"
	}
	return strings.Replace(dsn(path, opts, false), "mode=rw", "mode=rwc", 1)
}
