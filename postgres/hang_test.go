package postgres_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// throughNetwork returns a data source name that leads to the same database over TCP, until
// hang is called: then nothing passes any more, and no connection is closed.
func throughNetwork(t *testing.T, dsn string) (over string, hang func()) {
	t.Helper()
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	socket := filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	var hangs atomic.Bool
	pass := func(to io.WriteCloser, from io.Reader) {
		buf := make([]byte, 1<<16)
		for {
			n, err := from.Read(buf)
			if hangs.Load() {
				return
			}
			if _, failed := to.Write(buf[:n]); err != nil || failed != nil {
				_ = to.Close()
				return
			}
		}
	}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", socket)
			if err != nil {
				_ = client.Close()
				continue
			}
			t.Cleanup(func() { _, _ = client.Close(), server.Close() })
			go pass(server, client)
			go pass(client, server)
		}
	}()
	u.Host, u.RawQuery = listener.Addr().String(), "sslmode=disable"
	return u.String(), func() { hangs.Store(true) }
}

// A caller's context ends a write also while the server does not answer.
func TestWriteEndsWhileTheServerHangs(t *testing.T) {
	dsn, hang := throughNetwork(t, pgtest.Database(t, "", nil))
	x, err := extension.Open(t.Context(), dsn, &extension.Config{NoBackground: true})
	require.NoError(t, err)
	ada := extension.Scope{User: "ada"}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I keep bees.")))
	hang()
	for range 2 { // with a connection, and without
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		began := time.Now()
		err := x.Bus().Publish(ctx, eventbus.UserMessage(ada, "I keep hens."))
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, time.Since(began), 15*time.Second)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_ = x.Close(ctx)
}

// What a server refuses is not a damaged memory, and each refusal has advice of its own.
func TestDiagnosisOfARefusal(t *testing.T) {
	at := func(version string) string {
		dsn := memtest.Server(t)
		u, err := url.Parse(dsn)
		require.NoError(t, err)
		q := u.Query()
		q.Set("search_path", "ebb")
		u.RawQuery = q.Encode()
		require.NoError(t, pgtest.Exec(u.String(), "UPDATE ebb_version SET version = "+version+", beside = "+version))
		return dsn
	}
	for name, c := range map[string]struct {
		dsn   string
		state doctor.State
		fix   string
		other bool
	}{
		"down":      {"postgres://ebb@127.0.0.1:1/memory", doctor.Skipped, "when the server can be reached", false},
		"no tables": {pgtest.Database(t, "", nil), doctor.Skipped, "`ebb consolidate`", false},
		"newer":     {at("999"), doctor.Warning, "use a newer ebb", true},
		"older":     {at("0"), doctor.Skipped, "`ebb consolidate`", false},
	} {
		d, err := doctor.Diagnose(t.Context(), c.dsn, extension.Key{})
		require.NoError(t, err, name)
		require.False(t, d.Healthy || d.Damaged(), name)
		require.Equal(t, c.other, d.OtherVersion(), name)
		require.Len(t, d.Checks, 1, name)
		require.Equal(t, c.state, d.Checks[0].State, name)
		require.Contains(t, d.Checks[0].Fix, c.fix, name)
	}
	key, err := schema.NewKey([]byte("an example key of 32 bytes, not a secret"[:32]))
	require.NoError(t, err)
	for dsn, key := range map[string]extension.Key{"postgres://ebb@127.0.0.1:port/memory": {}, "postgres://ebb@127.0.0.1:1/memory": key} {
		_, err := doctor.Diagnose(t.Context(), dsn, key)
		require.ErrorAs(t, err, new(*schema.InvalidError), dsn)
	}
}

// A write that has run is tried again after its caller's context has ended: it is stored, or
// its caller hears what ended it.
func TestAttemptsOutliveTheCallersContext(t *testing.T) {
	db, err := schema.Open(t.Context(), memtest.Server(t), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	ctx, cancel := context.WithCancel(t.Context())
	var failures []error
	ran := 0
	write := func(ctx context.Context, tx *schema.Tx) error {
		ran++
		cancel()
		if ran <= len(failures) {
			return failures[ran-1]
		}
		_, err := tx.Exec(ctx, "UPDATE users SET cycle = cycle WHERE id = -1")
		return err
	}
	locked, changed := &pgconn.PgError{Code: "40001"}, &pgconn.PgError{Code: "0A000"}
	failures = []error{locked, changed}
	require.NoError(t, db.Write(ctx, write))
	require.Equal(t, 3, ran)

	ran = 0
	require.ErrorIs(t, db.Write(ctx, write), context.Canceled)
	require.Zero(t, ran, "it had not begun")

	short, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	ran = 0
	require.ErrorIs(t, db.Write(short, func(context.Context, *schema.Tx) error {
		ran++
		<-short.Done()
		return short.Err()
	}), context.DeadlineExceeded)
	require.Equal(t, 1, ran, "its function gave up")

	ran, failures = 0, slices.Repeat([]error{changed}, 100)
	require.ErrorIs(t, db.Write(t.Context(), write), schema.ErrBusy)
}
