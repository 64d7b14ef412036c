package inspect

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/schema"
)

// Entity is what is shown of one entity.
type Entity struct {
	schema.Entity

	Aliases  []schema.Alias
	Claims   []schema.Memory // the newest, current and ended
	Messages []schema.Memory // the newest that mention it
	// Related are the entities mentioned beside it, the most frequent first. Links
	// are the pairs of these that are mentioned together, too.
	Related []schema.RelatedEntity
	Links   []EntityLink
}

// EntityLink counts the memories that mention two entities; A and B are positions in
// [Entity].Related.
type EntityLink struct{ A, B, Together int }

// Limits of [ReadEntity].
const (
	maxClaims   = 60
	maxMessages = 20
	// MaxRelated is the most entities that stand beside another one.
	MaxRelated = 49
	// newestMentions are the memories in which they are looked for.
	newestMentions = 2000
)

// ReadEntity reads what is known of an entity: of the one that it was merged into,
// if it was.
//
// Errors: [schema.ErrNotFound].
func ReadEntity(ctx context.Context, s *schema.Snapshot, userID int64, uid string) (*Entity, error) {
	found, err := s.Entity(ctx, userID, uid)
	if err != nil {
		return nil, err
	}
	if found.MergedInto != 0 {
		if err := s.NewSelect().Model(found).Where("id = ? AND user_id = ?", found.MergedInto, userID).Scan(ctx); err != nil {
			return nil, schema.OrNotFound(err)
		}
	}
	e := &Entity{Entity: *found}
	if e.Aliases, err = s.AliasesOf(ctx, e.ID); err != nil {
		return nil, err
	}
	if e.Claims, err = e.newest(ctx, s, `SELECT id FROM memories m WHERE user_id = ?2 AND kind <> 'episode' AND `+shownOfEntity+`
		AND EXISTS (SELECT 1 FROM memory_entities WHERE memory_id = m.id AND entity_id IN `+itself+`) ORDER BY id DESC LIMIT ?3`, maxClaims); err != nil {
		return nil, err
	}
	if e.Messages, err = e.newest(ctx, s, `SELECT m.id FROM (SELECT DISTINCT memory_id FROM memory_entities WHERE entity_id IN `+itself+` ORDER BY memory_id DESC LIMIT 2000) AS me
		JOIN memories m ON m.id = me.memory_id WHERE m.user_id = ?2 AND kind = 'episode' AND `+shownOfEntity+" ORDER BY m.event_time DESC LIMIT ?3", maxMessages); err != nil {
		return nil, err
	}
	return e, e.relate(ctx, s)
}

// itself are the row ids of an entity and of those merged into it, root is the row id of what
// the entity n is merged into, directly or not, and shownOfEntity holds for memories that are
// listed with an entity.
const (
	itself = "(WITH RECURSIVE whole (id) AS (SELECT CAST(?1 AS BIGINT) UNION SELECT e.id FROM whole JOIN entities e ON e.merged_into = whole.id) SELECT id FROM whole)"
	root   = "(WITH RECURSIVE up (id, next) AS (SELECT n.id, n.merged_into UNION SELECT e.id, e.merged_into FROM up CROSS JOIN entities e ON e.id = up.next) SELECT id FROM up WHERE next IS NULL)"

	shownOfEntity = "state NOT IN ('retired', 'quarantined', 'forgotten') AND NOT (state = 'superseded' AND valid_until = valid_from)"
)

// newest reads memories, the newest first.
func (e *Entity) newest(ctx context.Context, s *schema.Snapshot, query string, limit int) ([]schema.Memory, error) {
	ids, err := schema.Column[int64](ctx, s.Query, query, e.ID, e.UserID, limit)
	if err != nil {
		return nil, err
	}
	records, err := recordsByTime(ctx, s, e.UserID, ids)
	slices.Reverse(records)
	return records, err
}

// relate finds the entities that the newest memories mention beside it.
func (e *Entity) relate(ctx context.Context, s *schema.Snapshot) error {
	beside := make(map[int64][]int64) // by memory
	together := make(map[int64]int64)
	var memory, other int64
	err := schema.Each(ctx, s.Query, []any{&memory, &other}, func() error {
		if !slices.Contains(beside[memory], other) {
			beside[memory] = append(beside[memory], other)
			together[other]++
		}
		return nil
	}, `WITH mine AS (
			SELECT DISTINCT memory_id FROM memory_entities WHERE entity_id IN `+itself+` ORDER BY memory_id DESC LIMIT ?2)
		SELECT me.memory_id, `+root+` FROM mine JOIN memories m ON m.id = mine.memory_id JOIN memory_entities me ON me.memory_id = mine.memory_id
			JOIN entities n ON n.id = me.entity_id WHERE `+root+` <> ?1 AND m.state NOT IN ('retired', 'quarantined', 'forgotten')`, e.ID, newestMentions)
	if err != nil || len(together) == 0 {
		return err
	}
	ids := slices.SortedFunc(maps.Keys(together), func(a, b int64) int {
		return cmp.Or(cmp.Compare(together[b], together[a]), cmp.Compare(a, b))
	})
	ids = ids[:min(len(ids), MaxRelated)]
	var entities []schema.Entity
	if err := s.NewSelect().Model(&entities).Where("user_id = ? AND id IN (?)", e.UserID, bun.List(ids)).Scan(ctx); err != nil {
		return err
	}
	slices.SortFunc(entities, func(a, b schema.Entity) int {
		return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID))
	})
	place := make(map[int64]int, len(entities))
	for i, other := range entities {
		place[other.ID] = i
		e.Related = append(e.Related, schema.RelatedEntity{Entity: other, Together: together[other.ID]})
	}
	e.link(beside, place)
	return nil
}

// link counts the pairs of related entities that share a memory.
func (e *Entity) link(beside map[int64][]int64, place map[int64]int) {
	pairs := make(map[[2]int]int)
	for _, others := range beside {
		for i, a := range others {
			for _, b := range others[i+1:] {
				pa, known := place[a]
				pb, alsoKnown := place[b]
				if known && alsoKnown {
					pairs[[2]int{min(pa, pb), max(pa, pb)}]++
				}
			}
		}
	}
	for pair, n := range pairs {
		e.Links = append(e.Links, EntityLink{A: pair[0], B: pair[1], Together: n})
	}
	slices.SortFunc(e.Links, func(x, y EntityLink) int {
		return cmp.Or(cmp.Compare(y.Together, x.Together), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
}

// Entities lists a user's entities, the most mentioned first, at most limit: those
// with a name that begins with prefix, or all.
func Entities(ctx context.Context, s *schema.Snapshot, userID int64, prefix string, limit int) (all []schema.Entity, err error) {
	q := s.NewSelect().Model(&all).Where("user_id = ? AND merged_into IS NULL AND mention_count > 0", userID)
	if prefix != "" {
		q = q.Where("id IN (SELECT "+root+" FROM entity_aliases a JOIN entities n ON n.id = a.entity_id WHERE a.user_id = ? AND substr(a.alias, 1, length(?)) = ?)",
			userID, prefix, prefix)
	}
	err = q.Order("mention_count DESC", "id").Limit(int64(limit)).Scan(ctx)
	return all, err
}
