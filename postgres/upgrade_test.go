package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/postgres"
	"github.com/ebbmem/ebb/schema"
)

// A host of the next version migrates the tables while two of this version work: they go
// on, also one that is started after it, and both versions write for one user in order. A
// migration that does not allow that keeps them out when they are started.
func TestVersionsSideBySide(t *testing.T) {
	ctx, dsn := t.Context(), memtest.Server(t)
	next := func(version int, migrations fstest.MapFS) engine.DB {
		db, err := postgres.Open(ctx, dsn, engine.Config{Migrations: migrations, Version: version, Oldest: 1})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	}
	added := fmt.Sprintf("%04d_more.sql", schema.Version+1)
	migrations := fstest.MapFS{added: {Data: []byte(`-- Hosts of the version before can go on.
		ALTER TABLE memories ADD COLUMN mood text; ALTER TABLE users ADD COLUMN nickname text; CREATE TABLE moods (name text);
		ALTER TABLE events ADD COLUMN weight bigint NOT NULL DEFAULT 7; CREATE INDEX events_weighty ON events (weight)`)}}

	hosts := []*extension.Extension{opened(t, dsn, nil), opened(t, dsn, nil)}
	stop, done := make(chan struct{}), make(chan error)
	published := make([]int, 4)
	for writer := range published {
		go func() {
			scope := extension.Scope{User: "ada", Session: fmt.Sprint(writer)}
			for i := 0; ; i++ {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				e := eventbus.UserMessage(scope, fmt.Sprintf("The boat %dharbour%d is blue.", writer, i))
				e.ID = fmt.Sprintf("%d-%d", writer, i)
				if err := hosts[writer%2].Bus().Publish(ctx, e); err != nil {
					done <- err
					return
				}
				if _, err := hosts[(writer+1)%2].Recall(ctx, scope, extension.Query{Text: "harbour"}); err != nil {
					done <- err
					return
				}
				published[writer] = i + 1
				time.Sleep(20 * time.Millisecond) // hosts that leave no gap hold up a migration
			}
		}()
	}
	await := func(n int64) {
		require.Eventually(t, func() bool {
			var have int64
			require.NoError(t, hosts[0].Parts().DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
				return s.Row(ctx, "SELECT count(*) FROM events WHERE id IS NOT NULL", nil, &have)
			}))
			return have >= n || len(done) > 0
		}, 30*time.Second, 5*time.Millisecond)
	}
	await(20)
	newer := next(schema.Version+1, migrations)
	for i := range 10 { // the new version writes for the same user
		require.NoError(t, newer.WriteQueued(ctx, nil, func(ctx context.Context, tx engine.Tx) error {
			var user int64
			if err := tx.Row(ctx, "SELECT ebb_user('', 'ada', false, 0, true)", nil, &user); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "INSERT INTO events (user_id, id, topic, origin, trust, payload, occurred_at, recorded_at, weight) VALUES (?, ?, 'host.new', 'system', 0, '{}', 1, 1, 9)", user, fmt.Sprint("new-", i))
			return err
		}))
	}
	third := opened(t, dsn, nil)
	await(80)
	close(stop)
	for range published {
		require.NoError(t, <-done)
	}
	require.NoError(t, hosts[0].WaitIdle(ctx))
	for writer, n := range published {
		word := fmt.Sprintf("%dharbour%d", writer, n-1)
		require.Contains(t, found(t, third, extension.Scope{User: "ada"}, word), word)
	}
	places := make(map[string]int)
	require.NoError(t, third.Parts().DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		ids, err := schema.Column[string](ctx, s.Query, "SELECT id FROM events WHERE id IS NOT NULL ORDER BY seq")
		for i, id := range ids {
			places[id] = i
		}
		return err
	}))
	total := 10
	for writer, n := range published {
		total += n
		for i := 1; i < n; i++ {
			require.Less(t, places[fmt.Sprintf("%d-%d", writer, i-1)], places[fmt.Sprintf("%d-%d", writer, i)], "in order")
		}
	}
	require.Len(t, places, total, "each once")
	report, err := third.Consolidate(ctx, extension.Scope{User: "ada"})
	require.NoError(t, err)
	if report.RunID != "" {
		_, err = hosts[1].Undo(ctx, extension.Scope{User: "ada"}, report.RunID)
		require.NoError(t, err)
	}

	migrations[fmt.Sprintf("%04d_other.sql", schema.Version+2)] = &fstest.MapFile{Data: []byte("ALTER TABLE users DROP COLUMN nickname")}
	next(schema.Version+2, migrations)
	_, err = extension.Open(ctx, dsn, nil)
	var version *schema.VersionError
	require.ErrorAs(t, err, &version)
}
