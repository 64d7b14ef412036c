// Package pgtest is a test kit: it starts a private PostgreSQL server from the installed
// package and gives each test a database of its own.
package pgtest

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/stretchr/testify/require"
)

// Variables of the environment.
const (
	// Server names a running server for all test binaries, as a data source name of a
	// superuser; without it each test binary starts its own.
	Server = "EBB_TEST_POSTGRES"
	// Engine chooses the engine of tests that run on both: "postgres", or by default a
	// file. Tests about a server run with "postgres" only.
	Engine = "EBB_TEST_ENGINE"
)

// Chosen reports whether tests that run on both engines run on a server.
func Chosen() bool { return os.Getenv(Engine) == "postgres" }

// FileOnly skips a test about what only a file has, when tests run on a server.
func FileOnly(t testing.TB, reason string) {
	t.Helper()
	if Chosen() {
		t.Skip("only a file: " + reason)
	}
}

// needed skips a test that needs a server, unless tests run on one. A benchmark is asked
// for by name and always gets its server.
func needed(t testing.TB) {
	t.Helper()
	if _, isTest := t.(*testing.T); isTest && !Chosen() {
		t.Skipf("needs a PostgreSQL server: set %s=postgres, as .ci/run postgres does", Engine)
	}
}

var (
	start    sync.Once
	admin    string // data source name of the server, "" if there is none
	startErr error
	running  io.Closer // keeps the server running; this process never closes it
	number   atomic.Int64

	standing sync.Mutex
	byPath   = make(map[string]string) // databases that stand for files

	making   sync.Mutex
	template map[string]bool
)

// Database returns the data source name of a new database, dropped at the end of the
// test. With prepare, it is a copy of one that prepare was called for, once for each
// name. The test is skipped where PostgreSQL is not installed, and without [Engine].
func Database(t testing.TB, name string, prepare func(dsn string) error) string {
	t.Helper()
	needed(t)
	start.Do(func() { admin, startErr = serve() })
	if errors.Is(startErr, errNotInstalled) {
		t.Skip("PostgreSQL is not installed: " + startErr.Error())
	}
	require.NoError(t, startErr)
	made := fmt.Sprintf("t%d_%d", os.Getpid(), number.Add(1))
	create := "CREATE DATABASE " + made
	if prepare != nil {
		of := fmt.Sprintf("%s_%d", name, os.Getpid())
		require.NoError(t, prepared(of, prepare))
		create += " TEMPLATE " + of
	}
	require.NoError(t, Exec(admin, create))
	t.Cleanup(func() { _ = Exec(admin, "DROP DATABASE "+made+" WITH (FORCE)") })
	return named(admin, made)
}

// At returns the data source name of the database that stands for the file at a path: a
// new one, as of [Database], at the first call. Databases whose folder is gone are
// dropped.
func At(path, name string, prepare func(dsn string) error) (dsn string, err error) {
	start.Do(func() { admin, startErr = serve() })
	if startErr != nil {
		return "", startErr
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	of := fmt.Sprintf("%s_%d", name, os.Getpid())
	if err := prepared(of, prepare); err != nil {
		return "", err
	}
	standing.Lock()
	defer standing.Unlock()
	for old, database := range byPath {
		if _, err := os.Stat(filepath.Dir(old)); errors.Is(err, os.ErrNotExist) {
			if err := Exec(admin, "DROP DATABASE "+database+" WITH (FORCE)"); err != nil {
				return "", err
			}
			delete(byPath, old)
		}
	}
	database, known := byPath[path]
	if !known {
		database = fmt.Sprintf("f%d_%d", os.Getpid(), number.Add(1))
		if err := Exec(admin, "CREATE DATABASE "+database+" TEMPLATE "+of); err != nil {
			return "", err
		}
		byPath[path] = database
	}
	return named(admin, database), nil
}

func prepared(name string, prepare func(dsn string) error) error {
	making.Lock()
	defer making.Unlock()
	if template[name] {
		return nil
	}
	if err := Exec(admin, "CREATE DATABASE "+name); err != nil {
		return err
	}
	if err := prepare(named(admin, name)); err != nil {
		return err
	}
	if template == nil {
		template = make(map[string]bool)
	}
	template[name] = true
	return nil
}

// named returns a data source name with another database.
func named(dsn, database string) string {
	before, query, _ := strings.Cut(dsn, "?")
	before = before[:strings.LastIndex(before, "/")+1]
	return before + database + "?" + query
}

// Exec runs a statement on a new connection.
func Exec(dsn, statement string) error {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(context.Background(), statement)
	return errors.Join(err, db.Close())
}

// Rows returns all rows of each table, as text.
func Rows(t testing.TB, dsn string) map[string]string {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var names string
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT string_agg(schemaname || '.' || tablename, ' ') FROM pg_tables
		WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`).Scan(&names))
	all := make(map[string]string)
	for _, table := range strings.Fields(names) {
		var rows string
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT coalesce(string_agg(t::text, ' '), '') FROM "+table+" t").Scan(&rows))
		all[table] = strings.ReplaceAll(rows, `""`, `"`)
	}
	return all
}

// Holding names the tables that hold any of the needles, in whatever case or as bytes.
func Holding(t testing.TB, dsn string, needles ...[]byte) (tables []string) {
	t.Helper()
	for table, rows := range Rows(t, dsn) {
		lower := strings.ToLower(rows)
		if slices.ContainsFunc(needles, func(needle []byte) bool {
			return strings.Contains(lower, strings.ToLower(string(needle))) || strings.Contains(rows, hex.EncodeToString(needle))
		}) {
			tables = append(tables, table)
		}
	}
	return tables
}

var errNotInstalled = errors.New("no initdb in the PATH or in /usr/lib/postgresql")

// binaries returns the folder of the newest installed PostgreSQL.
func binaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), "postgres")); err == nil {
				return filepath.Dir(path), nil
			}
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		return "", errNotInstalled
	}
	return slices.Max(found), nil
}

// serve starts a server that ends, and whose files are removed, when this process ends
// in whatever way: it waits for the end of its standard input, a pipe from here.
func serve() (dsn string, err error) {
	if dsn := os.Getenv(Server); dsn != "" {
		return dsn, nil
	}
	dsn, running, err = launch("-c", "synchronous_commit=off")
	runtime.KeepAlive(running)
	return dsn, err
}

// launch starts a server with settings. It reads commands, see script, until its input
// is closed, and ends then.
func launch(settings ...string) (dsn string, input io.WriteCloser, err error) {
	bin, err := binaries()
	if err != nil {
		return "", nil, err
	}
	folder, err := os.MkdirTemp(base(), "ebbpg")
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command("sh", append([]string{"-c", script, "sh", bin, folder}, settings...)...)
	if err := asOther(cmd, folder); err != nil {
		return "", nil, err
	}
	cmd.Dir, cmd.Env = folder, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "LC_ALL=C"}
	log, err := os.Create(folder + ".log")
	if err != nil {
		return "", nil, err
	}
	defer log.Close()
	defer os.Remove(log.Name())
	cmd.Stdout, cmd.Stderr = log, log
	if input, err = cmd.StdinPipe(); err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	dsn = "postgres://postgres@/postgres?host=" + folder
	if err = answers(dsn); err != nil {
		text, _ := os.ReadFile(log.Name())
		return "", nil, fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, text)
	}
	return dsn, input, nil
}

// answers waits for a server.
func answers(dsn string) (err error) {
	for range 1200 {
		if err = Exec(dsn, "SELECT 1"); err == nil {
			return nil
		}
		time.Sleep(25 * time.Millisecond)
	}
	return err
}

// Cluster is a server of its own that keeps what it has committed when it is stopped.
type Cluster struct {
	DSN   string // of a superuser
	input io.WriteCloser
}

// NewCluster starts a server that ends with the test. The test is skipped where
// PostgreSQL is not installed.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	dsn, input, err := launch("-c", "synchronous_commit=on") // the system keeps what was written, so fsync is not needed
	if errors.Is(err, errNotInstalled) {
		t.Skip("PostgreSQL is not installed: " + err.Error())
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, input.Close()) })
	return &Cluster{DSN: dsn, input: input}
}

// Folder is the folder of the server's socket.
func (c *Cluster) Folder() string {
	_, folder, _ := strings.Cut(c.DSN, "host=")
	return folder
}

// Named returns the data source name of a database.
func (c *Cluster) Named(database string) string { return named(c.DSN, database) }

// Restart stops the server at once, without ending what runs, and starts it again, which
// recovers it from its log.
func (c *Cluster) Restart() error {
	if _, err := io.WriteString(c.input, "restart\n"); err != nil {
		return err
	}
	for range 1200 { // until it is down, at most 3 s, and up again
		if Exec(c.DSN, "SELECT 1") != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return answers(c.DSN)
}

// As has a command run as a user that is not root, who gets a folder for it.
func As(cmd *exec.Cmd, folder string) error { return asOther(cmd, folder) }

// Folder makes a folder that every user can enter, removed at the end of the test.
func Folder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp(base(), "ebbpg")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// Program returns the path of a program of the installed PostgreSQL, such as pg_dump.
func Program(name string) (string, error) {
	bin, err := binaries()
	return filepath.Join(bin, name), err
}

// base is where the server's folder is made: a folder that another user can enter too,
// preferably in memory.
func base() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	if info, err := os.Stat("/tmp"); err == nil && info.IsDir() {
		return "/tmp"
	}
	return ""
}

// script runs a server in a folder until its input ends. The line "restart" on its input
// has the server stopped without a warning and started again.
const script = `bin=$1 dir=$2
shift 2
"$bin/initdb" -D "$dir/data" -U postgres --auth=trust --no-sync --no-instructions -E UTF8 --locale=C >/dev/null || exit 1
start() {
	"$bin/postgres" -D "$dir/data" -c listen_addresses= -c unix_socket_directories="$dir" -c fsync=off -c full_page_writes=off \
		-c max_connections=400 -c shared_buffers=64MB -c autovacuum=off -c wal_level=minimal -c max_wal_senders=0 "$@" </dev/null &
	server=$!
}
start "$@"
while read -r _; do
	"$bin/pg_ctl" -D "$dir/data" stop -m immediate -s
	wait "$server"
	start "$@"
done
kill -QUIT "$server"
wait "$server"
rm -rf "$dir"
`
