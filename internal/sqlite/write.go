package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/uptrace/bun"
)

// maxGroup is the most writes in one commit. A group shares one fsync.
const maxGroup = 128

// Tx is one write, in a transaction that it may share with others: its own effects
// are all kept or all undone. It embeds bun's query builders.
type Tx struct {
	bun.IDB

	// Now is the time of [Options.Now] at the start of this write.
	Now time.Time

	db     *DB
	conn   bun.Conn
	shared bool // with other writes, which wait for the commit
	// onCommit is called after the commit, in order.
	onCommit []func()
}

// OnCommit registers f to be called once the write is durable. It is not called
// when the write fails.
func (tx *Tx) OnCommit(f func()) { tx.onCommit = append(tx.onCommit, f) }

// Contended reports whether other writes wait for this one to end. A long write can
// then end early and continue in another write.
func (tx *Tx) Contended() bool { return tx.shared || len(tx.db.queue) > 0 }

// Queued returns the number of waiting writes.
func (db *DB) Queued() int { return len(db.queue) }

// Exec runs a statement that is prepared once for the life of the database. It is
// for the hot path; elsewhere the query builders are easier to read.
func (tx *Tx) Exec(_ context.Context, query string, args ...any) (sql.Result, error) {
	if err := tx.db.raw.exec(query, args...); err != nil {
		return nil, err
	}
	return tx.db.raw.result(), nil
}

// Later is [Tx.Exec] without a result, which runs at once.
func (tx *Tx) Later(_ context.Context, query string, args ...any) error {
	return tx.db.raw.exec(query, args...)
}

// Do is [Tx.Exec] without a result.
func (tx *Tx) Do(query string, args ...any) error { return tx.db.raw.exec(query, args...) }

// Insert inserts rows with a statement prepared once, and returns the rowid of the
// last one, or 0 after ON CONFLICT DO NOTHING.
//
// It replaces RETURNING on the hot path. SQLite implements RETURNING as a trigger,
// which needs a savepoint, and each savepoint makes FTS5 flush its pending terms.
func (tx *Tx) Insert(ctx context.Context, query string, args ...any) (id int64, err error) {
	res, err := tx.Exec(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	if n, err := res.RowsAffected(); n == 0 || err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// Row reads one row with a statement prepared once.
func (tx *Tx) Row(ctx context.Context, query string, args []any, dest ...any) error {
	return tx.conn.Conn.QueryRowContext(keepPrepared(ctx), query, args...).Scan(dest...)
}

// Query reads rows with a statement prepared once.
func (tx *Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return tx.conn.Conn.QueryContext(keepPrepared(ctx), query, args...)
}

type write struct {
	ctx    context.Context
	fn     func(context.Context, *Tx) error
	queued func()
	merge  bool        // a step of merging the text index, without a waiting caller
	taken  atomic.Bool // by the writer, or by a caller that stopped waiting
	done   chan struct{}
	err    error
	tx     *Tx
	panic  any
}

// Write runs fn in a transaction and returns once its effects are durable. Writes
// that wait at the same moment, or arrive while others run, share one commit. When
// one of them fails, the others run again without it, so fn may run twice and must
// have no effect except through tx. It must be short and must not call a model, the
// network or Write. If the context ends before fn starts, nothing is changed; once
// fn runs, it is completed.
//
// Errors: what fn returned, [ErrClosed], [ErrReadOnly], [ErrBusy], [ErrDiskFull],
// [ErrIO], [ErrCorrupt], or the context's error.
func (db *DB) Write(ctx context.Context, fn func(context.Context, *Tx) error) error {
	return db.WriteQueued(ctx, nil, fn)
}

// WriteQueued is [DB.Write] that calls queued, if not nil, as soon as the write is
// in the queue: later calls of Write run after it. queued is not called for a write
// that is not queued.
func (db *DB) WriteQueued(ctx context.Context, queued func(), fn func(context.Context, *Tx) error) error {
	if db.opts.ReadOnly {
		return ErrReadOnly
	}
	if db.isClosed() {
		return ErrClosed
	}
	w := &write{ctx: ctx, fn: fn, queued: queued, done: make(chan struct{})}
	if err := db.wait(w); err != nil {
		return err
	}
	if w.panic != nil {
		panic(w.panic)
	}
	if w.err == nil {
		for _, f := range w.tx.onCommit {
			f()
		}
	}
	return w.err
}

// wait queues a write and returns when it is done, or an error if it will not run.
func (db *DB) wait(w *write) error {
	ctx := w.ctx
	select {
	case db.queue <- w:
		if w.queued != nil {
			w.queued()
		}
	case <-ctx.Done():
		return ctx.Err()
	case <-db.stop:
		return ErrClosed
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		if w.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		<-w.done
	case <-db.written: // it was queued too late to be seen
		if w.taken.CompareAndSwap(false, true) {
			return ErrClosed
		}
		<-w.done
	}
	return nil
}

func (db *DB) writeLoop() {
	defer close(db.written)
	defer func() { _ = db.raw.close() }() // closing the connection reports the errors
	for {
		group, open := db.nextGroup()
		if len(group) > 0 {
			db.commit(group)
		}
		if open {
			db.mergeStep(len(group) == 0)
		}
		db.markDirty()
		select {
		case db.unmarked <- struct{}{}:
		default:
		}
		if !open {
			return
		}
	}
}

// nextGroup waits for a write and takes the others that are queued. It returns no
// writes when it is time for a merge step, and false when the database is closing
// and the queue is empty.
func (db *DB) nextGroup() (group []*write, open bool) {
	var quiet <-chan time.Time
	if wait, some := db.merging.wait(); some && !db.opts.NoCheckpoint {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		quiet = timer.C
	}
	select {
	case w := <-db.queue:
		return db.takeQueued(w.join(nil)), true
	case <-quiet:
		return db.takeQueued(nil), true
	case <-db.stop:
		group = db.takeQueued(nil)
		return group, len(group) > 0
	}
}

// takeQueued appends queued writes to a group, up to maxGroup.
func (db *DB) takeQueued(group []*write) []*write {
	for len(group) < maxGroup {
		select {
		case w := <-db.queue:
			group = w.join(group)
		default:
			return group
		}
	}
	return group
}

// join appends a write to a group unless its caller has stopped waiting or is about to:
// the context may have ended before the caller has noticed.
func (w *write) join(group []*write) []*write {
	if w.ctx.Err() == nil && w.taken.CompareAndSwap(false, true) {
		group = append(group, w)
	}
	return group
}

// commit runs a group in one transaction and reports to each of its writes.
//
// If one write fails, the transaction is rolled back and the writes run again one
// by one. Savepoints would keep the others, but each makes FTS5 flush its pending
// terms, which costs more than the rest of the group; failures are rare. If the
// disk failed, all of them fail: a retry that succeeds would prove nothing.
func (db *DB) commit(group []*write) {
	err := db.recoverLog(context.Background())
	if err == nil && db.moved.Load() {
		err = db.checkMoved()
	}
	if err != nil {
		finish(group, err)
		return
	}
	group, begun, err := db.transact(group, true)
	if err == nil || !begun || len(group) == 1 || isFault(err) {
		if err == nil && db.identityLogged < 0 { // before the commit is acknowledged: then no acknowledged log is anybody's
			_, _, _ = db.transact([]*write{identityWrite()}, false) // if it fails, the next commit logs it
		}
		finish(group, err)
		return
	}
	for _, w := range group {
		if err = db.recoverLog(context.Background()); err == nil {
			_, _, err = db.transact([]*write{w}, false)
		}
		finish([]*write{w}, err)
	}
}

func finish(group []*write, err error) {
	for _, w := range group {
		w.err = err
		close(w.done)
	}
}

// transact runs the writes in one transaction: all of them or none. With joined,
// writes that arrive meanwhile join the transaction while there is room, and so
// wait for one commit in place of two. transact returns all writes that took part
// and whether the transaction could begin, which waits for other processes.
func (db *DB) transact(group []*write, joined bool) (all []*write, begun bool, err error) {
	if err := db.raw.exec("BEGIN IMMEDIATE"); err != nil {
		return group, false, db.classify(err)
	}
	defer db.raw.clearBindings()
	if err := db.detectForeignWrite(); err != nil {
		db.undo()
		return group, true, db.classify(err)
	}
	checkpoints, logs := db.checkpoints.Load(), db.raw.logsBegun()
	logsIdentity := db.identityLogged != checkpoints
	if logsIdentity {
		if err := db.raw.exec(logIdentity); err != nil {
			db.undo()
			return group, true, db.classify(err)
		}
	}
	for i := 0; i < len(group); i++ {
		w := group[i]
		w.tx = &Tx{IDB: db.conn, Now: db.Now(), db: db, conn: db.conn, shared: waiting(group) > 1}
		// A cancelled context would roll the whole group back.
		if err := w.run(context.WithoutCancel(w.ctx)); err != nil {
			// The rollback fails if SQLite has already rolled back.
			db.undo()
			return group, true, db.classify(err)
		}
		if joined && i == len(group)-1 {
			group = db.takeQueued(group)
		}
	}
	if hook := db.opts.BeforeCommit; hook != nil {
		if err := hook(group[len(group)-1].tx); err != nil {
			db.undo()
			return group, true, db.classify(err)
		}
	}
	if err := db.raw.commit(); err != nil {
		db.undo()
		if err = db.classify(fmt.Errorf("commit: %w", err)); isFault(err) {
			db.failedCommit = err
			db.recordFault(faultCommit, err)
		}
		return group, true, err
	}
	switch {
	case logsIdentity:
		db.identityLogged = checkpoints
	case db.raw.logsBegun() != logs: // another process had checkpointed it
		db.identityLogged = -1
	}
	db.logged.Store(db.raw.log.written)
	if waiting(group) > 0 {
		db.pauses.wrote()
	}
	db.version, _ = dataVersion(db.raw.conn) // not a foreign write
	return group, true, nil
}

// logIdentity writes the page with the database's identity to a restarted log, so
// that a log beside another file is detected. An UPDATE that changes nothing would
// not write the page.
const logIdentity = "REPLACE INTO identity (rowid, id) SELECT rowid, id FROM identity"

// identityWrite is a write without effect, to which transact adds the identity. A
// commit that restarted a log which another process had checkpointed could not
// contain it.
func identityWrite() *write {
	return &write{ctx: context.Background(), merge: true, fn: func(context.Context, *Tx) error { return nil }}
}

// waiting counts the writes of a group with a waiting caller. A merge, which other
// writes may join, is the first of its group and has none.
func waiting(group []*write) int {
	if group[0].merge {
		return len(group) - 1
	}
	return len(group)
}

// undo rolls the transaction back.
func (db *DB) undo() {
	_ = db.raw.exec("ROLLBACK") // fails if SQLite has already rolled back
	if hook := db.opts.OnRollback; hook != nil {
		hook()
	}
}

// detectForeignWrite calls the OnForeignWrite hook after writes of other processes.
func (db *DB) detectForeignWrite() error {
	version, err := dataVersion(db.raw.conn)
	if err != nil {
		return err
	}
	if version != db.version {
		db.version = version
		if hook := db.opts.OnForeignWrite; hook != nil {
			hook()
		}
	}
	return nil
}

// dataVersion is PRAGMA data_version without a statement, for every commit.
func dataVersion(conn *sqlite3.Conn) (uint32, error) {
	value, err := conn.FileControl("main", sqlite3.FCNTL_DATA_VERSION)
	if err != nil {
		return 0, err
	}
	version, ok := value.(uint32)
	if !ok {
		return 0, fmt.Errorf("sqlite: the data version is a %T", value)
	}
	return version, nil
}

// errPanic is the error of a write that panicked. WriteQueued panics in its place.
var errPanic = errors.New("a write panicked")

// run calls fn and stores a panic for the caller's goroutine.
func (w *write) run(ctx context.Context) (err error) {
	w.panic = nil
	defer func() {
		if r := recover(); r != nil {
			w.panic = r
			err = errPanic
		}
	}()
	return w.fn(ctx, w.tx)
}
