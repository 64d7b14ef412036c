package schema

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/ebbmem/ebb/internal/sqlite"
)

// Options say how a database is opened. The zero value is right for most.
type Options struct {
	// Now is the memory's clock: it stamps created_at, recorded_at and the
	// audit. Default time.Now. Leases and retries use the machine's clock. While it
	// fails ([GuardClock]), it stands still.
	Now func() time.Time
	// ReadOnly opens without writing anything to the file, for looking at it.
	ReadOnly bool
	// BusyTimeout is how long a write waits for another process's write
	// before it fails with [ErrBusy]. Default 5 s.
	BusyTimeout time.Duration
	// Readers is the size of the pool of read connections. Default 4.
	Readers int
	// IdleReader is how long an unused read connection stays open. Default 0, and
	// when ReadOnly: until the database is closed.
	IdleReader time.Duration
	// VFS names a registered SQLite file system. Default the operating system's.
	VFS string
	// Key encrypts a new file, and opens an encrypted one. Default none: files
	// are plain.
	Key Key
	// NoCheckpoint leaves the write-ahead log alone until Checkpoint or Close, and
	// the segments of the text index to SQLite, for tests that count what is done
	// to the file. Default false: the one is moved into the file, the others are
	// merged, in the background.
	NoCheckpoint bool
	// Limiter limits background work across databases. Default nil: no limit.
	Limiter *Limiter
	// OnFault is called with every failure of background work; source is as in
	// [DB.Faults]. It must be fast. Default none.
	OnFault func(source string, err error)
	// Waiting is called, in the write that stores it, with everything that waits
	// for a person to decide. An error of it fails the write. Default none.
	Waiting func(ctx context.Context, tx *Tx, w Waiting) error
}

// engine returns the options for the engine.
func (o *Options) engine() sqlite.Options {
	if o == nil {
		o = &Options{}
	}
	return sqlite.Options{
		Now: o.Now, ReadOnly: o.ReadOnly, BusyTimeout: o.BusyTimeout, Readers: o.Readers, IdleReader: o.IdleReader, VFS: o.VFS, Key: o.Key,
		NoCheckpoint: o.NoCheckpoint, Limiter: o.Limiter, OnFault: o.OnFault, Format: format,
	}
}

// Limiter limits the background work of several databases of a process to a few
// at a time. It is safe for concurrent use.
type Limiter = sqlite.Limiter

// NewLimiter returns a Limiter for [Options] that admits half as many as there are
// processors.
func NewLimiter() *Limiter { return sqlite.NewLimiter() }

// Lease is the right to do one named job, which at most one holder has at a
// time, across processes.
type Lease = sqlite.Lease

// Querier is what reads: a database, a connection, a [Snapshot] or a [Tx]. Queries
// for it have placeholders without numbers, which the last two, being bun's, count
// from 0 and the others from 1.
type Querier = sqlite.Querier

// DB is the one database of a memory: a writer that commits groups of short
// transactions, and a pool of readers. It is safe for concurrent use.
type DB struct {
	*sqlite.DB

	waiting func(ctx context.Context, tx *Tx, w Waiting) error
	scopes  *scopes
	tenant  atomic.Pointer[string] // the one it serves; nil for all

	// Used by the writer goroutine alone.
	unindexed  []unindexedChunk // for the end of the transaction, see index
	tombstones knowledge
}

// knowledge is whether something exists, as far as the writer has asked.
type knowledge int8

const (
	notAsked knowledge = iota
	thereIsNone
	thereAreSome
)

// Open opens the file at path, creating it when it does not exist and
// bringing its schema up to date. A new file appears under its name only once
// it is complete, so a killed creation leaves nothing that cannot be opened.
//
// Errors: [*InvalidError] for a path that cannot hold a database,
// [ErrNotDatabase], [*VersionError], [ErrKey], [ErrCorrupt], [ErrReadOnly],
// [ErrBusy], [ErrDiskFull], [ErrIO].
func Open(ctx context.Context, path string, options *Options) (_ *DB, err error) {
	opts := options.engine()
	if opts.Now != nil {
		if opts.Now, err = GuardClock("Options.Now", opts.Now, nil); err != nil {
			return nil, err
		}
	}
	db := &DB{scopes: newScopes()}
	if options != nil {
		db.waiting = options.Waiting
	}
	opts.BeforeCommit = db.index
	opts.OnRollback = func() {
		// What the writer has learnt in the transaction may not hold.
		db.unindexed, db.tombstones = db.unindexed[:0], notAsked
	}
	opts.OnForeignWrite = func() { // another process may have erased users and sessions
		db.tombstones = notAsked
		db.scopes.forget()
	}
	if db.DB, err = sqlite.Open(ctx, path, opts); err != nil {
		return nil, err
	}
	return db, nil
}

// Tx is one write, inside a transaction that it may share with others: its
// own effects are all kept or all undone. It embeds bun's query builders.
type Tx struct {
	*sqlite.Tx

	db *DB
	// Ids that this write has found or made, which others may use once it is
	// committed.
	users    map[userKey]int64
	sessions map[sessionKey]int64
	// lastChunk is, by user, the last chunk that this write has stored.
	lastChunk map[int64]int64
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
	return db.DB.WriteQueued(ctx, queued, func(ctx context.Context, tx *sqlite.Tx) error {
		return fn(ctx, &Tx{Tx: tx, db: db})
	})
}

// Snapshot is a consistent view of the database for one read. It embeds bun's
// query builders.
type Snapshot struct {
	*sqlite.Snapshot

	db *DB
}

// Read runs fn on one consistent state of the database. Nothing can be
// written through it.
//
// Errors: what fn returned, [ErrClosed], [ErrBusy], [ErrIO], [ErrCorrupt], or the
// context's error.
func (db *DB) Read(ctx context.Context, fn func(context.Context, *Snapshot) error) error {
	return db.DB.Read(ctx, func(ctx context.Context, s *sqlite.Snapshot) error {
		return fn(ctx, &Snapshot{Snapshot: s, db: db})
	})
}

// Faults lists the background work of this database that fails at present,
// newest first: "commit" while writes are refused after a commit that failed,
// "checkpoint" while the write-ahead log cannot be moved into the file, "mark"
// while the mark beside the file cannot be written, "merge" while the segments
// of the text index cannot be merged. What works again is no longer listed.
func (db *DB) Faults() []Failure {
	faults := db.DB.Faults()
	failures := make([]Failure, len(faults))
	for i, f := range faults {
		failures[i] = Failure{Source: f.Source, Error: f.Error, Count: f.Count, FirstAt: At(f.FirstAt), LastAt: At(f.LastAt)}
	}
	return failures
}

// OpenCopy opens what [DB.CopyTo] wrote, with this database's clock and key.
func (db *DB) OpenCopy(ctx context.Context, path string) (*DB, error) {
	return Open(ctx, path, &Options{Now: db.Now, Key: db.Key()})
}

// Scratch opens a copy of the whole database that can be changed and is thrown
// away: call release, which closes it, too. Only its owner can read it. If this
// process is killed, the next Open of the database removes it; where files
// cannot be locked, it stays.
//
// Errors: those of [DB.CopyTo] and [Open]; [ErrBusy] while there are too many.
func (db *DB) Scratch(ctx context.Context) (scratch *DB, release func() error, err error) {
	path, remove, err := db.ScratchFile(ctx)
	if err != nil {
		return nil, nil, err
	}
	if scratch, err = db.OpenCopy(ctx, path); err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return scratch, func() error { return errors.Join(scratch.Close(), remove()) }, nil
}
