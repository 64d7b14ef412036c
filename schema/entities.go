package schema

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/text"
)

// The types of entity that code decides by form. A host or a night may give
// others ("project", "company"): the type is a label, not a closed list.
const (
	EntityName    = "name"    // a proper name of unknown type
	EntityPerson  = "person"  // recognised by a title, a kinship term or a first name
	EntityPlace   = "place"   // followed "in"
	EntityURL     = "url"     // as written, without surrounding punctuation
	EntityEmail   = "email"   //
	EntityHandle  = "handle"  // with its @
	EntityHashtag = "hashtag" // with its #
)

// rootEntity follows merged_into to its end. UNION terminates it on a cycle, too.
const rootEntity = `WITH RECURSIVE chain (id, next) AS (
		SELECT id, merged_into FROM entities WHERE id = ?
		UNION SELECT e.id, e.merged_into FROM entities e JOIN chain ON e.id = chain.next)
	SELECT id FROM chain WHERE next IS NULL`

// RootEntity returns the id of the entity that an entity is merged into, directly or
// not; its own id if it is not merged.
//
// Errors: [ErrNotFound].
func (tx *Tx) RootEntity(ctx context.Context, id int64) (root int64, err error) {
	err = tx.Row(ctx, rootEntity, []any{id}, &root)
	return root, OrNotFound(err)
}

// MergedEntities returns the ids of an entity and of all that were merged into it, each
// after the one it was merged into.
func (tx *Tx) MergedEntities(ctx context.Context, root int64) (ids []int64, err error) {
	return Column[int64](ctx, tx.Query, mergedEntities+" SELECT id FROM merged", root)
}

// mergedEntities selects an entity and all that were merged into it.
const mergedEntities = `WITH RECURSIVE merged (id) AS (
		SELECT CAST(? AS BIGINT)
		UNION SELECT e.id FROM merged JOIN entities e ON e.merged_into = merged.id)`

// ValidEntityName returns an [*InvalidError] for field if name cannot be the name of an
// entity, or nil.
func ValidEntityName(field, name string) error {
	if text.Fold(name) == "" {
		return &InvalidError{Field: field, Reason: "is empty; an entity needs a name"}
	}
	return ValidLabel(field, name)
}

func validEntity(typ, name string, confidence float64) error {
	if strings.TrimSpace(typ) == "" {
		return &InvalidError{Field: "type", Reason: `is empty; use "name" when the kind of entity is not known`}
	}
	if err := ValidEntityName("surface", name); err != nil {
		return err
	}
	return ValidUnit("confidence", confidence)
}

// ResolveEntity returns the entity with a name, or creates it with this name as its
// first alias. Names are compared after text.Fold, and merged entities are replaced by
// their root. Of several the one of the given type is preferred, then the one with the
// most confident alias, then the most mentioned; [Tx.EntitiesByName] returns them all.
// An entity of type [EntityName] takes on a more specific typ.
//
// Errors: [*InvalidError] for an empty typ or surface and a confidence
// outside 0–1.
func (tx *Tx) ResolveEntity(ctx context.Context, userID int64, typ, surface string, confidence float64) (e *Entity, created bool, err error) {
	if err := validEntity(typ, surface, confidence); err != nil {
		return nil, false, err
	}
	found, err := tx.EntitiesByName(ctx, userID, surface)
	if err != nil {
		return nil, false, err
	}
	if len(found) == 0 {
		e, err := tx.CreateEntity(ctx, userID, typ, surface, confidence)
		return e, err == nil, err
	}
	e = &found[0].Entity
	for i := range found {
		if found[i].Type == typ {
			e = &found[i].Entity
			break
		}
	}
	if e.Type == EntityName && typ != EntityName {
		if _, err := tx.Exec(ctx, "UPDATE entities SET type = ? WHERE id = ?", typ, e.ID); err != nil {
			return nil, false, err
		}
		e.Type = typ
	}
	return e, false, nil
}

// CreateEntity creates an entity with its name as first alias, even if another of that
// name exists: two people can have the same name.
//
// Errors: those of [Tx.ResolveEntity].
func (tx *Tx) CreateEntity(ctx context.Context, userID int64, typ, name string, confidence float64) (*Entity, error) {
	if err := validEntity(typ, name, confidence); err != nil {
		return nil, err
	}
	uid, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	e := &Entity{UID: uid.String(), UserID: userID, Type: typ, Name: strings.TrimSpace(name), Confidence: confidence, CreatedAt: At(tx.Now)}
	err = tx.Row(ctx, "INSERT INTO entities (id, uid, user_id, type, name, confidence, created_at) VALUES ("+tx.UnusedID("entities")+", ?, ?, ?, ?, ?, ?) RETURNING id",
		[]any{e.UID, e.UserID, e.Type, e.Name, e.Confidence, e.CreatedAt}, &e.ID)
	if err != nil {
		return nil, err
	}
	return e, tx.AddAlias(ctx, e, name, confidence)
}

// AddAlias adds surface as a name of e. Of an alias that exists it keeps the first
// surface and the higher confidence.
//
// Errors: [*InvalidError] for an empty surface or a confidence outside 0–1.
func (tx *Tx) AddAlias(ctx context.Context, e *Entity, surface string, confidence float64) error {
	if err := ValidEntityName("surface", surface); err != nil {
		return err
	}
	if err := ValidUnit("confidence", confidence); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO entity_aliases (user_id, alias, entity_id, surface, confidence) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (user_id, alias, entity_id) DO UPDATE SET confidence = max(entity_aliases.confidence, excluded.confidence)`,
		e.UserID, text.Fold(surface), e.ID, strings.TrimSpace(surface), confidence)
	return err
}

// LinkEntity records that a memory mentions an entity as surface. Of a link that exists
// nothing changes; mention_count counts each memory once. A link to a merged entity goes
// to its root.
//
// Errors: [ErrNotFound] when the memory or the entity does not exist, or they
// belong to different users; [*InvalidError] for a confidence outside 0–1.
func (tx *Tx) LinkEntity(ctx context.Context, memoryID, entityID int64, surface string, confidence float64) error {
	if err := ValidUnit("confidence", confidence); err != nil {
		return err
	}
	var merged bool
	if err := tx.Row(ctx, "SELECT e.merged_into IS NOT NULL FROM memories m JOIN entities e ON e.user_id = m.user_id WHERE m.id = ? AND e.id = ?",
		[]any{memoryID, entityID}, &merged); errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("memory %d beside entity %d: %w", memoryID, entityID, ErrNotFound)
	} else if err != nil {
		return err
	}
	if merged {
		if err := tx.Row(ctx, rootEntity, []any{entityID}, &entityID); errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("entity %d: %w", entityID, ErrNotFound)
		} else if err != nil {
			return err
		}
	}
	n, err := engine.Affected(tx.Exec(ctx, "INSERT INTO memory_entities (memory_id, entity_id, surface, confidence) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		memoryID, entityID, surface, confidence))
	if err != nil || n == 0 {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE entities SET mention_count = mention_count + 1 WHERE id = ?", entityID)
	return err
}

// NamedEntity is an entity that a name can refer to.
type NamedEntity struct {
	Entity

	// Surest is the highest confidence of its matching aliases, 0–1.
	Surest float64
	// Own reports that the alias is its own and not that of an entity merged into it.
	Own bool
}

// EntitiesByName returns the entities that a name, compared after text.Fold, can refer
// to: the most confident alias first, then the most mentioned entity. Merged entities
// are replaced by their root. The list is empty for an unknown name.
func (s *Snapshot) EntitiesByName(ctx context.Context, userID int64, name string) ([]NamedEntity, error) {
	return entitiesByName(ctx, s.Query, userID, name)
}

// EntitiesByName is [Snapshot.EntitiesByName] inside the write.
func (tx *Tx) EntitiesByName(ctx context.Context, userID int64, name string) ([]NamedEntity, error) {
	return entitiesByName(ctx, tx.Query, userID, name)
}

const (
	entityColumns = `e.id, e.uid, e.user_id, e.type, e.name, e.summary, e.confidence, e.mention_count, e.protected, coalesce(e.merged_into, 0), e.created_at`

	entitiesByAlias = `SELECT ` + entityColumns + `, a.confidence AS surest FROM entity_aliases a JOIN entities e ON e.id = a.entity_id
		WHERE a.user_id = ? AND a.alias = ? ORDER BY surest DESC, e.mention_count DESC, e.id`
	rootsByAlias = `WITH RECURSIVE chain (id, next, confidence) AS (
			SELECT e.id, e.merged_into, a.confidence FROM entity_aliases a JOIN entities e ON e.id = a.entity_id
				WHERE a.user_id = ? AND a.alias = ?
			UNION SELECT e.id, e.merged_into, chain.confidence FROM chain JOIN entities e ON e.id = chain.next)
		SELECT ` + entityColumns + `, root.surest FROM (SELECT id, max(confidence) AS surest FROM chain WHERE next IS NULL GROUP BY id) AS root
			JOIN entities e ON e.id = root.id
			ORDER BY root.surest DESC, e.mention_count DESC, e.id`
)

// entitiesByName runs for every mention of every message. It follows merges only if
// there are any, and its statements are prepared once.
func entitiesByName(ctx context.Context, query Reads, userID int64, name string) ([]NamedEntity, error) {
	alias := text.Fold(name)
	if alias == "" {
		return nil, nil
	}
	found, err := namedEntities(ctx, query, entitiesByAlias, userID, alias)
	if err != nil || !slices.ContainsFunc(found, func(e NamedEntity) bool { return e.MergedInto != 0 }) {
		for i := range found {
			found[i].Own = true
		}
		return found, err
	}
	return namedEntities(ctx, query, rootsByAlias, userID, alias)
}

func namedEntities(ctx context.Context, query Reads, statement string, userID int64, alias string) (found []NamedEntity, err error) {
	return List(ctx, query, func(e *NamedEntity) []any {
		return []any{&e.ID, &e.UID, &e.UserID, &e.Type, &e.Name, &e.Summary, &e.Confidence, &e.MentionCount, &e.Protected,
			&e.MergedInto, &e.CreatedAt, &e.Surest}
	}, statement, userID, alias)
}

// AliasesOfPersons returns, sorted, those of some folded names that are aliases of the
// user's persons or of merged entities, which may lead to one.
func (tx *Tx) AliasesOfPersons(ctx context.Context, userID int64, names []string) ([]string, error) {
	return Column[string](ctx, tx.Query, `SELECT DISTINCT a.alias FROM json_each(?) n CROSS JOIN entity_aliases a CROSS JOIN entities e ON e.id = a.entity_id
		WHERE a.user_id = ? AND a.alias = n.value AND (e.type = ? OR e.merged_into IS NOT NULL) ORDER BY a.alias`,
		JSONList(names), userID, EntityPerson)
}

// AliasesOf returns the aliases of an entity and of all merged into it, the most
// confident first.
func (s *Snapshot) AliasesOf(ctx context.Context, entityID int64) ([]Alias, error) {
	var aliases []Alias
	err := s.NewRaw(mergedEntities+`
		SELECT user_id, alias, ? AS entity_id, min(surface) AS surface, max(confidence) AS confidence
			FROM entity_aliases WHERE entity_id IN (SELECT id FROM merged)
			GROUP BY user_id, alias ORDER BY 5 DESC, alias`, entityID, entityID).Scan(ctx, &aliases)
	return aliases, err
}

// EntityMemories returns the memories that mention an entity, the newest event first:
// of the given kinds, or of all without kinds, and at most limit if that is above 0.
// Superseded and dormant memories are included; retired, quarantined and forgotten ones
// are not.
func (s *Snapshot) EntityMemories(ctx context.Context, entityID int64, limit int, kinds ...Kind) ([]Memory, error) {
	return s.memoriesOf(ctx, limit, kinds, "m.id IN (SELECT memory_id FROM memory_entities WHERE entity_id IN ("+mergedEntities+" SELECT id FROM merged))", entityID)
}

// SpokenMemories returns what somebody of one of the names said, and what was read from
// it, otherwise like [Snapshot.EntityMemories].
func (s *Snapshot) SpokenMemories(ctx context.Context, userID int64, names []string, limit int, kinds ...Kind) ([]Memory, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return s.memoriesOf(ctx, limit, kinds, `m.user_id = ? AND (m.speaker IN (?) OR m.id IN (SELECT f.memory_id FROM memory_sources f
		JOIN memories e ON e.id = f.source_id WHERE e.user_id = ? AND e.speaker IN (?)))`, userID, bun.List(names), userID, bun.List(names))
}

// Speakers returns the names of all who speak in the user's memory, sorted.
func (s *Snapshot) Speakers(ctx context.Context, userID int64) ([]string, error) {
	return Column[string](ctx, s.Query, "SELECT DISTINCT speaker FROM memories WHERE user_id = ? AND speaker <> '' ORDER BY speaker", userID)
}

func (s *Snapshot) memoriesOf(ctx context.Context, limit int, kinds []Kind, where string, args ...any) ([]Memory, error) {
	for _, k := range kinds {
		if err := k.Validate(); err != nil {
			return nil, err
		}
	}
	var memories []Memory
	q := selectMemories(s, &memories).
		Where(where, args...).
		Where("m.state NOT IN (?, ?, ?)", StateRetired, StateQuarantined, StateForgotten).
		Where("NOT (m.state = ? AND m.valid_until = m.valid_from)", StateSuperseded). // another says the same
		Order("m.event_time DESC", "m.id DESC")
	if len(kinds) > 0 {
		q = q.Where("m.kind IN (?)", bun.List(kinds))
	}
	if limit > 0 {
		q = q.Limit(int64(limit))
	}
	err := q.Scan(ctx)
	return memories, err
}

// RelatedEntity is an entity with the number of memories that it shares with another.
type RelatedEntity struct {
	Entity

	Together int64 `bun:"together" json:"together"`
}

// RelatedEntities returns the entities that are mentioned in the same memories, the most
// frequent first, and at most limit if that is above 0. Retired, quarantined and
// forgotten memories do not count.
func (s *Snapshot) RelatedEntities(ctx context.Context, entityID int64, limit int) ([]RelatedEntity, error) {
	if limit <= 0 {
		limit = -1 // no limit, in SQLite
	}
	var related []RelatedEntity
	err := s.NewRaw(mergedEntities+`
		SELECT e.*, count(DISTINCT mine.memory_id) AS together
			FROM memory_entities mine
			JOIN memories m ON m.id = mine.memory_id AND m.state NOT IN (?, ?, ?)
			JOIN memory_entities theirs ON theirs.memory_id = mine.memory_id
			JOIN entities e ON e.id = theirs.entity_id AND e.merged_into IS NULL
			WHERE mine.entity_id IN (SELECT id FROM merged) AND theirs.entity_id NOT IN (SELECT id FROM merged)
			GROUP BY e.id ORDER BY together DESC, e.mention_count DESC, e.id LIMIT ?`,
		entityID, StateRetired, StateQuarantined, StateForgotten, limit).Scan(ctx, &related)
	return related, err
}

// UnmergedEntities returns the user's entities that are not merged into another.
func (n NightReads) UnmergedEntities(ctx context.Context, userID int64) (entities []*Entity, err error) {
	err = n.db.NewSelect().Model(&entities).Where("user_id = ? AND merged_into IS NULL", userID).Order("id").Scan(ctx)
	return entities, err
}

// AliasesWithMerged returns the aliases of one unmerged entity, or of all if
// entityID is 0, those of the entities merged into it included.
func (n NightReads) AliasesWithMerged(ctx context.Context, userID, entityID int64) (aliases []Alias, err error) {
	err = n.db.NewRaw(`WITH RECURSIVE roots (id, root) AS (
			SELECT id, id FROM entities WHERE user_id = ?0 AND merged_into IS NULL AND (?1 = 0 OR id = ?1)
			UNION SELECT e.id, r.root FROM roots r JOIN entities e ON e.merged_into = r.id)
		SELECT r.root AS entity_id, a.alias, min(a.surface) AS surface, max(a.confidence) AS confidence
		FROM roots r JOIN entity_aliases a ON a.entity_id = r.id GROUP BY 1, 2`, userID, entityID).Scan(ctx, &aliases) // bun counts from ?0
	return aliases, err
}

// MentionedTogether reports whether one memory is linked to both of two entities,
// given by public id.
func (n NightReads) MentionedTogether(ctx context.Context, userID int64, a, b string) (together bool, err error) {
	err = n.db.Row(ctx, `SELECT EXISTS (SELECT 1 FROM entities x JOIN entities y ON y.user_id = x.user_id AND y.uid = ?3
			JOIN memory_entities a ON a.entity_id = x.id JOIN memory_entities b ON b.entity_id = y.id AND b.memory_id = a.memory_id
			WHERE x.user_id = ?1 AND x.uid = ?2)`, []any{userID, a, b}, &together)
	return together, err
}

// MergeUndone reports whether a merge of two entities, in either direction, was
// undone.
func (n NightReads) MergeUndone(ctx context.Context, a, b *Entity) (undone bool, err error) {
	err = n.db.Row(ctx, `SELECT EXISTS (SELECT 1 FROM ops o JOIN runs r ON r.id = o.run_id AND r.state = 'undone'
		WHERE o.record = 'entities' AND o.operation = 'merge' AND
			(o.record_id = ?1 AND json_extract(o.after, '$.into') = ?4 OR o.record_id = ?3 AND json_extract(o.after, '$.into') = ?2))`,
		[]any{a.ID, a.UID, b.ID, b.UID}, &undone)
	return undone, err
}

// MentionTrust returns the highest trust of the memories that are linked to an
// entity or to those merged into it; mentioned is false if there are none.
func (n NightReads) MentionTrust(ctx context.Context, entityID int64) (trust Trust, mentioned bool, err error) {
	var level int64
	err = n.db.Row(ctx, `WITH RECURSIVE parts (id) AS (SELECT ? UNION SELECT e.id FROM parts p JOIN entities e ON e.merged_into = p.id)
		SELECT coalesce(max(m.trust), -1) FROM memory_entities me JOIN memories m ON m.id = me.memory_id WHERE me.entity_id IN (SELECT id FROM parts)`,
		[]any{entityID}, &level)
	return Trust(level), level >= 0, err
}

// UnsureMention is a link of low confidence, by public ids.
type UnsureMention struct{ Memory, Entity, Surface string }

// UnsureMentions returns the links below a confidence of the user's first
// memories after an id that have any, at most so many memories. Protected
// memories are left out.
func (n NightReads) UnsureMentions(ctx context.Context, userID, after int64, below float64, memories int) (mentions []UnsureMention, err error) {
	err = n.db.NewRaw(`WITH unsure AS (SELECT me.memory_id, me.entity_id, me.surface FROM memory_entities me JOIN memories m ON m.id = me.memory_id
			WHERE m.user_id = ?0 AND m.id > ?1 AND m.state = 'active' AND m.protected = 0 AND me.confidence < ?2)
		SELECT m.uid AS memory, e.uid AS entity, u.surface FROM unsure u JOIN memories m ON m.id = u.memory_id JOIN entities e ON e.id = u.entity_id
			WHERE u.memory_id IN (SELECT DISTINCT memory_id FROM unsure ORDER BY memory_id LIMIT ?3) ORDER BY m.id, e.id`,
		userID, after, below, memories).Scan(ctx, &mentions)
	return mentions, err
}

// LinkConfidence returns the confidence of the link of a memory to an entity, 0
// without one.
func (n NightReads) LinkConfidence(ctx context.Context, memoryID, entityID int64) (confidence float64, err error) {
	err = n.db.Row(ctx, "SELECT coalesce(max(confidence), 0.0) FROM memory_entities WHERE memory_id = ? AND entity_id = ?",
		[]any{memoryID, entityID}, &confidence)
	return confidence, err
}

// AboutEntity returns the newest active memories that mention an entity, or one
// merged into it, with at least a confidence; except is left out. Reflections
// and what tools and unknown sources say are left out, and of the rest all but
// the most trusted: an untrusted source must not describe people that the user
// mentions.
func (n NightReads) AboutEntity(ctx context.Context, entityID int64, confidence float64, except int64, limit int) (about []Memory, err error) {
	err = n.db.NewRaw(`WITH RECURSIVE parts (id) AS (SELECT CAST(?0 AS BIGINT) UNION SELECT e.id FROM parts JOIN entities e ON e.merged_into = parts.id),
		said AS (
			SELECT m.* FROM memories m WHERE m.id IN (SELECT memory_id FROM memory_entities WHERE confidence >= ?1 AND entity_id IN (SELECT id FROM parts))
			AND m.id <> ?2 AND m.state = 'active' AND m.kind <> 'reflection' AND m.origin NOT IN (?3, ?4))
		SELECT m.* FROM said m WHERE m.trust = (SELECT max(trust) FROM said)
			ORDER BY m.kind = 'episode', m.event_time DESC, m.id DESC LIMIT ?5`,
		entityID, confidence, except, OriginToolExternal, OriginUnknown, limit).Scan(ctx, &about)
	return about, err
}

// MentionedEntity is an entity with the id of the last memory that mentions it.
type MentionedEntity struct {
	Entity

	Latest int64
}

// OftenMentioned returns the user's unmerged entities that at least so many
// memories mention with more than a confidence, one of them after an id; those
// with the oldest last mention come first. Protected entities and addresses are
// left out.
func (n NightReads) OftenMentioned(ctx context.Context, userID int64, confidence float64, memories int, after int64, limit int) (entities []MentionedEntity, err error) {
	err = n.db.NewRaw(`WITH RECURSIVE parts (id, root) AS (
			SELECT id, id FROM entities WHERE user_id = ?0 AND merged_into IS NULL AND protected = 0 AND type NOT IN ('url', 'email', 'handle', 'hashtag')
			UNION SELECT e.id, p.root FROM parts p JOIN entities e ON e.merged_into = p.id),
		spoken AS (SELECT p.root, max(m.id) AS latest, count(DISTINCT m.id) AS n FROM parts p JOIN memory_entities me ON me.entity_id = p.id
			JOIN memories m ON m.id = me.memory_id AND m.state = 'active' AND m.kind <> 'reflection' WHERE me.confidence > ?1 GROUP BY p.root)
		SELECT e.*, s.latest FROM spoken s JOIN entities e ON e.id = s.root WHERE s.n >= ?2 AND s.latest > ?3 ORDER BY s.latest, e.id LIMIT ?4`,
		userID, confidence, memories, after, limit).Scan(ctx, &entities)
	return entities, err
}

// IsLinked reports whether a memory is linked to any entity.
func (s *Snapshot) IsLinked(ctx context.Context, memoryID int64) (linked bool, err error) {
	err = s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM memory_entities WHERE memory_id = ?)", []any{memoryID}, &linked)
	return linked, err
}

// EntitiesOf returns the ids of the entities that a memory is linked to.
func (tx *Tx) EntitiesOf(ctx context.Context, memoryID int64) (ids []int64, err error) {
	err = tx.NewSelect().Table("memory_entities").Column("entity_id").Where("memory_id = ?", memoryID).Scan(ctx, &ids)
	return ids, err
}

// MentionedAbove reports whether a memory of higher trust is linked to an
// entity.
func (tx *Tx) MentionedAbove(ctx context.Context, entityID int64, trust Trust) (above bool, err error) {
	err = tx.Row(ctx, "SELECT EXISTS (SELECT 1 FROM memory_entities me JOIN memories m ON m.id = me.memory_id WHERE me.entity_id = ? AND m.trust > ?)",
		[]any{entityID, int64(trust)}, &above)
	return above, err
}

// RenameEntity changes the name and type of an entity, in the database and in e.
func (tx *Tx) RenameEntity(ctx context.Context, e *Entity, name, typ string) error {
	if _, err := tx.Exec(ctx, "UPDATE entities SET name = ?, type = ? WHERE id = ?", name, typ, e.ID); err != nil {
		return err
	}
	e.Name, e.Type = name, typ
	return nil
}

// RateUnrated sets the importance of a memory whose importance is 0, and
// reports whether it was.
func (tx *Tx) RateUnrated(ctx context.Context, memoryID int64, importance float64) (rated bool, err error) {
	n, err := engine.Affected(tx.Exec(ctx, "UPDATE memories SET importance = ? WHERE id = ? AND importance = 0", importance, memoryID))
	return n > 0, err
}

// Label adds attributes to a memory. Like a rating they follow from the text alone:
// they are not audited, and Version stays.
func (tx *Tx) Label(ctx context.Context, memoryID int64, attributes map[string]string) error {
	if len(attributes) == 0 {
		return nil
	}
	added, err := json.Marshal(attributes)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE memories SET attributes = json_patch(attributes, ?) WHERE id = ?", string(added), memoryID)
	return err
}

// IsPartOfDocument reports whether a memory is a part of a document.
func (tx *Tx) IsPartOfDocument(ctx context.Context, memoryID int64) (document bool, err error) {
	err = tx.Row(ctx, "SELECT "+PartOfDocument+" FROM memories WHERE id = ?", []any{memoryID}, &document)
	return document, err
}

// Surfaces lists how a memory writes the entities that it mentions.
func (tx *Tx) Surfaces(ctx context.Context, memoryID int64) (surfaces []string, err error) {
	err = tx.NewSelect().Table("memory_entities").Column("surface").Where("memory_id = ?", memoryID).Order("entity_id").Scan(ctx, &surfaces)
	return surfaces, err
}
