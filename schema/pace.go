package schema

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// pace spreads what a checkpoint writes into the file. Synced all at once, some
// megabytes here and there in the file keep the disk busy for many milliseconds,
// and a commit meanwhile waits behind them. So they are synced a few at a time,
// and while somebody writes the disk is left to them in between.
type pace struct {
	db       *DB
	ends     time.Time // then it hurries: others may wait for it to end
	began    int64     // how much the log had taken when the checkpoint began
	rested   int64     // and at the last rest
	unsynced int       // bytes
}

func (db *DB) newPace() *pace {
	logged := db.logged.Load()
	return &pace{db: db, ends: time.Now().Add(paceLatest), began: logged, rested: logged}
}

const (
	paceBytes  = 256 << 10            // are synced at once
	paceRest   = 2 * time.Millisecond // follows, while somebody writes
	paceLag    = 24 << 20             // more in the log since it began, and it hurries: the writer is faster
	paceMore   = 1 << 20              // more at most, and that is moved as well
	paceLatest = time.Second
)

// wrote follows a write into the file of n bytes.
func (p *pace) wrote(f vfs.File, n int) error {
	p.unsynced += n
	logged := p.db.logged.Load()
	if p.unsynced < paceBytes || logged-p.began > paceLag || p.db.hurried.Load() > 0 || p.db.isClosed() || time.Now().After(p.ends) {
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

// hurry has a checkpoint that is under way end soon, and none after it take its
// time before the function it returns is called.
func (db *DB) hurry() (done func()) {
	db.hurried.Add(1)
	return func() { db.hurried.Add(-1) }
}

// moveLogAtEase is moveLog at a pace, and once more for what has come meanwhile
// when that is little: when nothing is left for a moment, the log begins anew.
func (db *DB) moveLogAtEase() (held bool, err error) {
	conn, err := db.readers.Conn(context.Background()) // theirs may move the log: it changes nothing
	if err != nil {
		return false, db.classify(err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var file *tidyFile
	err = conn.Raw(func(c any) error {
		guarded, ok := c.(*guardedConn)
		if !ok {
			return fmt.Errorf("schema: a connection of type %T", c)
		}
		file, err = fileOf(guarded.Raw())
		return err
	})
	if err != nil {
		return false, db.classify(err)
	}
	file.pace = db.newPace()
	held, err = db.moveLog(conn)
	began := file.pace.began
	file.pace = nil
	if more := db.logged.Load() - began; err == nil && !held && more > 0 && more <= paceMore {
		held, err = db.moveLog(conn)
	}
	return held, err
}

// fileOf is the database that a connection has open.
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
			return nil, fmt.Errorf("schema: a file of type %T", file)
		}
	}
}
