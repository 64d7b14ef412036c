package erase

import (
	"context"
	"errors"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// forgetMentions deletes the targets' mentions and what only targets knew of the
// mentioned entities: names, the summary, the entity itself.
func (b *batch) forgetMentions(ctx context.Context) error {
	mentioned, err := b.ids(ctx, "SELECT DISTINCT entity_id FROM memory_entities WHERE memory_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ORDER BY 1", schema.JSONList(b.order))
	if err != nil {
		return err
	}
	for _, id := range b.order {
		entities, err := b.ids(ctx, "SELECT entity_id FROM memory_entities WHERE memory_id = ?", id)
		if err != nil {
			return err
		}
		for _, entity := range entities {
			if err := b.tx.Unmention(ctx, id, entity); err != nil {
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
	return nil
}

// forgetEntity deletes an entity that no memory mentions any more, with all that was
// merged into one with it. Other entities lose the summary, which drew on the
// targets. A merged part that no memory mentions is deleted by itself.
func (b *batch) forgetEntity(ctx context.Context, id int64) error {
	root, err := b.tx.RootEntity(ctx, id)
	if errors.Is(err, schema.ErrNotFound) {
		return nil // it went with another
	}
	if err != nil {
		return err
	}
	whole, err := b.tx.MergedEntities(ctx, root)
	if err != nil {
		return err
	}
	var mentions int64
	if err := b.tx.Row(ctx, "SELECT count(*) FROM memory_entities WHERE entity_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", []any{schema.JSONList(whole)}, &mentions); err != nil {
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
	return b.addTombstones(ctx, []string{schema.Tombstone(b.owner, schema.TombstoneEntity, uid)})
}

func (b *batch) dropSummary(ctx context.Context, id int64) error {
	if err := b.rewrite(ctx, "entities", "UPDATE entities SET summary = '' WHERE id = ? AND summary <> ''", id); err != nil {
		return err
	}
	return b.rewrite(ctx, "ops", "UPDATE ops SET before = '', after = '' WHERE record = 'entities' AND record_id = ? AND operation = 'summary' AND (before <> '' OR after <> '')", id)
}

// entities checks the texts of every entity of the user. It deletes names and summaries
// with a word that only targets held.
func (b *batch) entities(ctx context.Context, after int64) (int64, error) {
	type named struct {
		id            int64
		name, summary string
	}
	all, err := schema.List(ctx, b.tx.Query, func(n *named) []any {
		return []any{&n.id, &n.name, &n.summary}
	}, "SELECT id, name, summary FROM entities WHERE user_id = ? AND id > ? ORDER BY id LIMIT ?", b.userID, after, sweepRows)
	if err != nil {
		return 0, err
	}
	for _, n := range all {
		reveals, err := b.words.reveals(ctx, n.summary)
		if err == nil && reveals {
			err = b.dropSummary(ctx, n.id)
		}
		if err := errors.Join(err, b.dropNames(ctx, n.id, n.name)); err != nil {
			return 0, err
		}
		after = n.id
	}
	return after, nil
}

// dropNames deletes the names of an entity that only targets used. An entity that
// loses its main name takes the one that its mentions use most.
func (b *batch) dropNames(ctx context.Context, id int64, name string) error {
	surfaces, err := schema.Column[string](ctx, b.tx.Query, "SELECT surface FROM entity_aliases WHERE entity_id = ?", id)
	if err != nil {
		return err
	}
	for _, surface := range surfaces {
		reveals, err := b.words.reveals(ctx, surface)
		if err != nil {
			return err
		}
		if reveals {
			if _, err := b.remove(ctx, "entity_aliases", "DELETE FROM entity_aliases WHERE entity_id = ? AND surface = ?", id, surface); err != nil {
				return err
			}
		}
	}
	reveals, err := b.words.reveals(ctx, name)
	if err != nil || !reveals {
		return err
	}
	return b.rewrite(ctx, "entities", `UPDATE entities SET name = coalesce(
			(SELECT surface FROM memory_entities WHERE entity_id = ?1 GROUP BY surface ORDER BY count(*) DESC, surface LIMIT 1),
			(SELECT surface FROM entity_aliases WHERE entity_id = ?1 ORDER BY confidence DESC, alias LIMIT 1), type) WHERE id = ?1`, id)
}
