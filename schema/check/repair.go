package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
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
	Run func(ctx context.Context, tx *schema.Tx) (changed int64, detail string, err error)
	// Repeat means that Run does a part of the work and must be called until it
	// changes nothing.
	Repeat bool
}

// RepairSteps returns the repairs in the order in which they must run: later ones use the
// indexes that the first rebuilds. The first fails with [schema.ErrCorrupt] if pages with rows
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
func repairIndexes(ctx context.Context, tx *schema.Tx) (int64, string, error) {
	before, err := Pages(ctx, tx)
	if err != nil || len(before) == 0 {
		return 0, "", err
	}
	if err := tx.RebuildTextIndex(ctx); err != nil {
		return 0, "", err
	}
	if _, err := tx.ExecContext(ctx, "REINDEX"); err != nil {
		return 0, "", err
	}
	after, err := Pages(ctx, tx)
	if err != nil {
		return 0, "", err
	}
	if len(after) > 0 {
		return 0, "", fmt.Errorf("%w: pages that hold rows: %s", schema.ErrCorrupt, strings.Join(after, "; "))
	}
	return int64(len(before)), "made anew, for: " + strings.Join(before, "; "), nil
}

// repairVectors deletes vectors that are not unit vectors of their generation's size, or
// that are stored under another user.
func repairVectors(ctx context.Context, tx *schema.Tx) (changed int64, detail string, err error) {
	bad, err := vecstore.BadVectors(ctx, tx)
	if err != nil {
		return 0, "", err
	}
	for _, id := range bad {
		n, err := engine.Affected(tx.ExecContext(ctx, "DELETE FROM vectors WHERE id = ?", id))
		if err != nil {
			return 0, "", err
		}
		changed += n
	}
	return changed, "removed; they are made again in the background, with an embedder", nil
}

func recountMentions(ctx context.Context, tx *schema.Tx) (changed int64, detail string, err error) {
	changed, err = engine.Affected(tx.ExecContext(ctx, "UPDATE entities SET mention_count = found.n FROM ("+schema.MiscountedEntities+") AS found WHERE found.id = entities.id"))
	return changed, "mentions counted again", err
}

// MisplacedText is SQL that counts chunks out of order: a user's chunks must be in the
// order of their memories.
const MisplacedText = "SELECT count(*) FROM (" + misplacedText + ") AS text WHERE misplaced"

const misplacedText = `SELECT id >> 32 AS user, memory_id < lag(memory_id) OVER (PARTITION BY id >> 32 ORDER BY id) AS misplaced FROM chunks`

// repairText rebuilds all chunks of one user that has a memory without chunks, chunks
// stored under another user, or chunks out of order.
func repairText(ctx context.Context, tx *schema.Tx) (changed int64, detail string, err error) {
	var users []int64
	err = tx.NewRaw(`SELECT user FROM (`+misplacedText+`) WHERE misplaced
		UNION SELECT m.user_id FROM memories m WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id)
			OR EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id AND c.id >> 32 <> m.user_id) LIMIT 1`).Scan(ctx, &users)
	if err != nil || len(users) == 0 {
		return 0, "", err
	}
	changed, err = tx.RewriteText(ctx, users[0])
	return changed, "prepared anew from what the memories say", err
}

// repairTextIndex rebuilds the text index if it does not match the chunks.
func repairTextIndex(ctx context.Context, tx *schema.Tx) (changed int64, detail string, err error) {
	const compare = "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)"
	if err := tx.IndexText(); err != nil {
		return 0, "", err
	}
	if _, err := tx.ExecContext(ctx, compare); err == nil {
		return 0, "", nil
	}
	if err := tx.RebuildTextIndex(ctx); err != nil {
		return 0, "", err
	}
	if _, err := tx.ExecContext(ctx, compare); err != nil {
		return 0, "", err
	}
	err = tx.NewRaw("SELECT count(*) FROM chunks").Scan(ctx, &changed)
	return max(changed, 1), "made anew", err
}
