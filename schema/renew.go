package schema

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// renewLog makes a log that was left behind safe before anything is added to
// it, and moves it into the file.
//
// Whoever left it may have been refused by the disk in the end. What SQLite
// then reads from the log, and takes for stored, can be in memory alone: after
// a failed fsync Linux shows what it has not saved, and a later fsync does not
// save it. Only writing it again does. That is done while nobody else has the
// file open; if somebody has, the log is theirs and as good as they know it.
func (db *DB) renewLog(ctx context.Context) (err error) {
	if log, err := os.Stat(db.path + "-wal"); err != nil || log.Size() == 0 {
		return nil //nolint:nilerr // there is no log
	}
	conn, err := sqlite3.OpenContext(ctx, dsn(db.path, db.opts, false))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// Another program's log stays as it is: connect refuses its file.
	if _, err := conn.Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, true); err != nil {
		return err
	}
	ours, err := isOurs(conn)
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
	if db.left, err = inspectLog(conn); err != nil {
		return err
	}
	if err := db.refuseForeignLog(conn, db.left); err != nil {
		return err
	}
	if err := unsaved("save the write-ahead log again", rewrite(log)); err != nil {
		return err
	}
	return conn.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
}

// isOurs takes the file for this connection alone and looks at its header.
func isOurs(conn *sqlite3.Conn) (ours bool, err error) {
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
	return header.ColumnInt64(0) == applicationID && header.ColumnInt64(1) <= Version, nil
}

// logOf is the open log of a connection.
func logOf(conn *sqlite3.Conn) (vfs.File, bool) {
	file, err := conn.FileControl("main", sqlite3.FCNTL_JOURNAL_POINTER)
	if err != nil {
		return nil, false
	}
	log, ok := file.(vfs.File)
	return log, ok
}

// rewrite writes a file over itself and syncs it. Wherever it is cut short,
// the file holds what it held.
func rewrite(f vfs.File) error {
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
