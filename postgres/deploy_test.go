package postgres_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

func opened(t *testing.T, dsn string, cfg *extension.Config) *extension.Extension {
	t.Helper()
	x, err := extension.Open(t.Context(), dsn, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	return x
}

func tell(t *testing.T, x *extension.Extension, scope extension.Scope, texts ...string) {
	t.Helper()
	for _, text := range texts {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, text)))
	}
}

// found returns the texts that a search finds.
func found(t *testing.T, x *extension.Extension, scope extension.Scope, query string) string {
	t.Helper()
	answer, err := x.Recall(t.Context(), scope, extension.Query{Text: query})
	require.NoError(t, err)
	var texts []string
	for _, r := range answer.Results {
		texts = append(texts, r.Memory.Content)
	}
	return strings.Join(texts, "\n")
}

// as returns a data source name with another role.
func as(t *testing.T, dsn, role string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	u.User = url.User(role)
	return u.String()
}

// The roles of docs/postgres/roles.sql: a host does all its work with its role and
// changes no tables; a role of a tenant sees and writes that tenant's rows, whatever
// statement it sends.
func TestRolesOfHostsAndTenants(t *testing.T) {
	ctx, dsn := t.Context(), memtest.Server(t)
	ada, eve := extension.Scope{Tenant: "acme", User: "ada", Session: "s"}, extension.Scope{Tenant: "globex", User: "eve", Session: "s"}
	name := fmt.Sprint("_", time.Now().UnixNano()) // roles are those of the whole server
	roles, err := os.ReadFile("../docs/postgres/roles.sql")
	require.NoError(t, err)
	owner, err := sql.Open("pgx", dsn+"&search_path=ebb")
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := owner.ExecContext(context.Background(), fmt.Sprintf("DROP ROLE host%s; DROP ROLE acme%s", name, name))
		require.NoError(t, err)
		require.NoError(t, owner.Close())
	})
	for range 2 { // it can be run again
		_, err = owner.ExecContext(ctx, string(roles))
		require.NoError(t, err)
	}
	_, err = owner.ExecContext(ctx, fmt.Sprintf(`CREATE ROLE host%s LOGIN IN ROLE ebb_host; CREATE ROLE acme%s LOGIN IN ROLE ebb_tenant;
		INSERT INTO ebb_tenants (role, tenant) VALUES ('acme%s', 'acme')`, name, name, name))
	require.NoError(t, err)

	// The host's role.
	host := opened(t, as(t, dsn, "host"+name), &extension.Config{Now: func() time.Time { return time.Now().Add(48 * time.Hour) }})
	tell(t, host, ada, "I live in Lisbon.", "My sister Grace is a pilot.")
	tell(t, host, eve, "I live in secretville.", "My brother Otto is a secretcook.")
	require.NoError(t, host.WaitIdle(ctx))
	for _, scope := range []extension.Scope{ada, eve} {
		_, err = host.Consolidate(ctx, scope)
		require.NoError(t, err)
	}
	require.Contains(t, found(t, host, eve, "Where do I live?"), "secretville")
	e := eventbus.UserMessage(ada, "This goes.")
	e.ID = "gone"
	require.NoError(t, host.Bus().Publish(ctx, e))
	_, err = host.Erase(ctx, ada, extension.Erasure{Events: []string{"gone"}})
	require.NoError(t, err)

	// Any statement of the tenant's role.
	tenant, err := sql.Open("pgx", as(t, dsn, "acme"+name)+"&search_path=ebb")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tenant.Close()) })
	rows, err := owner.QueryContext(ctx, "SELECT tablename FROM pg_tables WHERE schemaname = 'ebb' ORDER BY 1")
	require.NoError(t, err)
	var tables []string
	for rows.Next() {
		var table string
		require.NoError(t, rows.Scan(&table))
		tables = append(tables, table)
	}
	require.NoError(t, rows.Err())
	visible := func(db *sql.DB, table string) (n int, text string, err error) {
		err = db.QueryRowContext(ctx, "SELECT count(*), coalesce(string_agg(t::text, ' '), '') FROM "+table+" t").Scan(&n, &text)
		return n, text, err
	}
	restricted := 0
	for _, table := range tables {
		all, _, err := visible(owner, table)
		require.NoError(t, err)
		n, own, err := visible(tenant, table)
		if err != nil {
			require.ErrorContains(t, err, "permission denied", table)
			continue
		}
		require.NotContains(t, own, "secret", table)
		require.NotContains(t, own, "globex", table)
		if n < all {
			restricted++
		}
		if table == "users" || table == "events" || table == "memories" || table == "chunks" || table == "sessions" {
			require.Positive(t, n, table)
			require.Less(t, n, all, table)
		}
	}
	require.Greater(t, restricted, 8)
	var eveID int64
	require.NoError(t, owner.QueryRowContext(ctx, "SELECT id FROM users WHERE name = 'eve'").Scan(&eveID))
	changed := func(statement string, args ...any) int64 {
		res, err := tenant.ExecContext(ctx, statement, args...)
		require.NoError(t, err, statement)
		n, err := res.RowsAffected()
		require.NoError(t, err)
		return n
	}
	require.Zero(t, changed("UPDATE memories SET content = '' WHERE user_id = $1", eveID))
	require.Zero(t, changed("DELETE FROM chunks WHERE id >> 32 = $1", eveID))
	require.Zero(t, changed("DELETE FROM users WHERE tenant = 'globex'"))
	for statement, reason := range map[string]string{
		"UPDATE users SET tenant = 'globex'": "row-level security",
		fmt.Sprintf("INSERT INTO sessions (user_id, name, created_at) VALUES (%d, 'x', 1)", eveID): "",
		"INSERT INTO ebb_tenants (role, tenant) VALUES (current_user, 'globex')":                   "permission denied",
		"UPDATE consumers SET cursor = 1 << 60":                                                    "permission denied",
		"UPDATE leases SET holder = 'me'":                                                          "permission denied",
		"ALTER TABLE memories DISABLE ROW LEVEL SECURITY":                                          "must be owner",
		"CREATE TABLE mine (n int)":                                                                "permission denied",
		"TRUNCATE memories":                                                                        "permission denied",
		"SET ROLE ebb_host":                                                                        "permission denied",
		"SELECT content FROM memories; RESET SESSION AUTHORIZATION; SELECT * FROM deliveries":      "permission denied",
	} {
		_, err := tenant.ExecContext(ctx, statement)
		require.ErrorContains(t, err, reason, statement)
	}

	// A process of the tenant's role.
	front := opened(t, as(t, dsn, "acme"+name), &extension.Config{NoBackground: true})
	tell(t, front, ada, "My cat is called Milo.")
	require.Contains(t, found(t, front, ada, "What is my cat called?"), "Milo")
	require.Contains(t, found(t, host, ada, "What is my cat called?"), "Milo", "the hosts see it")
	require.Empty(t, found(t, front, eve, "Where do I live?"))
	require.Error(t, front.Bus().Publish(ctx, eventbus.UserMessage(eve, "I was here.")))
	_, err = front.Bus().Subscribe(ctx, "mine", func(context.Context, eventbus.Event) error { return nil })
	require.Error(t, err, "it would pass over the events of others, for all hosts")

	hosted, err := sql.Open("pgx", as(t, dsn, "host"+name)+"&search_path=ebb")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, hosted.Close()) })
	for _, statement := range []string{"CREATE TABLE mine (n int)", "DROP TABLE memories", "TRUNCATE memories", "UPDATE ebb_version SET version = 1", "CREATE ROLE me"} {
		_, err := hosted.ExecContext(ctx, statement)
		require.Error(t, err, statement)
	}
}

// A dump that is restored on another server, whose transactions have lower numbers, is
// the same memory, and goes on.
func TestDumpAndRestore(t *testing.T) {
	ctx, dsn := t.Context(), memtest.Server(t)
	ada := extension.Scope{User: "ada", Session: "s"}
	// The numbers of this server are higher than those of a new one.
	require.NoError(t, pgtest.Exec(dsn, "DO $$ BEGIN FOR i IN 1..5000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$"))
	x := opened(t, dsn, nil)
	tell(t, x, ada, "I live in Lisbon.", "My sister Grace is a pilot.")
	require.NoError(t, x.WaitIdle(ctx))
	_, err := x.Consolidate(ctx, ada)
	require.NoError(t, err)
	tell(t, x, ada, "My cat is called Milo.")
	require.NoError(t, x.WaitIdle(ctx))
	exported := func(x *extension.Extension) string {
		var b bytes.Buffer
		_, err := x.Export(ctx, &b, ada)
		require.NoError(t, err)
		_, lines, _ := strings.Cut(b.String(), "\n") // the first says when it was made
		return lines
	}
	before := exported(x)

	dump, err := pgtest.Program("pg_dump")
	require.NoError(t, err)
	restore, err := pgtest.Program("pg_restore")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "memory.dump")
	text, err := exec.CommandContext(ctx, dump, "--schema=ebb", "--format=custom", "--file="+file, dsn).CombinedOutput()
	require.NoError(t, err, "%s", text)
	other := pgtest.NewCluster(t)
	require.NoError(t, pgtest.Exec(other.DSN, "CREATE DATABASE memory"))
	text, err = exec.CommandContext(ctx, restore, "--exit-on-error", "--no-owner", "--dbname="+other.Named("memory"), file).CombinedOutput()
	require.NoError(t, err, "%s", text)

	y := opened(t, other.Named("memory"), nil)
	require.Equal(t, before, exported(y))
	last := func(x *extension.Extension) (seq int64) {
		require.NoError(t, x.Parts().DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			return s.Row(ctx, "SELECT max(seq) FROM events", nil, &seq)
		}))
		return seq
	}
	restored := last(y)
	tell(t, y, ada, "My dog is called Otto.")
	require.Greater(t, last(y), restored, "numbers go on")
	require.NoError(t, y.WaitIdle(ctx))
	require.Contains(t, found(t, y, ada, "What is my dog called?"), "Otto")
	require.Contains(t, found(t, y, ada, "Where do I live?"), "Lisbon")
	_, err = y.Consolidate(ctx, ada)
	require.NoError(t, err)
	_, err = y.Erase(ctx, ada, extension.Erasure{Everything: true})
	require.NoError(t, err)
}

// bouncer starts pgbouncer in transaction mode before a server, and returns the data
// source name of a database behind it.
func bouncer(t *testing.T, dsn string, settings string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; exec.Command(program, "--version").Run() != nil {
			t.Skip("pgbouncer is not installed")
		}
	}
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	database := strings.TrimPrefix(u.Path, "/")
	folder := pgtest.Folder(t)
	config := filepath.Join(folder, "bouncer.ini")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `[databases]
%s = host=%s dbname=%s user=postgres
[pgbouncer]
pool_mode = transaction
listen_addr =
listen_port = 6432
unix_socket_dir = %s
auth_type = any
default_pool_size = 3
max_client_conn = 100
logfile = %s/log
%s
`, database, u.Query().Get("host"), database, folder, folder, settings), 0o644))
	cmd := exec.Command(program, config)
	require.NoError(t, pgtest.As(cmd, folder))
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // reports the kill
	})
	name := fmt.Sprintf("postgres://postgres@/%s?host=%s&port=6432", database, folder)
	require.Eventually(t, func() bool { return pgtest.Exec(name+"&default_query_exec_mode=exec", "SELECT 1") == nil }, 20*time.Second, 10*time.Millisecond)
	return name
}

// Behind pgbouncer in transaction mode a name without a mode is refused, and says which
// one is needed; with it, two hosts work on three connections.
func TestPgbouncer(t *testing.T) {
	ctx, dsn := t.Context(), memtest.Server(t)
	plain, ignoring := bouncer(t, dsn, ""), bouncer(t, dsn, "ignore_startup_parameters = search_path, lock_timeout")
	for _, name := range []string{plain, ignoring} {
		_, err := extension.Open(ctx, name, nil)
		require.ErrorContains(t, err, "add default_query_exec_mode=exec")
	}
	pooled := plain + "&default_query_exec_mode=exec"
	a, b := opened(t, pooled, nil), opened(t, pooled, nil)
	done := make(chan error)
	for writer := range 12 {
		go func() {
			scope, host := extension.Scope{User: fmt.Sprint("u", writer%6), Session: "s"}, []*extension.Extension{a, b}[writer%2]
			for i := range 5 {
				if err := host.Bus().Publish(ctx, eventbus.UserMessage(scope, fmt.Sprintf("The boat %dharbour%d is blue.", writer, i))); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 12 {
		require.NoError(t, <-done)
	}
	for writer := range 12 {
		word := fmt.Sprintf("%dharbour4", writer)
		require.Contains(t, found(t, []*extension.Extension{b, a}[writer%2], extension.Scope{User: fmt.Sprint("u", writer%6)}, word), word)
	}
	require.NoError(t, a.WaitIdle(ctx))
	scope := extension.Scope{User: "u0"}
	report, err := a.Consolidate(ctx, scope)
	require.NoError(t, err)
	if report.RunID != "" {
		_, err = b.Undo(ctx, scope, report.RunID)
		require.NoError(t, err)
	}
	_, err = b.Erase(ctx, scope, extension.Erasure{Everything: true})
	require.NoError(t, err)
	require.Empty(t, found(t, a, scope, "0harbour4"))
}

// The writers of one user hold one connection: others go on.
func TestManyWritersOfOneUserLeaveConnections(t *testing.T) {
	ctx := t.Context()
	db, err := schema.Open(ctx, memtest.Server(t), &schema.Options{BusyTimeout: time.Minute})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	enter := func(name string, then func()) error {
		return db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			_, err := tx.UserID(ctx, schema.Scope{User: name})
			then()
			return err
		})
	}
	entered, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- enter("ada", func() { close(entered); <-release })
	}()
	<-entered
	const writers = 30
	for range writers {
		go func() { done <- enter("ada", func() {}) }()
	}
	require.Eventually(t, func() bool { return db.Queued() >= writers-8 }, 20*time.Second, time.Millisecond)
	other := make(chan error)
	go func() { other <- enter("bob", func() {}) }()
	select {
	case err := <-other:
		require.NoError(t, err)
	case <-time.After(20 * time.Second):
		t.Error("a writer of another user waits for those of one")
	}
	close(release)
	for range writers + 1 {
		require.NoError(t, <-done)
	}
}
