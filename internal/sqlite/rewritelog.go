package sqlite

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// rewriteLog makes the log of an earlier process safe before anything is appended,
// and checkpoints it.
//
// The last fsync of that process may have failed. Then SQLite may read frames from
// the page cache that are not on disk: after a failed fsync Linux keeps showing the
// data and a later fsync does not write it. Only writing it again does. rewriteLog
// does so while no other process has the file open; otherwise the log belongs to a
// running process, which handles its own failures.
func (db *DB) rewriteLog(ctx context.Context) (err error) {
	if log, err := os.Stat(db.path + "-wal"); err != nil || log.Size() == 0 {
		return nil //nolint:nilerr // no log
	}
	conn, err := sqlite3.OpenContext(ctx, dsn(db.path, db.opts, false))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// Do not checkpoint another program's log on close; connect refuses its file.
	if _, err := conn.Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, true); err != nil {
		return err
	}
	ours, err := db.opts.Format.holds(conn)
	if errors.Is(err, sqlite3.BUSY) {
		return nil
	}
	if err != nil || !ours {
		return err
	}
	log, ok := logOf(conn)
	if !ok {
		return nil
	}
	if db.leftLog, err = inspectLog(conn); err != nil {
		return err
	}
	if err := db.refuseForeignLog(conn, db.leftLog); err != nil {
		return err
	}
	if err := unsaved("save the write-ahead log again", rewriteInPlace(log)); err != nil {
		return err
	}
	// This connection keeps an index of its own in memory. The next one trusts "-shm"
	// while its lock is held, and a forked process that has yet to run its program holds
	// it after the last connection of its parent has closed. So the old index is removed
	// before the log changes. The exclusive lock excludes connections that use it.
	if err := os.Remove(db.path + "-shm"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil //nolint:nilerr // an index that must stay needs its log
	}
	return conn.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
}

// holds locks the file for this connection and reports whether its header has this
// format.
func (f *Format) holds(conn *sqlite3.Conn) (ours bool, err error) {
	if err := conn.Exec("PRAGMA busy_timeout = 0; PRAGMA locking_mode = exclusive; PRAGMA synchronous = full"); err != nil {
		return false, err
	}
	header, _, err := conn.Prepare("SELECT application_id, user_version FROM pragma_application_id, pragma_user_version")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, header.Close()) }()
	if !header.Step() {
		return false, header.Err()
	}
	return header.ColumnInt64(0) == int64(f.ApplicationID) && header.ColumnInt64(1) <= int64(f.Version), nil
}

// logOf returns the open log of a connection.
func logOf(conn *sqlite3.Conn) (vfs.File, bool) {
	file, err := conn.FileControl("main", sqlite3.FCNTL_JOURNAL_POINTER)
	if err != nil {
		return nil, false
	}
	log, ok := file.(vfs.File)
	return log, ok
}

// rewriteInPlace writes a file's content over itself and syncs it. An interruption
// at any point leaves the content as it was.
func rewriteInPlace(f vfs.File) error {
	size, err := f.Size()
	if err != nil {
		return err
	}
	buf := make([]byte, 1<<20)
	for at := int64(0); at < size; {
		part := buf[:min(int64(len(buf)), size-at)]
		if n, err := f.ReadAt(part, at); n < len(part) {
			return errors.Join(err, io.ErrUnexpectedEOF)
		}
		if _, err := f.WriteAt(part, at); err != nil {
			return err
		}
		at += int64(len(part))
	}
	return f.Sync(vfs.SYNC_FULL)
}
