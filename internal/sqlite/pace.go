package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// pace spreads the writes of a checkpoint. A sync of several megabytes of scattered
// pages occupies the disk for many milliseconds, and a commit meanwhile waits for
// it. So a checkpoint syncs a few pages at a time and, while there are commits,
// rests in between.
type pace struct {
	db       *DB
	ends     time.Time // no pauses after this time: a caller may wait for the checkpoint
	began    int64     // db.logged when the checkpoint began
	rested   int64     // db.logged at the last rest
	unsynced int       // bytes
}

func (db *DB) newPace() *pace {
	logged := db.logged.Load()
	return &pace{db: db, ends: time.Now().Add(paceLatest), began: logged, rested: logged}
}

const (
	paceBytes  = 256 << 10            // synced at once
	paceRest   = 2 * time.Millisecond // after each sync, while there are commits
	paceLag    = 24 << 20             // no pauses when the log has grown by more: the writer is faster
	paceMore   = 1 << 20              // growth up to which a second checkpoint follows
	paceLatest = time.Second
)

// wrote is called after each write of n bytes to the file.
func (p *pace) wrote(f vfs.File, n int) error {
	p.unsynced += n
	logged := p.db.logged.Load()
	if p.unsynced < paceBytes || logged-p.began > paceLag || p.db.unpaced.Load() > 0 || p.db.isClosed() || time.Now().After(p.ends) {
		return nil
	}
	p.unsynced = 0
	if err := f.Sync(vfs.SYNC_NORMAL); err != nil {
		return err
	}
	if logged != p.rested {
		p.rested = logged
		p.db.sleep(paceRest)
	}
	return nil
}

// skipPacing makes running and later checkpoints finish without pausing until done
// is called.
func (db *DB) skipPacing() (done func()) {
	db.unpaced.Add(1)
	return func() { db.unpaced.Add(-1) }
}

// pacedCheckpoint is passiveCheckpoint at a pace. If few commits came meanwhile it
// checkpoints these too: a log without remaining frames restarts from its
// beginning.
func (db *DB) pacedCheckpoint() (held bool, err error) {
	if err := db.checkMoved(); err != nil { // a new connection would copy the log into another file
		return false, err
	}
	conn, err := db.readers.Conn(context.Background()) // a query_only connection may checkpoint
	if err != nil {
		return false, db.classify(err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var file *tidyFile
	err = conn.Raw(func(c any) error {
		guarded, ok := c.(*guardedConn)
		if !ok {
			return fmt.Errorf("sqlite: a connection of type %T", c)
		}
		file, err = fileOf(guarded.Raw())
		return err
	})
	if err != nil {
		return false, db.classify(err)
	}
	file.pace = db.newPace()
	held, err = db.passiveCheckpoint(conn)
	began := file.pace.began
	file.pace = nil
	if more := db.logged.Load() - began; err == nil && !held && more > 0 && more <= paceMore {
		held, err = db.passiveCheckpoint(conn)
	}
	return held, err
}

// fileOf returns the database file of a connection.
func fileOf(conn *sqlite3.Conn) (*tidyFile, error) {
	file, err := conn.FileControl("main", sqlite3.FCNTL_FILE_POINTER)
	if err != nil {
		return nil, err
	}
	for {
		switch f := file.(type) {
		case *tidyFile:
			return f, nil
		case vfs.FileUnwrap:
			file = f.Unwrap()
		default:
			return nil, fmt.Errorf("sqlite: a file of type %T", file)
		}
	}
}
