package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

// Commits gather in the write-ahead log until nobody has written for
// checkpointQuiet, for checkpointLatest or checkpointLog bytes at most. Then the
// background moves them into the file, so that no commit has to. What is little
// waits longer: the first commit to a log that was moved syncs twice, and where
// many files each get a turn now and then every commit would be such a one.
const (
	checkpointQuiet  = 100 * time.Millisecond
	checkpointLatest = time.Second
	checkpointLog    = 16 << 20

	checkpointLittle = 1 << 20 // bytes; below these
	littleQuiet      = time.Second
	littleLatest     = 2 * time.Second
)

// heldEvery is how often the rest of a log is tried that a reader holds.
const heldEvery = time.Second

// checkpointLoop sleeps while nothing is written. What fails is tried again
// less and less often, and listed by [DB.Faults] until it works.
func (db *DB) checkpointLoop() {
	const longest = time.Minute
	var wait time.Duration // before the next try of what did not work
	var moved int64        // what had been logged when all of it was last moved
	for {
		select {
		case <-db.dirty:
		case <-db.stop:
			return
		}
		if !db.sleep(wait) || wait == 0 && !db.gather(moved) {
			return
		}
		// A passive checkpoint does what it can without waiting for anybody;
		// what it leaves, the next one or Close moves.
		logged, done := db.logged.Load(), func() {}
		if logged-moved < checkpointLog {
			done = db.TakeTurn(nil)
		}
		held, err := db.moveLogAtEase()
		done()
		db.note(faultCheckpoint, err)
		switch {
		case err != nil:
			wait = min(max(2*wait, 2*checkpointQuiet), longest)
			db.markDirty()
		case held: // nobody says when the reader, or another process, is done
			wait = heldEvery
			db.markDirty()
		default:
			wait, moved = 0, logged
		}
	}
}

// gather waits while commits gather, which are little or not with all since what
// was moved last. It returns false when the database closes.
func (db *DB) gather(moved int64) bool {
	first := db.logged.Load()
	var waited, quiet time.Duration
	for before := first; db.sleep(checkpointQuiet); {
		waited += checkpointQuiet
		quiet += checkpointQuiet
		logged := db.logged.Load()
		if logged != before {
			before, quiet = logged, 0
		}
		if much := logged-moved >= checkpointLittle; quiet >= littleQuiet || waited >= littleLatest || logged-first >= checkpointLog ||
			much && (quiet > 0 || waited >= checkpointLatest) {
			return true
		}
	}
	return false
}

// sleep returns false when the database closes meanwhile.
func (db *DB) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-db.stop:
		return false
	}
}

// markDirty has the background look at the log.
func (db *DB) markDirty() {
	select {
	case db.dirty <- struct{}{}:
	default:
	}
}

// moveLog moves what it can from the log into the file, without waiting. It is
// held when a reader needs what is left, or another process is at it.
func (db *DB) moveLog(conn bun.IConn) (held bool, err error) {
	var busy, frames, moved int64
	err = conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &frames, &moved)
	if err == nil {
		db.logHeld.Store(max(frames-moved, 0))
	}
	return busy > 0 || frames > moved, db.classify(err)
}

// Checkpoint moves the whole write-ahead log into the file and empties it. It
// returns [ErrBusy] when a reader in this or another process holds it open.
func (db *DB) Checkpoint(ctx context.Context) error {
	if db.opts.ReadOnly {
		return ErrReadOnly
	}
	if db.isClosed() {
		return ErrClosed
	}
	return db.truncate(ctx, db.writer, db.opts.BusyTimeout)
}

// truncate moves and empties the log. SQLite waits for readers as long as the
// connection does, but never for another checkpoint: that is waited for here.
func (db *DB) truncate(ctx context.Context, on interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, patience time.Duration) error {
	defer db.hurry()()
	for until := time.Now().Add(patience); ; {
		var busy, frames, moved int
		err := on.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
		if err != nil {
			return db.readError(ctx, err)
		}
		if busy != 0 {
			if !time.Now().Before(until) {
				return &busyError{}
			}
			select {
			case <-time.After(truncatePause):
				continue
			case <-db.stop:
				return ErrClosed
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}
}

// truncatePatience is how long [DB.truncateLog] tries, and truncatePause how far
// apart tries are.
const (
	truncatePatience = 3 * time.Second
	truncatePause    = 50 * time.Millisecond
)

// truncateLog is [DB.Checkpoint] that holds up nobody: one that waits for
// readers keeps writers out, so it does not wait but comes back.
func (db *DB) truncateLog(ctx context.Context) (err error) {
	if db.isClosed() {
		return ErrClosed
	}
	conn, err := db.writer.Conn(ctx)
	if err != nil {
		return db.readError(ctx, err)
	}
	defer func() {
		restore := fmt.Sprintf("PRAGMA busy_timeout = %d", db.opts.BusyTimeout.Milliseconds())
		_, undo := conn.ExecContext(context.WithoutCancel(ctx), restore)
		err = errors.Join(err, undo, conn.Close())
	}()
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return db.readError(ctx, err)
	}
	err = db.truncate(ctx, conn, truncatePatience)
	if errors.Is(err, ErrBusy) {
		return fmt.Errorf("a reader holds it: %w", err)
	}
	return err
}
