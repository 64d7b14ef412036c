package schema

import (
	"context"
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

// prepareFile refuses what cannot be an ebb database before SQLite touches
// it, and creates the file when there is none.
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
	abs, err := filepath.Abs(db.path)
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
		return db.checkHeader(abs) // somebody else may have created it
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
		// A creation killed at its very end left its temporary name behind.
		if err := removeDatabase(unfinished(abs)); err != nil {
			return err
		}
		if err := sweepScratch(abs); err != nil {
			return err
		}
		if err := sweepBackups(abs); err != nil {
			return err
		}
		if err := refuseSecondName(abs); err != nil {
			return err
		}
	}
	return db.checkHeader(abs)
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

// unfinished is the name under which the database of path is created.
func unfinished(path string) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+".new")
}

// create builds the database under a temporary name and links it into place,
// so that no moment exists at which a half-made file has the real name. A lock
// on the temporary file, which dies with its process, keeps creators apart.
func (db *DB) create(ctx context.Context) error {
	dir := filepath.Dir(db.path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &InvalidError{Field: "path", Reason: "lies in a directory that does not exist: " + dir}
	}
	if err := refuseNetworkFilesystem(dir); err != nil {
		return err
	}
	for {
		done, err := db.tryCreate(ctx, unfinished(db.path))
		if done || err != nil {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond): // somebody else is creating it
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tryCreate reports false when another creator is at work.
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
		return true, removeDatabase(name) // it was finished while we waited for the lock
	}
	if !names(name, tmp) {
		return false, nil // we locked a file that its creator has removed
	}
	if err := removeOrphans(db.path); err != nil {
		return false, err
	}
	// Only what a killed creator left can be there, and it is ours now.
	if err := errors.Join(tmp.Truncate(0), removeDatabase(name+"-wal"), removeDatabase(name+"-shm")); err != nil {
		return false, err
	}
	opts, err := db.opts.sealing(tmp, db.opts.Key)
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
	// Link, unlike rename, never replaces a file that somebody put there.
	if err := db.opts.disk().Link(name, db.path); err != nil && !errors.Is(err, os.ErrExist) {
		return false, err
	}
	if err = db.opts.disk().Remove(name); errors.Is(err, os.ErrNotExist) {
		err = nil // whoever opens the new file removes it too
	}
	return true, errors.Join(err, removeLogs(name), db.opts.disk().SyncPath(filepath.Dir(name)))
}

// names reports whether path still leads to the open file.
func names(path string, f *os.File) bool {
	byName, err1 := os.Stat(path)
	open, err2 := f.Stat()
	return err1 == nil && err2 == nil && os.SameFile(byName, open)
}

// createInPlace serves virtual file systems, which have no link operation.
func (db *DB) createInPlace(ctx context.Context) error {
	if err := db.sealInPlace(); err != nil || db.opts.ReadOnly {
		return err
	}
	return buildEmpty(ctx, db.path, db.opts)
}

// buildEmpty brings the schema of a file, which may be empty, up to date in
// place, and leaves no write-ahead log behind. Wherever it is cut short, the next
// goes on.
func buildEmpty(ctx context.Context, path string, opts Options) (err error) {
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
	if err := migrateUp(ctx, conn); err != nil {
		return err
	}
	// Closing would do it too, but without saying that it failed, and what
	// stays in the log is lost when the file gets its name.
	var busy, frames, moved int
	if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved); err != nil {
		return err
	}
	if busy != 0 {
		return fmt.Errorf("%w: the new file could not be finished", ErrBusy)
	}
	return nil
}

// removeOrphans removes what a file that is gone left beside it, or SQLite
// would take the log for that of the new file. A log that holds something is
// an error: it may be all that is left of what was acknowledged.
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
