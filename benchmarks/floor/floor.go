// Package floor is a minimal durable, searchable journal: the same four writes as
// ebb's Publish (journal row, episode, chunk, full-text row, under the same indexes
// and with the same durability) by prepared SQL in one transaction, and FTS5's own
// bm25. It is the baseline for what ebb adds: the report of each new memory in the
// journal, the check that no message is stored twice or after its erasure,
// redaction, and the columns for time, trust and nights.
package floor

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/workload"
)

// Memory is the floor over one SQLite driver.
type Memory struct {
	// Driver is the name it is registered under, DSN makes the address of a
	// file. Both set the pragmas of [Pragmas].
	Driver string
	DSN    func(path string) string

	mu     sync.Mutex // one writer, as SQLite has
	db     *sql.DB
	writes [4]*sql.Stmt
	search *sql.Stmt
}

// Pragmas are those of ebb: a commit is on disk when it returns, and removed data
// leaves no copy.
var Pragmas = []string{"journal_mode=wal", "synchronous=full", "secure_delete=on", "foreign_keys=on", "temp_store=memory", "cache_size=-16384"}

const tables = `
CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL, id TEXT, topic TEXT NOT NULL, session TEXT NOT NULL,
  payload TEXT NOT NULL, occurred_at INTEGER NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS events_by_id ON events (user_id, id);
CREATE TABLE IF NOT EXISTS memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL UNIQUE, user_id INTEGER NOT NULL, event_seq INTEGER,
  session TEXT NOT NULL, role TEXT NOT NULL, speaker TEXT NOT NULL, content TEXT NOT NULL, event_time INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS memories_by_time ON memories (user_id, event_time, id);
CREATE INDEX IF NOT EXISTS memories_by_session ON memories (user_id, session, event_time, id);
CREATE TABLE IF NOT EXISTS chunks (id INTEGER PRIMARY KEY, memory_id INTEGER NOT NULL, text TEXT NOT NULL, speaker TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_by_memory ON chunks (memory_id);
CREATE VIRTUAL TABLE IF NOT EXISTS chunks_fts USING fts5 (text, speaker, content='chunks', content_rowid='id', tokenize='porter unicode61');
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', 1);`

// Open creates the tables.
func (m *Memory) Open(ctx context.Context, dir string) (err error) {
	if m.db, err = sql.Open(m.Driver, m.DSN(filepath.Join(dir, "floor.db"))); err != nil {
		return err
	}
	m.db.SetMaxOpenConns(1)
	for _, p := range Pragmas {
		if _, err := m.db.ExecContext(ctx, "PRAGMA "+p); err != nil {
			return err
		}
	}
	if _, err := m.db.ExecContext(ctx, tables); err != nil {
		return err
	}
	for i, q := range []string{
		"INSERT INTO events (user_id, id, topic, session, payload, occurred_at) VALUES (?, ?, 'user.message', ?, ?, ?)",
		"INSERT INTO memories (uid, user_id, event_seq, session, role, speaker, content, event_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		"INSERT INTO chunks (id, memory_id, text, speaker) VALUES (?, ?, ?, ?)",
		"INSERT INTO chunks_fts (rowid, text, speaker) VALUES (?, ?, ?)",
	} {
		if m.writes[i], err = m.db.PrepareContext(ctx, q); err != nil {
			return err
		}
	}
	m.search, err = m.db.PrepareContext(ctx, `SELECT c.memory_id FROM chunks_fts f JOIN chunks c ON c.id = f.rowid
		WHERE chunks_fts MATCH ? AND f.rowid BETWEEN ? AND ? ORDER BY bm25(chunks_fts) LIMIT 10`)
	return err
}

// Load stores turns in one transaction.
func (m *Memory) Load(ctx context.Context, turns []workload.Turn) error { return m.store(ctx, turns) }

// Insert stores one turn in a transaction of its own.
func (m *Memory) Insert(ctx context.Context, t workload.Turn) error {
	return m.store(ctx, []workload.Turn{t})
}

func (m *Memory) store(ctx context.Context, turns []workload.Turn) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, t := range turns {
		if err := m.write(ctx, tx, t); err != nil {
			_ = tx.Rollback()
			return err
		}
	}
	return tx.Commit()
}

func (m *Memory) write(ctx context.Context, tx *sql.Tx, t workload.Turn) error {
	user, at := number(t.User), t.Time.UnixMilli()
	payload := fmt.Sprintf("{%q:%q,%q:%q,%q:%q}", "text", t.Text, "speaker", t.Speaker, "role", t.Role)
	res, err := tx.StmtContext(ctx, m.writes[0]).ExecContext(ctx, user, t.ID, t.Session, payload, at)
	if err != nil {
		return err
	}
	seq, err := res.LastInsertId()
	if err != nil {
		return err
	}
	uid, err := uuid.NewV7()
	if err != nil {
		return err
	}
	if res, err = tx.StmtContext(ctx, m.writes[1]).ExecContext(ctx, uid.String(), user, seq, t.Session, t.Role, t.Speaker, t.Text, at); err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	chunk := user<<32 | id
	if _, err := tx.StmtContext(ctx, m.writes[2]).ExecContext(ctx, chunk, id, t.Text, t.Speaker); err != nil {
		return err
	}
	_, err = tx.StmtContext(ctx, m.writes[3]).ExecContext(ctx, chunk, t.Text, t.Speaker)
	return err
}

// number returns the user's number, which is part of the name.
func number(user string) int64 {
	var n int64
	if _, err := fmt.Sscanf(user, "user-%d", &n); err != nil {
		panic(err)
	}
	return n + 1
}

// Search returns FTS5's ten best of one user, by the content words of the question.
func (m *Memory) Search(ctx context.Context, user, query string) (found peer.Found, err error) {
	match := Match(query)
	if match == "" {
		return found, nil
	}
	n := number(user)
	rows, err := m.search.QueryContext(ctx, match, n<<32, (n+1)<<32-1)
	if err != nil {
		return found, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return found, err
		}
		found.Results++
	}
	return found, rows.Err()
}

// Close closes the file.
func (m *Memory) Close(context.Context) error { return m.db.Close() }

// Match returns the FTS5 query of a question: its words, quoted, without common
// ones.
func Match(query string) string {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var quoted []string
	for _, w := range words {
		if !common[w] {
			quoted = append(quoted, `"`+w+`"`)
		}
	}
	return strings.Join(quoted, " OR ")
}

// common are the English stop-words of Snowball's list.
var common = func() map[string]bool {
	list := make(map[string]bool)
	for _, w := range strings.Fields(`i me my myself we our ours ourselves you your yours yourself yourselves he him his
		himself she her hers herself it its itself they them their theirs themselves what which who whom this that these
		those am is are was were be been being have has had having do does did doing would should could ought a an the and
		but if or because as until while of at by for with about against between into through during before after above
		below to from up down in out on off over under again further then once here there when where why how all any both
		each few more most other some such no nor not only own same so than too very can will just don s t`) {
		list[w] = true
	}
	return list
}()
