package schema

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CopyTo writes a consistent copy of the whole database to a new file, which
// only its owner can read, while reading and writing go on. The copy is on disk
// when CopyTo returns, or there is none.
//
// Errors: [*InvalidError] when there is a file at path, [ErrDiskFull], the
// context's error.
func (db *DB) CopyTo(ctx context.Context, path string) (err error) {
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
			err = errors.Join(db.classify(err), removeDatabase(path))
		}
	}()
	if err := f.Close(); err != nil {
		return err
	}
	from := db.readers
	if db.writer != nil {
		from = db.writer // a reader's connection may change nothing, not even another file
	}
	conn, err := from.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return err
	}
	// The copy comes without write-ahead logging, which every file of ours has.
	if err := buildEmpty(ctx, path, db.opts); err != nil {
		return err
	}
	if err := syncPath(path); err != nil {
		return err
	}
	return syncPath(filepath.Dir(path))
}
