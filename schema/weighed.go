package schema

import (
	"context"
	"encoding/json"
)

// WeighedByID reads what memories are weighed by: kind, times, use, trust and
// attributes; no texts, names and states. Ids of other users, and of memories that are gone, are left out.
func (s *Snapshot) WeighedByID(ctx context.Context, userID int64, ids []int64) (map[int64]*Memory, error) {
	encoded, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := s.Query(ctx, `SELECT m.id, m.kind, m.role, m.agent, m.event_time, m.created_at,
			m.confidence, m.importance, m.access_count, m.last_accessed, m.decay_rate, m.stability, m.utility,
			m.protected, m.pinned, m.origin, m.trust, m.attributes
		FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value WHERE +m.user_id = ?`, string(encoded), userID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	memories := make(map[int64]*Memory, len(ids))
	for rows.Next() {
		m := &Memory{UserID: userID}
		if err := rows.Scan(&m.ID, &m.Kind, &m.Role, &m.Agent, &m.EventTime, &m.CreatedAt,
			&m.Confidence, &m.Importance, &m.AccessCount, &m.LastAccessed, &m.DecayRate, &m.Stability, &m.Utility,
			&m.Protected, &m.Pinned, &m.Origin, &m.Trust, &m.Attributes); err != nil {
			return nil, err
		}
		memories[m.ID] = m
	}
	return memories, rows.Err()
}
