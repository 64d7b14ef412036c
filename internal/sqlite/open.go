package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
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

// Options are what the user of a database chooses. The zero value is the default.
type Options struct {
	// Now is the clock of the stored times: created_at, recorded_at and the audit.
	// Default time.Now. Leases and retries use the machine's clock.
	Now func() time.Time
	// ReadOnly opens the file without writing anything to it.
	ReadOnly bool
	// BusyTimeout is how long a write waits for another process's write before it
	// fails with [ErrBusy]. Default 5 s.
	BusyTimeout time.Duration
	// Readers is the size of the pool of read connections. Default 4.
	Readers int
	// IdleReader is how long an unused read connection stays open. Default 0, and
	// always when ReadOnly: until the database is closed.
	IdleReader time.Duration
	// VFS names a registered SQLite file system. Default the operating system's.
	VFS string
	// Key encrypts a new file, and opens an encrypted one. Default none: files
	// are plain.
	Key Key
	// NoCheckpoint turns background checkpoints off until Checkpoint or Close, and
	// leaves merging the text index to SQLite, for tests that count file
	// operations. Default false.
	NoCheckpoint bool
	// Limiter limits background work across databases. Default nil: no limit.
	Limiter *Limiter
	// OnFault is called for every failure in the background; source is as in
	// [DB.Faults]. It must be fast. Default none.
	OnFault func(source string, err error)
}

// Config is how a file is opened. Only Format is required.
type Config struct {
	Options

	// Format describes the files. Required.
	Format *Format
	// BeforeCommit, if set, is called in each transaction after the last of its
	// writes, with that write's Tx. An error fails the transaction.
	BeforeCommit func(tx *Tx) error
	// OnRollback, if set, is called by the writer goroutine after each transaction
	// that was rolled back.
	OnRollback func()
	// OnForeignWrite, if set, is called by the writer goroutine at the start of the
	// first transaction after another process has written, and of the first of all.
	OnForeignWrite func()

	sealNumber string // of the file's own key on the key ring; empty for a plain file
	immutable  bool   // SQLite's immutable=1: no process writes, read without locks and log
}

func (opts Config) withDefaults() Config {
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

// DB is an open database: a writer that commits groups of short transactions, and a
// pool of readers. It is safe for concurrent use.
type DB struct {
	logHeld atomic.Int64 // see LogHeld; pages
	logged  atomic.Int64 // bytes that commits have written to the log
	unpaced atomic.Int64 // see skipPacing
	pauses  pauses

	path string
	opts Config

	readers   *bun.DB
	readSlots chan struct{} // semaphore, one slot per snapshot

	writer   *bun.DB
	conn     bun.Conn      // the writer's connection, used by writeLoop alone
	raw      *rawConn      // conn without database/sql
	merging  merging       // used by writeLoop alone
	dirty    chan struct{} // wakes checkpointLoop after a commit
	unmarked chan struct{} // wakes markLoop after a commit
	queue    chan *write
	stop     chan struct{} // closed when the database begins to close
	written  chan struct{} // closed when writeLoop has ended
	closed   chan struct{} // closed when closeErr is set
	done     sync.WaitGroup
	closing  sync.Once
	closeErr error

	failedCommit   error // after it the log cannot be trusted, see recoverLog; used by writeLoop alone
	faults         faults
	checkpoints    atomic.Int64 // complete checkpoints: after each, the next commit restarts the log
	sweptMu        sync.Mutex
	swept          []string    // see SweptBackups
	identityLogged int64       // checkpoints when the identity page was last logged; -1 for never; used by writeLoop alone
	leftLog        *logState   // the log found by Open
	unrecorded     *Loss       // found by a read-only Open
	moved          atomic.Bool // as checkMoved found last
	immutableInfo  os.FileInfo // of the file when it was opened as immutable; else nil

	version uint32 // SQLite's count of commits, of this and other connections; used by writeLoop alone
}

// Path returns the absolute path of the file, without symbolic links: the log is at
// this path with "-wal" appended.
func (db *DB) Path() string { return db.path }

// Now returns the time of [Options.Now] at the stored resolution, milliseconds.
func (db *DB) Now() time.Time { return time.UnixMilli(db.opts.Now().UnixMilli()).UTC() }

// Open opens the file at path, creates it if it does not exist, and migrates its
// schema. A new file is created under a temporary name and renamed when it is
// complete, so a killed creation leaves no broken file at path.
//
// Errors: [*InvalidError] for a path that cannot be a database, [ErrNotDatabase],
// [*VersionError], [ErrKey], [ErrCorrupt], [ErrReadOnly], [ErrBusy], [ErrDiskFull],
// [ErrIO].
func Open(ctx context.Context, path string, options Config) (*DB, error) {
	opts := options.withDefaults()
	db := &DB{
		path: path, opts: opts, pauses: pauses{opened: time.Now()}, identityLogged: -1,
		merging: merging{lowest: mergeSegments - 1}, // the next commit with text triggers the first count
		stop:    make(chan struct{}), written: make(chan struct{}), closed: make(chan struct{}),
	}
	if err := db.prepareFile(ctx); err != nil {
		dropKey(db.opts.sealNumber)
		return nil, fmt.Errorf("open %s: %w", path, db.classifyFile(db.path, err))
	}
	err := db.connect(ctx)
	if err != nil {
		err = db.connectImmutable(ctx, err)
	}
	if err == nil && opts.VFS == "" {
		matchSidecarModes(db.path) // before another connection opens the sidecars
	}
	if err == nil && db.marks() {
		err = db.detectLoss(ctx)
	}
	if err != nil {
		err = db.blameLog(db.classifyFile(db.path, err))
		err = errors.Join(fmt.Errorf("open %s: %w", path, err), db.disconnect())
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
		if err := db.rewriteLog(ctx); err != nil {
			return err
		}
	}
	readers, err := openSQL(db.path, db.opts, true)
	if err != nil {
		return err
	}
	// Two more than there are snapshots: one for a copy, and one for a checkpoint
	// or [DB.LogHeld].
	readers.SetMaxOpenConns(db.opts.Readers + 2)
	readers.SetMaxIdleConns(db.opts.Readers + 2)
	if !db.opts.ReadOnly { // a read-only database has no writer to keep the log open
		readers.SetConnMaxIdleTime(db.opts.IdleReader)
	}
	db.readSlots = make(chan struct{}, db.opts.Readers)
	db.readers = bun.NewDB(readers, newDialect())
	if db.opts.ReadOnly {
		return db.prepareSchema(ctx, readers)
	}
	writer, err := openSQL(db.path, db.opts, false)
	if err != nil {
		return err
	}
	db.writer = bun.NewDB(writer, newDialect())
	if err := db.prepareSchema(ctx, writer); err != nil {
		return err
	}
	// The log exists by now.
	if err := keepEntries(db.opts.disk(), filepath.Dir(db.path)); err != nil {
		return err
	}
	if db.conn, err = db.writer.Conn(ctx); err != nil {
		return err
	}
	writer.SetMaxOpenConns(2) // and one for TruncateLog
	writer.SetMaxIdleConns(-1)
	db.raw, err = newRawConn(db.conn)
	return err
}

func (db *DB) disconnect() error {
	var errs []error
	if db.readers != nil {
		errs = append(errs, db.readers.Close())
		// A connection that reached its idle time may be closing at this moment.
		// While it is open SQLite does not remove the log.
		for range 100 {
			if db.readers.Stats().OpenConnections == 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	if db.conn.Conn != nil {
		db.writer.SetMaxIdleConns(1) // so that the pool closes it and returns the error
		errs = append(errs, db.conn.Close())
	}
	if db.writer != nil {
		errs = append(errs, db.writer.Close())
	}
	return errors.Join(errs...)
}

// Close is [DB.CloseWithin] without a deadline.
func (db *DB) Close() error { return db.CloseWithin(context.Background()) }

// CloseWithin refuses new calls, waits for queued writes and running reads,
// checkpoints the write-ahead log and closes the file. A second call waits again
// and returns the same result.
//
// If ctx ends while a transaction or a read is still running, CloseWithin returns
// the context's error, and closing continues in the background. Even if the process
// then dies, that transaction is stored as a whole or not at all, and acknowledged
// commits are safe: they are in the log, which stays beside the file for the next
// Open.
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
	for range cap(db.readSlots) { // wait for the readers
		db.readSlots <- struct{}{}
	}
	var last *mark
	marks := db.writer != nil && db.marks()
	if db.writer != nil {
		_, db.closeErr = db.passiveCheckpoint(db.conn) // Close checkpoints too but reports no failure
		if moved := db.checkMoved(); moved != nil {
			db.closeErr, marks = errors.Join(db.closeErr, moved), false // what is at the path has a mark of its own
		}
		if marks {
			last, _ = db.readProgress(context.Background(), db.conn)
		}
	}
	db.closeErr = errors.Join(db.closeErr, db.disconnect())
	if marks {
		_ = db.closeMark(last) // an older mark reports no false loss
	}
	if db.opts.ReadOnly && db.opts.VFS == "" && !db.Immutable() {
		_ = removeEmptyLog(db.path, db.opts) // best effort: the folder may not be writable
	}
	dropKey(db.opts.sealNumber)
}

// openSQL opens connections with the extensions and pragmas that ebb needs: FTS5,
// which this SQLite build does not register by itself, and the pragmas below.
func openSQL(path string, opts Config, readOnly bool) (*sql.DB, error) {
	pragmas := []string{
		fmt.Sprintf("PRAGMA busy_timeout = %d", opts.BusyTimeout.Milliseconds()),
		"PRAGMA foreign_keys = on",
		"PRAGMA temp_store = memory",
		"PRAGMA cache_size = -16384", // KiB; a connection may hold 256 MiB in all
	}
	if !opts.ReadOnly {
		pragmas = append(pragmas, "PRAGMA synchronous = full") // NORMAL loses acknowledged commits at power loss
	}
	if !readOnly {
		pragmas = append(pragmas,
			"PRAGMA secure_delete = on",         // erased text leaves no copy in free pages
			"PRAGMA wal_autocheckpoint = 16384", // pages; reached only without pauses between writes
		)
	}
	return OpenSQLite(dsn(path, opts, readOnly), readOnly, func(c *sqlite3.Conn) error {
		// QPSG. Without it SQLite prepares a kept statement with LIMIT ? or GLOB ?
		// again for each value, to plan by the bound value.
		if _, err := c.Config(sqlite3.DBCONFIG_ENABLE_QPSG, true); err != nil {
			return err
		}
		// The writer is closed last and checkpoints. A reader may have opened another file
		// that was put at the path meanwhile, see checkMoved.
		if _, err := c.Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, readOnly); err != nil {
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

func dsn(path string, opts Config, readOnly bool) string {
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
		// The write-ahead log holds user text too: it gets the mode of the file.
		q.Set("modeof", path)
	}
	// Without "file:" SQLite takes the parameters as part of the name. It does not
	// decode a plus to a space.
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// dialect writes texts into statements as SQLite reads them.
type dialect struct{ *sqlitedialect.Dialect }

func newDialect() dialect { return dialect{sqlitedialect.New()} }

// AppendString appends a text as a literal. A statement ends at a NUL byte, so that
// bun refuses one; a text that holds one, such as an id from a URL, is written as
// bytes: it is a text like any other, and nothing is found by it.
func (d dialect) AppendString(b []byte, s string) []byte {
	if strings.IndexByte(s, 0) < 0 {
		return d.Dialect.AppendString(b, s)
	}
	b = hex.AppendEncode(append(b, "CAST(X'"...), []byte(s))
	return append(b, "' AS TEXT)"...)
}
