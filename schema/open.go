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
	"time"

	"github.com/hashicorp/golang-lru/v2"
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
)

// Options say how a database is opened. The zero value is right for most.
type Options struct {
	// Now is the memory's clock: it stamps created_at, recorded_at and the
	// audit. Default time.Now. Leases and retries use the machine's clock.
	Now func() time.Time
	// ReadOnly opens without writing anything, for looking at a file.
	ReadOnly bool
	// BusyTimeout is how long a write waits for another process's write
	// before it fails with [ErrBusy]. Default 5 s.
	BusyTimeout time.Duration
	// Readers is the size of the pool of read connections. Default 4.
	Readers int
	// VFS names a registered SQLite file system. Default the operating system's.
	VFS string
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
	path string
	opts Options

	readers *bun.DB
	reads   statements

	writer   *bun.DB
	conn     bun.Conn // the writer's connection, used by writeLoop alone
	dirty    chan struct{}
	queue    chan *write
	stop     chan struct{}
	done     sync.WaitGroup
	closing  sync.Once
	closeErr error
	mu       sync.RWMutex // held for reading while a write is being queued
	closed   bool

	users    *lru.Cache[userKey, int64]
	sessions *lru.Cache[sessionKey, int64]
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
// [ErrNotDatabase], [*VersionError], [ErrCorrupt], [ErrReadOnly], [ErrBusy].
func Open(ctx context.Context, path string, options *Options) (*DB, error) {
	opts := options.withDefaults()
	cachedUsers, err := lru.New[userKey, int64](4096)
	if err != nil {
		return nil, err
	}
	cachedSessions, err := lru.New[sessionKey, int64](4096)
	if err != nil {
		return nil, err
	}
	db := &DB{path: path, opts: opts, users: cachedUsers, sessions: cachedSessions}
	if err := db.prepareFile(ctx); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, db.classify(err))
	}
	if err := db.connect(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, db.classify(err)), db.disconnect())
	}
	if !opts.ReadOnly {
		db.queue = make(chan *write, maxGroup)
		db.dirty = make(chan struct{}, 1)
		db.stop = make(chan struct{})
		db.done.Go(db.writeLoop)
		db.done.Go(db.checkpointLoop)
	}
	return db, nil
}

func (db *DB) connect(ctx context.Context) error {
	readers, err := openSQL(db.path, db.opts, true)
	if err != nil {
		return err
	}
	readers.SetMaxOpenConns(db.opts.Readers)
	readers.SetMaxIdleConns(db.opts.Readers)
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
	writer.SetMaxOpenConns(2) // the writer and the checkpointer
	db.conn, err = db.writer.Conn(ctx)
	return err
}

func (db *DB) disconnect() error {
	var errs []error
	if db.readers != nil {
		errs = append(errs, db.reads.close(), db.readers.Close())
	}
	if db.conn.Conn != nil {
		errs = append(errs, db.conn.Close())
	}
	if db.writer != nil {
		errs = append(errs, db.writer.Close())
	}
	return errors.Join(errs...)
}

// Close waits for the writes that were queued, moves the write-ahead log into
// the file and closes it. Calling it again returns the same result.
func (db *DB) Close() error {
	db.closing.Do(func() {
		db.mu.Lock()
		db.closed = true
		db.mu.Unlock()
		if db.stop != nil {
			close(db.stop)
			db.done.Wait()
		}
		db.closeErr = db.disconnect()
	})
	return db.closeErr
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
	if readOnly {
		pragmas = append(pragmas, "PRAGMA query_only = on")
	} else {
		pragmas = append(pragmas,
			"PRAGMA synchronous = full",         // NORMAL loses acknowledged rows at power loss
			"PRAGMA secure_delete = on",         // an erased text leaves no copy in free pages
			"PRAGMA wal_autocheckpoint = 16384", // pages; the background checkpoint comes long before
		)
	}
	return driver.Open(dsn(path, opts, readOnly), func(c *sqlite3.Conn) error {
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
	if opts.VFS != "" {
		q.Set("vfs", opts.VFS)
	}
	// Without "file:" SQLite takes the parameters as part of the name.
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// prepareFile refuses what cannot be an ebb database before SQLite touches
// it, and creates the file when there is none.
func (db *DB) prepareFile(ctx context.Context) error {
	if strings.TrimSpace(db.path) == "" {
		return &InvalidError{Field: "path", Reason: "is empty; give the file that holds the memory"}
	}
	if strings.IndexByte(db.path, 0) >= 0 {
		return &InvalidError{Field: "path", Reason: "contains a NUL byte"}
	}
	if db.opts.VFS != "" {
		return db.createInPlace(ctx)
	}
	abs, err := filepath.Abs(db.path)
	if err != nil {
		return err
	}
	db.path = abs
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if db.opts.ReadOnly {
			return fmt.Errorf("no such file: %w", ErrNotFound)
		}
		return db.create(ctx)
	case err != nil:
		return err
	case info.IsDir():
		return &InvalidError{Field: "path", Reason: "is a directory; give a file in it, for instance " + filepath.Join(abs, "memory.db")}
	case !info.Mode().IsRegular():
		return &InvalidError{Field: "path", Reason: "is not a regular file"}
	case info.Size() == 0:
		return fmt.Errorf("%w: it has no bytes at all; remove it to start a new memory", ErrNotDatabase)
	}
	if err := refuseNetworkFilesystem(abs); err != nil {
		return err
	}
	return db.checkHeader(abs)
}

func (db *DB) checkHeader(path string) error {
	mode := os.O_RDWR
	if db.opts.ReadOnly {
		mode = os.O_RDONLY
	}
	f, err := os.OpenFile(path, mode, 0)
	if errors.Is(err, os.ErrPermission) && !db.opts.ReadOnly {
		return fmt.Errorf("%w: no permission to write it; open it read-only or change its mode", ErrReadOnly)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var header [16]byte
	if _, err := f.ReadAt(header[:], 0); err != nil || string(header[:]) != "SQLite format 3\x00" {
		return fmt.Errorf("%w: it does not begin as a SQLite file does", ErrNotDatabase)
	}
	return nil
}

// create builds the database under a temporary name and links it into place,
// so that no moment exists at which a half-made file has the real name.
func (db *DB) create(ctx context.Context) (err error) {
	dir, base := filepath.Split(db.path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &InvalidError{Field: "path", Reason: "lies in a directory that does not exist: " + dir}
	}
	if err := refuseNetworkFilesystem(dir); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "."+base+".new-*")
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("%w: no permission to create a file in %s", ErrReadOnly, dir)
	}
	if err != nil {
		return err
	}
	name := tmp.Name()
	defer func() { err = errors.Join(err, removeDatabase(name)) }()
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := buildEmpty(ctx, name, db.opts); err != nil {
		return err
	}
	if err := syncPath(name); err != nil {
		return err
	}
	// Link fails when the name exists: whoever came first wins, and we open theirs.
	if err := os.Link(name, db.path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncPath(dir)
}

// createInPlace serves virtual file systems, which have no link operation.
func (db *DB) createInPlace(ctx context.Context) error {
	if db.opts.ReadOnly {
		return nil
	}
	return buildEmpty(ctx, db.path, db.opts)
}

// buildEmpty writes an up-to-date schema and leaves no write-ahead log behind.
func buildEmpty(ctx context.Context, path string, opts Options) (err error) {
	d := strings.Replace(dsn(path, opts, false), "mode=rw", "mode=rwc", 1)
	conn, err := driver.Open(d, func(c *sqlite3.Conn) error {
		if err := c.Exec("PRAGMA journal_mode = wal; PRAGMA synchronous = full; PRAGMA secure_delete = on"); err != nil {
			return err
		}
		return fts5.Register(c)
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("write-ahead logging is not available here (journal_mode is %q)", mode)
	}
	return migrateUp(ctx, conn)
}

func removeDatabase(path string) error {
	var errs []error
	for _, suffix := range [...]string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
