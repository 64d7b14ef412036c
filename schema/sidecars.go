package schema

import (
	"context"
	"errors"
	"os"
)

// Beside its file SQLite keeps the write-ahead log, "-wal", and an index of
// it in shared memory, "-shm", and takes both away when the last connection
// that can write closes.

// ownerWrites reports that a file's owner may write it, as is usual. SQLite
// could not open a log twice that it has given the mode of one that may not be.
func ownerWrites(path string) bool {
	file, err := os.Stat(path)
	return err != nil || file.Mode().Perm()&0o200 != 0
}

// privateBeside gives the log and its index the mode of the file; SQLite leaves
// the index to the umask. Their owner may always write them, or who may only
// read the file could open it once and not again. They are not always ours to
// change.
func privateBeside(path string) {
	file, err := os.Stat(path)
	if err != nil {
		return
	}
	mode := file.Mode().Perm() | 0o200
	for _, suffix := range [...]string{"-wal", "-shm"} {
		beside, err := os.Stat(path + suffix)
		if err == nil && beside.Mode().Perm() != mode {
			_ = os.Chmod(path+suffix, mode)
		}
	}
}

// sweepLog takes away the empty log and its index that reading alone leaves
// behind. SQLite does it, so that nobody loses a log that is in use: it is
// what the close of a connection that can write does, if it is the last.
func sweepLog(path string, opts Options) error {
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() > 0 {
		return nil
	}
	opts.ReadOnly = false
	db, err := openSQL(path, opts, false)
	if err != nil {
		return err
	}
	var tables int
	err = db.QueryRowContext(context.Background(), "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	return errors.Join(err, db.Close())
}
