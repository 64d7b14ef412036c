package sqlite

import "fmt"

// A file that is moved, deleted or replaced while it is open still takes commits, which
// are lost to the next open: the log stays at the old path, and connections that are opened
// later read another file there. So the path is looked at a second after a commit, before
// a checkpoint and on closing.

// checkMoved records whether the path still leads to the open file, and returns [ErrIO]
// if not. Writes are refused until it does again.
func (db *DB) checkMoved() (err error) {
	moved, failed := db.raw.file.HasMoved()
	if failed != nil {
		return nil //nolint:nilerr // it is not known; the next check may
	}
	if moved {
		err = fmt.Errorf("%w: %s was moved, deleted or replaced while it was open: put it back; what was stored in the last seconds may be in it or in its log (-wal) only", ErrIO, db.path)
	}
	db.moved.Store(moved)
	db.recordFault(faultMoved, err)
	return err
}
