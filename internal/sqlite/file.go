package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

// prepareFile rejects files that cannot be ebb databases before SQLite opens them,
// and creates the file if it does not exist.
func (db *DB) prepareFile(ctx context.Context) error {
	if strings.TrimSpace(db.path) == "" {
		return &InvalidError{Field: "path", Reason: "is empty; give the file that holds the memory"}
	}
	if strings.IndexByte(db.path, 0) >= 0 {
		return &InvalidError{Field: "path", Reason: "contains a NUL byte"}
	}
	if _, ok := db.opts.disk().(osDisk); ok && db.opts.VFS != "" {
		return db.createInPlace(ctx)
	}
	abs, err := realPath(db.path)
	if err != nil {
		return err
	}
	db.path = abs
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if db.opts.ReadOnly {
			return fmt.Errorf("no such file: %w", ErrNotFound)
		}
		if err := db.create(ctx); err != nil {
			return err
		}
		return db.checkHeader(abs) // another process may have created it
	case errors.Is(err, syscall.ELOOP):
		return &InvalidError{Field: "path", Reason: "has a symbolic link that leads back to itself"}
	case err != nil:
		return err
	case info.IsDir():
		return &InvalidError{Field: "path", Reason: "is a directory; give a file in it, for instance " + filepath.Join(abs, "memory.db")}
	case !info.Mode().IsRegular():
		return &InvalidError{Field: "path", Reason: "is not a regular file"}
	case info.Size() == 0:
		return fmt.Errorf("%w: it has no bytes at all; remove it to start a new memory", ErrNotDatabase)
	}
	if err := refuseNetworkFilesystem(abs); err != nil {
		return err
	}
	if !db.opts.ReadOnly {
		// A creation killed at its very end left its temporary name.
		if err := removeDatabase(creatingName(abs)); err != nil {
			return err
		}
		if err := sweepScratch(abs); err != nil {
			return err
		}
		if err := db.SweepBackups(); err != nil {
			return err
		}
		if err := refuseSecondName(abs); err != nil {
			return err
		}
	}
	return db.checkHeader(abs)
}

// realPath makes path absolute and resolves its symbolic links, as SQLite does: the
// log is beside the file that a link leads to. That file need not exist. What cannot
// be resolved stays in the path, for [os.Stat] to report.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range 40 { // links, as Linux follows
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real, nil
		}
		folder, base := filepath.Split(path) // unlike Dir it keeps "..", which may follow a link
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return path, nil
		}
		path = filepath.Join(folder, base)
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if !filepath.IsAbs(target) {
			target = folder + string(filepath.Separator) + target
		}
		path = target
	}
	return path, nil
}

func (db *DB) checkHeader(path string) error {
	mode := os.O_RDWR
	if db.opts.ReadOnly {
		mode = os.O_RDONLY
	}
	f, err := os.OpenFile(path, mode, 0)
	if errors.Is(err, os.ErrPermission) && !db.opts.ReadOnly {
		return fmt.Errorf("%w: no permission to write it; open it read-only or change its mode", ErrReadOnly)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return db.unseal(f)
}

// creatingName is the temporary name under which the database at path is created.
func creatingName(path string) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+".new")
}

// create builds the database under a temporary name and links it to path, so that
// path is never an incomplete file. A lock on the temporary file, which the kernel
// drops when the process dies, excludes other creators.
func (db *DB) create(ctx context.Context) error {
	dir := filepath.Dir(db.path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &InvalidError{Field: "path", Reason: "lies in a directory that does not exist: " + dir}
	}
	if err := refuseNetworkFilesystem(dir); err != nil {
		return err
	}
	for {
		done, err := db.tryCreate(ctx, creatingName(db.path))
		if done || err != nil {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond): // another process is creating it
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tryCreate reports false while another process is creating the file.
func (db *DB) tryCreate(ctx context.Context, name string) (done bool, err error) {
	tmp, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return false, fmt.Errorf("%w: no permission to create a file in %s", ErrReadOnly, filepath.Dir(name))
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, tmp.Close()) }()
	if locked, err := lockFile(tmp); err != nil || !locked {
		return false, err
	}
	if _, err := os.Stat(db.path); err == nil {
		return true, removeDatabase(name) // created while this process waited for the lock
	}
	if !samePath(name, tmp) {
		return false, nil // the locked file was removed by its creator
	}
	if err := removeOrphans(db.path); err != nil {
		return false, err
	}
	// These can only be leftovers of a killed creator, and we hold its lock.
	if err := errors.Join(tmp.Truncate(0), removeDatabase(name+"-wal"), removeDatabase(name+"-shm")); err != nil {
		return false, err
	}
	opts, err := db.opts.writeSeal(tmp, db.opts.Key)
	if err == nil {
		err = writeEmpty(ctx, name, opts)
		dropKey(opts.sealNumber)
	}
	if err != nil {
		return false, errors.Join(err, removeDatabase(name))
	}
	if err := db.opts.disk().SyncPath(name); err != nil {
		return false, err
	}
	// Link, unlike rename, never replaces an existing file.
	if err := db.opts.disk().Link(name, db.path); err != nil && !errors.Is(err, os.ErrExist) {
		return false, err
	}
	if err = db.opts.disk().Remove(name); errors.Is(err, os.ErrNotExist) {
		err = nil // Open of the new file in another process removes it too
	}
	return true, errors.Join(err, removeLogs(name), db.opts.disk().SyncPath(filepath.Dir(name)))
}

// samePath reports whether path is still the open file.
func samePath(path string, f *os.File) bool {
	byName, err1 := os.Stat(path)
	open, err2 := f.Stat()
	return err1 == nil && err2 == nil && os.SameFile(byName, open)
}

// createInPlace creates the database on a virtual file system, which has no link
// operation.
func (db *DB) createInPlace(ctx context.Context) error {
	if err := db.sealInPlace(); err != nil || db.opts.ReadOnly {
		return err
	}
	return buildEmpty(ctx, db.path, db.opts)
}

// buildEmpty migrates a file, which may be empty, in place and leaves no
// write-ahead log. It can be called again after an interruption.
func buildEmpty(ctx context.Context, path string, opts Config) error {
	return finishFile(ctx, path, opts, func(conn *sql.DB) error { return opts.Format.migrate(ctx, conn) })
}

// finishFile makes a change in a file that nothing else has open, and leaves no
// write-ahead log.
func finishFile(ctx context.Context, path string, opts Config, change func(*sql.DB) error) (err error) {
	opts.ReadOnly = false
	d := strings.Replace(dsn(path, opts, false), "mode=rw", "mode=rwc", 1)
	conn, err := OpenSQLite(d, false, func(c *sqlite3.Conn) error {
		if err := c.Exec("PRAGMA journal_mode = wal; PRAGMA synchronous = full; PRAGMA secure_delete = on"); err != nil {
			return err
		}
		return fts5.Register(c)
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("write-ahead logging is not available here (journal_mode is %q)", mode)
	}
	if err := change(conn); err != nil {
		return err
	}
	// Close checkpoints too but reports no failure, and a log that remains is lost
	// when the file is renamed.
	var busy, frames, moved int
	if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved); err != nil {
		return err
	}
	if busy != 0 {
		return fmt.Errorf("%w: the new file could not be finished", ErrBusy)
	}
	return nil
}

// removeOrphans removes the sidecar files of a deleted database, which SQLite would
// take for those of the new one. It returns an error for a log that is not empty:
// it may hold the only copy of acknowledged commits.
func removeOrphans(path string) error {
	for _, suffix := range [...]string{"-wal", "-journal"} {
		if log, err := os.Stat(path + suffix); err == nil && log.Size() > 0 {
			return &InvalidError{Field: "path", Reason: "is gone, but its log is there: put the file back, or remove " + path + suffix + " to start a new memory"}
		}
	}
	return removeDatabase(path)
}

func removeDatabase(path string) error {
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, removeLogs(path))
}

func removeLogs(path string) error {
	var errs []error
	for _, suffix := range [...]string{"-wal", "-shm", "-journal", markSuffix} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
