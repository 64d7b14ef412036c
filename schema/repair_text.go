package schema

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
)

// MisplacedText counts the pieces of text that stand before one of an older
// memory: whoever searches relies on their order.
const MisplacedText = `SELECT count(*) FROM (
	SELECT memory_id < lag(memory_id) OVER (PARTITION BY id >> 32 ORDER BY id) AS misplaced FROM chunks) WHERE misplaced`

// repairBatch is how many memories' texts are prepared in one write.
const repairBatch = 5000

// repairChunks makes text anew that is missing or filed under another user.
func repairChunks(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	const made = "made anew from what the memories say"
	var users []int64
	if err := tx.NewRaw(`SELECT DISTINCT user FROM (
		SELECT id >> 32 AS user, memory_id < lag(memory_id) OVER (PARTITION BY id >> 32 ORDER BY id) AS misplaced FROM chunks) WHERE misplaced`).Scan(ctx, &users); err != nil {
		return 0, "", err
	}
	if len(users) > 0 {
		changed, err = tx.rewriteText(ctx, users[0])
		return changed, made, err
	}
	memories, err := tx.texts(ctx, `NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id)
		OR EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id AND c.id >> 32 <> m.user_id) ORDER BY m.id LIMIT ?`, repairBatch)
	if err != nil {
		return 0, "", err
	}
	for _, m := range memories {
		if _, err := tx.changes(ctx, "DELETE FROM chunks WHERE memory_id = ?", m.ID); err != nil {
			return 0, "", err
		}
	}
	for _, m := range memories {
		fits, err := tx.fitText(ctx, &m)
		if err != nil {
			return 0, "", err
		}
		if !fits {
			n, err := tx.rewriteText(ctx, m.UserID)
			return changed + n, made, err
		}
		changed++
	}
	return changed, made, nil
}

func (tx *Tx) texts(ctx context.Context, where string, args ...any) (memories []Memory, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT m.id, m.user_id, m.content, m.speaker, m.tags FROM memories m WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var m Memory
		var tags string
		if err := rows.Scan(&m.ID, &m.UserID, &m.Content, &m.Speaker, &tags); err != nil {
			return nil, err
		}
		if json.Unmarshal([]byte(tags), &m.Tags) != nil {
			m.Tags = nil // the text is worth more
		}
		memories = append(memories, m)
	}
	return memories, rows.Err()
}

// fitText puts a memory's text between that of the memories around it, and
// reports whether there was room: the ids must be in the order of memories.
func (tx *Tx) fitText(ctx context.Context, m *Memory) (fits bool, err error) {
	first, last := chunkRange(m.UserID)
	before, after := first, sql.NullInt64{}
	err = tx.Row(ctx, `SELECT coalesce((SELECT max(id) FROM chunks WHERE id BETWEEN ?1 AND ?2 AND memory_id < ?3), ?1),
		(SELECT min(id) FROM chunks WHERE id BETWEEN ?1 AND ?2 AND memory_id > ?3)`, []any{first, last, m.ID}, &before, &after)
	if err != nil {
		return false, err
	}
	chunks := PrepareChunks(m.Content, m.Speaker, m.Tags...)
	if !after.Valid {
		var floor int64
		if err := tx.Row(ctx, "SELECT chunk_floor FROM users WHERE id = ?", []any{m.UserID}, &floor); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return false, err
		}
		before = max(before, floor)
	} else if before+int64(len(chunks)) >= after.Int64 {
		return false, nil
	}
	return true, tx.putText(ctx, m.ID, before, chunks)
}

func (tx *Tx) putText(ctx context.Context, memoryID, after int64, chunks []Chunk) error {
	tx.lastChunk = nil
	for i, c := range chunks {
		if _, err := tx.Exec(ctx, "INSERT INTO chunks (id, memory_id, text, speaker) VALUES (?, ?, ?, ?)", after+1+int64(i), memoryID, c.Text, c.Speaker); err != nil {
			return err
		}
	}
	return nil
}

// rewriteText makes all text of a user anew, in order. Its vectors go with it.
func (tx *Tx) rewriteText(ctx context.Context, userID int64) (changed int64, err error) {
	first, last := chunkRange(userID)
	if _, err := tx.changes(ctx, "DELETE FROM chunks WHERE id BETWEEN ? AND ? OR memory_id IN (SELECT id FROM memories WHERE user_id = ?)", first, last, userID); err != nil {
		return 0, err
	}
	memories, err := tx.texts(ctx, "m.user_id = ? ORDER BY m.id", userID)
	if err != nil {
		return 0, err
	}
	at := first
	for _, m := range memories {
		chunks := PrepareChunks(m.Content, m.Speaker, m.Tags...)
		if err := tx.putText(ctx, m.ID, at, chunks); err != nil {
			return 0, err
		}
		at += int64(len(chunks))
	}
	return int64(len(memories)), nil
}

// repairTextIndex makes the text index anew when it disagrees with the text.
func repairTextIndex(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	const compare = "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)"
	if err := tx.db.index(); err != nil {
		return 0, "", err
	}
	if _, err := tx.changes(ctx, compare); err == nil {
		return 0, "", nil
	}
	if err := rebuildText(ctx, tx); err != nil {
		return 0, "", err
	}
	if _, err := tx.changes(ctx, compare); err != nil {
		return 0, "", err
	}
	err = tx.NewRaw("SELECT count(*) FROM chunks").Scan(ctx, &changed)
	return max(changed, 1), "made anew", err
}
