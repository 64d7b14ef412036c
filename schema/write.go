package schema

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/uptrace/bun"
)

// maxGroup is the most writes one commit carries. A group shares one fsync.
const maxGroup = 128

// Tx is one write, inside a transaction that it may share with others: its
// own effects are all kept or all undone. It embeds bun's query builders.
type Tx struct {
	bun.IDB

	// Now is the memory's clock, frozen for this write.
	Now time.Time

	db     *DB
	conn   bun.Conn
	shared bool // the commit with others, who wait for it
	// What this write has found or made, which others may use once it is
	// committed.
	users    map[userKey]int64
	sessions map[sessionKey]int64
	// lastChunk is the last chunk of each user of whom this write has stored some.
	lastChunk map[int64]int64
	// onCommit runs after the commit, in order; nothing is announced before.
	onCommit []func()
}

// OnCommit calls f once the write is durable; never when it failed.
func (tx *Tx) OnCommit(f func()) { tx.onCommit = append(tx.onCommit, f) }

// Contended reports whether others wait for this write to end. Whoever has more
// to do than they should wait for can end there and go on in another write.
func (tx *Tx) Contended() bool { return tx.shared || len(tx.db.queue) > 0 }

// Exec runs a statement that is prepared once for the life of the database.
// It is what the hot path uses; elsewhere the query builders read better.
func (tx *Tx) Exec(_ context.Context, query string, args ...any) (sql.Result, error) {
	if err := tx.db.direct.exec(query, args...); err != nil {
		return nil, err
	}
	return tx.db.direct.result(), nil
}

// Insert adds rows with a statement prepared once, and returns the rowid of the
// last, or 0 when a conflict was to be passed over.
//
// It is for the hot path in place of RETURNING, which SQLite carries out as a
// trigger: such a statement gets a savepoint, and each savepoint makes FTS5
// write out what it has gathered.
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
	return tx.conn.Conn.QueryRowContext(keep(ctx), query, args...).Scan(dest...)
}

// Query reads rows with a statement prepared once.
func (tx *Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return tx.conn.Conn.QueryContext(keep(ctx), query, args...)
}

type write struct {
	ctx    context.Context
	fn     func(context.Context, *Tx) error
	queued func()
	merge  bool        // of the text index: nobody waits for it
	taken  atomic.Bool // by the writer, or by a caller that gave up waiting
	done   chan struct{}
	err    error
	tx     *Tx
	panic  any
}

// Write runs fn in a transaction and returns once its effects are durable.
// Writes that wait at the same moment, or come while others run, share one
// commit; when one of them fails, the others are run again without it, so fn may
// run twice and must have no effect but through tx. It must be short and must
// not call a model, the network or Write. A context that ends before fn starts
// leaves nothing changed; once fn runs it is finished.
//
// Errors: what fn returned, [ErrClosed], [ErrReadOnly], [ErrBusy],
// [ErrDiskFull], [ErrIO], [ErrCorrupt], or the context's error.
func (db *DB) Write(ctx context.Context, fn func(context.Context, *Tx) error) error {
	return db.WriteQueued(ctx, nil, fn)
}

// WriteQueued is [DB.Write] that calls queued as soon as the write has its
// place: those asked for from then on come after it. It is not called for a
// write that gets none. Default nil: nothing is called.
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

// wait queues a write and returns when it is done, or the reason why it will
// not be.
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
	defer func() { _ = db.direct.close() }() // the connection is closed after them and reports
	for {
		group, open := db.nextGroup()
		if len(group) > 0 {
			db.commit(group)
		}
		if open {
			db.mergeBetween(len(group) == 0)
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

// nextGroup waits for a write and takes those that wait with it. There is none
// when text can be merged meanwhile. It returns false when the database is
// closing and the queue is empty.
func (db *DB) nextGroup() (group []*write, open bool) {
	var quiet <-chan time.Time
	if wait, some := db.merging.wait(); some && !db.opts.NoCheckpoint {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		quiet = timer.C
	}
	select {
	case w := <-db.queue:
		return db.queued(w.join(nil)), true
	case <-quiet:
		return db.queued(nil), true
	case <-db.stop:
		group = db.queued(nil)
		return group, len(group) > 0
	}
}

// queued adds the writes that wait to a group, as many as there is room for.
func (db *DB) queued(group []*write) []*write {
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

// join adds a write to a group, unless its caller has given up waiting.
func (w *write) join(group []*write) []*write {
	if w.taken.CompareAndSwap(false, true) {
		group = append(group, w)
	}
	return group
}

// commit runs a group in one transaction and reports to each of its writes.
//
// A group in which one fails is undone and run again one by one. Savepoints
// would keep the others, but each makes FTS5 flush what it has gathered, which
// costs more than all the rest; failures are rare. When it is the disk that
// failed, all of them fail: trying until it passes would prove nothing.
func (db *DB) commit(group []*write) {
	if err := db.mend(context.Background()); err != nil {
		finish(group, err)
		return
	}
	group, begun, err := db.transact(group, true)
	if err == nil || !begun || len(group) == 1 || isFault(err) {
		finish(group, err)
		return
	}
	for _, w := range group {
		if err = db.mend(context.Background()); err == nil {
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
// those that come while it runs are part of it, as there is room: they wait for
// this commit instead of this one and their own. It returns all that took part
// and whether the transaction could begin, which waits for other processes.
func (db *DB) transact(group []*write, joined bool) (all []*write, begun bool, err error) {
	if err := db.direct.exec("BEGIN IMMEDIATE"); err != nil {
		return group, false, db.classify(err)
	}
	defer db.direct.forget()
	if err := db.noticeOthers(); err != nil {
		db.undo()
		return group, true, db.classify(err)
	}
	if !db.signed {
		if err := db.direct.exec(signLog); err != nil {
			db.undo()
			return group, true, db.classify(err)
		}
	}
	db.unindexed = db.unindexed[:0] // of a transaction that was undone
	for i := 0; i < len(group); i++ {
		w := group[i]
		w.tx = &Tx{IDB: db.conn, Now: db.Now(), db: db, conn: db.conn, shared: waiting(group) > 1}
		// An interrupt would undo the whole group.
		if err := w.run(context.WithoutCancel(w.ctx)); err != nil {
			// The rollback fails when SQLite has already made it.
			db.undo()
			return group, true, db.classify(err)
		}
		if joined && i == len(group)-1 {
			group = db.queued(group)
		}
	}
	if err := db.index(); err != nil {
		db.undo()
		return group, true, db.classify(err)
	}
	if err := db.direct.commit(); err != nil {
		db.undo()
		if err = db.classify(fmt.Errorf("commit: %w", err)); isFault(err) {
			db.suspect = err
			db.note(faultCommit, err)
		}
		return group, true, err
	}
	db.signed = true
	db.logged.Store(db.direct.log.written)
	if waiting(group) > 0 {
		db.pauses.wrote()
	}
	db.others.version, _ = dataVersion(db.direct.conn) // this commit is not another's
	return group, true, nil
}

// signLog puts the page with the memory's identity into the log, so that whose log
// it is can be told. An UPDATE that changes nothing would leave the page out.
const signLog = "REPLACE INTO identity (rowid, id) SELECT rowid, id FROM identity"

// waiting counts the writes of a group that somebody waits for: a merge, which
// others may join, is the first.
func waiting(group []*write) int {
	if group[0].merge {
		return len(group) - 1
	}
	return len(group)
}

// undo takes back the transaction, and what the writer has learnt in it of what
// may come back.
func (db *DB) undo() {
	_ = db.direct.exec("ROLLBACK") // fails when SQLite has already made it
	db.others.tombstones = notAsked
}

// others is what the writer knows of what may change under it.
type others struct {
	version    uint32 // SQLite's count of what this and other connections committed
	tombstones knowledge
}

// knowledge is whether something is there, as far as was asked.
type knowledge int8

const (
	notAsked knowledge = iota
	thereIsNone
	thereAreSome
)

// noticeOthers forgets what the writer knows when another process has written:
// it may have erased users and sessions.
func (db *DB) noticeOthers() error {
	version, err := dataVersion(db.direct.conn)
	if err != nil {
		return err
	}
	if version != db.others.version {
		db.others = others{version: version}
		db.scopes.forget()
	}
	return nil
}

// dataVersion is PRAGMA data_version without a statement: it is asked for by
// every commit.
func dataVersion(conn *sqlite3.Conn) (uint32, error) {
	value, err := conn.FileControl("main", sqlite3.FCNTL_DATA_VERSION)
	if err != nil {
		return 0, err
	}
	version, ok := value.(uint32)
	if !ok {
		return 0, fmt.Errorf("schema: the data version is a %T", value)
	}
	return version, nil
}

// run calls fn and carries a panic back to the goroutine that asked for it.
func (w *write) run(ctx context.Context) (err error) {
	w.panic = nil
	defer func() {
		if r := recover(); r != nil {
			w.panic = r
			err = ForeignPanic("a write", r)
		}
	}()
	return w.fn(ctx, w.tx)
}
