package schema

import (
	"context"
	"errors"
	"os"
)

// Beside its file SQLite keeps the write-ahead log, "-wal", and an index of
// it in shared memory, "-shm", and takes both away when the last connection
// that can write closes.

// privateIndex gives the index of the log the mode of the file; SQLite leaves
// it to the umask. It is not always ours to change, and holds no text.
func privateIndex(path string) {
	file, err := os.Stat(path)
	if err != nil {
		return
	}
	index, err := os.Stat(path + "-shm")
	if err == nil && index.Mode().Perm() != file.Mode().Perm() {
		_ = os.Chmod(path+"-shm", file.Mode().Perm())
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
