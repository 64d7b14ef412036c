package engine

import (
	"context"
	"database/sql"
	"io/fs"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"
)

// Querier is implemented by databases, connections and transactions.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Tx is one write. It embeds bun's query builders.
type Tx interface {
	bun.IDB

	// Exec runs a statement that is prepared once for the life of the connection.
	Exec(ctx context.Context, query string, args ...any) (sql.Result, error)
	// Later is Exec without a result: a server runs the statement together with the next
	// one, or with the commit, which fails if it does.
	Later(ctx context.Context, query string, args ...any) error
	// Insert inserts rows with a statement prepared once, and returns the row id of
	// the last one, or 0 after ON CONFLICT DO NOTHING.
	Insert(ctx context.Context, query string, args ...any) (id int64, err error)
	// Row reads one row with a statement prepared once.
	Row(ctx context.Context, query string, args []any, dest ...any) error
	// Query reads rows with a statement prepared once.
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	// OnCommit registers f to be called once the write is durable.
	OnCommit(f func())
	// Contended reports whether other writes wait for this one to end.
	Contended() bool
	// LeaseTime is the time by which leases expire.
	LeaseTime(ctx context.Context) (time.Time, error)
}

// Snapshot is a read transaction. It embeds bun's query builders.
type Snapshot interface {
	bun.IDB
	Preparer

	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	Row(ctx context.Context, query string, args []any, dest ...any) error
	LeaseTime(ctx context.Context) (time.Time, error)
	// Settled returns a position in the journal before which no event can appear any
	// more: transactions that are still running write after it.
	Settled(ctx context.Context) (before int64, err error)
}

// Affected returns the number of rows that a statement changed.
func Affected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// DB is an open database. It is safe for concurrent use.
type DB interface {
	Path() string
	Now() time.Time
	Capabilities() Capabilities
	WriteQueued(ctx context.Context, queued func(), fn func(context.Context, Tx) error) error
	Read(ctx context.Context, fn func(context.Context, Snapshot) error) error
	Queued() int
	BeginBackground(stop <-chan struct{}) (done func())
	YieldToWriters(ctx context.Context) error
	Faults() []Fault
	Close() error
	CloseWithin(ctx context.Context) error
}

// Capabilities say what a database can do besides remembering.
type Capabilities struct {
	// Engine is "sqlite" or "postgres".
	Engine string `json:"engine"`
	// File means that the memory is one file: backups, salvage and integrity checks
	// of it are ebb's.
	File bool `json:"file"`
	// RawErasure means that erased text is overwritten on disk. Without it rows are
	// erased, and copies stay in the server's log and its dead rows until it recycles
	// and vacuums them.
	RawErasure bool `json:"raw_erasure"`
	// Encryption means that Config.Key encrypts the memory at rest.
	Encryption bool `json:"encryption"`
	// TextIndex means that the database has a text index of its own.
	TextIndex bool `json:"text_index"`
	// Hosts means that processes on several machines can share the memory.
	Hosts bool `json:"hosts"`
}

// Fault is the last failure of one source of background work, and how often it has
// failed since it last succeeded.
type Fault struct {
	Source          string
	Error           string
	Count           int64
	FirstAt, LastAt time.Time
}

// Config is how a database on a server is opened.
type Config struct {
	Now         func() time.Time // default time.Now
	ReadOnly    bool
	BusyTimeout time.Duration // how long a write waits for another's; default 5 s
	Readers     int           // connections for reading; default 4
	Limiter     *Limiter      // of background work, with other databases; default none
	Migrations  fs.FS         // SQL files, in order of name
	Version     int           // that the migrations end at
	Oldest      int           // version from which they can start
}

// Opener opens the database that a data source name describes.
type Opener func(ctx context.Context, dsn string, config Config) (DB, error)

var (
	mu      sync.Mutex
	openers = make(map[string]Opener)
)

// Register makes an engine available under the scheme of its data source names.
func Register(scheme string, open Opener) {
	mu.Lock()
	defer mu.Unlock()
	openers[scheme] = open
}

// schemes are the schemes of servers that some package of this module can open.
var schemes = map[string]string{"postgres": "github.com/ebbmem/ebb/postgres", "postgresql": "github.com/ebbmem/ebb/postgres"}

// Redirect, if set, maps the paths of files to databases on a server. It is set by tests
// that run on another engine than they were written for.
var Redirect func(path string) string

// keywords begins the other form of a data source name: host=… dbname=….
var keywords = regexp.MustCompile(`^\s*(host|hostaddr|port|dbname|user|password|service|sslmode)\s*=`)

// IsServer reports whether a path is the data source name of a database on a server. What
// only looks like one, such as postgres:/host, is none of a file either: opening it says
// what is wrong with it.
func IsServer(path string) bool {
	scheme, _, _ := strings.Cut(path, ":")
	_, known := schemes[strings.ToLower(scheme)]
	return known || keywords.MatchString(path)
}

// ShownPath returns a path as it may be shown: a data source name without a password, and
// "postgres://…" for one that cannot be taken apart.
func ShownPath(path string) string {
	if !IsServer(path) {
		return path
	}
	u, err := url.Parse(path)
	if err != nil || u.Scheme == "" || u.Opaque != "" || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		return "postgres://…"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	for name := range q {
		if strings.Contains(strings.ToLower(name), "pass") {
			q.Del(name)
		}
	}
	u.RawQuery, u.Fragment = q.Encode(), ""
	return u.String()
}

// Open opens a database on a server.
//
// Errors: [*InvalidError] if the package that registers its engine was not imported;
// the engine's.
func Open(ctx context.Context, dsn string, config Config) (DB, error) {
	scheme, _, found := strings.Cut(dsn, "://")
	if !found || scheme != strings.ToLower(scheme) {
		return nil, &InvalidError{Field: "path", Reason: "is not a data source name: write it as postgres://user@host/database"}
	}
	mu.Lock()
	open := openers[scheme]
	mu.Unlock()
	if open == nil {
		return nil, &InvalidError{Field: "path", Reason: "names a database on a server, whose driver is not part of this program: add import _ \"" + schemes[scheme] + "\""}
	}
	return open(ctx, dsn, config)
}
