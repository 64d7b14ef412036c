package doctor_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/memtest"
)

// filled is a closed memory with two users' messages. It is made once.
func filled(t *testing.T) string {
	t.Helper()
	filledOnce.Do(func() {
		path := fresh(t)
		x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
		require.NoError(t, err)
		for _, user := range []string{"ada", "bob"} {
			scope := extension.Scope{User: user, Session: "monday"}
			for range 20 {
				require.NoError(t, x.Bus().Publish(t.Context(),
					eventbus.UserMessage(scope, "the ferry to Hvaler leaves at nine "+strings.Repeat("and a little later ", 30)),
					eventbus.AgentResponse(scope, "noted")))
			}
		}
		require.NoError(t, x.WaitIdle(t.Context()))
		require.NoError(t, x.Close(t.Context()))
		filledFile, err = os.ReadFile(path)
		require.NoError(t, err)
	})
	path := fresh(t)
	require.NoError(t, os.WriteFile(path, filledFile, 0o600))
	return path
}

var (
	filledOnce sync.Once
	filledFile []byte
)

func diagnose(t *testing.T, path string) *doctor.Diagnosis {
	t.Helper()
	d, err := doctor.Diagnose(t.Context(), path, extension.Key{})
	require.NoError(t, err)
	return d
}

func check(t *testing.T, d *doctor.Diagnosis, name string) doctor.Check {
	t.Helper()
	for _, c := range d.Checks {
		if c.Name == name {
			return c
		}
	}
	require.Failf(t, "no such check", "%s in %+v", name, d.Checks)
	return doctor.Check{}
}

func TestDiagnoseHealthyFileChangesNothing(t *testing.T) {
	path := filled(t)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	d := diagnose(t, path)
	require.True(t, d.Healthy)
	require.Empty(t, d.Refused)
	for _, c := range d.Checks {
		require.Equal(t, doctor.OK, c.State, "%s: %s", c.Name, c.Detail)
		require.Empty(t, c.Fix)
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestDiagnoseWhileTheMemoryIsInUse(t *testing.T) {
	path := fresh(t)
	x := open(t, path)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "still in the write-ahead log")))
	require.NoError(t, x.WaitIdle(t.Context()))
	d := diagnose(t, path)
	require.True(t, d.Healthy, "%+v", d)
	require.Len(t, recalled(t, x, ada, "write-ahead log"), 1)
}

// block writes a block of core memory without its history.
const block = `INSERT INTO blocks (id, user_id, name, content, version, updated_at, kind, trust) VALUES (1, 1, 'notes', '["milk"]', 2, 0, 'list', 4);`

func audit(operation, record, before, after string) string {
	return fmt.Sprintf("INSERT INTO ops (user_id, at, actor, operation, record, record_id, before, after) VALUES (1, 0, 'night', '%s', '%s', 5, '%s', '%s')", operation, record, before, after)
}

func TestDiagnoseFindings(t *testing.T) {
	for _, test := range []struct {
		name, spoil, check string
		state              doctor.State
		says               string
	}{
		{"memory without text", "DELETE FROM chunks_fts; DELETE FROM chunks WHERE memory_id = 3", "text of every memory", doctor.Damaged, "memories that no search by text can find: 1"},
		{"text of another user", "UPDATE chunks SET id = id + (1 << 40) WHERE memory_id = 3", "scope of the text", doctor.Damaged, "pieces of text filed under another user: 1"},
		{"index behind its text", "UPDATE chunks SET text = 'kayak' WHERE memory_id = 3", "text index", doctor.Damaged, ""},
		{"episode without message", "UPDATE memories SET event_seq = NULL WHERE id = 5", "episodes have their message", doctor.Damaged, "not in the journal: 1"},
		{"message without episode", "UPDATE memories SET event_seq = NULL WHERE id = 5", "messages have their episode", doctor.Damaged, "not remembered: 1"},
		{"row that points nowhere", "PRAGMA foreign_keys = off; UPDATE memories SET session_id = 999 WHERE id = 5", "references", doctor.Damaged, "memories row 5 → sessions"},
		{"consumer ahead of the journal", "UPDATE consumers SET cursor = 1000000", "watermarks", doctor.Damaged, "past the journal"},
		{"extraction ahead of the memories", "INSERT INTO watermarks VALUES (1, 'extract', 1000000)", "watermarks", doctor.Damaged, "user ada has extract through 1000000"},
		{"night that is no day", "UPDATE users SET nights_through = 'soon' WHERE id = 1", "watermarks", doctor.Damaged, "no day"},
		{"superseded by nothing", "UPDATE memories SET state = 'superseded' WHERE id = 5", "replaced claims", doctor.Damaged, "disagree: 1"},
		{"parked event", `INSERT INTO consumers VALUES ('mailer', 1, 0, 0) ON CONFLICT DO NOTHING;
			INSERT INTO deliveries VALUES ('mailer', 1, 5, NULL, 'no route to host')`, "consumers", doctor.Warning, "mailer: 1 parked, 0 retrying, last error: no route to host"},
		{"failing background work", "INSERT INTO failures VALUES ('night', 1, 'out of paper', 3, 0, 0)", "background work", doctor.Warning, "night failed 3 times, last 1970-01-01T00:00:00Z: out of paper"},
		{"session of another user", "UPDATE memories SET session_id = (SELECT id FROM sessions WHERE user_id = 2) WHERE id = 5", "references between users", doctor.Damaged, "memories.session_id: 1"},
		{"question about another user's memory", `INSERT INTO proposals (uid, user_id, kind, payload, state, created_at)
			SELECT 'q', 2, 'protect', json_object('memory_id', uid, 'content', content), 'pending', 0 FROM memories WHERE id = 5`,
			"proposals", doctor.Damaged, "about what this user does not have, or about what it does not say: 1"},
		{"question about another memory", `INSERT INTO proposals (uid, user_id, kind, payload, state, created_at)
			SELECT 'q', 1, 'protect', json_object('memory_id', uid, 'content', 'Likes liquorice'), 'pending', 0 FROM memories WHERE id = 5`,
			"proposals", doctor.Damaged, "about what it does not say: 1"},
		{"row of the text index that is gone", "DELETE FROM chunks_fts WHERE rowid = (SELECT id FROM chunks WHERE memory_id = 3)", "text index", doctor.Damaged, ""},
		{"question without its text", `INSERT INTO proposals (uid, user_id, kind, payload, state, created_at)
			SELECT 'q', 1, 'protect', json_object('memory_id', uid), 'pending', 0 FROM memories WHERE id = 5`,
			"proposals", doctor.Damaged, "about what it does not say: 1"},
		{"proposal about another text", `INSERT INTO proposals (uid, user_id, kind, payload, state, created_at)
			SELECT 'p', 1, 'correct', json_object('memory_id', uid, 'content', 'noced', 'new_content', 'notes'), 'pending', 0 FROM memories WHERE id = 2`,
			"proposals", doctor.Damaged, "about what it does not say: 1"},
		{"proposal of another kind", `INSERT INTO proposals (uid, user_id, kind, payload, state, created_at)
			SELECT 'p', 1, 'correct', json_object('memory_id', uid), 'pending', 0 FROM memories WHERE id = 2`,
			"proposals", doctor.Damaged, "about what it does not say: 1"},
		{"proposal about no memory", `INSERT INTO proposals (uid, user_id, kind, payload, state, created_at)
			SELECT 'p', 1, 'correct', json_object('memory_id', uid || 'x', 'content', content, 'new_content', 'notes'), 'pending', 0 FROM memories WHERE id = 2`,
			"proposals", doctor.Damaged, "about what it does not say: 1"},
		{"proposal about no claim", `INSERT INTO proposals (uid, user_id, kind, payload, state, created_at)
			SELECT 'p', 1, 'contradiction', json_object('earlier', uid, 'later', 'x'), 'pending', 0 FROM memories WHERE id = 2`,
			"proposals", doctor.Damaged, "about what it does not say: 1"},
		{"proposal about no name", `INSERT INTO proposals (uid, user_id, kind, payload, state, created_at)
			SELECT 'p', 1, 'merge_entities', json_object('from', 'x', 'into', 'y'), 'pending', 0`,
			"proposals", doctor.Damaged, "about what it does not say: 1"},
		{"version with a flipped bit", block + `INSERT INTO block_history (block_id, version, content, actor, at, trust, agent) VALUES (1, 1, '["tea', 'host', 0, 4, ''), (1, 2, '["milk"]', 'host', 0, 4, '')`,
			"forms of blocks", doctor.Warning, "1 versions"},
		{"block that is not what was written", block + `INSERT INTO block_history (block_id, version, content, actor, at, trust, agent) VALUES (1, 1, '["tea"]', 'host', 0, 4, ''), (1, 2, '["silk"]', 'host', 0, 4, '')`,
			"versions of blocks", doctor.Damaged, "than the block holds: 1"},
		{"block without its first version", block + `INSERT INTO block_history (block_id, version, content, actor, at, trust, agent) VALUES (1, 2, '["milk"]', 'host', 0, 4, '')`,
			"versions of blocks", doctor.Damaged, "misses a version"},
		{"table with a flipped bit in its description", "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = replace(sql, 'actor ', 'acTor ') WHERE name = 'ops'",
			"tables and indexes", doctor.Damaged, "table ops"},
		{"index that is gone", "DROP INDEX ops_by_run", "tables and indexes", doctor.Damaged, "index ops_by_run"},
		{"skipped messages that are no list of ids", "INSERT INTO gaps (uid, user_id, stage, memories, attempts, last_error, created_at) VALUES ('g', 1, 'extract', '[1]', 1, '', 0)",
			"encoded values", doctor.Damaged, "gaps (memories): 1"},
		{"decided proposal that names nothing", `INSERT INTO proposals (uid, user_id, kind, payload, state, created_at) VALUES ('p', 1, 'merge_entities', '{"from": 5}', 'rejected', 0)`,
			"encoded values", doctor.Damaged, "proposals (kind, payload): 1"},
		{"report of another form", `UPDATE events SET payload = '{"id": 5}' WHERE seq = (SELECT min(seq) FROM events WHERE topic = 'memory.stored')`,
			"encoded values", doctor.Damaged, "events (topic, payload): 1"},
		{"what was shown, by rank only", `INSERT INTO injections (user_id, event_seq, channel, items, shown_at) VALUES (1, 1, 'memory', '[{"rank": "1"}]', 0)`,
			"encoded values", doctor.Damaged, "injections (items): 1"},
		{"receipt of another form", `INSERT INTO erasures (uid, user_id, everything, state, actor, asked_at, receipt) VALUES ('e', 1, 0, 'done', 'host', 0, '[]')`,
			"encoded values", doctor.Damaged, "erasures (receipt): 1"},
		{"name with a confidence below 0", "INSERT INTO entities (id, uid, user_id, type, name, confidence, created_at) VALUES (99, 'e', 1, 'name', 'Rex', 1, 0); INSERT INTO entity_aliases (user_id, entity_id, alias, surface, confidence) VALUES (1, 99, 'rex', 'Rex', -.5)",
			"values of every row", doctor.Damaged, "entity_aliases.confidence: 1"},
		{"audit with what a column does not take", audit("access", "memories", `{"confidence":2.8}`, `{"confidence":0.9}`), "encoded values", doctor.Damaged, "ops (operation, record, before, after): 1"},
		{"audit with a flipped bit in a name", audit("importance", "runs", `{"rpent":1}`, `{"spent":0}`), "encoded values", doctor.Damaged, "ops (operation"},
		{"audit of a gap with half a row", audit("gap", "gaps", `{"attempts":1,"uid":"g"}`, ""), "encoded values", doctor.Damaged, "ops (operation"},
		{"newer version", "PRAGMA user_version = 999", "ebb memory", doctor.Warning, "schema version 999"},
		{"lost table", "PRAGMA foreign_keys = off; DROP TABLE users", "ebb memory", doctor.Damaged, "only 4 of 5 main tables"},
		{"other journal mode", "PRAGMA journal_mode = delete", "ebb memory", doctor.Warning, "journal mode is \"delete\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filled(t)
			memtest.Spoil(t, path, test.spoil)
			d := diagnose(t, path)
			c := check(t, d, test.check)
			require.Equal(t, test.state, c.State, c.Detail)
			require.Contains(t, c.Detail, test.says)
			require.NotEmpty(t, c.Fix)
			require.Equal(t, test.state == doctor.Warning && d.Refused == "", d.Healthy, "%+v", d)
		})
	}
}

func TestDiagnoseDamagedPages(t *testing.T) {
	path := filled(t)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 4096 * 3; i < len(content)-100; i += 4096 { // all pages but the first
		copy(content[i:], strings.Repeat("\xff", 100))
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
	d := diagnose(t, path)
	require.False(t, d.Healthy)
	damaged := 0
	for _, c := range d.Checks {
		if c.State == doctor.Damaged {
			damaged++
			require.NotEmpty(t, c.Fix, c.Name)
		}
	}
	require.Positive(t, damaged)
}

func TestDiagnoseForeignFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	foreign := filepath.Join(dir, "foreign.db")
	memtest.Spoil(t, foreign, "CREATE TABLE recipes (name TEXT)")
	for name, test := range map[string]struct{ path, check, says string }{
		"empty file":       {write("empty", ""), "SQLite file", "no bytes"},
		"text":             {write("text", "dear diary, this is no database"), "SQLite file", "does not begin"},
		"cut header":       {write("cut", "SQLite format 3\x00 and then nonsense"), "ebb memory", ""},
		"foreign database": {foreign, "ebb memory", "another program's database"},
	} {
		t.Run(name, func(t *testing.T) {
			d := diagnose(t, test.path)
			require.False(t, d.Healthy)
			require.NotEmpty(t, d.Refused)
			c := check(t, d, test.check)
			require.Equal(t, doctor.Damaged, c.State)
			require.Contains(t, c.Detail, test.says)
			require.NotEmpty(t, c.Fix)
		})
	}
	_, err := doctor.Diagnose(t.Context(), filepath.Join(dir, "nowhere"), extension.Key{})
	require.ErrorIs(t, err, extension.ErrNotFound)
	var invalid *extension.InvalidError
	for _, path := range []string{"", " ", dir} {
		_, err = doctor.Diagnose(t.Context(), path, extension.Key{})
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, "path", invalid.Field)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = doctor.Diagnose(ended, foreign, extension.Key{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestDiagnoseLeftoversOfACreation(t *testing.T) {
	path := filled(t)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new-wal"), nil, 0o600))
	d := diagnose(t, path)
	require.True(t, d.Healthy)
	require.Equal(t, doctor.Warning, check(t, d, "leftover files").State)
}

func TestDiagnoseThroughASymbolicLink(t *testing.T) {
	path, err := filepath.EvalSymlinks(filled(t))
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(path, link))
	x := open(t, link)
	require.NoError(t, publish(t, x, eventbus.UserMessage(ada, "tea")))
	require.NotZero(t, health(t, x).WALBytes)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new-wal"), nil, 0o600))
	d := diagnose(t, link)
	require.Equal(t, path, d.Path)
	require.Equal(t, doctor.Warning, check(t, d, "leftover files").State)
	require.NotEqual(t, "0 bytes", check(t, d, "write-ahead log").Detail)
}

func TestDiagnoseDoesNotBlock(t *testing.T) {
	path := filled(t)
	db, err := driver.Open("file:" + path)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	started := time.Now()
	c := check(t, diagnose(t, path), "text index")
	require.Equal(t, doctor.Skipped, c.State)
	require.Less(t, time.Since(started), 30*time.Second)
	require.NoError(t, db.Close())
}

// A file that another program has locked is not damaged.
func TestLockedFileIsNotDamaged(t *testing.T) {
	path := filled(t)
	db, err := driver.Open("file:" + path)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), "PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE")
	require.NoError(t, err)
	d := diagnose(t, path)
	require.NotEmpty(t, d.Refused)
	for _, c := range d.Checks {
		require.NotEqual(t, doctor.Damaged, c.State, c)
		require.NotContains(t, c.Fix, "restore")
	}
	last := d.Checks[len(d.Checks)-1]
	require.Equal(t, doctor.Skipped, last.State)
	require.Contains(t, last.Fix, "run ebb doctor again")
	require.NoError(t, db.Close())
	require.True(t, diagnose(t, path).Healthy)
}

// The comparison of the text index keeps other programs from writing: it is left out while
// one has the file open.
func TestOpenFileIsExaminedWithoutTheWriteLock(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows that a file is in use")
	}
	path := filled(t)
	require.Equal(t, doctor.OK, check(t, diagnose(t, path), "text index").State)
	open(t, path)
	c := check(t, diagnose(t, path), "text index")
	require.Equal(t, doctor.Skipped, c.State)
	require.Contains(t, c.Fix, "when no program uses")
}
