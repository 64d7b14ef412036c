package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
)

// Publishing beside the same rows inserted by pgx, one statement a row, one transaction
// a message, by one writer and by 64 writers of as many users.
func BenchmarkPublish(b *testing.B) {
	const text = "I moved from Lisbon to Porto last week, and the flat has a view of the river."
	ctx := context.Background()
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("ebb/writers=%d", writers), func(b *testing.B) {
			ext, err := extension.Open(ctx, memtest.Server(b), &extension.Config{NoBackground: true})
			require.NoError(b, err)
			defer ext.Close(ctx)
			publish := func(writer, i int) error {
				return ext.Bus().Publish(ctx, eventbus.UserMessage(extension.Scope{User: fmt.Sprint(writer), Session: "s"}, fmt.Sprintf("%d %s", i, text)))
			}
			measure(b, writers, publish)
		})
		b.Run(fmt.Sprintf("bare/writers=%d", writers), func(b *testing.B) {
			dsn := pgtest.Database(b, "bare", func(dsn string) error { return pgtest.Exec(dsn, bareTables) })
			pool, err := pgxpool.New(ctx, dsn+"&pool_max_conns=8")
			require.NoError(b, err)
			defer pool.Close()
			measure(b, writers, func(writer, i int) error {
				tx, err := pool.Begin(ctx)
				if err != nil {
					return err
				}
				defer tx.Rollback(ctx)
				var seq, id int64
				if err := tx.QueryRow(ctx, "INSERT INTO events (user_id, id, payload) VALUES ($1, $2, $3) RETURNING seq", writer, fmt.Sprint(writer, i), text).Scan(&seq); err != nil {
					return err
				}
				if err := tx.QueryRow(ctx, "INSERT INTO memories (user_id, uid, event_seq, content) VALUES ($1, $2, $3, $4) RETURNING id", writer, fmt.Sprint(writer, i), seq, text).Scan(&id); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, "INSERT INTO chunks (memory_id, text) VALUES ($1, $2)", id, text); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, "INSERT INTO events (user_id, id, payload) VALUES ($1, NULL, $2)", writer, text); err != nil {
					return err
				}
				return tx.Commit(ctx)
			})
		})
	}
}

const bareTables = `CREATE TABLE events (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, user_id bigint NOT NULL, id text, payload text NOT NULL, UNIQUE (user_id, id));
CREATE TABLE memories (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, user_id bigint NOT NULL, uid text NOT NULL UNIQUE, event_seq bigint REFERENCES events, content text NOT NULL);
CREATE INDEX ON memories (user_id, id);
CREATE TABLE chunks (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, memory_id bigint REFERENCES memories, text text NOT NULL);`

// measure has writers call f until b.N calls are made, and reports the median.
func measure(b *testing.B, writers int, f func(writer, i int) error) {
	for writer := range writers {
		require.NoError(b, f(writer, -1)) // users and connections exist from here on
	}
	var next atomic.Int64
	times := make([]time.Duration, b.N)
	done := make(chan error, writers)
	b.ResetTimer()
	for writer := range writers {
		go func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= b.N {
					done <- nil
					return
				}
				began := time.Now()
				if err := f(writer, i); err != nil {
					done <- err
					return
				}
				times[i] = time.Since(began)
			}
		}()
	}
	for range writers {
		require.NoError(b, <-done)
	}
	b.StopTimer()
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
