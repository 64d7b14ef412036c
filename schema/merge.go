package schema

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/engine"
)

// Audited operations on entities.
const (
	OpMerge   = "merge"   // of an entity into another
	OpSummary = "summary" // of an entity
)

// Entity returns an entity by public id, also one that was merged into another.
//
// Errors: [ErrNotFound].
func (s *Snapshot) Entity(ctx context.Context, userID int64, uid string) (*Entity, error) {
	return entityByUID(ctx, s, userID, uid)
}

// Entity is [Snapshot.Entity] inside the write.
func (tx *Tx) Entity(ctx context.Context, userID int64, uid string) (*Entity, error) {
	return entityByUID(ctx, tx, userID, uid)
}

func entityByUID(ctx context.Context, db bun.IDB, userID int64, uid string) (*Entity, error) {
	e := new(Entity)
	err := db.NewSelect().Model(e).Where("user_id = ? AND uid = ?", userID, uid).Scan(ctx)
	return e, OrNotFound(err)
}

// MergeEntities merges from into the root of into: mentions and aliases of from count as
// the root's. No row of theirs is rewritten, so the merge can be undone. It validates
// the entities as they are stored now.
//
// Errors: [*InvalidError] if they are merged already, belong to different users, or one
// is protected; [ErrConflict] if from was merged in the meantime; [ErrNotFound] if one
// does not exist.
func (tx *Tx) MergeEntities(ctx context.Context, from, into *Entity, by Actor) error {
	root, err := tx.RootEntity(ctx, into.ID)
	if err != nil {
		return err
	}
	var now struct{ from, into Entity }
	if err := tx.NewSelect().Model(&now.from).Where("id = ?", from.ID).Scan(ctx); err != nil {
		return OrNotFound(err)
	}
	if err := tx.NewSelect().Model(&now.into).Where("id = ?", root).Scan(ctx); err != nil {
		return OrNotFound(err)
	}
	switch {
	case now.from.UserID != now.into.UserID || root == from.ID:
		return &InvalidError{Field: "entity", Reason: "cannot be merged into itself, nor into another user's"}
	case now.from.MergedInto != 0:
		return fmt.Errorf("entity %s was merged already: %w", now.from.UID, ErrConflict)
	case now.from.Protected || now.into.Protected:
		return &InvalidError{Field: "entity", Reason: "is protected, or what it would be merged into is"}
	}
	if _, err := tx.Exec(ctx, "UPDATE entities SET merged_into = ? WHERE id = ?", root, from.ID); err != nil {
		return err
	}
	if err := tx.CountMentions(ctx, root, now.from.MentionCount); err != nil {
		return err
	}
	return tx.AuditRow(ctx, now.from.UserID, by, OpMerge, "entities", from.ID, JSONObject("into", ""), JSONObject("into", now.into.UID))
}

// Summarise sets the summary of an entity, a sentence or two.
func (tx *Tx) Summarise(ctx context.Context, e *Entity, summary string, by Actor) error {
	if err := ValidContent("summary", summary); err != nil {
		return err
	}
	return tx.setSummary(ctx, e, summary, by)
}

func (tx *Tx) setSummary(ctx context.Context, e *Entity, summary string, by Actor) error {
	if n, err := engine.Affected(tx.Exec(ctx, "UPDATE entities SET summary = ? WHERE id = ? AND summary = ?", summary, e.ID, e.Summary)); err != nil {
		return err
	} else if n == 0 {
		return fmt.Errorf("entity %s: %w", e.UID, ErrConflict)
	}
	before := e.Summary
	e.Summary = summary
	return tx.AuditRow(ctx, e.UserID, by, OpSummary, "entities", e.ID, JSONObject("summary", before), JSONObject("summary", summary))
}

// Remention moves a memory's mention from one entity to another, or, if they are the
// same, sets its confidence, 0–1.
//
// Errors: [ErrNotFound] if the memory does not mention from.
func (tx *Tx) Remention(ctx context.Context, m *Memory, from, to *Entity, confidence float64, by Actor) error {
	if err := ValidUnit("confidence", confidence); err != nil {
		return err
	}
	var surface string
	var before float64
	err := tx.Row(ctx, "SELECT surface, confidence FROM memory_entities WHERE memory_id = ? AND entity_id = ?", []any{m.ID, from.ID}, &surface, &before)
	if err != nil {
		return OrNotFound(err)
	}
	if err := tx.Unmention(ctx, m.ID, from.ID); err != nil {
		return err
	}
	if err := tx.Audit(ctx, m, by, OpUnmention, JSONObject("entity", from.UID, "surface", surface, "confidence", before), ""); err != nil {
		return err
	}
	var known bool
	if err := tx.Row(ctx, "SELECT EXISTS (SELECT 1 FROM memory_entities WHERE memory_id = ? AND entity_id = ?)", []any{m.ID, to.ID}, &known); err != nil || known {
		return err
	}
	if err := tx.Mention(ctx, m.ID, to.ID, surface, confidence); err != nil {
		return err
	}
	return tx.Audit(ctx, m, by, OpMention, "", JSONObject("entity", to.UID, "surface", surface, "confidence", confidence))
}

// Mention links a memory to an entity and counts the mention.
func (tx *Tx) Mention(ctx context.Context, memoryID, entityID int64, surface string, confidence float64) error {
	if _, err := tx.Exec(ctx, "INSERT INTO memory_entities (memory_id, entity_id, surface, confidence) VALUES (?, ?, ?, ?)",
		memoryID, entityID, surface, confidence); err != nil {
		return err
	}
	return tx.CountMentions(ctx, entityID, 1)
}

// Unmention deletes the link of a memory to an entity and its count.
func (tx *Tx) Unmention(ctx context.Context, memoryID, entityID int64) error {
	if _, err := tx.Exec(ctx, "DELETE FROM memory_entities WHERE memory_id = ? AND entity_id = ?", memoryID, entityID); err != nil {
		return err
	}
	return tx.CountMentions(ctx, entityID, -1)
}

// CountMentions adds by to the mention_count of an entity and of all that it was merged
// into.
func (tx *Tx) CountMentions(ctx context.Context, entityID, by int64) error {
	_, err := tx.Exec(ctx, `UPDATE entities SET mention_count = max(0, mention_count + ?2) WHERE id IN (
		WITH RECURSIVE whole(id) AS (SELECT ?1 UNION
			SELECT e.merged_into FROM entities e JOIN whole ON e.id = whole.id WHERE e.merged_into IS NOT NULL)
		SELECT id FROM whole)`, entityID, by)
	return err
}

// RecountMentions sets the mention_count of each of a user's entities to the number of
// stored mentions. An import calls it after skipping some of them.
func (tx *Tx) RecountMentions(ctx context.Context, userID int64) error {
	_, err := tx.Exec(ctx, "UPDATE entities SET mention_count = found.n FROM ("+MiscountedEntities+") AS found WHERE found.id = entities.id AND entities.user_id = ?", userID)
	return err
}

// Merged calls visit for each of the user's entities that were merged into another,
// with both ids. whole may be merged into another itself. Merges and their undoing are
// audited: the result is unchanged while the user's last op is the same.
func (s *Snapshot) Merged(ctx context.Context, userID int64, visit func(part, whole int64)) error {
	var part, whole int64
	return Each(ctx, s.Query, []any{&part, &whole}, func() error {
		visit(part, whole)
		return nil
	}, "SELECT id, merged_into FROM entities WHERE user_id = ? AND merged_into IS NOT NULL ORDER BY id", userID)
}

// MentionsOf calls visit for the newest memories that mention an entity, newest first, at
// most limit. Mentions of entities merged into it are left out; see [Snapshot.Merged].
func (s *Snapshot) MentionsOf(ctx context.Context, entity int64, limit int, visit func(memory int64)) error {
	var id int64
	return Each(ctx, s.Query, []any{&id}, func() error {
		visit(id)
		return nil
	}, "SELECT memory_id FROM memory_entities WHERE entity_id = ? ORDER BY memory_id DESC LIMIT ?", entity, limit)
}
