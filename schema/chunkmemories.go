package schema

import (
	"fmt"
	"slices"

	"github.com/ebbmem/ebb/internal/engine"
)

// chunkMemories reads the memories of a sequence of chunks with a cursor of its own.
// The memory of a chunk is mostly that of the chunk before or the next one; stepping
// there costs SQLite a third of a lookup in a join.
type chunkMemories struct {
	rows *engine.Rows
	done func()
	at   bool  // whether the cursor is at a memory
	id   int64 // of that memory
	last IndexedChunk
}

func readChunkMemories(p *engine.Statements) (*chunkMemories, error) {
	rows, done, err := p.Rows(`SELECT id, content, coalesce(session_id, 0), event_time, kind, state, role, attributes
		FROM memories WHERE id >= ? ORDER BY id`)
	return &chunkMemories{rows: rows, done: done}, err
}

// of fills in the fields of c that come from its memory. found is false if there is
// no such memory.
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

// knownMemory returns [ErrCorrupt] for an unknown kind or state.
func knownMemory(id int64, kind Kind, state State) error {
	if !slices.Contains(Kinds, kind) || !slices.Contains(States, state) {
		return fmt.Errorf("%w: memory %d has an unknown kind or state", ErrCorrupt, id)
	}
	return nil
}

// again returns raw as a string, without allocating if it equals before, the value of
// the previous row, as in most rows.
func again(raw []byte, before string) string {
	if string(raw) != before {
		return string(raw)
	}
	return before
}
