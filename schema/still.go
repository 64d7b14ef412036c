package schema

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
)

// SQLite reads a file by its log, and for that keeps an index of the log in a
// file beside it. Where no file may be made, on a medium that cannot be written
// or in somebody else's folder, a memory can still be looked at when its log
// is empty: without log and locks, for as long as nobody writes to it.

// connectStill connects like that when it was the missing index that kept
// connect from it; cause is what it said.
func (db *DB) connectStill(ctx context.Context, cause error) error {
	if !db.opts.ReadOnly || db.opts.VFS != "" || !errors.Is(cause, sqlite3.READONLY) && !errors.Is(cause, sqlite3.CANTOPEN) {
		return cause
	}
	unwritable, medium := refusesFiles(filepath.Dir(db.path))
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
	db.opts.immutable, db.still = true, before
	if err := db.connect(ctx); err != nil {
		return err
	}
	return db.unmoved()
}

// unmoved reports a file that was opened without locks and is written to all
// the same: what was read of it may belong to two states.
func (db *DB) unmoved() error {
	if db.still == nil {
		return nil
	}
	now, err := os.Stat(db.path)
	if err != nil {
		return err
	}
	log, err := os.Stat(db.path + "-wal")
	if os.SameFile(now, db.still) && now.Size() == db.still.Size() && now.ModTime().Equal(db.still.ModTime()) && (err != nil || log.Size() == 0) {
		return nil
	}
	return fmt.Errorf("%w: it was opened where nobody may write, without locks, and was written to since; open it again", ErrBusy)
}

// Still reports whether the file is read without log and locks, since none may
// stand beside it.
func (db *DB) Still() bool { return db.still != nil }
