package recall

import (
	"context"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// entityArm proposes memories that mention an entity that the question names, under
// any alias: what was said about "my boss" for a question about Vera.
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
		// The first is the most likely reading of the name.
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
		if doc, ok := r.index.find(memory); ok && r.filter.admits(r.index, doc) {
			candidates = append(candidates, Candidate{MemoryID: memory, Score: n, place: doc + 1})
		}
	}
	return best(candidates), nil
}

// mentions lists the newest memories that mention an entity or one merged into it,
// in order of id. It reads the newest of each entity only: reading all mentions of a
// frequent one would take longer than the rest of a search.
func (r *Request) mentions(ctx context.Context, entity int64) ([]int64, error) {
	var ids []int64
	for _, part := range r.index.partsOf(entity) {
		if err := r.Snapshot.MentionsOf(ctx, part, entityDepth, func(memory int64) { ids = append(ids, memory) }); err != nil {
			return nil, err
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[max(0, len(ids)-entityDepth):], nil
}

// partsOf lists an entity and all that were merged into it, each once, even if the
// merges form a cycle.
func (ix *index) partsOf(entity int64) []int64 {
	parts := []int64{entity}
	for i := 0; i < len(parts); i++ {
		for _, part := range ix.merged[parts[i]] {
			if !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// readMerged reads which entities were merged into which.
func (ix *index) readMerged(ctx context.Context, s *schema.Snapshot, userID int64) error {
	ix.merged = make(map[int64][]int64)
	return s.Merged(ctx, userID, func(part, whole int64) { ix.merged[whole] = append(ix.merged[whole], part) })
}
