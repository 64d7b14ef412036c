package schema

import (
	"fmt"
	"slices"

	"github.com/ebbmem/ebb/internal/sqlite"
)

// chunkMemories finds the memories of chunks beside these, in a statement of its
// own. A chunk's memory is mostly the next one or the same again: going on to it
// takes SQLite a third of what looking each up in a join does. Only memories that
// are asked for are read, whoever's lie in between.
type chunkMemories struct {
	rows *sqlite.Rows
	done func()
	at   bool  // it stands at a memory
	id   int64 // of that memory
	last IndexedChunk
}

func readChunkMemories(p *sqlite.Statements) (*chunkMemories, error) {
	rows, done, err := p.Rows(`SELECT id, content, coalesce(session_id, 0), event_time, kind, state, role, attributes
		FROM memories WHERE id >= ? ORDER BY id`)
	return &chunkMemories{rows: rows, done: done}, err
}

// of fills in what c says of its memory. It reports false where there is none.
func (m *chunkMemories) of(c *IndexedChunk) (found bool, err error) {
	if !m.at || c.MemoryID != m.id {
		if err := m.goTo(c.MemoryID); err != nil || !m.at {
			return false, err
		}
	}
	c.Content = m.rows.RawText(1)
	c.SessionID, c.EventTime, c.Kind, c.State, c.Role, c.Issue = m.last.SessionID, m.last.EventTime, m.last.Kind, m.last.State, m.last.Role, m.last.Issue
	return true, nil
}

func (m *chunkMemories) goTo(id int64) error {
	if !m.at || id != m.id+1 {
		if err := m.rows.Start(id); err != nil {
			return err
		}
	}
	m.at = false
	if !m.rows.Next() {
		return m.rows.Err()
	}
	if m.rows.Int64(0) != id {
		return nil // a chunk without a memory
	}
	m.at, m.id = true, id
	m.last = IndexedChunk{
		SessionID: m.rows.Int64(2), EventTime: m.rows.Int64(3),
		Kind: Kind(again(m.rows.RawText(4), string(m.last.Kind))), State: State(again(m.rows.RawText(5), string(m.last.State))), Role: again(m.rows.RawText(6), m.last.Role),
		Issue: firstIssue(m.rows.RawText(7)),
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

// again returns the text of a column: that of the row before where it is the
// same, as it is in most rows.
func again(raw []byte, before string) string {
	if string(raw) != before {
		return string(raw)
	}
	return before
}
