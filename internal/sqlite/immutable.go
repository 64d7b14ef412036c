package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
)

// SQLite needs the index of the log, a file beside the database, to read it. In a
// folder without write permission, on a read-only medium or another user's, it
// cannot create one. A database with an empty log can still be read there as
// SQLite's immutable=1: without log and locks, as long as no process writes to it.

// connectImmutable opens the file as immutable if cause, the error of connect, is
// due to the missing index.
func (db *DB) connectImmutable(ctx context.Context, cause error) error {
	if !db.opts.ReadOnly || db.opts.VFS != "" || !errors.Is(cause, sqlite3.READONLY) && !errors.Is(cause, sqlite3.CANTOPEN) {
		return cause
	}
	unwritable, medium := folderUnwritable(filepath.Dir(db.path))
	if !unwritable {
		return cause
	}
	for _, suffix := range [...]string{"-wal", "-journal"} {
		if beside, err := os.Stat(db.path + suffix); err == nil && beside.Size() > 0 {
			return fmt.Errorf("%w: its folder may not be written, and %s holds what is not in the file yet; copy both to a folder of your own and open the copy", ErrReadOnly, filepath.Base(db.path+suffix))
		}
	}
	if _, err := os.Stat(db.path + "-shm"); err == nil && !medium {
		return fmt.Errorf("%w: its folder may not be written, and %s shows that another program may have it open; end that, or open a copy that `ebb backup` makes", ErrReadOnly, filepath.Base(db.path+"-shm"))
	}
	before, err := os.Stat(db.path)
	if err != nil {
		return err
	}
	if err := db.disconnect(); err != nil {
		return err
	}
	db.opts.immutable, db.immutableInfo = true, before
	if err := db.connect(ctx); err != nil {
		return err
	}
	return db.checkUnmodified()
}

// checkUnmodified returns an error if a file that was opened as immutable has
// changed since: reads may have mixed two states.
func (db *DB) checkUnmodified() error {
	if db.immutableInfo == nil {
		return nil
	}
	now, err := os.Stat(db.path)
	if err != nil {
		return err
	}
	log, err := os.Stat(db.path + "-wal")
	if os.SameFile(now, db.immutableInfo) && now.Size() == db.immutableInfo.Size() && now.ModTime().Equal(db.immutableInfo.ModTime()) && (err != nil || log.Size() == 0) {
		return nil
	}
	return fmt.Errorf("%w: it was opened where nobody may write, without locks, and was written to since; open it again", ErrBusy)
}

// Immutable reports whether the file is read without log and locks, because no file
// can be created beside it.
func (db *DB) Immutable() bool { return db.immutableInfo != nil }
