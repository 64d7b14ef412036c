package schema

import "context"

// Merged lists the user's entities that were merged into another, as pairs
// (part, whole). A whole may itself be part of another. Every merge is audited,
// and so is the undoing of one: a last op that has not moved means that nothing
// has changed since.
func (s *Snapshot) Merged(ctx context.Context, userID int64, visit func(part, whole int64)) error {
	rows, err := s.Query(ctx, "SELECT id, merged_into FROM entities WHERE user_id = ? AND merged_into IS NOT NULL ORDER BY id", userID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var part, whole int64
		if err := rows.Scan(&part, &whole); err != nil {
			return err
		}
		visit(part, whole)
	}
	return rows.Err()
}

// MentionsOf calls visit for the newest memories that mention one entity,
// newest first, at most limit. Entities that were merged into it are not
// looked at; see [Snapshot.Merged].
func (s *Snapshot) MentionsOf(ctx context.Context, entity int64, limit int, visit func(memory int64)) error {
	rows, err := s.Query(ctx, "SELECT memory_id FROM memory_entities WHERE entity_id = ? ORDER BY memory_id DESC LIMIT ?", entity, limit)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		visit(id)
	}
	return rows.Err()
}
