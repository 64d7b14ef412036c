package schema

import (
	"context"
	"math"
	"strings"
)

// Integrity is the result of a check of the rows: whether the search tables match the
// memories. It does not read the text index itself, as `ebb doctor` does.
type Integrity struct {
	CheckedAt Time `json:"checked_at,omitzero"`
	// Unfindable counts memories with missing text or missing index entries.
	Unfindable int64 `json:"unfindable,omitempty"`
	// Miscounted counts entities with a wrong mention_count.
	Miscounted int64 `json:"miscounted,omitempty"`
}

// Whole reports whether the check found nothing.
func (i Integrity) Whole() bool { return i.Unfindable == 0 && i.Miscounted == 0 }

// Integrity checks the rows of one user, or of all with userID 0. It reads an index entry
// for each memory, chunk and mention.
func (s *Snapshot) Integrity(ctx context.Context, userID int64) (Integrity, error) {
	found := Integrity{CheckedAt: At(s.db.Now())}
	of := "user_id = ?1"
	first, last := ChunkRange(userID)
	if userID == 0 {
		of, last = "user_id > ?1", math.MaxInt64
	}
	var unindexed int64
	inIndex := "(SELECT count(*) FROM users WHERE ?2 > ?3 AND false)" // a server has none
	if s.file != nil {
		inIndex = `(SELECT count(DISTINCT c.memory_id) FROM chunks c INDEXED BY chunks_by_memory
			LEFT JOIN chunks_fts_docsize d ON d.id = c.id WHERE c.id BETWEEN ?2 AND ?3 AND d.id IS NULL)`
	}
	err := s.Row(ctx, `SELECT (SELECT count(*) FROM memories m WHERE m.`+of+` AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id)),
		`+inIndex+`,
		(SELECT count(*) FROM (`+miscountedEntities(of)+`) AS miscounted)`, []any{userID, first, last}, &found.Unfindable, &unindexed, &found.Miscounted)
	found.Unfindable += unindexed
	return found, err
}

// MiscountedEntities is SQL that selects the id and the correct count of each entity
// with a mention_count that is not the number of mentions of it and of the entities
// merged into it.
var MiscountedEntities = miscountedEntities("user_id > 0")

// miscountedEntities is [MiscountedEntities] for users that meet an SQL condition.
func miscountedEntities(of string) string {
	return strings.ReplaceAll(`WITH RECURSIVE whole (part, id) AS (
		SELECT id, id FROM entities WHERE OF
		UNION SELECT whole.part, e.merged_into FROM whole JOIN entities e ON e.id = whole.id WHERE e.merged_into IS NOT NULL),
	mentions (id, n) AS (
		SELECT whole.id, count(*) FROM whole JOIN memory_entities me ON me.entity_id = whole.part GROUP BY whole.id)
	SELECT e.id, coalesce(mentions.n, 0) AS n FROM entities e LEFT JOIN mentions ON mentions.id = e.id
		WHERE e.OF AND e.mention_count <> coalesce(mentions.n, 0)`, "OF", of)
}
