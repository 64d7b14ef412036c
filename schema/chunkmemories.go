package schema

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ncruces/go-sqlite3"
)

// chunkMemories finds the memories of chunks beside these, in a statement of its
// own. A chunk's memory is mostly the next one or the same again: going on to it
// takes SQLite a third of what looking each up in a join does. Only memories that
// are asked for are read, whoever's lie in between.
type chunkMemories struct {
	stmt *sqlite3.Stmt
	done func()
	at   bool  // it stands at a memory
	id   int64 // of that memory
	last IndexedChunk
}

func readChunkMemories(c *guardedConn) (*chunkMemories, error) {
	stmt, done, err := c.statement(`SELECT id, content, coalesce(session_id, 0), event_time, kind, state, role, attributes
		FROM memories WHERE id >= ? ORDER BY id`)
	return &chunkMemories{stmt: stmt, done: done}, err
}

// of fills in what c says of its memory. It reports false where there is none.
func (m *chunkMemories) of(c *IndexedChunk) (found bool, err error) {
	if !m.at || c.MemoryID != m.id {
		if err := m.goTo(c.MemoryID); err != nil || !m.at {
			return false, err
		}
	}
	c.Content = m.stmt.ColumnRawText(1)
	c.SessionID, c.EventTime, c.Kind, c.State, c.Role, c.Issue = m.last.SessionID, m.last.EventTime, m.last.Kind, m.last.State, m.last.Role, m.last.Issue
	return true, nil
}

func (m *chunkMemories) goTo(id int64) error {
	if !m.at || id != m.id+1 {
		if err := errors.Join(m.stmt.Reset(), m.stmt.BindInt64(1, id)); err != nil {
			return err
		}
	}
	m.at = false
	if !m.stmt.Step() {
		return m.stmt.Err()
	}
	if m.stmt.ColumnInt64(0) != id {
		return nil // a chunk without a memory
	}
	m.at, m.id = true, id
	m.last = IndexedChunk{
		SessionID: m.stmt.ColumnInt64(2), EventTime: m.stmt.ColumnInt64(3),
		Kind: Kind(again(m.stmt, 4, string(m.last.Kind))), State: State(again(m.stmt, 5, string(m.last.State))), Role: again(m.stmt, 6, m.last.Role),
		Issue: firstIssue(m.stmt.ColumnRawText(7)),
	}
	return knownMemory(id, m.last.Kind, m.last.State)
}

// knownMemory checks the kind and state that a row of memories holds.
func knownMemory(id int64, kind Kind, state State) error {
	if !slices.Contains(Kinds, kind) || !slices.Contains(states, state) {
		return fmt.Errorf("%w: memory %d has an unknown kind or state", ErrCorrupt, id)
	}
	return nil
}

// again is the text of a column: that of the row before where it is the same, as
// it is in most rows.
func again(stmt *sqlite3.Stmt, column int, before string) string {
	if raw := stmt.ColumnRawText(column); string(raw) != before {
		return string(raw)
	}
	return before
}
