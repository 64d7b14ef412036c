package schema

import (
	"context"
	"time"
)

// checkpointEvery is how long commits gather before the background moves them
// from the write-ahead log into the file, so that no commit has to.
const checkpointEvery = 200 * time.Millisecond

// checkpointLoop sleeps while nothing is written.
func (db *DB) checkpointLoop() {
	for {
		select {
		case <-db.dirty:
		case <-db.stop:
			return
		}
		timer := time.NewTimer(checkpointEvery)
		select {
		case <-timer.C:
		case <-db.stop:
			timer.Stop()
			return
		}
		// A passive checkpoint does what it can without waiting for anybody;
		// what it leaves, the next one or Close moves.
		_, _ = db.writer.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
	}
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
