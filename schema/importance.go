package schema

import (
	"context"
	"encoding/json"
)

// Importance gathers until the next reflection: users.importance_since is what
// the messages since the last one weigh, 0–1 each.

// GatherImportance adds what a message weighs, 0–1, to what the next reflection
// waits for. It is bookkeeping that the message itself decides: not audited.
func (tx *Tx) GatherImportance(ctx context.Context, userID int64, importance float64) error {
	_, err := tx.Exec(ctx, "UPDATE users SET importance_since = importance_since + ? WHERE id = ?", importance, userID)
	return err
}

// SpendImportance takes what a reflection used up off the importance gathered
// since the last one.
func (tx *Tx) SpendImportance(ctx context.Context, userID int64, spent float64, by Actor) error {
	return tx.shiftImportance(ctx, userID, -max(0, spent), by)
}

// shiftImportance changes what has gathered, to no less than 0.
func (tx *Tx) shiftImportance(ctx context.Context, userID int64, change float64, by Actor) error {
	var gathered float64
	if err := tx.Row(ctx, "SELECT importance_since FROM users WHERE id = ?", []any{userID}, &gathered); err != nil {
		return err
	}
	if change = max(change, -gathered); change == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, "UPDATE users SET importance_since = importance_since + ? WHERE id = ?", change, userID); err != nil {
		return err
	}
	return tx.auditRow(ctx, userID, by, opImportance, "runs", by.RunID, image("spent", -change), image("spent", 0))
}

// SetImportance rates a memory anew, 0–1. What a message weighs in what the next
// reflection waits for follows, unless a reflection has used it up.
//
// Errors: [*InvalidError] for a number outside 0–1; [ErrConflict].
func (tx *Tx) SetImportance(ctx context.Context, m *Memory, importance float64, by Actor) error {
	if err := ValidUnit("importance", importance); err != nil {
		return err
	}
	before := m.Importance
	if err := tx.changeMemory(ctx, m, by, "rate", change{"importance", importance}); err != nil {
		return err
	}
	m.Importance = importance
	if m.Kind != KindEpisode || m.PartOfDocument() {
		return nil
	}
	var through int64
	if err := tx.Row(ctx, watermark, []any{m.UserID, "reflect"}, &through); err != nil || m.ID <= through {
		return err
	}
	return tx.shiftImportance(ctx, m.UserID, importance-before, by)
}

// Given reports which of some episodes came with a rating of the host's.
func (s *Snapshot) Given(ctx context.Context, episodes []Memory) (given map[int64]bool, err error) {
	seqs, given := make([]int64, len(episodes)), make(map[int64]bool)
	for i := range episodes {
		seqs[i] = episodes[i].EventSeq
	}
	encoded, err := json.Marshal(seqs)
	if err != nil {
		return nil, err
	}
	rows, err := s.Query(ctx, `SELECT m.id FROM json_each(?) j CROSS JOIN events e ON e.seq = j.value JOIN memories m ON m.event_seq = e.seq
		WHERE CASE WHEN json_valid(e.payload) THEN json_extract(e.payload, '$.importance') END IS NOT NULL`, string(encoded))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		given[id] = true
	}
	return given, rows.Err()
}
