package consolidate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/schema"
)

// Entities is the stage that keeps apart who is two and joins who is one.
//
// Code merges two entities of one full name, or of one address and matching
// names. What is only likely, such as "Vitya Orlov" beside "Viktor Orlov",
// waits for the host ([ProposalMergeEntities]); so does a merge that was taken
// back once. A model then says, of the new mentions that are less than [Sure]
// and fit several entities, which one is meant, and writes down in two
// sentences who is mentioned often. What is protected stays as it is.
//
// Without a model code does its part and the rest waits for one.
//
// Counts: asked (mentions shown to the model), waiting (mentions left for the
// next night), summarised (entities shown to the model), unusable (answers of no
// use), dropped (summaries that say more than the memories do).
type Entities struct{}

const entitiesStage = "entities"

// Name implements [Stage].
func (Entities) Name() string { return entitiesStage }

// Propose implements [Stage].
func (Entities) Propose(ctx context.Context, in *Input, apply Apply) error {
	if err := mergeNames(ctx, in, apply); err != nil || in.Model == nil {
		return err
	}
	if err := resolveMentions(ctx, in, apply); err != nil {
		return err
	}
	return summarise(ctx, in, apply)
}

// mergeNames lets code merge what it can, until nothing follows from what was
// merged, and leaves the rest to the host.
func mergeNames(ctx context.Context, in *Input, apply Apply) error {
	for {
		var sure, likely []Proposal
		err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			all, err := namedEntities(ctx, s, in.UserID)
			if err != nil {
				return err
			}
			apart, err := pairsApart(ctx, s, in.UserID)
			if err != nil {
				return err
			}
			sure, likely = pairNames(all, apart)
			likely, err = notTogether(ctx, s, in.UserID, likely)
			return err
		})
		if err != nil {
			return err
		}
		outcomes, err := apply(ctx, sure...)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Fate == Applied }) {
			continue
		}
		_, err = apply(ctx, likely...)
		return err
	}
}

// ProposalMergeEntities is the kind of the rows of proposals that hold an
// [EntityPair].
const ProposalMergeEntities = "merge_entities"

// EntityPair are two entities that may be one, by public id. Their names are
// read when they are listed.
type EntityPair struct {
	From string `json:"from"` // becomes another name of the other
	Into string `json:"into"`
}

// pairsApart are the pairs that were left to the host, whatever came of it,
// each in both directions.
func pairsApart(ctx context.Context, s *schema.Snapshot, userID int64) (map[EntityPair]bool, error) {
	var payloads []string
	if err := s.NewRaw("SELECT payload FROM proposals WHERE user_id = ? AND kind = ?", userID, ProposalMergeEntities).Scan(ctx, &payloads); err != nil {
		return nil, err
	}
	pairs := make(map[EntityPair]bool)
	for _, payload := range payloads {
		var p EntityPair
		if err := json.Unmarshal([]byte(payload), &p); err != nil {
			return nil, fmt.Errorf("a proposal is damaged: %w", err)
		}
		pairs[p], pairs[EntityPair{p.Into, p.From}] = true, true
	}
	return pairs, nil
}

// notTogether drops the pairs of which one memory speaks: who names both means
// two.
func notTogether(ctx context.Context, s *schema.Snapshot, userID int64, likely []Proposal) (kept []Proposal, err error) {
	for _, p := range likely {
		pair, _ := p.(MergeEntities)
		var together bool
		err := s.Row(ctx, `SELECT EXISTS (SELECT 1 FROM entities x JOIN entities y ON y.user_id = x.user_id AND y.uid = ?
				JOIN memory_entities a ON a.entity_id = x.id JOIN memory_entities b ON b.entity_id = y.id AND b.memory_id = a.memory_id
				WHERE x.user_id = ? AND x.uid = ?)`, []any{pair.Into, userID, pair.From}, &together)
		if err != nil {
			return nil, err
		}
		if !together {
			kept = append(kept, p)
		}
	}
	return kept, nil
}

// MergeEntities asks to make one entity another name of a second. Code does so
// when their names leave no doubt at the time it is applied; otherwise the host
// is asked, once.
type MergeEntities struct {
	From, Into string // public ids
	Why        string // for the host
}

// Kind implements [Proposal].
func (MergeEntities) Kind() string { return ProposalMergeEntities }

// MemoryUID implements [Proposal]; it concerns no memory.
func (MergeEntities) MemoryUID() string { return "" }

func (p MergeEntities) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	from, err := namedEntityOf(ctx, tx, n.input.UserID, p.From)
	if err != nil {
		return Outcome{}, err
	}
	into, err := namedEntityOf(ctx, tx, n.input.UserID, p.Into)
	if err != nil {
		return Outcome{}, err
	}
	for _, e := range []*namedEntity{from, into} {
		switch {
		case e.MergedInto != 0:
			return Outcome{}, fmt.Errorf("entity %s was merged: %w", e.UID, schema.ErrConflict)
		case e.Protected:
			return Outcome{}, &schema.InvalidError{Field: "entity", Reason: "is protected"}
		}
	}
	outcome := Outcome{Kind: p.Kind(), Fate: Applied, Reason: p.Why, Text: fmt.Sprintf("%s is %s", from.Name, into.Name)}
	pair := EntityPair{p.From, p.Into}
	var asked, apart bool
	err = tx.Row(ctx, `SELECT EXISTS (SELECT 1 FROM proposals WHERE user_id = ?1 AND kind = ?2 AND
			json_extract(payload, '$.from') IN (?3, ?4) AND json_extract(payload, '$.into') IN (?3, ?4)),
		EXISTS (SELECT 1 FROM ops o JOIN runs r ON r.id = o.run_id AND r.state = 'undone'
			WHERE o.record = 'entities' AND o.operation = 'merge' AND
				(o.record_id = ?5 AND json_extract(o.after, '$.into') = ?4 OR o.record_id = ?6 AND json_extract(o.after, '$.into') = ?3))
		OR EXISTS (SELECT 1 FROM memory_entities a JOIN memory_entities b USING (memory_id) WHERE a.entity_id = ?5 AND b.entity_id = ?6)`,
		[]any{n.input.UserID, ProposalMergeEntities, pair.From, pair.Into, from.ID, into.ID}, &asked, &apart)
	if err != nil {
		return Outcome{}, err
	}
	alike, err := sameLevel(ctx, tx, from.ID, into.ID)
	if err != nil {
		return Outcome{}, err
	}
	by := likeness(from, into)
	switch {
	case asked:
		outcome.Fate, outcome.Reason = Known, "it was left to the host before"
	case by.sure && (!apart || by.address) && alike:
		err = tx.MergeEntities(ctx, from.Entity, into.Entity, n.actor())
	default:
		outcome.Fate = Waiting
		_, _, err = tx.Propose(ctx, n.input.UserID, ProposalMergeEntities, pair, p.Why, n.actor())
	}
	return outcome, err
}

// sameLevel reports that the most trusted memories which mention two entities
// are trusted alike, or that none mentions one of them. Otherwise the less
// trusted would give its names to the other.
func sameLevel(ctx context.Context, tx *schema.Tx, a, b int64) (bool, error) {
	const unmentioned = -1
	var level [2]int64
	for i, id := range [...]int64{a, b} {
		err := tx.Row(ctx, `WITH RECURSIVE parts (id) AS (SELECT ? UNION SELECT e.id FROM parts p JOIN entities e ON e.merged_into = p.id)
			SELECT coalesce(max(m.trust), ?) FROM memory_entities me JOIN memories m ON m.id = me.memory_id WHERE me.entity_id IN (SELECT id FROM parts)`,
			[]any{id, unmentioned}, &level[i])
		if err != nil {
			return false, err
		}
	}
	return level[0] == level[1] || min(level[0], level[1]) == unmentioned, nil
}

// namedEntity is an entity with what it is called.
type namedEntity struct {
	*schema.Entity

	name    personName
	aliases map[string]knownAs // folded; those of what was merged into it too
}

// knownAs is a name as it was written, and how sure it is.
type knownAs struct {
	surface string
	sure    float64
}

// bun counts from ?0.
const entityAliases = `WITH RECURSIVE roots (id, root) AS (
		SELECT id, id FROM entities WHERE user_id = ?0 AND merged_into IS NULL AND (?1 = 0 OR id = ?1)
		UNION SELECT e.id, r.root FROM roots r JOIN entities e ON e.merged_into = r.id)
	SELECT r.root AS entity_id, a.alias, min(a.surface) AS surface, max(a.confidence) AS confidence FROM roots r JOIN entity_aliases a ON a.entity_id = r.id GROUP BY 1, 2`

// namedEntities reads the entities of a user that are not merged.
func namedEntities(ctx context.Context, db bun.IDB, userID int64) ([]*namedEntity, error) {
	var entities []*schema.Entity
	if err := db.NewSelect().Model(&entities).Where("user_id = ? AND merged_into IS NULL", userID).Order("id").Scan(ctx); err != nil {
		return nil, err
	}
	return withAliases(ctx, db, userID, 0, entities)
}

func namedEntityOf(ctx context.Context, tx *schema.Tx, userID int64, uid string) (*namedEntity, error) {
	e, err := tx.Entity(ctx, userID, uid)
	if err != nil {
		return nil, err
	}
	named, err := withAliases(ctx, tx, userID, e.ID, []*schema.Entity{e})
	if err != nil {
		return nil, err
	}
	return named[0], nil
}

func withAliases(ctx context.Context, db bun.IDB, userID, only int64, entities []*schema.Entity) ([]*namedEntity, error) {
	byID := make(map[int64]*namedEntity, len(entities))
	named := make([]*namedEntity, len(entities))
	for i, e := range entities {
		named[i] = &namedEntity{Entity: e, name: parseName(e.Name), aliases: make(map[string]knownAs)}
		byID[e.ID] = named[i]
	}
	var aliases []schema.Alias
	if err := db.NewRaw(entityAliases, userID, only).Scan(ctx, &aliases); err != nil {
		return nil, err
	}
	for _, a := range aliases {
		if e := byID[a.EntityID]; e != nil {
			e.aliases[a.Alias] = knownAs{a.Surface, a.Confidence}
		}
	}
	return named, nil
}
