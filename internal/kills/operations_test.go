package kills

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
)

var ada = extension.Scope{User: "ada", Session: "monday"}

// operations are what is killed. Nights, which need a model, are killed in
// package consolidate.
var operations = []operation{
	{name: "publish", child: publishing, look: published},
	{name: "enrich", child: enriching, look: enriched},
	{name: "erase", child: erasing, look: erased},
	{name: "back up", child: backingUp, look: backedUp},
	{name: "dry run", child: dryRunning, look: dryRun},
	{name: "migrate", prepare: unmigrated, child: migrating, look: migrated},
}

func opened(path string, cfg extension.Config) (*extension.Extension, error) {
	cfg.Night.NoSchedule = true
	return extension.Open(context.Background(), path, &cfg)
}

// batch are messages to be published together, and their name in the account.
func batch(name string) (string, []eventbus.Event) {
	var ids []string
	var events []eventbus.Event
	for i := range 1 + len(name)%3 {
		id := fmt.Sprint(name, "-", i)
		e := eventbus.UserMessage(ada, "Noor saw Milo at the Tramworks in Ghent, "+id+".")
		e.ID = id
		ids, events = append(ids, id), append(events, e)
	}
	return strings.Join(ids, ","), events
}

func publishing(path, round string) error {
	x, err := opened(path, extension.Config{NoBackground: true})
	if err != nil {
		return err
	}
	errs := make(chan error)
	for writer := range 3 {
		go func() {
			for i := 0; ; i++ {
				name, events := batch(fmt.Sprint(round, ".", writer, ".", i))
				say(">", name)
				if err := x.Bus().Publish(context.Background(), events...); err != nil {
					errs <- err
				}
				say("<", name)
			}
		}()
	}
	return <-errs
}

// texts reads the column of a query from the file itself.
func texts(t *testing.T, path, query string, args ...any) (list []string) {
	t.Helper()
	db, err := driver.Open("file:"+path+"?mode=ro", fts5.Register)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	rows, err := db.QueryContext(t.Context(), query, args...)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		list = append(list, text)
	}
	require.NoError(t, rows.Err())
	return list
}

// accounted compares the messages of a file with the account: those that are
// done are there, those that are not are there with their batch or not at all,
// each once and with its episode; and there are no others.
func accounted(t *testing.T, path string, accounts ...*account) (took bool) {
	t.Helper()
	there := make(map[string]int)
	for _, id := range texts(t, path, `SELECT e.id FROM events e JOIN memories m ON m.event_seq = e.seq AND instr(m.content, e.id) > 0
		WHERE e.topic = 'user.message'`) {
		there[id]++
	}
	for i, a := range accounts {
		for _, name := range a.begun {
			present := 0
			ids := strings.Split(name, ",")
			for _, id := range ids {
				require.LessOrEqual(t, there[id], 1, "%s is there twice", id)
				present += there[id]
				delete(there, id)
			}
			if a.done[name] {
				require.Len(t, ids, present, "%s was acknowledged and is lost", name)
				continue
			}
			require.True(t, present == 0 || present == len(ids), "%s is there by half", name)
			took = took || i == len(accounts)-1 && present > 0
		}
	}
	require.Empty(t, there, "messages that nobody published")
	return took
}

func published(t *testing.T, path string, before, last *account) bool {
	x, err := opened(path, extension.Config{NoBackground: true})
	require.NoError(t, err, "the next open")
	require.NoError(t, x.Close(t.Context()))
	healthy(t, path)
	return accounted(t, path, before, last)
}

// enriching reports when a message is stored and when its background work is done.
// The process is killed in between.
func enriching(path, round string) error {
	x, err := opened(path, extension.Config{})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		name, events := batch(fmt.Sprint(round, ".", i))
		say(">", name)
		if err := x.Bus().Publish(context.Background(), events...); err != nil {
			return err
		}
		if err := x.WaitIdle(context.Background()); err != nil {
			return err
		}
		say("<", name)
	}
}

// enriched lets the next process finish, and finds every message linked to the
// same entities, once.
func enriched(t *testing.T, path string, before, last *account) bool {
	healthy(t, path) // as it was left
	x, err := opened(path, extension.Config{})
	require.NoError(t, err)
	require.NoError(t, x.WaitIdle(t.Context()))
	health, err := x.Health(t.Context())
	require.NoError(t, err)
	require.True(t, health.Healthy())
	require.NoError(t, x.Close(t.Context()))
	links := texts(t, path, `SELECT DISTINCT (SELECT group_concat(DISTINCT e.name ORDER BY e.name) FROM memory_entities me JOIN entities e ON e.id = me.entity_id WHERE me.memory_id = m.id) ||
		'/' || (SELECT count(*) FROM memory_entities me WHERE me.memory_id = m.id) FROM memories m WHERE kind = 'episode'`)
	require.LessOrEqual(t, len(links), 1, "every message says the same, and is linked to the same: %v", links)
	doubled := texts(t, path, "SELECT name FROM entities WHERE merged_into IS NULL GROUP BY name HAVING count(*) > 1")
	require.Empty(t, doubled)
	return accounted(t, path, before, last)
}

func canary(what string) string { return "canary" + strings.ReplaceAll(what, ".", "x") + "bird" }

func erasing(path, round string) error {
	x, err := opened(path, extension.Config{})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		name := fmt.Sprint(round, ".", i)
		e := eventbus.UserMessage(ada, "My bird is called "+canary(name)+", and it sings.")
		e.ID = name
		if err := x.Bus().Publish(context.Background(), e); err != nil {
			return err
		}
		say(">", name)
		_, err := x.Erase(context.Background(), ada, extension.Erasure{Events: []string{name}})
		if unfinished := (*extension.ErasureError)(nil); errors.As(err, &unfinished) {
			continue // it says that it is not done
		}
		if err != nil {
			return err
		}
		say("<", name)
	}
}

// erased: what was said to be erased is in no byte. What was begun is finished
// by the next process, or was never begun and is whole.
func erased(t *testing.T, path string, before, last *account) (took bool) {
	for _, a := range []*account{before, last} {
		for name := range a.done {
			require.False(t, holds(t, path, canary(name)), "%s was erased", name)
		}
	}
	x, err := opened(path, extension.Config{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		h, err := x.Health(t.Context())
		require.NoError(t, err)
		return h.OpenErasures == 0
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, x.WaitIdle(t.Context()))
	for _, a := range []*account{before, last} {
		for name := range a.done { // delivered again
			e := eventbus.UserMessage(ada, "My bird is called "+canary(name)+", and it sings.")
			e.ID = name
			require.NoError(t, x.Bus().Publish(t.Context(), e))
		}
	}
	require.NoError(t, x.Close(t.Context()))
	healthy(t, path)
	for i, name := range append(slices.Clone(before.begun), last.begun...) {
		whole := len(texts(t, path, "SELECT 1 FROM events e JOIN memories m ON m.event_seq = e.seq JOIN chunks c ON c.memory_id = m.id WHERE e.id = ?", name)) == 1
		require.Equal(t, whole, holds(t, path, canary(name)), "%s is erased by half", name)
		took = took || i >= len(before.begun) && !whole && !last.done[name]
	}
	return took
}

// holds looks through the bytes of the file and of what lies beside it.
func holds(t *testing.T, path, text string) bool {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-mark"} {
		raw, err := os.ReadFile(path + suffix)
		if !errors.Is(err, os.ErrNotExist) {
			require.NoError(t, err)
		}
		if strings.Contains(string(raw), text) {
			return true
		}
	}
	return false
}

func backingUp(path, round string) error {
	x, err := opened(path, extension.Config{NoBackground: true})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		name, events := batch(fmt.Sprint(round, ".", i))
		if err := x.Bus().Publish(context.Background(), events...); err != nil {
			return err
		}
		say(">", name)
		if _, err := x.Backup(context.Background(), backupOf(path, name), nil); err != nil {
			return err
		}
		say("<", name)
	}
}

func backupOf(path, name string) string {
	id, _, _ := strings.Cut(name, ",")
	return filepath.Join(filepath.Dir(path), "backup-"+id+".db")
}

// backedUp: a backup that is there is whole and holds what was there when it
// was begun; one that was acknowledged is there.
func backedUp(t *testing.T, path string, _, last *account) (took bool) {
	for _, name := range last.begun {
		backup := backupOf(path, name)
		_, err := os.Stat(backup)
		if errors.Is(err, os.ErrNotExist) && !last.done[name] {
			continue
		}
		require.NoError(t, err, "%s was acknowledged", name)
		_, err = extension.VerifyBackup(t.Context(), backup, extension.Key{})
		require.NoError(t, err)
		id, _, _ := strings.Cut(name, ",")
		require.Len(t, texts(t, backup, "SELECT id FROM events WHERE id = ?", id), 1)
		took = took || !last.done[name]
		require.NoError(t, os.Remove(backup))
	}
	healthy(t, path)
	return took
}

func dryRunning(path, round string) error {
	x, err := opened(path, extension.Config{NoBackground: true})
	if err != nil {
		return err
	}
	_, events := batch(round)
	if err := x.Bus().Publish(context.Background(), events...); err != nil {
		return err
	}
	for i := 0; ; i++ {
		say(">", fmt.Sprint(i))
		if _, err := x.ConsolidateDry(context.Background(), ada); err != nil {
			return err
		}
		say("<", fmt.Sprint(i))
	}
}

// dryRun leaves no copy of the memory behind. Its effect is a copy that was
// there.
func dryRun(t *testing.T, path string, _, _ *account) (took bool) {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	require.NoError(t, err)
	x, err := opened(path, extension.Config{NoBackground: true})
	require.NoError(t, err)
	require.NoError(t, x.Close(t.Context()))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "one file: %v", entries)
	healthy(t, path)
	return len(left) > 0
}

// unmigrated makes a file without a schema, with a table that is to stay, for a
// child to migrate.
func unmigrated(t *testing.T, path string) {
	old, err := driver.Open("file:"+path, fts5.Register)
	require.NoError(t, err)
	_, err = old.ExecContext(t.Context(), `PRAGMA journal_mode = wal; PRAGMA application_id = 1700946481;
		CREATE TABLE kept (i INTEGER PRIMARY KEY);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO kept SELECT i FROM n;`)
	require.NoError(t, err)
	require.NoError(t, old.Close())
}

func numbered(path string, i int) string { return fmt.Sprint(path, ".", i) }

// migrating opens copies of the old file for writing, one after the other.
func migrating(path, round string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		copied := numbered(path, i)
		if err := os.WriteFile(copied, old, 0o600); err != nil {
			return err
		}
		say(">", fmt.Sprint(i))
		db, err := schema.Open(context.Background(), copied, nil)
		if err != nil {
			return err
		}
		say("<", fmt.Sprint(i))
		if err := db.Close(); err != nil {
			return err
		}
	}
}

// migrated: a file has no schema or the whole one, and the next open completes it
// with everything that was in it.
func migrated(t *testing.T, path string, _, last *account) (took bool) {
	for i, name := range last.begun {
		file := numbered(path, i)
		version := texts(t, file, "SELECT user_version FROM pragma_user_version")[0]
		require.Contains(t, []string{"0", fmt.Sprint(schema.Version)}, version)
		if last.done[name] {
			require.Equal(t, fmt.Sprint(schema.Version), version, "it was said to be up to date")
		} else {
			took = took || version != "0"
		}
		if version == "0" {
			require.Equal(t, []string{"kept"}, texts(t, file, "SELECT name FROM sqlite_schema"), "nothing of the new one")
		}
		db, err := schema.Open(t.Context(), file, nil)
		require.NoError(t, err)
		require.NoError(t, db.Close())
		require.Equal(t, []string{"2000 1"}, texts(t, file, "SELECT (SELECT count(*) FROM kept) || ' ' || (SELECT count(*) FROM identity)"))
		healthy(t, file)
		require.NoError(t, os.Remove(file))
	}
	for i := range last.begun {
		left, err := filepath.Glob(numbered(path, i) + "*")
		require.NoError(t, err)
		require.Empty(t, left)
	}
	return took
}
