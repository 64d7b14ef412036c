package schema

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/sqlite"
	"github.com/ebbmem/ebb/internal/text"
)

// Chunk is a piece of a memory's text in the form of the search indexes: prepared
// terms, separated by single spaces.
type Chunk struct {
	Text    string
	Speaker string
}

// PrepareChunks splits content into pieces of about 900 characters and prepares them
// for search. The words of the tags are appended to the first piece. It is pure; call
// it before the transaction.
func PrepareChunks(content, speaker string, tags ...string) []Chunk {
	name := text.Prepare(speaker)
	pieces := text.Chunks(content, 0)
	chunks := make([]Chunk, 0, len(pieces))
	for _, piece := range pieces {
		chunks = append(chunks, Chunk{Text: text.Prepare(piece), Speaker: name})
	}
	if labels := text.Prepare(strings.Join(tags, " ")); labels != "" && len(chunks) > 0 {
		chunks[0].Text = strings.TrimLeft(chunks[0].Text+" "+labels, " ")
	}
	return chunks
}

// The upper bits of a chunk's id are its user's, so one user's chunks are one range of
// ids.
const ChunkBits = 32

// ChunkRange returns the lowest and the highest id of a user's chunks.
func ChunkRange(userID int64) (first, last int64) {
	return userID << ChunkBits, (userID+1)<<ChunkBits - 1
}

// insertChunks stores the chunks of memories whose ids are set.
func (tx *Tx) insertChunks(ctx context.Context, memories []NewMemory) error {
	var values []any
	var unindexed []unindexedChunk
	for _, m := range memories {
		for _, c := range m.Chunks {
			id, stored, err := tx.nextChunk(ctx, m, c)
			if err != nil {
				return err
			}
			tx.lastChunk[m.UserID] = id
			unindexed = append(unindexed, unindexedChunk{id, c})
			if !stored {
				values = append(values, id, m.ID, c.Text, c.Speaker)
			}
		}
	}
	if err := tx.insert(ctx, insertChunks, values, nil); err != nil || tx.file == nil {
		return err
	}
	tx.db.unindexed = append(tx.db.unindexed, unindexed...)
	return nil
}

// nextChunk returns the id for the user's next chunk. The first of a write is stored
// at once, since the database assigns its id; on a server all are.
func (tx *Tx) nextChunk(ctx context.Context, m NewMemory, c Chunk) (id int64, stored bool, err error) {
	if before, known := tx.lastChunk[m.UserID]; known && tx.file != nil {
		return before + 1, false, nil
	}
	if tx.lastChunk == nil {
		tx.lastChunk = make(map[int64]int64)
	}
	first, last := ChunkRange(m.UserID)
	if tx.file == nil {
		return 0, true, tx.Later(ctx, insertNextChunk, first, last, m.UserID, m.ID, c.Text, c.Speaker)
	}
	id, err = tx.Insert(ctx, insertNextChunk, first, last, m.UserID, m.ID, c.Text, c.Speaker)
	return id, true, err
}

const insertNextChunk = `INSERT INTO chunks (id, memory_id, text, speaker)
	VALUES (1 + max(coalesce((SELECT max(id) FROM chunks WHERE id BETWEEN ?1 AND ?2), ?1),
		coalesce((SELECT chunk_floor FROM users WHERE id = ?3 AND chunk_floor BETWEEN ?1 AND ?2), 0)), ?4, ?5, ?6)`

var insertChunks = newInsertion("chunks", "id", "memory_id", "text", "speaker")

// unindexedChunk is a chunk that is added to the full-text index at the end of its
// transaction.
type unindexedChunk struct {
	id int64
	Chunk
}

// index adds the chunks of a transaction to the full-text index in ascending order of
// ids. On a smaller id than the last, as between users, FTS5 flushes its pending terms.
func (db *DB) index(tx *sqlite.Tx) error {
	slices.SortFunc(db.unindexed, func(a, b unindexedChunk) int { return cmp.Compare(a.id, b.id) })
	for _, c := range db.unindexed {
		if err := tx.Do("INSERT INTO chunks_fts (rowid, text, speaker) VALUES (?, ?, ?)", c.id, c.Text, c.Speaker); err != nil {
			return err
		}
	}
	if len(db.unindexed) > 0 {
		tx.TextAdded()
	}
	db.unindexed = db.unindexed[:0]
	return nil
}

// IndexText adds the chunks that this transaction has stored so far to the full-text
// index, so that the transaction can search and delete them.
func (tx *Tx) IndexText() error {
	if tx.file == nil {
		return nil
	}
	return tx.db.index(tx.file)
}

// RemoveChunks deletes a memory's chunks and their entries in the full-text index.
// Their ids are not used again.
func (tx *Tx) RemoveChunks(ctx context.Context, userID, memoryID int64) error {
	tx.lastChunk = nil
	if err := tx.IndexText(); err != nil { // FTS5 can only delete what it contains
		return err
	}
	if tx.file != nil {
		if _, err := tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rowid, text, speaker) SELECT 'delete', id, text, speaker FROM chunks WHERE memory_id = ?", memoryID); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		"UPDATE users SET chunk_floor = max(chunk_floor, coalesce((SELECT max(id) FROM chunks WHERE memory_id = ?2), 0)) WHERE id = ?1",
		"DELETE FROM chunks WHERE memory_id = ?2 AND ?1 = ?1",
	} {
		if _, err := tx.Exec(ctx, statement, userID, memoryID); err != nil {
			return err
		}
	}
	return nil
}

// IndexedChunk is a chunk with the columns of its memory that an index keeps.
type IndexedChunk struct {
	ID        int64
	MemoryID  int64
	Text      []byte
	Content   []byte // the memory's, verbatim
	Speaker   string
	SessionID int64
	EventTime int64 // Unix milliseconds
	Kind      Kind
	State     State
	Role      string
	Issue     string // the first of [AttrIssues]; "" for none
}

// TextWatermark returns the ids of the user's last chunk and last audited change, 0
// for none. An index compares them with what it has read.
func (s *Snapshot) TextWatermark(ctx context.Context, userID int64) (lastChunk, lastOp int64, err error) {
	if w := s.textEnds; w != nil && w.user == userID {
		return w.chunk, w.op, nil
	}
	first, last := ChunkRange(userID)
	err = s.Rows(ctx, `SELECT coalesce((SELECT max(id) FROM chunks WHERE id BETWEEN ? AND ?), 0),
		coalesce((SELECT max(id) FROM ops WHERE user_id = ?), 0)`, func(rows *engine.Rows) error {
		if err := rows.Start(first, last, userID); err != nil {
			return err
		}
		if rows.Next() {
			lastChunk, lastOp = rows.Int64(0), rows.Int64(1)
		}
		return rows.Err()
	})
	return lastChunk, lastOp, err
}

// ChunksUpTo returns the number of a user's chunks up to an id, counting removed ones:
// ids are consecutive.
func ChunksUpTo(userID, id int64) int {
	first, _ := ChunkRange(userID)
	return int(max(0, id-first))
}

// ChunksAfter calls visit for each of the user's chunks with an id greater than after,
// in order of id. Text and Content are valid until visit returns. visit must not read
// from s.
func (s *Snapshot) ChunksAfter(ctx context.Context, userID, after int64, visit func(IndexedChunk)) error {
	first, last := ChunkRange(userID)
	if s.file == nil {
		return s.joinedChunks(ctx, max(first, after+1), last, visit)
	}
	return s.Statements(ctx, func(p *engine.Statements) error {
		rows, done, err := p.Rows(`SELECT c.id, c.memory_id, c.text, c.speaker FROM chunks c
			WHERE c.id BETWEEN ? AND ? ORDER BY c.id`)
		if err != nil {
			return err
		}
		defer done()
		if err := rows.Start(max(first, after+1), last); err != nil {
			return err
		}
		memories, err := readChunkMemories(p)
		if err != nil {
			return err
		}
		defer memories.done()
		var chunk IndexedChunk
		for rows.Next() {
			chunk.ID, chunk.MemoryID = rows.Int64(0), rows.Int64(1)
			found, err := memories.of(&chunk)
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			chunk.Text, chunk.Speaker = rows.RawText(2), again(rows.RawText(3), chunk.Speaker)
			visit(chunk)
		}
		return rows.Err()
	})
}

// joinedChunks is [Snapshot.ChunksAfter] in one query, for a server.
func (s *Snapshot) joinedChunks(ctx context.Context, first, last int64, visit func(IndexedChunk)) error {
	return s.Rows(ctx, `SELECT c.id, c.memory_id, c.text, c.speaker, m.content, coalesce(m.session_id, 0), m.event_time, m.kind, m.state, m.role, m.attributes
		FROM chunks c JOIN memories m ON m.id = c.memory_id WHERE c.id >= ? AND c.id <= ? ORDER BY c.id`, func(rows *engine.Rows) error {
		rows.Many()
		if err := rows.Start(first, last); err != nil {
			return err
		}
		var c IndexedChunk
		for rows.Next() {
			c = IndexedChunk{
				ID: rows.Int64(0), MemoryID: rows.Int64(1), Text: rows.RawText(2), Speaker: again(rows.RawText(3), c.Speaker), Content: rows.RawText(4),
				SessionID: rows.Int64(5), EventTime: rows.Int64(6),
				Kind: Kind(again(rows.RawText(7), string(c.Kind))), State: State(again(rows.RawText(8), string(c.State))), Role: again(rows.RawText(9), c.Role),
				Issue: firstIssue(rows.RawText(10)),
			}
			if err := knownMemory(c.MemoryID, c.Kind, c.State); err != nil {
				return err
			}
			visit(c)
		}
		return rows.Err()
	})
}

// firstIssue returns the first issue in stored attributes, or "" if there is none or
// the attributes cannot be parsed.
func firstIssue(attributes []byte) string {
	if !bytes.Contains(attributes, []byte(`"`+AttrIssues+`"`)) {
		return "" // as most
	}
	var all Attributes
	if json.Unmarshal(attributes, &all) != nil {
		return ""
	}
	first, _, _ := strings.Cut(all[AttrIssues], ",")
	return first
}

// ChangedMemories returns the current states, by row id, of the user's memories with an
// audited change after an op.
func (s *Snapshot) ChangedMemories(ctx context.Context, userID, afterOp int64) (map[int64]State, error) {
	changed := make(map[int64]State)
	var id int64
	var state State
	err := Each(ctx, s.Query, []any{&id, &state}, func() error {
		changed[id] = state
		return knownMemory(id, KindEpisode, state)
	}, `SELECT DISTINCT o.record_id, coalesce(m.state, 'retired')
		FROM ops o LEFT JOIN memories m ON m.id = o.record_id
		WHERE o.user_id = ? AND o.id > ? AND o.record = 'memories'`, userID, afterOp)
	return changed, err
}

// KeyedTurns calls visit with each pair of a claim, a fact or preference given by row
// id, and a message that it rests on, in order of claim and message. Of each claim the
// newest [maxKeyed] messages count. Messages with more trust than the claim are left
// out: a claim from the web must not raise the rank of what the user said.
func (s *Snapshot) KeyedTurns(ctx context.Context, userID int64, claims []int64, visit func(claim, turn int64)) error {
	for batch := range slices.Chunk(claims, 500) {
		if err := s.keyedTurns(ctx, userID, batch, visit); err != nil {
			return err
		}
	}
	return nil
}

// maxKeyed limits the messages of one claim: a claim of many messages does not
// distinguish between them.
const maxKeyed = 8

func (s *Snapshot) keyedTurns(ctx context.Context, userID int64, claims []int64, visit func(claim, turn int64)) error {
	var claim, turn, of int64
	var newest []int64 // messages of one claim, the newest first
	hand := func() {
		for _, turn := range slices.Backward(newest) {
			visit(of, turn)
		}
		newest = newest[:0]
	}
	err := Each(ctx, s.Query, []any{&claim, &turn}, func() error {
		if claim != of {
			hand()
			of = claim
		}
		if len(newest) < maxKeyed {
			newest = append(newest, turn)
		}
		return nil
	}, turnsOfClaims, JSONList(claims), userID, string(KindFact), string(KindPreference), string(KindEpisode))
	hand()
	return err
}

// turnsOfClaims forces the join order from claims to messages: the other order reads
// all of the user's memories for one new fact. Numbering the messages of a claim in SQL
// takes three times as long.
const turnsOfClaims = `SELECT ms.memory_id, ms.source_id
	FROM json_each(?) j CROSS JOIN memory_sources ms ON ms.memory_id = CAST(j.value AS BIGINT)
		CROSS JOIN memories c ON c.id = ms.memory_id CROSS JOIN memories t ON t.id = ms.source_id
	WHERE +c.user_id = ? AND +t.user_id = c.user_id AND +c.kind IN (?, ?) AND +t.kind = ? AND t.trust <= c.trust
	ORDER BY ms.memory_id, ms.source_id DESC`

// RemovedSince reports whether a row of the user's memories was deleted after an op.
func (s *Snapshot) RemovedSince(ctx context.Context, userID, afterOp int64) (removed bool, err error) {
	err = s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM ops WHERE user_id = ? AND id > ? AND operation IN (?, ?))", []any{userID, afterOp, OpRemove, OpErase}, &removed)
	return removed, err
}

// RewriteText rebuilds all chunks of a user in the order of the memories. The vectors of
// the old chunks are deleted.
func (tx *Tx) RewriteText(ctx context.Context, userID int64) (changed int64, err error) {
	first, last := ChunkRange(userID)
	if _, err := tx.Exec(ctx, "DELETE FROM chunks WHERE id BETWEEN ? AND ? OR memory_id IN (SELECT id FROM memories WHERE user_id = ?)", first, last, userID); err != nil {
		return 0, err
	}
	memories, err := tx.textsOf(ctx, userID)
	if err != nil {
		return 0, err
	}
	tx.lastChunk = nil
	id := first
	for _, m := range memories {
		for _, c := range PrepareChunks(m.Content, m.Speaker, m.Tags...) {
			id++
			if _, err := tx.Exec(ctx, "INSERT INTO chunks (id, memory_id, text, speaker) VALUES (?, ?, ?, ?)", id, m.ID, c.Text, c.Speaker); err != nil {
				return 0, err
			}
		}
	}
	return int64(len(memories)), nil
}

func (tx *Tx) textsOf(ctx context.Context, userID int64) (memories []Memory, err error) {
	var m Memory
	var tags string
	err = Each(ctx, tx.QueryContext, []any{&m.ID, &m.Content, &m.Speaker, &tags}, func() error {
		m.Tags = nil
		if json.Unmarshal([]byte(tags), &m.Tags) != nil {
			m.Tags = nil // damaged tags do not prevent the repair of the text
		}
		memories = append(memories, m)
		return nil
	}, "SELECT id, content, speaker, tags FROM memories WHERE user_id = ? ORDER BY id", userID)
	return memories, err
}

// RebuildTextIndex makes the full-text index of a file again.
func (tx *Tx) RebuildTextIndex(ctx context.Context) error {
	tx.db.unindexed = nil // the rebuild includes them
	_, err := tx.ExecContext(ctx, "INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')")
	return err
}
