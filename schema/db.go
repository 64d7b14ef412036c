package schema

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/ebbmem/ebb/internal/sqlite"
)

// Options configure [Open]. The zero value and nil are the defaults. While Now fails,
// the time stands still; see [GuardClock].
type Options = sqlite.Options

// config returns how the engine opens a memory file.
func config(o *Options) sqlite.Config {
	if o == nil {
		o = &Options{}
	}
	return sqlite.Config{Options: *o, Format: format}
}

// Limiter limits the background work of several databases of a process to a few
// at a time. It is safe for concurrent use.
type Limiter = sqlite.Limiter

// NewLimiter returns a Limiter for [Options] that admits half as many as there are
// processors.
func NewLimiter() *Limiter { return sqlite.NewLimiter() }

// Lease is the exclusive right to a named job, across processes.
type Lease = sqlite.Lease

// Querier is what reads: a database, a connection, a [Snapshot] or a [Tx]. Queries
// for it have placeholders without numbers, which the last two, being bun's, count
// from 0 and the others from 1.
type Querier = sqlite.Querier

// DB is the database of a memory: a writer goroutine that commits groups of short
// transactions, and a pool of read connections. It is safe for concurrent use.
type DB struct {
	*sqlite.DB

	waiting func(ctx context.Context, tx *Tx, w Waiting) error
	block   func(ctx context.Context, tx *Tx, w BlockWritten) error
	scopes  *scopes
	tenant  atomic.Pointer[string] // see BindTenant; nil for all

	// Used by the writer goroutine alone.
	unindexed  []unindexedChunk // for the end of the transaction, see index
	tombstones knowledge
}

// knowledge is what the writer has learnt about the existence of rows.
type knowledge int8

const (
	notAsked knowledge = iota
	thereIsNone
	thereAreSome
)

// Open opens the file at path, creates it if it does not exist, and migrates its
// schema. A new file is renamed to path once it is complete, so a killed creation
// leaves no broken file there.
//
// Errors: [*InvalidError] for a path that cannot hold a database,
// [ErrNotDatabase], [*VersionError], [ErrKey], [ErrCorrupt], [ErrReadOnly],
// [ErrBusy], [ErrDiskFull], [ErrIO].
func Open(ctx context.Context, path string, options *Options) (_ *DB, err error) {
	opts := config(options)
	if opts.Now != nil {
		if opts.Now, err = GuardClock("Options.Now", opts.Now, nil); err != nil {
			return nil, err
		}
	}
	db := &DB{scopes: newScopes()}
	opts.BeforeCommit = db.index
	opts.OnRollback = func() {
		// What the writer learnt within the transaction may be wrong now.
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

// OnWaiting has fn called for each new proposal and confirmation, within the write that
// stores it. An error fails the write. Call it before the database is used.
func (db *DB) OnWaiting(fn func(ctx context.Context, tx *Tx, w Waiting) error) { db.waiting = fn }

// Tx is a write within a transaction that it may share with other writes: either all or
// none of its effects are kept. It embeds bun's query builders.
type Tx struct {
	*sqlite.Tx

	db *DB
	// Ids that this write has found or created. Other writes may use them once it is
	// committed.
	users    map[userKey]int64
	sessions map[sessionKey]int64
	// lastChunk is the id of the last chunk stored by this write, by user.
	lastChunk map[int64]int64
}

// Write runs fn in a transaction and returns once its effects are durable. Writes that
// wait at the same moment, or arrive while others run, share one commit. When one of
// them fails, the others run again without it, so fn may run twice and must have no
// effect except through tx. It must be short and must not call a model, the network or
// Write. If the context ends before fn starts, nothing is changed; once fn runs, it is
// completed.
//
// Errors: what fn returned, [ErrClosed], [ErrReadOnly], [ErrBusy],
// [ErrDiskFull], [ErrIO], [ErrCorrupt], or the context's error.
func (db *DB) Write(ctx context.Context, fn func(context.Context, *Tx) error) error {
	return db.WriteQueued(ctx, nil, fn)
}

// WriteQueued is [DB.Write] that calls queued, if not nil, when the write has its place
// in the queue: writes requested from then on come after it. It is not called for a
// write that is refused.
func (db *DB) WriteQueued(ctx context.Context, queued func(), fn func(context.Context, *Tx) error) error {
	around, _ := ctx.Value(aroundKey{}).(Wrapper)
	return db.DB.WriteQueued(ctx, queued, func(ctx context.Context, inner *sqlite.Tx) error {
		tx := &Tx{Tx: inner, db: db}
		if around == nil {
			return fn(ctx, tx)
		}
		return around(ctx, tx, func() error { return fn(ctx, tx) })
	})
}

// Wrapper runs a write and adds to it, in the same transaction.
type Wrapper func(ctx context.Context, tx *Tx, write func() error) error

type aroundKey struct{}

// Around returns a context whose writes run inside w.
func Around(ctx context.Context, w Wrapper) context.Context {
	return context.WithValue(ctx, aroundKey{}, w)
}

// Snapshot is a consistent view of the database for one read. It embeds bun's
// query builders.
type Snapshot struct {
	*sqlite.Snapshot

	db *DB
}

// Read runs fn on a consistent snapshot of the database.
//
// Errors: what fn returned, [ErrClosed], [ErrBusy], [ErrIO], [ErrCorrupt], or the
// context's error.
func (db *DB) Read(ctx context.Context, fn func(context.Context, *Snapshot) error) error {
	return db.DB.Read(ctx, func(ctx context.Context, s *sqlite.Snapshot) error {
		return fn(ctx, &Snapshot{Snapshot: s, db: db})
	})
}

// Faults returns the current faults of this database's background work, newest first:
// "commit" while writes are refused after a failed commit, "checkpoint" while the
// write-ahead log cannot be checkpointed, "mark" while the mark beside the file cannot
// be written, "merge" while the segments of the text index cannot be merged.
func (db *DB) Faults() []Failure {
	faults := db.DB.Faults()
	failures := make([]Failure, len(faults))
	for i, f := range faults {
		failures[i] = Failure{Source: f.Source, Error: f.Error, Count: f.Count, FirstAt: At(f.FirstAt), LastAt: At(f.LastAt)}
	}
	return failures
}

// OpenCopy opens a file written by [DB.CopyTo], with this database's clock and key.
func (db *DB) OpenCopy(ctx context.Context, path string) (*DB, error) {
	return Open(ctx, path, &Options{Now: db.Now, Key: db.Key()})
}

// Scratch opens a temporary copy of the whole database, readable by its owner only.
// release closes and deletes it. If this process is killed, the next Open of the
// database deletes it, except on systems without file locks.
//
// Errors: those of [DB.CopyTo] and [Open]; [ErrBusy] while there are too many copies.
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
