package schema

import (
	"context"
	"errors"
	"slices"
)

// forgetMentions takes the doomed's mentions away, and what they alone knew of
// whom they mention: names, the summary, the entity itself.
func (b *batch) forgetMentions(ctx context.Context) error {
	mentioned, err := b.ids(ctx, "SELECT DISTINCT entity_id FROM memory_entities WHERE memory_id IN (SELECT value FROM json_each(?)) ORDER BY 1", list(b.order))
	if err != nil {
		return err
	}
	for _, id := range b.order {
		entities, err := b.ids(ctx, "SELECT entity_id FROM memory_entities WHERE memory_id = ?", id)
		if err != nil {
			return err
		}
		for _, entity := range entities {
			if err := b.tx.unmention(ctx, id, entity); err != nil {
				return err
			}
			b.receipt.Erased["memory_entities"]++
		}
	}
	for _, id := range mentioned {
		if err := b.forgetEntity(ctx, id); err != nil {
			return err
		}
	}
	return b.betrayingEntities(ctx)
}

// forgetEntity drops an entity that nothing mentions any more, with all that was
// merged into one with it; of others the summary, which drew on the doomed. A
// part that nothing mentions goes by itself.
func (b *batch) forgetEntity(ctx context.Context, id int64) error {
	var root int64
	err := b.tx.Row(ctx, rootEntity, []any{id}, &root)
	if noRows(err) {
		return nil // it went with another
	}
	if err != nil {
		return err
	}
	whole, err := b.ids(ctx, mergedEntities+" SELECT id FROM merged", root)
	if err != nil {
		return err
	}
	var mentions int64
	if err := b.tx.Row(ctx, "SELECT count(*) FROM memory_entities WHERE entity_id IN (SELECT value FROM json_each(?))", []any{list(whole)}, &mentions); err != nil {
		return err
	}
	if mentions == 0 {
		slices.Reverse(whole) // parts before what they are parts of
		for _, part := range whole {
			if err := b.dropEntity(ctx, part); err != nil {
				return err
			}
		}
		return nil
	}
	var needed bool
	if err := b.tx.Row(ctx, `SELECT EXISTS (SELECT 1 FROM memory_entities WHERE entity_id = ?1) OR EXISTS (SELECT 1 FROM entities WHERE merged_into = ?1)`, []any{id}, &needed); err != nil {
		return err
	}
	if !needed {
		return errors.Join(b.dropEntity(ctx, id), b.dropSummary(ctx, root))
	}
	return errors.Join(b.dropSummary(ctx, id), b.dropSummary(ctx, root))
}

func (b *batch) dropEntity(ctx context.Context, id int64) error {
	var uid string
	if err := b.tx.Row(ctx, "SELECT uid FROM entities WHERE id = ?", []any{id}, &uid); err != nil {
		return err
	}
	if _, err := b.remove(ctx, "entity_aliases", "DELETE FROM entity_aliases WHERE entity_id = ?", id); err != nil {
		return err
	}
	if _, err := b.remove(ctx, "entities", "DELETE FROM entities WHERE id = ?", id); err != nil {
		return err
	}
	if err := b.rewrite(ctx, "ops", "UPDATE ops SET before = '', after = '' WHERE record = 'entities' AND record_id = ? AND (before <> '' OR after <> '')", id); err != nil {
		return err
	}
	if err := b.rewrite(ctx, "ops", `UPDATE ops SET before = '', after = '' WHERE user_id = ?1 AND operation IN ('mention', 'unmention', 'merge')
		AND (json_extract(nullif(before, ''), '$.entity') = ?2 OR json_extract(nullif(after, ''), '$.entity') = ?2
			OR json_extract(nullif(before, ''), '$.into') = ?2 OR json_extract(nullif(after, ''), '$.into') = ?2)`, b.userID, uid); err != nil {
		return err
	}
	if err := b.dropProposals(ctx, uid); err != nil {
		return err
	}
	return b.entomb(ctx, []string{Tombstone(b.owner, TombstoneEntity, uid)})
}

func (b *batch) dropSummary(ctx context.Context, id int64) error {
	if err := b.rewrite(ctx, "entities", "UPDATE entities SET summary = '' WHERE id = ? AND summary <> ''", id); err != nil {
		return err
	}
	return b.rewrite(ctx, "ops", "UPDATE ops SET before = '', after = '' WHERE record = 'entities' AND record_id = ? AND operation = 'summary' AND (before <> '' OR after <> '')", id)
}

// betrayingEntities looks at what is written about every entity of the user: a
// name that only the doomed bore goes, and a summary with a word of theirs.
func (b *batch) betrayingEntities(ctx context.Context) error {
	type named struct {
		id            int64
		name, summary string
	}
	var all []named
	rows, err := b.tx.Query(ctx, "SELECT id, name, summary FROM entities WHERE user_id = ? ORDER BY id", b.userID)
	if err != nil {
		return err
	}
	for rows.Next() {
		var n named
		if err := rows.Scan(&n.id, &n.name, &n.summary); err != nil {
			_ = rows.Close()
			return err
		}
		all = append(all, n)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, n := range all {
		if betrays, err := b.words.betrays(ctx, n.summary); err != nil {
			return err
		} else if betrays {
			if err := b.dropSummary(ctx, n.id); err != nil {
				return err
			}
		}
		if err := b.dropNames(ctx, n.id, n.name); err != nil {
			return err
		}
	}
	return nil
}

// dropNames takes the names of an entity away that only the doomed bore. One
// whose own name goes is called by the one that its mentions use most.
func (b *batch) dropNames(ctx context.Context, id int64, name string) error {
	surfaces, err := column[string](ctx, b.tx, "SELECT surface FROM entity_aliases WHERE entity_id = ?", id)
	if err != nil {
		return err
	}
	for _, surface := range surfaces {
		betrays, err := b.words.betrays(ctx, surface)
		if err != nil {
			return err
		}
		if betrays {
			if _, err := b.remove(ctx, "entity_aliases", "DELETE FROM entity_aliases WHERE entity_id = ? AND surface = ?", id, surface); err != nil {
				return err
			}
		}
	}
	betrays, err := b.words.betrays(ctx, name)
	if err != nil || !betrays {
		return err
	}
	return b.rewrite(ctx, "entities", `UPDATE entities SET name = coalesce(
			(SELECT surface FROM memory_entities WHERE entity_id = ?1 GROUP BY surface ORDER BY count(*) DESC, surface LIMIT 1),
			(SELECT surface FROM entity_aliases WHERE entity_id = ?1 ORDER BY confidence DESC, alias LIMIT 1), type) WHERE id = ?1`, id)
}

// RecountMentions sets how often each of a user's entities is mentioned to what
// is there: for an import that passed some of what mentions them over.
func (tx *Tx) RecountMentions(ctx context.Context, userID int64) error {
	_, err := tx.Exec(ctx, "UPDATE entities SET mention_count = found.n FROM ("+MiscountedEntities+") AS found WHERE found.id = entities.id AND entities.user_id = ?", userID)
	return err
}
