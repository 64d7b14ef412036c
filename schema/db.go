package schema

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ebbmem/ebb/internal/engine"
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
type Limiter = engine.Limiter

// NewLimiter returns a Limiter for [Options] that admits half as many as there are
// processors.
func NewLimiter() *Limiter { return engine.NewLimiter() }

// Lease is the exclusive right to a named job, across processes.
type Lease = engine.Lease

// Querier runs queries: a database, a connection, a [Snapshot] or a [Tx]. Queries
// for it have placeholders without numbers, which the last two, being bun's, count
// from 0 and the others from 1.
type Querier = engine.Querier

// Capabilities say what a database can do besides remembering.
type Capabilities = engine.Capabilities

// DB is the database of a memory, in a file: a writer goroutine that commits groups of
// short transactions, and a pool of read connections; or on a server. It is safe for
// concurrent use.
type DB struct {
	engine.DB
	sqlite.Files // what only a file can do

	file *sqlite.DB // nil on a server

	waiting func(ctx context.Context, tx *Tx, w Waiting) error
	block   func(ctx context.Context, tx *Tx, w BlockWritten) error
	scopes  *scopes
	tenant  atomic.Pointer[string] // see BindTenant; nil for all

	// Used by the writer goroutine of a file alone.
	unindexed  []unindexedChunk // for the end of the transaction, see index
	tombstones knowledge
}

// knowledge is what the writer has learnt about the existence of rows.
type knowledge int8

const (
	unknown knowledge = iota
	absent
	present
)

// Open opens the file at path, creates it if it does not exist, and migrates its
// schema. A new file is renamed to path once it is complete, so a killed creation
// leaves no broken file there. A path such as postgres://host/database names a database
// on a server, if the program imports the package of its engine.
//
// Errors: [*InvalidError] for a path that cannot hold a database,
// [ErrNotDatabase], [*VersionError], [ErrKey], [ErrCorrupt], [ErrReadOnly],
// [ErrBusy], [ErrDiskFull], [ErrIO].
func Open(ctx context.Context, path string, options *Options) (*DB, error) {
	if engine.Redirect != nil {
		path = engine.Redirect(path)
	}
	return open(ctx, path, options)
}

func open(ctx context.Context, path string, options *Options) (_ *DB, err error) {
	opts := config(options)
	if opts.Now != nil {
		if opts.Now, err = GuardClock("Options.Now", opts.Now, nil); err != nil {
			return nil, err
		}
	}
	db := &DB{scopes: newScopes()}
	if engine.IsServer(path) {
		return db, db.openServer(ctx, path, opts)
	}
	opts.BeforeCommit = db.index
	opts.OnRollback = func() {
		// What the writer learnt within the transaction may be wrong now.
		db.unindexed, db.tombstones = db.unindexed[:0], unknown
	}
	opts.OnForeignWrite = func() { // another process may have erased users and sessions
		db.tombstones = unknown
		db.scopes.forget()
	}
	if db.file, err = sqlite.Open(ctx, path, opts); err != nil {
		return nil, err
	}
	db.DB, db.Files = db.file.Engine(), db.file
	return db, nil
}

// IsServer reports whether a path names a database on a server, as in [Open].
func IsServer(path string) bool { return engine.IsServer(path) }

func (db *DB) openServer(ctx context.Context, dsn string, opts sqlite.Config) (err error) {
	if !opts.Key.IsZero() {
		return &InvalidError{Field: "Key", Reason: "encrypts a memory in a file; encrypt the disk of the server instead"}
	}
	migrations, err := fs.Sub(serverMigrations, "migrations/postgres")
	if err != nil {
		return err
	}
	db.Files = sqlite.NoFiles{}
	db.DB, err = engine.Open(ctx, dsn, engine.Config{
		Now: opts.Now, ReadOnly: opts.ReadOnly, BusyTimeout: opts.BusyTimeout, Readers: opts.Readers, Limiter: opts.Limiter,
		Migrations: migrations, Version: Version, Oldest: oldest,
	})
	return err
}

// OnWaiting has fn called for each new proposal, within the write that
// stores it. An error fails the write. Call it before the database is used.
func (db *DB) OnWaiting(fn func(ctx context.Context, tx *Tx, w Waiting) error) { db.waiting = fn }

// Tx is a write within a transaction that it may share with other writes: either all or
// none of its effects are kept. It embeds bun's query builders.
type Tx struct {
	engine.Tx

	// Now is the time of [Options.Now] at the start of this write.
	Now time.Time

	file  *sqlite.Tx // Tx, without the cost of an interface; nil on a server
	db    *DB
	again bool // on a server: the write ran before, and failed
	// Ids that this write has found or created. Other writes may use them once it is
	// committed.
	users    map[userKey]int64
	sessions map[sessionKey]int64
	// lastChunk is the id of the last chunk stored by this write, by user.
	lastChunk map[int64]int64
}

// A background write of several items goes on for up to writeAlone while no other writer
// waits, and for writeShared before it lets others in.
const (
	writeAlone  = 20 * time.Millisecond
	writeShared = time.Millisecond
)

// GoesOn reports whether a background write that began so takes its next item.
func (tx *Tx) GoesOn(began time.Time) bool {
	spent := time.Since(began)
	return spent < writeShared || spent < writeAlone && !tx.Contended()
}

// Exec runs a statement that is prepared once for the life of the database. It is
// for the hot path; elsewhere the query builders are easier to read.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if tx.file != nil {
		return tx.file.Exec(ctx, query, args...)
	}
	return tx.Tx.Exec(ctx, query, slices.Clone(args)...) // a clone, so that args need not be on the heap
}

// Insert inserts rows with a statement prepared once, and returns the row id of the
// last one, or 0 after ON CONFLICT DO NOTHING.
func (tx *Tx) Insert(ctx context.Context, query string, args ...any) (id int64, err error) {
	if tx.file != nil {
		return tx.file.Insert(ctx, query, args...)
	}
	return tx.Tx.Insert(ctx, query, slices.Clone(args)...)
}

// Write runs fn in a transaction and returns once its effects are durable. Writes that
// wait at the same moment, or arrive while others run, share one commit. When one of
// them fails, the others run again without it, so fn may run twice and must have no
// effect except through tx. It must be short and must not call a model, the network or
// Write. If the context ends before fn starts, nothing is changed; once fn runs, it is
// completed. On a server it is given up 5 s later.
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
	if db.file == nil {
		again := false
		return db.DB.WriteQueued(ctx, queued, func(ctx context.Context, inner engine.Tx) error {
			tx := &Tx{Tx: inner, Now: db.Now(), db: db, again: again}
			again = true
			return within(ctx, tx, around, fn)
		})
	}
	return db.file.WriteQueued(ctx, queued, func(ctx context.Context, inner *sqlite.Tx) error {
		return within(ctx, &Tx{Tx: inner, Now: inner.Now, file: inner, db: db}, around, fn)
	})
}

func within(ctx context.Context, tx *Tx, around Wrapper, fn func(context.Context, *Tx) error) error {
	if around == nil {
		return fn(ctx, tx)
	}
	return around(ctx, tx, func() error { return fn(ctx, tx) })
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
	engine.Snapshot

	file *sqlite.Snapshot // nil on a server
	db   *DB

	textEnds *textEnds // of the user asked for last, on a server
}

// Rows calls f with the rows of a statement that is prepared once for each
// connection, without database/sql, for queries of every search. The rows are valid
// until f returns, and f must not read from s.
func (s *Snapshot) Rows(ctx context.Context, query string, f func(*engine.Rows) error) error {
	if s.file != nil {
		return s.file.Rows(ctx, query, f)
	}
	rows, done, err := (&engine.Statements{Preparer: s.Snapshot}).Rows(query)
	if err != nil {
		return err
	}
	defer done()
	return f(rows)
}

// OnServer reports whether the database is on a server.
func (db *DB) OnServer() bool { return db.file == nil }

// NightLease names the lease of nights and of undoing: one for all users of a file, which
// one process at a time writes to, and one for each user on a server, so that hosts share
// the nights.
func (db *DB) NightLease(userID int64) string {
	if db.OnServer() {
		return fmt.Sprintf("night %d", userID)
	}
	return "night"
}

// OnServer reports whether the database is on a server, where a round trip costs more than
// a statement.
func (s *Snapshot) OnServer() bool { return s.file == nil }

// Statements calls f with prepared statements of the connection, to read several of
// them side by side.
func (s *Snapshot) Statements(ctx context.Context, f func(*engine.Statements) error) error {
	if s.file != nil {
		return s.file.Statements(ctx, f)
	}
	return f(&engine.Statements{Preparer: s.Snapshot})
}

// Read runs fn on a consistent snapshot of the database.
//
// Errors: what fn returned, [ErrClosed], [ErrBusy], [ErrIO], [ErrCorrupt], or the
// context's error.
func (db *DB) Read(ctx context.Context, fn func(context.Context, *Snapshot) error) error {
	if db.file == nil {
		return db.DB.Read(ctx, func(ctx context.Context, s engine.Snapshot) error {
			return fn(ctx, &Snapshot{Snapshot: s, db: db})
		})
	}
	return db.file.Read(ctx, func(ctx context.Context, s *sqlite.Snapshot) error {
		return fn(ctx, &Snapshot{Snapshot: s, file: s, db: db})
	})
}

// AcquireLease takes a lease, or extends it when holder already has it. holder is a
// random id of the caller.
//
// Errors: [ErrConflict] while another holder has it; those of [DB.Write].
func (db *DB) AcquireLease(ctx context.Context, name, holder string, ttl time.Duration) (*Lease, error) {
	return engine.AcquireLease(ctx, db.DB, name, holder, ttl)
}

// LeaseHeld reports whether a lease has a holder and has not expired.
func (s *Snapshot) LeaseHeld(ctx context.Context, name string) (bool, error) {
	return engine.LeaseHeld(ctx, s.Snapshot, name)
}

// RenewLease is [Lease.Renew] as part of a write.
func (tx *Tx) RenewLease(ctx context.Context, l *Lease) error { return engine.RenewLease(ctx, tx, l) }

// CheckLease returns [ErrConflict] when another holder has taken the lease, so that
// a transaction of the former holder changes nothing.
func (tx *Tx) CheckLease(ctx context.Context, l *Lease) error { return engine.CheckLease(ctx, tx, l) }

// Faults returns the current faults of this database's background work, newest first:
// "commit" while writes are refused after a failed commit, "checkpoint" while the
// write-ahead log cannot be checkpointed, "mark" while the mark beside the file cannot
// be written, "moved" while writes are refused because the file is no longer at its
// path, "merge" while the segments of the text index cannot be merged.
func (db *DB) Faults() []Failure {
	faults := db.DB.Faults()
	failures := make([]Failure, len(faults))
	for i, f := range faults {
		failures[i] = Failure{Source: f.Source, Error: f.Error, Count: f.Count, FirstAt: At(f.FirstAt), LastAt: At(f.LastAt)}
	}
	return failures
}
