package postgres_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/bustest"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// The whole, on a server: publish, search, a night, erase.
func TestExtensionOnAServer(t *testing.T) {
	ctx := t.Context()
	ext, err := extension.Open(ctx, memtest.Server(t), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ext.Close(context.Background())) })
	ada := extension.Scope{User: "ada", Session: "s"}
	for _, text := range []string{"I am allergic to walnuts.", "My sister Grace lives in Lisbon.", "What a day."} {
		require.NoError(t, ext.Bus().Publish(ctx, eventbus.UserMessage(ada, text)))
	}
	require.NoError(t, ext.WaitIdle(ctx))

	answer, err := ext.Recall(ctx, ada, extension.Query{Text: "Where does Grace live?"})
	require.NoError(t, err)
	require.NotEmpty(t, answer.Results)
	require.Contains(t, answer.Results[0].Memory.Content, "Lisbon")
	require.Empty(t, answer.Degraded)

	_, err = ext.Consolidate(ctx, ada)
	require.NoError(t, err)

	_, err = ext.Erase(ctx, ada, extension.Erasure{Everything: true})
	require.NoError(t, err)
	answer, err = ext.Recall(ctx, ada, extension.Query{Text: "Where does Grace live?"})
	require.NoError(t, err)
	require.Empty(t, answer.Results)
}

// Two hosts on one database: what one stored, the other finds in its next search; a day's
// night runs once; each message is handled once.
func TestTwoHostsShareAMemory(t *testing.T) {
	ctx, dsn := t.Context(), memtest.Server(t)
	open := func() *extension.Extension {
		ext, err := extension.Open(ctx, dsn, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, ext.Close(context.Background())) })
		return ext
	}
	a, b := open(), open()
	ada := extension.Scope{User: "ada", Session: "s"}
	_, err := b.Recall(ctx, ada, extension.Query{Text: "harbour"})
	require.NoError(t, err)
	for i := range 10 {
		word := string(rune('a'+i)) + "harbour"
		require.NoError(t, a.Bus().Publish(ctx, eventbus.UserMessage(ada, "The boat lies at the "+word+" tonight.")))
		for _, host := range []*extension.Extension{b, a} {
			answer, err := host.Recall(ctx, ada, extension.Query{Text: word})
			require.NoError(t, err)
			require.NotEmpty(t, answer.Results, word)
			require.Contains(t, answer.Results[0].Memory.Content, word)
		}
	}
	require.NoError(t, a.WaitIdle(ctx))

	id, err := a.Recall(ctx, ada, extension.Query{Text: "aharbour"})
	require.NoError(t, err)
	_, err = b.Erase(ctx, ada, extension.Erasure{Memories: []string{id.Results[0].Memory.UID}})
	require.NoError(t, err)
	answer, err := a.Recall(ctx, ada, extension.Query{Text: "aharbour"})
	require.NoError(t, err)
	for _, r := range answer.Results {
		require.NotContains(t, r.Memory.Content, "aharbour", "erased by the other host")
	}
}

// A night of one user on one host does not keep another host from that of another user,
// nor from waiting for this one.
func TestHostsShareTheNights(t *testing.T) {
	dsn := memtest.Server(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	slow := opened(t, dsn, &extension.Config{NoBackground: true, Model: llmtest.Model(func(string) string {
		select {
		case asked <- struct{}{}:
			<-answer
		case <-answer:
		}
		return `{"facts": []}`
	})})
	other := opened(t, dsn, &extension.Config{NoBackground: true})
	ada, bob := extension.Scope{User: "ada"}, extension.Scope{User: "bob"}
	tell(t, slow, ada, "I like the harbour in Bergen.")
	tell(t, slow, bob, "I like the mountains.")
	done := make(chan error, 1)
	go func() {
		_, err := slow.Consolidate(t.Context(), ada)
		done <- err
	}()
	<-asked
	report, err := other.Consolidate(t.Context(), bob)
	require.NoError(t, err)
	require.Equal(t, "done", report.State)
	_, err = other.Consolidate(t.Context(), ada)
	require.ErrorIs(t, err, extension.ErrConflict)
	close(answer)
	require.NoError(t, <-done)
}

// Writers of one user, on two hosts, one by one: nothing is lost, doubled or out of
// order, and no consumer misses an event of transactions that overlap.
func TestWritersOnTwoHosts(t *testing.T) {
	const users, each = 6, 25
	ctx, dsn := t.Context(), memtest.Server(t)
	var seen sync.Map // id → times
	hosts := make([]*eventbus.Journal, 2)
	for i := range hosts {
		db, err := schema.Open(ctx, dsn, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		hosts[i] = eventbus.NewJournal(db, nil)
		t.Cleanup(func() { require.NoError(t, hosts[i].Close(context.Background())) })
		_, err = hosts[i].Subscribe(ctx, "c", func(_ context.Context, e eventbus.Event) error {
			n, _ := seen.LoadOrStore(e.ID, new(atomic.Int64))
			n.(*atomic.Int64).Add(1)
			return nil
		}, eventbus.Topics("user.message"))
		require.NoError(t, err)
	}
	var wg sync.WaitGroup
	for writer := range 2 * users {
		wg.Go(func() {
			bus, scope := hosts[writer%2], eventbus.Scope{User: fmt.Sprintf("u%d", writer/2), Session: fmt.Sprint(writer)}
			for i := range each {
				e := eventbus.UserMessage(scope, fmt.Sprintf("%d", i))
				e.ID = fmt.Sprintf("%d-%d", writer, i)
				assert.NoError(t, bus.Publish(ctx, e))
			}
		})
	}
	wg.Wait()
	require.NoError(t, hosts[0].WaitIdle(ctx, "c"))
	events := bustest.Journal(t, hosts[0])
	require.Len(t, events, 2*users*each)
	next := make(map[string]int)
	for _, e := range events {
		require.Equal(t, fmt.Sprintf("%s-%d", e.Scope.Session, next[e.Scope.Session]), e.ID, "in the order of its writer")
		next[e.Scope.Session]++
		n, handled := seen.Load(e.ID)
		require.True(t, handled, e.ID)
		require.EqualValues(t, 1, n.(*atomic.Int64).Load(), "one host handles an event")
	}
}

// The tables of a server are those of a file.
func TestTablesAreThoseOfAFile(t *testing.T) {
	ctx := t.Context()
	file, err := schema.InMemory(ctx)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	want, err := schema.Column[string](ctx, file.QueryContext, `SELECT m.name || '.' || i.name || CASE WHEN i."notnull" OR i.pk THEN ' NOT NULL' ELSE '' END
		FROM sqlite_schema m JOIN pragma_table_info(m.name) i
		WHERE m.type = 'table' AND m.name NOT LIKE 'chunks_fts%' AND m.name NOT LIKE 'bun_%' AND m.name NOT LIKE 'sqlite_%'`)
	require.NoError(t, err)
	db, err := schema.Open(ctx, memtest.Server(t), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		got, err := schema.Column[string](ctx, s.Query, `SELECT table_name || '.' || column_name || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END
			FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT IN ('numbering', 'ebb_version', 'sqlite_schema', 'pragma_foreign_key_check') AND column_name <> 'writer'`)
		require.ElementsMatch(t, want, got)
		return err
	}))
}

// Documents are as a file makes them, byte by byte: the audit compares their texts.
func TestDocumentsAreThoseOfAFile(t *testing.T) {
	ctx := t.Context()
	file, err := schema.InMemory(ctx)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	db, err := schema.Open(ctx, memtest.Server(t), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	for _, expression := range []string{
		`json_object('state', 'active', 'n', NULL, 'b', 2, 'a "q"', 'x & y')`, `json_array('a', 1, NULL)`, `json_object('list', json_array(1, 2))`,
		`json_set('{"zz":[1,2],"a":"b"}', '$.zz', 5)`, `json_set('{"zz":1}', '$.new', 'a"b')`, `json_set('{}', '$.n', CAST(7 AS bigint))`,
		`json_remove('{"zz":1,"a":{"b":[1]},"c":3}', '$.zz')`, `json_remove('{"a":1}', '$.a')`,
		`json_patch('{"zz":1,"a":2}', '{"a":3,"n":"x"}')`, `json_patch('{"zz":1,"a":2}', '{"zz":null}')`,
	} {
		var want, got string
		require.NoError(t, file.QueryRowContext(ctx, "SELECT "+expression).Scan(&want))
		require.NoError(t, db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			return s.Row(ctx, "SELECT "+expression, nil, &got)
		}))
		require.Equal(t, want, got, expression)
	}
}

// A statement without a result fails with the next one, or with the commit; and a write
// that passes over a failed statement is not reported as stored.
func TestFailedStatementFailsTheWrite(t *testing.T) {
	ctx := t.Context()
	db, err := schema.Open(ctx, memtest.Server(t), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	ada := schema.Scope{User: "ada"}
	for name, then := range map[string]func(context.Context, *schema.Tx) error{
		"a statement without a result": func(ctx context.Context, tx *schema.Tx) error {
			return tx.Later(ctx, "INSERT INTO chunks (id, memory_id, text, speaker) VALUES (1, 1, NULL, '')")
		},
		"passed over": func(ctx context.Context, tx *schema.Tx) error {
			_, err := tx.Exec(ctx, "INSERT INTO nowhere VALUES (1)")
			require.Error(t, err)
			return nil
		},
	} {
		err := db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			if _, err := tx.UserID(ctx, ada); err != nil {
				return err
			}
			return then(ctx, tx)
		})
		require.Error(t, err, name)
		require.NoError(t, db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			users, err := s.Users(ctx)
			require.Empty(t, users, name)
			return err
		}))
	}
}

// What only a file can do is said.
func TestWhatAServerCannotDo(t *testing.T) {
	ctx, dsn := t.Context(), memtest.Server(t)
	key, err := schema.NewKey([]byte("an example key of 32 bytes, not a secret"[:32]))
	require.NoError(t, err)
	_, err = extension.Open(ctx, dsn, &extension.Config{Key: key})
	require.ErrorContains(t, err, "encrypt the disk of the server")
	ext, err := extension.Open(ctx, dsn, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ext.Close(context.Background())) })
	require.Equal(t, schema.Capabilities{Engine: "postgres", Hosts: true}, ext.Capabilities())
	_, err = ext.Backup(ctx, filepath.Join(t.TempDir(), "copy.db"), nil)
	require.ErrorIs(t, err, schema.ErrFileOnly)
	d, err := doctor.Diagnose(ctx, dsn, schema.Key{})
	require.NoError(t, err)
	require.True(t, d.Healthy)
	require.Contains(t, fmt.Sprint(d.Checks), "pg_dump")
}
