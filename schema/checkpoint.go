package schema

import (
	"context"
	"time"
)

// checkpointEvery is how long commits gather before the background moves them
// from the write-ahead log into the file, so that no commit has to.
const checkpointEvery = 200 * time.Millisecond

// checkpointLoop sleeps while nothing is written. What fails is tried again
// less and less often, and listed by [DB.Faults] until it works.
func (db *DB) checkpointLoop() {
	const longest = time.Minute
	wait := checkpointEvery
	for {
		select {
		case <-db.dirty:
		case <-db.stop:
			return
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-db.stop:
			timer.Stop()
			return
		}
		// A passive checkpoint does what it can without waiting for anybody;
		// what it leaves, the next one or Close moves.
		err := db.moveLog()
		db.note(faultCheckpoint, err)
		if err != nil {
			wait = min(2*wait, longest)
			db.markDirty()
		} else {
			wait = checkpointEvery
		}
	}
}

// markDirty has the background look at the log.
func (db *DB) markDirty() {
	select {
	case db.dirty <- struct{}{}:
	default:
	}
}

// moveLog moves what it can from the log into the file, without waiting.
func (db *DB) moveLog() error {
	_, err := db.writer.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
	return db.classify(err)
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
	var busy, frames, moved int
	err := db.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
	if err != nil {
		return db.readError(ctx, err)
	}
	if busy != 0 {
		return ErrBusy
	}
	return nil
}
