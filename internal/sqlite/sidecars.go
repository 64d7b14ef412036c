package sqlite

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SQLite keeps the write-ahead log, "-wal", and its index in shared memory, "-shm",
// beside the file, and removes both when the last connection that can write closes.

// ownerWrites reports whether the owner of a file may write it, as is usual. SQLite
// gives the log the mode of the file and could not open a read-only log again.
func ownerWrites(path string) bool {
	file, err := os.Stat(path)
	return err != nil || file.Mode().Perm()&0o200 != 0
}

// matchSidecarModes gives the log and its index the mode of the file; SQLite leaves
// the index to the umask. The owner may always write both: otherwise a user with a
// read-only file could open it once and not again. Failures are ignored: the files
// may belong to another user.
func matchSidecarModes(path string) {
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

// removeEmptyLog removes the empty log and the index that a read-only connection
// leaves. It lets SQLite do so, by opening and closing a connection that can write,
// which never removes a log in use.
func removeEmptyLog(path string, opts Config) error {
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

// CopiesBeside lists the known files and folders with a copy of the database: those
// that a repair and a restore set aside, scratch copies in use or abandoned, and in
// any folder the copies of running and killed backups. An erasure does not cover
// them.
//
// Errors: that of reading the folder.
func (db *DB) CopiesBeside() (paths []string, err error) { return CopiesBeside(db.path) }

// CopiesBeside is [DB.CopiesBeside] for the file at path.
func CopiesBeside(path string) (paths []string, err error) {
	dir, base := filepath.Split(path)
	dir = cmp.Or(dir, ".")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // on a virtual file system
	}
	if err != nil {
		return nil, err
	}
	paths = UnfinishedBackups(path)
	for _, e := range entries {
		if slices.ContainsFunc([]string{base + ".before-repair", base + ".before-restore", "." + base + ".scratch-", "." + base + ".restored", "." + filepath.Base(restoringName(path)) + ".new"},
			func(start string) bool { return strings.HasPrefix(e.Name(), start) }) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}
