package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

// Commits accumulate in the write-ahead log until there was none for
// checkpointQuiet, at most for checkpointLatest or until the log has grown by
// checkpointLog bytes. Then a background goroutine checkpoints, so that no commit
// has to. Logs that grew by less than checkpointLittle wait longer: the first
// commit after a complete checkpoint syncs twice, and in a process with many rarely
// written files nearly every commit would be such a one.
const (
	checkpointQuiet  = 100 * time.Millisecond
	checkpointLatest = time.Second
	checkpointLog    = 16 << 20

	checkpointLittle = 1 << 20 // bytes; below these
	littleQuiet      = time.Second
	littleLatest     = 2 * time.Second
)

// heldEvery is the interval between checkpoints while a reader prevents the last
// one from completing.
const heldEvery = time.Second

// checkpointLoop checkpoints after writes. It retries failures with exponential
// backoff; [DB.Faults] lists them until one attempt succeeds.
func (db *DB) checkpointLoop() {
	const longest = time.Minute
	var wait time.Duration // before the next attempt after a failure
	var moved int64        // db.logged at the last complete checkpoint
	for {
		select {
		case <-db.dirty:
		case <-db.stop:
			return
		}
		if !db.sleep(wait) || wait == 0 && !db.waitForCommits(moved) {
			return
		}
		// A passive checkpoint copies the frames it can without waiting for
		// readers. The next one, or Close, copies the rest.
		logged, done := db.logged.Load(), func() {}
		if logged-moved < checkpointLog {
			done = db.BeginBackground(nil)
		}
		held, err := db.pacedCheckpoint()
		done()
		db.recordFault(faultCheckpoint, err)
		switch {
		case err != nil:
			wait = min(max(2*wait, 2*checkpointQuiet), longest)
			db.markDirty()
		case held: // nothing signals the end of the reader or the other checkpoint
			wait = heldEvery
			db.markDirty()
		default:
			wait, moved = 0, logged
		}
	}
}

// waitForCommits waits for a good moment to checkpoint, by the constants above;
// moved is the value of db.logged at the last complete checkpoint. It returns false
// when the database closes.
func (db *DB) waitForCommits(moved int64) bool {
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

// sleep waits for d. It returns false when the database closes first.
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

// markDirty wakes checkpointLoop.
func (db *DB) markDirty() {
	select {
	case db.dirty <- struct{}{}:
	default:
	}
}

// passiveCheckpoint copies what it can from the log into the file, without waiting.
// It returns held when a reader needs the rest, or another process is
// checkpointing.
func (db *DB) passiveCheckpoint(conn bun.IConn) (held bool, err error) {
	var busy, frames, moved int64
	err = conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &frames, &moved)
	if err == nil {
		db.logHeld.Store(max(frames-moved, 0))
		if busy == 0 && frames <= moved {
			db.checkpoints.Add(1)
		}
	}
	return busy > 0 || frames > moved, db.classify(err)
}

// Checkpoint copies the whole write-ahead log into the file and truncates it. It
// returns [ErrBusy] when a reader of this or another process prevents that.
func (db *DB) Checkpoint(ctx context.Context) error {
	if db.opts.ReadOnly {
		return ErrReadOnly
	}
	if db.isClosed() {
		return ErrClosed
	}
	if err := db.checkMoved(); err != nil {
		return err
	}
	return db.truncate(ctx, db.writer, db.opts.BusyTimeout)
}

// truncate runs a TRUNCATE checkpoint until it succeeds, at most for the duration
// patience. SQLite's busy timeout covers readers but not another checkpoint, which
// truncate waits for itself.
func (db *DB) truncate(ctx context.Context, on interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, patience time.Duration) error {
	defer db.skipPacing()()
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
		db.checkpoints.Add(1)
		return nil
	}
}

// truncatePatience is how long [DB.TruncateLog] tries, truncatePause the interval
// between attempts.
const (
	truncatePatience = 3 * time.Second
	truncatePause    = 50 * time.Millisecond
)

// TruncateLog is [DB.Checkpoint] without delaying writers: a checkpoint that waits
// for readers blocks writers, so this one returns at once and is tried again.
func (db *DB) TruncateLog(ctx context.Context) (err error) {
	if db.isClosed() {
		return ErrClosed
	}
	if err := db.checkMoved(); err != nil {
		return err
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

// heldChecks and heldPause bound how long a read-only database watches the log.
// Together they exceed the longest time between two checkpoints of a writer, which
// littleLatest, the wait of a Limiter and paceLatest add up to.
const (
	heldChecks = 18
	heldPause  = 250 * time.Millisecond
)

// LogHeld is the number of pages in the write-ahead log that cannot be copied into
// the file because a reader of this or another process needs the old ones. While it
// is above 0 the log grows. The number is that of the last checkpoint. A read-only
// database does not checkpoint: it watches for up to four seconds whether another
// process does, and on Linux only.
//
// Errors: the database's, the context's.
func (db *DB) LogHeld(ctx context.Context) (pages int64, err error) {
	if !db.opts.ReadOnly {
		return db.logHeld.Load(), nil
	}
	if db.opts.immutable || db.opts.VFS != "" {
		return 0, nil
	}
	first := int64(-1)
	for range heldChecks {
		if !logHasReaders(db.path) {
			return 0, nil // no reader: the rest is new, or its writer has exited
		}
		var busy, frames, moved int64
		if err := db.readers.QueryRowContext(ctx, "PRAGMA wal_checkpoint(NOOP)").Scan(&busy, &frames, &moved); err != nil {
			return 0, db.readError(ctx, err)
		}
		if first < 0 {
			first = frames
		}
		if moved >= first || frames < first {
			return 0, nil // another process checkpoints
		}
		pages = frames - moved
		select {
		case <-time.After(heldPause):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return pages, nil
}
