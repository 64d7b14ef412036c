package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/ebbmem/ebb/internal/engine"
)

const (
	// defaultSchema holds the tables, unless the data source name sets search_path.
	defaultSchema = "ebb"
	// writers is how many writes of a process run at a time.
	writers = 8
	// attempts is how often a write runs before it fails with [engine.ErrBusy].
	attempts = 12
	// linger is how long a write that has run goes on, with all its attempts, after its
	// caller's context has ended.
	linger = 5 * time.Second
	// connectTimeout is how long a connection may take, unless the data source name sets
	// connect_timeout. 0 there, which is no limit, is this too.
	connectTimeout = 10 * time.Second
)

// DB is a database on a server.
type DB struct {
	dsn    string
	config engine.Config
	schema string

	searchPath string
	settings   []string // statements at the beginning of each transaction, behind a pooler

	readers, writers      *bun.DB
	readSlots, writeSlots chan struct{}
	waiting               atomic.Int64 // writes without a slot
	turns                 turns
	stop                  chan struct{}
	closing               sync.Once
	closed                chan struct{}
	closeErr              error
}

// Open opens the database that a data source name describes, and migrates its tables.
func Open(ctx context.Context, dsn string, config engine.Config) (engine.DB, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.BusyTimeout <= 0 {
		config.BusyTimeout = 5 * time.Second
	}
	if config.Readers <= 0 {
		config.Readers = 4
	}
	parsed, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, &engine.InvalidError{Field: "path", Reason: "is not a data source name of PostgreSQL, such as postgres://user@host/database"}
	}
	db := &DB{
		dsn: engine.ShownPath(dsn), config: config, schema: parsed.RuntimeParams["search_path"],
		readSlots: make(chan struct{}, config.Readers), writeSlots: make(chan struct{}, writers),
		stop: make(chan struct{}), closed: make(chan struct{}),
	}
	if db.schema == "" {
		db.schema = defaultSchema
		parsed.RuntimeParams["search_path"] = db.schema
	}
	if !plainName.MatchString(db.schema) || strings.Contains(parsed.RuntimeParams["options"], "search_path") {
		return nil, &engine.InvalidError{Field: "path", Reason: "sets search_path to something else than one schema: name one schema, as in search_path=tenant_a, in lower-case letters, digits and underscores"}
	}
	if parsed.RuntimeParams["application_name"] == "" {
		parsed.RuntimeParams["application_name"] = "ebb"
	}
	parsed.ConnectTimeout = cmp.Or(parsed.ConnectTimeout, connectTimeout)
	db.searchPath = parsed.RuntimeParams["search_path"]
	waits := strconv.FormatInt(config.BusyTimeout.Milliseconds(), 10)
	if parsed.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		// A pooler may give each transaction another connection: nothing is prepared, and
		// each transaction has its settings with it.
		parsed.DefaultQueryExecMode = pgx.QueryExecModeExec
		delete(parsed.RuntimeParams, "search_path")
		db.settings = []string{"SET LOCAL search_path = " + db.searchPath, "SET LOCAL lock_timeout = " + waits}
	}
	db.readers = openPool(parsed, config.Readers, db.settings)
	if db.settings == nil {
		parsed.RuntimeParams["lock_timeout"] = waits
	}
	db.writers = openPool(parsed, writers, db.settings)
	if err := db.migrate(ctx, db.writers.DB); err != nil {
		if pg, is := errors.AsType[*pgconn.PgError](err); is && strings.HasPrefix(pg.Message, "unsupported startup parameter") {
			err = errPooled
		}
		return nil, errors.Join(fmt.Errorf("open %s: %w", db.dsn, classify(ctx, err)), db.disconnect())
	}
	return db, nil
}

// plainName matches the name of a schema that needs no quotes. With two names, the tables
// would be in whichever schema exists, which another memory may use.
var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// errPooled is the error of a pooler that drops settings of connections.
var errPooled = &engine.InvalidError{
	Field: "path", Reason: "names a pooler, such as pgbouncer, that keeps no settings of a connection: add default_query_exec_mode=exec to it",
}

func openPool(parsed *pgx.ConnConfig, size int, settings []string) *bun.DB {
	pool := sql.OpenDB(connector{stdlib.GetConnector(*parsed), settings})
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	pool.SetConnMaxIdleTime(time.Minute)
	return bun.NewDB(pool, dialect{pgdialect.New()}, bun.WithDiscardUnknownColumns()) // those of a later version
}

// dialect writes truth values as the tables hold them.
type dialect struct{ *pgdialect.Dialect }

func (dialect) AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, '1')
	}
	return append(b, '0')
}

// AppendString appends a text as a literal.
func (d dialect) AppendString(b []byte, s string) []byte {
	return d.Dialect.AppendString(b, storable(s))
}

// Path returns the data source name without its password.
func (db *DB) Path() string { return db.dsn }

// Now returns the time of the config's clock in milliseconds, as stored.
func (db *DB) Now() time.Time { return time.UnixMilli(db.config.Now().UnixMilli()).UTC() }

// Queued returns the number of writes that wait for a connection.
func (db *DB) Queued() int { return int(db.waiting.Load()) }

// Capabilities implements [engine.DB].
func (*DB) Capabilities() engine.Capabilities {
	return engine.Capabilities{Engine: "postgres", Hosts: true}
}

// BeginBackground implements [engine.DB].
func (db *DB) BeginBackground(stop <-chan struct{}) (done func()) {
	return db.config.Limiter.Begin(stop, db.stop)
}

// YieldToWriters implements [engine.DB]: writes of other users do not wait.
func (*DB) YieldToWriters(ctx context.Context) error { return ctx.Err() }

// Faults implements [engine.DB]: nothing runs in the background.
func (*DB) Faults() []engine.Fault { return nil }

func (db *DB) isClosed() bool {
	select {
	case <-db.stop:
		return true
	default:
		return false
	}
}

// take waits for a slot.
func (db *DB) take(ctx context.Context, slots chan struct{}) error {
	if db.isClosed() {
		return engine.ErrClosed
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-db.stop:
		return engine.ErrClosed
	}
}

// Read runs fn in a snapshot.
func (db *DB) Read(ctx context.Context, fn func(context.Context, engine.Snapshot) error) error {
	if err := db.take(ctx, db.readSlots); err != nil {
		return err
	}
	err := db.read(ctx, func() { <-db.readSlots }, fn)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return classify(ctx, err)
}

// read runs fn in a snapshot. The caller does not wait for its end, after which done is
// called.
func (db *DB) read(ctx context.Context, done func(), fn func(context.Context, engine.Snapshot) error) (err error) {
	conn, err := db.readers.Conn(ctx)
	if err != nil {
		done()
		return err
	}
	// If the context of a transaction ends, database/sql closes the connection while fn
	// uses it. Each statement has ctx.
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		defer done()
		return errors.Join(err, conn.Close())
	}
	defer func() {
		go func() {
			defer done()
			_ = tx.Rollback() // nothing was written
			_ = conn.Close()  // return it to the pool
		}()
	}()
	return fn(ctx, &snapshot{Tx: tx, ctx: ctx, conn: conn})
}

// WriteQueued implements [engine.DB]. queued is called once the write has entered its
// first user: the user's later writes come after it.
func (db *DB) WriteQueued(ctx context.Context, queued func(), fn func(context.Context, engine.Tx) error) error {
	if db.config.ReadOnly {
		return engine.ErrReadOnly
	}
	if queued != nil {
		queued = sync.OnceFunc(queued)
	} else {
		queued = func() {}
	}
	turn := &turn{of: &db.turns}
	defer turn.end()
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		select {
		case <-time.After(linger):
			cancel()
		case <-running.Done():
		}
	})()
	waiting := ctx // until the write has run; after that its attempts have linger to end
	var users []int64
	refusals := 0
	for attempt := 1; ; attempt++ {
		t := &tx{db: db, queued: queued, turn: turn}
		err := db.attempt(waiting, running, t, users, fn)
		if err == nil {
			queued()
			turn.end() // what is called now may write
			for _, f := range t.onCommit {
				f()
			}
			return nil
		}
		if errors.Is(err, errNotInTurn) {
			attempt--
			db.waiting.Add(1)
			err := turn.wait(ctx, db.stop)
			db.waiting.Add(-1)
			if err != nil {
				return err
			}
			continue
		}
		if code := codeOf(err); code == codeUnique || code == codeForeign {
			refusals++
		}
		if t.conn.Conn != nil {
			waiting = running
		}
		if waiting.Err() != nil && !t.committing {
			return ctx.Err()
		}
		if attempt == attempts || ctx.Err() != nil && errors.Is(err, ctx.Err()) || !t.again(err, refusals) {
			return classify(ctx, err)
		}
		if pg, is := errors.AsType[*pgconn.PgError](err); is && pg.Code == codeMeanwhile {
			if user, err := strconv.ParseInt(pg.Detail, 10, 64); err == nil && !slices.Contains(users, user) {
				users = append(users, user)
				slices.Sort(users) // so that two such writes do not wait for each other
				continue
			}
		}
		pause(attempt)
	}
}

// attempt runs a write once, when there is a slot and a connection for it. ctx ends the
// waiting for these, running the write.
func (db *DB) attempt(ctx, running context.Context, t *tx, users []int64, fn func(context.Context, engine.Tx) error) error {
	db.waiting.Add(1)
	err := db.take(ctx, db.writeSlots)
	db.waiting.Add(-1)
	if err != nil {
		return err
	}
	defer func() { <-db.writeSlots }()
	if err := ctx.Err(); err != nil { // it may have got the slot nevertheless
		return err
	}
	if t.conn, err = db.writers.Conn(ctx); err != nil {
		return err
	}
	defer t.conn.Close() // return it to the pool
	return t.run(running, users, fn)
}

// pause waits longer after each attempt, and not as long as others that wait.
func pause(attempt int) {
	longest := time.Millisecond << min(attempt, 8)
	time.Sleep(longest/2 + rand.N(longest/2))
}

// Close is [DB.CloseWithin] without a deadline.
func (db *DB) Close() error { return db.CloseWithin(context.Background()) }

// CloseWithin refuses new calls, waits for those that run and closes the connections.
func (db *DB) CloseWithin(ctx context.Context) error {
	db.closing.Do(func() {
		close(db.stop)
		go func() {
			defer close(db.closed)
			for _, slots := range []chan struct{}{db.writeSlots, db.readSlots} {
				for range cap(slots) {
					slots <- struct{}{}
				}
			}
			db.closeErr = db.disconnect()
		}()
	})
	select {
	case <-db.closed:
		return db.closeErr
	case <-ctx.Done():
		return fmt.Errorf("close %s: a transaction or a read is still running: %w", db.dsn, context.Cause(ctx))
	}
}

func (db *DB) disconnect() error { return errors.Join(db.readers.Close(), db.writers.Close()) }
