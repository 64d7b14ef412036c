package schema

import "context"

// MemoryIDs returns the first limit row ids of a user's memories above after.
func (s *Snapshot) MemoryIDs(ctx context.Context, userID, after int64, limit int) ([]int64, error) {
	// The plus keeps SQLite from sorting all of the user's memories for each page.
	return s.ids(ctx, "SELECT id FROM memories WHERE +user_id = ? AND id > ? ORDER BY id LIMIT ?", userID, after, limit)
}

// StreamIDs returns the first limit row ids above after of a user's stream: the entries
// of agents and the active reflections of nights.
func (s *Snapshot) StreamIDs(ctx context.Context, userID, after int64, limit int) ([]int64, error) {
	return s.ids(ctx, `SELECT id FROM memories WHERE +user_id = ? AND id > ? AND (kind = 'episode' AND json_extract(attributes, '$.type') IS NOT NULL
		OR kind = 'reflection' AND state = 'active') ORDER BY id LIMIT ?`, userID, after, limit)
}

// ids reads a query of one column of row ids.
func (s *Snapshot) ids(ctx context.Context, query string, args ...any) ([]int64, error) {
	rows, err := s.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// OpWithPublicIDs returns the SQL of a column of ops, aliased o, either before or after,
// with public ids in place of row ids.
func OpWithPublicIDs(column string) string {
	return `CASE WHEN json_valid(o.` + column + `) AND json_type(o.` + column + `, '$.superseded_by') = 'integer'
		THEN json_set(o.` + column + `, '$.superseded_by', (SELECT uid FROM memories WHERE id = json_extract(o.` + column + `, '$.superseded_by')))
		ELSE o.` + column + ` END`
}
