package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/sqlite"
)

// Repaired is the result of one repair.
type Repaired struct {
	Name    string `json:"name"`
	Changed int64  `json:"changed"` // rows
	Detail  string `json:"detail"`
}

// RepairStep rebuilds one kind of derived data in one write.
type RepairStep struct {
	Name string
	// Run returns the number of changed rows, 0 if nothing had to be done. An error
	// rolls the step back.
	Run func(ctx context.Context, tx *Tx) (changed int64, detail string, err error)
	// Repeat means that Run does a part of the work and must be called until it
	// changes nothing.
	Repeat bool
}

// RepairSteps returns the repairs in the order in which they must run: later ones use the
// indexes that the first rebuilds. The first fails with [ErrCorrupt] if pages with rows
// are damaged; only a backup can restore those.
func RepairSteps() []RepairStep {
	return []RepairStep{
		{Name: "indexes", Run: repairIndexes},
		{Name: "vectors", Run: repairVectors},
		{Name: "entities", Run: recountMentions},
		{Name: "text of memories", Run: repairText, Repeat: true},
		{Name: "text index", Run: repairTextIndex},
	}
}

// repairIndexes rebuilds all indexes, the text index too, when SQLite's check of
// the file reports a problem.
func repairIndexes(ctx context.Context, tx *Tx) (int64, string, error) {
	before, err := integrity(ctx, tx)
	if err != nil || len(before) == 0 {
		return 0, "", err
	}
	if err := rebuildTextIndex(ctx, tx); err != nil {
		return 0, "", err
	}
	if _, err := tx.ExecContext(ctx, "REINDEX"); err != nil {
		return 0, "", err
	}
	after, err := integrity(ctx, tx)
	if err != nil {
		return 0, "", err
	}
	if len(after) > 0 {
		return 0, "", fmt.Errorf("%w: pages that hold rows: %s", ErrCorrupt, strings.Join(after, "; "))
	}
	return int64(len(before)), "made anew, for: " + strings.Join(before, "; "), nil
}

func integrity(ctx context.Context, tx *Tx) ([]string, error) {
	problems, err := sqlite.Texts(ctx, tx, "PRAGMA integrity_check(20)")
	if slices.Equal(problems, []string{"ok"}) {
		problems = nil
	}
	return problems, err
}

// repairVectors deletes vectors that are not unit vectors of their generation's size, or
// that are stored under another user.
func repairVectors(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	bad, err := badVectors(ctx, tx)
	if err != nil {
		return 0, "", err
	}
	for _, id := range bad {
		n, err := tx.changes(ctx, "DELETE FROM vectors WHERE id = ?", id)
		if err != nil {
			return 0, "", err
		}
		changed += n
	}
	return changed, "removed; they are made again in the background, with an embedder", nil
}

func recountMentions(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	changed, err = tx.changes(ctx, "UPDATE entities SET mention_count = found.n FROM ("+MiscountedEntities+") AS found WHERE found.id = entities.id")
	return changed, "mentions counted again", err
}

// MisplacedText is SQL that counts chunks out of order: a user's chunks must be in the
// order of their memories.
const MisplacedText = "SELECT count(*) FROM (" + misplacedText + ") WHERE misplaced"

const misplacedText = `SELECT id >> 32 AS user, memory_id < lag(memory_id) OVER (PARTITION BY id >> 32 ORDER BY id) AS misplaced FROM chunks`

// repairText rebuilds all chunks of one user that has a memory without chunks, chunks
// stored under another user, or chunks out of order.
func repairText(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	var users []int64
	err = tx.NewRaw(`SELECT user FROM (`+misplacedText+`) WHERE misplaced
		UNION SELECT m.user_id FROM memories m WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id)
			OR EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id AND c.id >> 32 <> m.user_id) LIMIT 1`).Scan(ctx, &users)
	if err != nil || len(users) == 0 {
		return 0, "", err
	}
	changed, err = tx.rewriteText(ctx, users[0])
	return changed, "prepared anew from what the memories say", err
}

// rewriteText rebuilds all chunks of a user in the order of the memories. The vectors of
// the old chunks are deleted.
func (tx *Tx) rewriteText(ctx context.Context, userID int64) (changed int64, err error) {
	first, last := ChunkRange(userID)
	if _, err := tx.changes(ctx, "DELETE FROM chunks WHERE id BETWEEN ? AND ? OR memory_id IN (SELECT id FROM memories WHERE user_id = ?)", first, last, userID); err != nil {
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
	rows, err := tx.QueryContext(ctx, "SELECT id, content, speaker, tags FROM memories WHERE user_id = ? ORDER BY id", userID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var m Memory
		var tags string
		if err := rows.Scan(&m.ID, &m.Content, &m.Speaker, &tags); err != nil {
			return nil, err
		}
		if json.Unmarshal([]byte(tags), &m.Tags) != nil {
			m.Tags = nil // damaged tags do not prevent the repair of the text
		}
		memories = append(memories, m)
	}
	return memories, rows.Err()
}

// repairTextIndex rebuilds the text index if it does not match the chunks.
func repairTextIndex(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	const compare = "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)"
	if err := tx.IndexText(); err != nil {
		return 0, "", err
	}
	if _, err := tx.changes(ctx, compare); err == nil {
		return 0, "", nil
	}
	if err := rebuildTextIndex(ctx, tx); err != nil {
		return 0, "", err
	}
	if _, err := tx.changes(ctx, compare); err != nil {
		return 0, "", err
	}
	err = tx.NewRaw("SELECT count(*) FROM chunks").Scan(ctx, &changed)
	return max(changed, 1), "made anew", err
}

func rebuildTextIndex(ctx context.Context, tx *Tx) error {
	tx.db.unindexed = nil // the rebuild includes them
	_, err := tx.ExecContext(ctx, "INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')")
	return err
}

// changes runs a statement and counts the rows it changed.
func (tx *Tx) changes(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
