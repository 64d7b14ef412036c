package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
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
	// IdleReader is how long a read connection stays open that nobody uses.
	// Default 0, and when ReadOnly: until the database is closed.
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
	// Turns has what is done behind the callers take turns with that of other
	// databases. Default nil: it waits for nobody.
	Turns *Turns
	// OnFault is told of every failure of the work behind the callers; source
	// is as in [DB.Faults]. It must be fast. Default none.
	OnFault func(source string, err error)
	// Waiting is told, in the write that stores it, of everything that waits for a
	// person to decide. An error of it fails the write. Default none.
	Waiting func(ctx context.Context, tx *Tx, w Waiting) error

	sealNumber string // of the file's own key on the key ring; empty for a plain file
	immutable  bool   // nobody writes to the file: it is read without locks and log
}

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.BusyTimeout <= 0 {
		opts.BusyTimeout = 5 * time.Second
	}
	if opts.Readers <= 0 {
		opts.Readers = 4
	}
	return opts
}

// DB is the one database of a memory: a writer that commits groups of short
// transactions, and a pool of readers. It is safe for concurrent use.
type DB struct {
	logHeld atomic.Int64 // see LogHeld
	logged  atomic.Int64 // bytes that commits have written to the log
	hurried atomic.Int64 // see hurry
	pauses  pauses

	path string
	opts Options

	readers *bun.DB
	reading chan struct{} // one token a snapshot

	writer *bun.DB
	conn   bun.Conn // the writer's connection, used by writeLoop alone
	direct *direct  // the same, without database/sql
	// unindexed waits for the end of the transaction; see index.
	unindexed []unindexedChunk
	merging   merging       // used by writeLoop alone
	dirty     chan struct{} // something is written that no checkpoint has moved
	unmarked  chan struct{} // something is written that no mark tells of
	queue     chan *write
	stop      chan struct{} // closed when the database begins to close
	written   chan struct{} // closed when there will be no more writes
	closed    chan struct{} // closed when closeErr is set
	done      sync.WaitGroup
	closing   sync.Once
	closeErr  error

	suspect    error // why the log cannot be trusted; used by writeLoop alone
	faults     faults
	signed     bool        // the log holds whose it is; used by writeLoop alone
	left       *logState   // the log that was found beside the file
	unrecorded *Loss       // seen by an open that may not write it down
	still      os.FileInfo // the file as it was, when it is read without locks

	scopes *scopes
	tenant atomic.Pointer[string] // the one it serves; nil for all
	others others                 // used by writeLoop alone
}

// Path is the file the database was opened from.
func (db *DB) Path() string { return db.path }

// Now is the memory's clock, at the stored resolution.
func (db *DB) Now() time.Time { return At(db.opts.Now()).Time }

// ReadOnly reports whether the database was opened without writing.
func (db *DB) ReadOnly() bool { return db.opts.ReadOnly }

// Open opens the file at path, creating it when it does not exist and
// bringing its schema up to date. A new file appears under its name only once
// it is complete, so a killed creation leaves nothing that cannot be opened.
//
// Errors: [*InvalidError] for a path that cannot hold a database,
// [ErrNotDatabase], [*VersionError], [ErrKey], [ErrCorrupt], [ErrReadOnly],
// [ErrBusy], [ErrDiskFull], [ErrIO].
func Open(ctx context.Context, path string, options *Options) (*DB, error) {
	opts := options.withDefaults()
	if options != nil && options.Now != nil {
		var err error
		if opts.Now, err = GuardClock("Options.Now", options.Now, nil); err != nil {
			return nil, err
		}
	}
	db := &DB{
		path: path, opts: opts, scopes: newScopes(), pauses: pauses{opened: time.Now()},
		merging: merging{newest: mergeSegments - 1}, // what is there is not known until there is more
		stop:    make(chan struct{}), written: make(chan struct{}), closed: make(chan struct{}),
	}
	if err := db.prepareFile(ctx); err != nil {
		dropKey(db.opts.sealNumber)
		return nil, fmt.Errorf("open %s: %w", path, db.classifyFile(db.path, err))
	}
	err := db.connect(ctx)
	if err != nil {
		err = db.connectStill(ctx, err)
	}
	if err == nil && opts.VFS == "" {
		privateBeside(db.path) // before a second connection opens them
	}
	if err == nil && db.marks() {
		err = db.noticeLoss(ctx)
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("open %s: %w", path, db.classifyFile(db.path, err)), db.disconnect())
		dropKey(db.opts.sealNumber)
		return nil, err
	}
	if !opts.ReadOnly {
		db.queue = make(chan *write, maxGroup)
		db.dirty, db.unmarked = make(chan struct{}, 1), make(chan struct{}, 1)
		db.done.Go(db.writeLoop)
		if !opts.NoCheckpoint {
			db.done.Go(db.checkpointLoop)
		}
		if db.marks() {
			db.done.Go(db.markLoop)
		}
	}
	return db, nil
}

func (db *DB) connect(ctx context.Context) error {
	if !db.opts.ReadOnly {
		if err := db.renewLog(ctx); err != nil {
			return err
		}
	}
	readers, err := openSQL(db.path, db.opts, true)
	if err != nil {
		return err
	}
	// Two more than there are snapshots: a copy needs one too, and who moves the
	// log or looks at it ([DB.LogHeld]).
	readers.SetMaxOpenConns(db.opts.Readers + 2)
	readers.SetMaxIdleConns(db.opts.Readers + 2)
	if !db.opts.ReadOnly { // where nothing else keeps the file in use
		readers.SetConnMaxIdleTime(db.opts.IdleReader)
	}
	db.reading = make(chan struct{}, db.opts.Readers)
	db.readers = bun.NewDB(readers, sqlitedialect.New())
	if db.opts.ReadOnly {
		return db.checkIdentity(ctx, readers)
	}
	writer, err := openSQL(db.path, db.opts, false)
	if err != nil {
		return err
	}
	db.writer = bun.NewDB(writer, sqlitedialect.New())
	if err := db.checkIdentity(ctx, writer); err != nil {
		return err
	}
	if err := migrateUp(ctx, writer); err != nil {
		return err
	}
	// The log exists by now.
	if err := keepEntries(db.opts.disk(), filepath.Dir(db.path)); err != nil {
		return err
	}
	if db.conn, err = db.writer.Conn(ctx); err != nil {
		return err
	}
	writer.SetMaxOpenConns(2) // and one for who empties the log, while that lasts
	writer.SetMaxIdleConns(-1)
	db.direct, err = newDirect(db.conn)
	return err
}

func (db *DB) disconnect() error {
	var errs []error
	if db.readers != nil {
		errs = append(errs, db.readers.Close())
		// One that was idle for too long may be closing at this moment: it keeps
		// the file in use, and the log with it.
		for range 100 {
			if db.readers.Stats().OpenConnections == 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	if db.conn.Conn != nil {
		db.writer.SetMaxIdleConns(1) // the pool closes it, and says what that brings
		errs = append(errs, db.conn.Close())
	}
	if db.writer != nil {
		errs = append(errs, db.writer.Close())
	}
	return errors.Join(errs...)
}

// Close is [DB.CloseWithin] for as long as it takes.
func (db *DB) Close() error { return db.CloseWithin(context.Background()) }

// CloseWithin refuses what is new, waits for the writes that were queued and
// the reads under way, moves the write-ahead log into the file and closes it.
// Calling it again waits again, and returns the same result.
//
// When ctx ends first, a transaction or a read is still running. That is said,
// with the context's error, and goes on behind; the rest of the closing follows
// it. Whatever happens to this process then, the transaction is in the file as
// a whole or not at all, and what was acknowledged is: in the log, which stays
// beside the file for the next Open.
func (db *DB) CloseWithin(ctx context.Context) error {
	db.closing.Do(func() {
		close(db.stop)
		go db.close()
	})
	select {
	case <-db.closed:
		return db.closeErr
	default:
	}
	select {
	case <-db.closed:
		return db.closeErr
	case <-ctx.Done():
		return fmt.Errorf("close %s: a transaction or a read is still running; the log stays beside the file until it ends: %w", db.path, context.Cause(ctx))
	}
}

func (db *DB) close() {
	defer close(db.closed)
	db.done.Wait()
	for range cap(db.reading) { // until nobody reads
		db.reading <- struct{}{}
	}
	var last *mark
	if db.writer != nil {
		_, db.closeErr = db.moveLog(db.conn) // closing would do it too, but without saying that it failed
		if db.marks() {
			last, _ = readProgress(context.Background(), db.conn)
		}
	}
	db.closeErr = errors.Join(db.closeErr, db.disconnect())
	if db.writer != nil && db.marks() {
		_ = db.leaveMark(last) // an older mark accuses nobody
	}
	if db.opts.ReadOnly && db.opts.VFS == "" && !db.Still() {
		_ = sweepLog(db.path, db.opts) // a file that cannot be written keeps its empty log
	}
	dropKey(db.opts.sealNumber)
}

// openSQL opens connections with everything ebb needs on each of them: FTS5,
// which this SQLite does not register by itself, and the pragmas.
func openSQL(path string, opts Options, readOnly bool) (*sql.DB, error) {
	pragmas := []string{
		fmt.Sprintf("PRAGMA busy_timeout = %d", opts.BusyTimeout.Milliseconds()),
		"PRAGMA foreign_keys = on",
		"PRAGMA temp_store = memory",
		"PRAGMA cache_size = -16384", // KiB; a connection may hold 256 MiB in all
	}
	if !opts.ReadOnly {
		pragmas = append(pragmas, "PRAGMA synchronous = full") // NORMAL loses acknowledged rows at power loss
	}
	if !readOnly {
		pragmas = append(pragmas,
			"PRAGMA secure_delete = on",         // an erased text leaves no copy in free pages
			"PRAGMA wal_autocheckpoint = 16384", // pages; reached only by those who never pause
		)
	}
	return OpenSQLite(dsn(path, opts, readOnly), readOnly, func(c *sqlite3.Conn) error {
		// Without it a kept statement with LIMIT ? or GLOB ? is prepared anew
		// each time, for a plan by what is bound.
		if _, err := c.Config(sqlite3.DBCONFIG_ENABLE_QPSG, true); err != nil {
			return err
		}
		for _, p := range pragmas {
			if err := c.Exec(p); err != nil {
				return err
			}
		}
		return fts5.Register(c)
	})
}

func dsn(path string, opts Options, readOnly bool) string {
	q := url.Values{}
	switch {
	case opts.ReadOnly:
		q.Set("mode", "ro")
	default:
		q.Set("mode", "rw")
	}
	if !readOnly {
		q.Set("_txlock", "immediate")
	}
	if opts.immutable {
		q.Set("immutable", "1")
	}
	opts.setFileSystem(q)
	if opts.VFS == "" && ownerWrites(path) {
		// The write-ahead log holds messages too: as private as the file.
		q.Set("modeof", path)
	}
	// Without "file:" SQLite takes the parameters as part of the name.
	// SQLite takes a plus in them for a plus, not for a space.
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}
