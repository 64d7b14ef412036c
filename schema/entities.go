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

	"github.com/ebbmem/ebb/internal/text"
)

// The types of entity that code decides by form. A host or a night may give
// others ("project", "company"): the type is a label, not a closed list.
const (
	EntityName    = "name"    // a proper name; what it names is not known
	EntityPerson  = "person"  // a title, a kinship or a first name tells
	EntityPlace   = "place"   // it stood behind "in"
	EntityURL     = "url"     // as written, without surrounding punctuation
	EntityEmail   = "email"   //
	EntityHandle  = "handle"  // with its @
	EntityHashtag = "hashtag" // with its #
)

// rootEntity follows merged_into to the entity that is meant today. UNION
// ends it even on a ring.
const rootEntity = `WITH RECURSIVE chain (id, next) AS (
		SELECT id, merged_into FROM entities WHERE id = ?
		UNION SELECT e.id, e.merged_into FROM entities e JOIN chain ON e.id = chain.next)
	SELECT id FROM chain WHERE next IS NULL`

// mergedEntities are an entity and all that were merged into it.
const mergedEntities = `WITH RECURSIVE merged (id) AS (
		SELECT ?
		UNION SELECT e.id FROM merged JOIN entities e ON e.merged_into = merged.id)`

// ValidEntityName checks a name that an entity is to be known by. It returns
// an [*InvalidError] naming field.
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

// ResolveEntity finds the entity a name stands for, or creates it with this
// name as its first alias; created says which. Names are compared by
// text.Fold, and an entity that was merged leads to the one it was merged
// into. When the name stands for several, the one of this type comes first,
// then the surest alias, then the one mentioned most; ask [Tx.EntitiesByName]
// to see them all. An entity of type [EntityName] takes a more telling typ.
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

// CreateEntity makes an entity with its name as first alias, even when another
// of that name exists: two people can be called the same.
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
	err = tx.Row(ctx, "INSERT INTO entities (id, uid, user_id, type, name, confidence, created_at) VALUES ("+UnusedID("entities")+", ?, ?, ?, ?, ?, ?) RETURNING id",
		[]any{e.UID, e.UserID, e.Type, e.Name, e.Confidence, e.CreatedAt}, &e.ID)
	if err != nil {
		return nil, err
	}
	return e, tx.AddAlias(ctx, e, name, confidence)
}

// AddAlias records that e is also called surface. Adding a known alias again
// keeps the surface first written and the higher confidence.
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
		ON CONFLICT DO UPDATE SET confidence = max(confidence, excluded.confidence)`,
		e.UserID, text.Fold(surface), e.ID, strings.TrimSpace(surface), confidence)
	return err
}

// LinkEntity records that a memory mentions an entity, in these words. It may
// be repeated: the first link stands, and mention_count counts each memory
// once. A link to a merged entity goes to the one it was merged into.
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
	res, err := tx.Exec(ctx, "INSERT INTO memory_entities (memory_id, entity_id, surface, confidence) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		memoryID, entityID, surface, confidence)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE entities SET mention_count = mention_count + 1 WHERE id = ?", entityID)
	return err
}

// NamedEntity is an entity that a name can mean.
type NamedEntity struct {
	Entity

	// Surest is how sure the name means it, 0–1.
	Surest float64
	// Own says that the name is its own, and not that of one merged into it.
	Own bool
}

// EntitiesByName lists the entities a name can stand for, compared by
// text.Fold: the surest alias first, then the one mentioned most. Merged
// entities appear as the one they were merged into. An unknown name gives an
// empty list.
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

type queryFunc func(context.Context, string, ...any) (*sql.Rows, error)

// entitiesByName is asked for every mention of every message: it follows merges
// only where there are some, and its statements are prepared once.
func entitiesByName(ctx context.Context, query queryFunc, userID int64, name string) ([]NamedEntity, error) {
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

func namedEntities(ctx context.Context, query queryFunc, statement string, userID int64, alias string) (found []NamedEntity, err error) {
	rows, err := query(ctx, statement, userID, alias)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var e NamedEntity
		if err := rows.Scan(&e.ID, &e.UID, &e.UserID, &e.Type, &e.Name, &e.Summary, &e.Confidence, &e.MentionCount, &e.Protected,
			&e.MergedInto, &e.CreatedAt, &e.Surest); err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	return found, rows.Err()
}

// AliasesOfPersons are those of some folded names that a person of the user has,
// sorted, with those of merged entities, which may lead to one.
func (tx *Tx) AliasesOfPersons(ctx context.Context, userID int64, names []string) ([]string, error) {
	encoded, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `SELECT DISTINCT a.alias FROM json_each(?) n CROSS JOIN entity_aliases a CROSS JOIN entities e ON e.id = a.entity_id
		WHERE a.user_id = ? AND a.alias = n.value AND (e.type = ? OR e.merged_into IS NOT NULL) ORDER BY a.alias`,
		string(encoded), userID, EntityPerson)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var known []string
	for rows.Next() {
		var alias string
		if err := rows.Scan(&alias); err != nil {
			return nil, err
		}
		known = append(known, alias)
	}
	return known, rows.Err()
}

// AliasesOf lists the names of an entity and of all merged into it, surest
// first.
func (s *Snapshot) AliasesOf(ctx context.Context, entityID int64) ([]Alias, error) {
	var aliases []Alias
	err := s.NewRaw(mergedEntities+`
		SELECT user_id, alias, ? AS entity_id, min(surface) AS surface, max(confidence) AS confidence
			FROM entity_aliases WHERE entity_id IN (SELECT id FROM merged)
			GROUP BY user_id, alias ORDER BY 5 DESC, alias`, entityID, entityID).Scan(ctx, &aliases)
	return aliases, err
}

// EntityMemories lists the memories that mention an entity, newest event
// first: all kinds, or only these, and at most limit when that is above 0.
// Superseded and dormant ones are part of it, with their State; retired,
// quarantined and forgotten ones are not.
func (s *Snapshot) EntityMemories(ctx context.Context, entityID int64, limit int, kinds ...Kind) ([]Memory, error) {
	for _, k := range kinds {
		if err := k.Validate(); err != nil {
			return nil, err
		}
	}
	var memories []Memory
	q := selectMemories(s, &memories).
		Where("m.id IN (SELECT memory_id FROM memory_entities WHERE entity_id IN ("+mergedEntities+" SELECT id FROM merged))", entityID).
		Where("m.state NOT IN (?, ?, ?)", StateRetired, StateQuarantined, StateForgotten).
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

// RelatedEntity is an entity and in how many memories it appears together
// with the one asked about.
type RelatedEntity struct {
	Entity

	Together int64 `bun:"together" json:"together"`
}

// RelatedEntities lists the entities that appear in the same memories, most
// often first, and at most limit when that is above 0. Retired, quarantined and
// forgotten memories do not count.
func (s *Snapshot) RelatedEntities(ctx context.Context, entityID int64, limit int) ([]RelatedEntity, error) {
	if limit <= 0 {
		limit = -1 // SQLite's word for no limit
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
