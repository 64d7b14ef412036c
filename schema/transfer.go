package schema

import "context"

// NotErasing returns the SQL condition that a row of a table, memories, events or
// sessions, is not being erased; id is its id's column.
func NotErasing(table, id string) string {
	return "NOT EXISTS (SELECT 1 FROM erasing AS x WHERE x.record = '" + table + "' AND x.id = " + id + ")"
}

// MemoryIDs returns the first limit row ids of a user's memories above after, except
// those that are being erased.
func (s *Snapshot) MemoryIDs(ctx context.Context, userID, after int64, limit int) ([]int64, error) {
	// The plus keeps SQLite from sorting all of the user's memories for each page.
	return s.ids(ctx, "SELECT m.id FROM memories m WHERE +m.user_id = ? AND m.id > ? AND "+NotErasing("memories", "m.id")+" ORDER BY m.id LIMIT ?", userID, after, limit)
}

// StreamIDs returns the first limit row ids above after of a user's stream: the entries
// of agents and the active reflections of nights, except those that are being erased.
func (s *Snapshot) StreamIDs(ctx context.Context, userID, after int64, limit int) ([]int64, error) {
	return s.ids(ctx, `SELECT m.id FROM memories m WHERE +m.user_id = ? AND m.id > ? AND (m.kind = 'episode' AND json_extract(m.attributes, '$.type') IS NOT NULL
		OR m.kind = 'reflection' AND m.state = 'active') AND `+NotErasing("memories", "m.id")+` ORDER BY m.id LIMIT ?`, userID, after, limit)
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
