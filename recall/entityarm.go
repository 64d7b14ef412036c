package recall

import (
	"context"
	"slices"
)

// entityArm proposes memories that mention an entity the question names, under
// whatever alias: what was said of "my boss" for a question about Vera.
type entityArm struct{}

func (entityArm) Name() string { return "entity" }

const (
	entityDepth = 100 // memories, newest first
	maxEntities = 4   // of a question
)

func (entityArm) Candidates(ctx context.Context, r *Request) ([]Candidate, error) {
	score := make(map[int64]float64)
	for _, name := range r.question.names[:min(len(r.question.names), maxEntities)] {
		entities, err := r.Snapshot.EntitiesByName(ctx, r.UserID, name)
		if err != nil {
			return nil, err
		}
		if len(entities) == 0 {
			continue
		}
		// The first is the surest reading of the name.
		mentions, err := r.mentions(ctx, entities[0].ID)
		if err != nil {
			return nil, err
		}
		r.question.mentions[name] = mentions
		for _, memory := range mentions {
			score[memory]++
		}
	}
	candidates := make([]Candidate, 0, len(score))
	for memory, n := range score {
		if doc, ok := r.index.find(memory); ok && r.filter.excludes(&r.index.docs[doc]) == "" {
			candidates = append(candidates, Candidate{MemoryID: memory, Score: n})
		}
	}
	return best(candidates), nil
}

// mentions lists the newest memories that mention an entity or one merged
// into it.
func (r *Request) mentions(ctx context.Context, entity int64) ([]int64, error) {
	rows, err := r.Snapshot.Query(ctx, `WITH RECURSIVE merged (id) AS (
			SELECT ? UNION SELECT e.id FROM merged JOIN entities e ON e.merged_into = merged.id)
		SELECT DISTINCT me.memory_id FROM merged
			JOIN memory_entities me ON me.entity_id = merged.id
			JOIN memories m ON m.id = me.memory_id AND m.user_id = ?
			ORDER BY me.memory_id DESC LIMIT ?`, entity, r.UserID, entityDepth)
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
	slices.Sort(ids)
	return ids, rows.Err()
}
