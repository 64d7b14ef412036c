package postgres_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// Publishing beside the same rows inserted by pgx into tables with the same columns and
// keys, one statement a row, one transaction a message: by one writer, each message by
// both in turn, and by 64 writers of as many users, in turns of 256 messages.
func BenchmarkPublish(b *testing.B) {
	const text = "I moved from Lisbon to Porto last week, and the flat has a view of the river."
	ctx := context.Background()
	dsn := memtest.Server(b)
	ext, err := extension.Open(ctx, dsn, &extension.Config{NoBackground: true})
	require.NoError(b, err)
	defer ext.Close(ctx)
	require.NoError(b, pgtest.Exec(dsn, bareTables))
	pool, err := pgxpool.New(ctx, dsn+"&search_path=bare&pool_max_conns=8")
	require.NoError(b, err)
	defer pool.Close()
	publish := map[string]func(writer, i int) error{
		"ebb": func(writer, i int) error {
			return ext.Bus().Publish(ctx, eventbus.UserMessage(extension.Scope{User: fmt.Sprint(writer), Session: "s"}, fmt.Sprintf("%d %s", i, text)))
		},
		"bare": func(writer, i int) error {
			tx, err := pool.Begin(ctx)
			if err != nil {
				return err
			}
			defer tx.Rollback(ctx)
			said, now, id := fmt.Sprintf("%d %s", i, text), time.Now().UnixMilli(), uuid.NewString()
			var seq, memory int64
			if err := tx.QueryRow(ctx, `INSERT INTO events (user_id, id, topic, agent, session, origin, trust, payload, occurred_at, recorded_at)
				VALUES ($1, $2, 'user.message', '', 's', 'user_direct', 4, $3, $4, $4) RETURNING seq`, writer, id, `{"text":"`+said+`"}`, now).Scan(&seq); err != nil {
				return err
			}
			if err := tx.QueryRow(ctx, `INSERT INTO memories (uid, user_id, session_id, event_seq, agent, kind, role, speaker, content, content_hash, event_time, created_at,
					valid_from, confidence, importance, access_count, decay_rate, stability, utility, protected, pinned, state, origin, trust, tags, attributes, version)
				VALUES ($1, $2, $2, $3, '', 'episode', 'user', '', $4, $5, $6, $6, $6, 1, 0, 0, 0, 1, 0.5, 0, 0, 'active', 'user_direct', 4, '[]', '{}', 1) RETURNING id`,
				id, writer, seq, said, strings.Repeat("0", 64), now).Scan(&memory); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "INSERT INTO chunks (memory_id, text, speaker) VALUES ($1, $2, '')", memory, said); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `INSERT INTO events (user_id, topic, agent, session, origin, trust, payload, occurred_at, recorded_at)
				VALUES ($1, 'memory.stored', '', 's', 'user_direct', 4, $2, $3, $3)`, writer, `{"id":"`+id+`","kind":"episode","event_id":"`+id+`","session":"s"}`, now); err != nil {
				return err
			}
			return tx.Commit(ctx)
		},
	}
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			turn := 1
			if writers > 1 {
				turn = 256
			}
			times, took := map[string][]time.Duration{}, map[string]time.Duration{}
			for _, f := range publish {
				for writer := range writers {
					require.NoError(b, f(writer, -1)) // users and connections exist from here on
				}
			}
			b.ResetTimer()
			for at := 0; at < b.N; at += turn {
				for kind, f := range publish { // in an order of Go's choice
					began := time.Now()
					times[kind] = append(times[kind], together(b, writers, min(turn, b.N-at), func(writer, i int) error { return f(writer, at+i) })...)
					took[kind] += time.Since(began)
				}
			}
			b.StopTimer()
			for kind := range publish {
				slices.Sort(times[kind])
				b.ReportMetric(float64(times[kind][b.N/2].Microseconds()), kind+"-p50-µs")
				b.ReportMetric(float64(b.N)/took[kind].Seconds(), kind+"-messages/s")
			}
		})
	}
}

const bareTables = `CREATE SCHEMA bare;
CREATE TABLE bare.events (LIKE ebb.events, PRIMARY KEY (seq), UNIQUE (user_id, id));
ALTER TABLE bare.events ALTER seq ADD GENERATED ALWAYS AS IDENTITY;
CREATE TABLE bare.memories (LIKE ebb.memories, PRIMARY KEY (id), UNIQUE (uid), FOREIGN KEY (event_seq) REFERENCES bare.events);
ALTER TABLE bare.memories ALTER id ADD GENERATED ALWAYS AS IDENTITY;
CREATE INDEX ON bare.memories (user_id, event_time, id);
CREATE TABLE bare.chunks (LIKE ebb.chunks, PRIMARY KEY (id), FOREIGN KEY (memory_id) REFERENCES bare.memories);
ALTER TABLE bare.chunks ALTER id ADD GENERATED ALWAYS AS IDENTITY;`

// fill stores turns of a user, each about another place.
func fill(b *testing.B, ext *extension.Extension, user string, turns int) {
	ctx, scope := context.Background(), extension.Scope{User: user, Session: "s"}
	for at := 0; at < turns; at += 100 {
		var events []eventbus.Event
		for i := at; i < min(at+100, turns); i++ {
			events = append(events, eventbus.UserMessage(scope, fmt.Sprintf("Last week I saw the harbour of town%d with friend%d, and the weather was fine for walking along the river.", i, i%300)))
		}
		require.NoError(b, ext.Bus().Publish(ctx, events...))
	}
}

// A search of a user who is in memory, on a server and in a file in turn, and the first
// one of a user with 10,000 turns. What a turn takes on the server, and a user in memory.
func BenchmarkSearch(b *testing.B) {
	ctx, cfg := context.Background(), &extension.Config{NoBackground: true}
	const turns = 10_000
	var users [2]struct {
		name, path string
		x          *extension.Extension
		times      []time.Duration
	}
	users[0].name, users[0].path = "file", filepath.Join(b.TempDir(), "memory.db")
	users[1].name, users[1].path = "server", memtest.Server(b)
	for i := range users {
		u := &users[i]
		x, err := extension.Open(ctx, u.path, cfg)
		require.NoError(b, err)
		fill(b, x, "ada", turns)
		require.NoError(b, x.Close(ctx))
		if i == 1 {
			require.NoError(b, pgtest.Exec(u.path, "VACUUM ANALYZE"))
		}
		u.x, err = extension.Open(ctx, u.path, cfg)
		require.NoError(b, err)
		defer func() { require.NoError(b, u.x.Close(ctx)) }()
	}
	search := func(x *extension.Extension, n int) time.Duration {
		began := time.Now()
		answer, err := x.Recall(ctx, extension.Scope{User: "ada"}, extension.Query{Text: fmt.Sprintf("Which harbour did I see in town%d?", n%turns)})
		require.NoError(b, err)
		require.NotEmpty(b, answer.Results)
		return time.Since(began)
	}
	var reports []func() // after the timer was reset
	report := func(n float64, unit string) { reports = append(reports, func() { b.ReportMetric(n, unit) }) }
	for i := range users {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var firsts []time.Duration
		for range 9 {
			require.NoError(b, users[i].x.Close(ctx))
			var err error
			users[i].x, err = extension.Open(ctx, users[i].path, cfg)
			require.NoError(b, err)
			firsts = append(firsts, search(users[i].x, 17))
		}
		slices.Sort(firsts)
		report(float64(firsts[4].Microseconds())/1000, users[i].name+"-first-ms")
		report(float64(firsts[0].Microseconds())/1000, users[i].name+"-least-first-ms") // in a quiet moment
		require.NoError(b, users[i].x.WaitIdle(ctx))
		search(users[i].x, 18)
		runtime.GC()
		runtime.ReadMemStats(&after)
		report(float64(after.HeapAlloc)/1e6-float64(before.HeapAlloc)/1e6, users[i].name+"-MB")
	}
	var bytes int64
	require.NoError(b, users[1].x.Parts().DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		return s.Row(ctx, "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE relnamespace = 'ebb'::regnamespace AND relkind = 'r'", nil, &bytes)
	}))
	report(float64(bytes)/turns, "bytes/turn")
	b.ResetTimer()
	for _, report := range reports {
		report()
	}
	for n := range b.N {
		for i := range users {
			users[i].times = append(users[i].times, search(users[i].x, n*7919))
		}
	}
	b.StopTimer()
	for i := range users {
		slices.Sort(users[i].times)
		b.ReportMetric(float64(users[i].times[b.N/2].Microseconds()), users[i].name+"-p50-µs")
		b.ReportMetric(float64(users[i].times[b.N/10].Microseconds()), users[i].name+"-p10-µs") // of a quiet moment
	}
}

// 64 writers of as many users, on 1, 2 and 4 hosts of this process, and how many
// connections wait for a lock.
func BenchmarkHosts(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("hosts=%d", n), func(b *testing.B) {
			dsn := memtest.Server(b)
			hosts := make([]*extension.Extension, n)
			for i := range hosts {
				var err error
				hosts[i], err = extension.Open(ctx, dsn, &extension.Config{NoBackground: true})
				require.NoError(b, err)
				defer hosts[i].Close(ctx)
			}
			watch, err := pgxpool.New(ctx, dsn)
			require.NoError(b, err)
			defer watch.Close()
			stop, stopped := make(chan struct{}), make(chan struct{})
			var samples, waiting int
			go func() {
				defer close(stopped)
				for {
					var now int
					if watch.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()").Scan(&now) == nil {
						samples++
						waiting += now
					}
					select {
					case <-stop:
						return
					case <-time.After(5 * time.Millisecond):
					}
				}
			}()
			publish := func(writer, i int) error {
				return hosts[writer%n].Bus().Publish(ctx, eventbus.UserMessage(extension.Scope{User: fmt.Sprint(writer), Session: "s"}, fmt.Sprintf("%d I saw the harbour.", i)))
			}
			for writer := range 64 {
				require.NoError(b, publish(writer, -1))
			}
			b.ResetTimer()
			together(b, 64, b.N, publish)
			b.StopTimer()
			close(stop)
			<-stopped
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			b.ReportMetric(float64(waiting)/float64(max(samples, 1)), "lock-waits")
		})
	}
}

// together has writers call f until n calls are made, and returns how long each took.
func together(b *testing.B, writers, n int, f func(writer, i int) error) []time.Duration {
	var next atomic.Int64
	times := make([]time.Duration, n)
	done := make(chan error, writers)
	for writer := range writers {
		go func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
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
	return times
}
