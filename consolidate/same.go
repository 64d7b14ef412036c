package consolidate

import (
	"context"
	"slices"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

var negation = grounding.Denial

// SameClaim reports whether two claims say the same: subject, predicate and
// object are equal, or nearly all words are, and the numbers and negations too.
// What happened on two days happened twice.
// It errs on the side of two claims: what it overlooks, the conflict stage sees.
func SameClaim(a, b *schema.Memory) bool { return claims.SameWords(a, b) }

// sureOfName is the confidence of a link by a name that only one entity bears.
const sureOfName = 0.9

// linkKnown links a claim to the entities that it names and that are known
// already, from its sources or by a name that only one bears. It makes none:
// what a claim names stands in its sources, which were enriched.
func linkKnown(ctx context.Context, tx *schema.Tx, m *schema.Memory, sources []claims.Evidence) error {
	linked := make(map[int64]bool) // to a source
	for _, s := range sources {
		var ids []int64
		if err := tx.NewSelect().Table("memory_entities").Column("entity_id").Where("memory_id = ?", s.Memory.ID).Scan(ctx, &ids); err != nil {
			return err
		}
		for _, id := range ids {
			linked[id] = true
		}
	}
	names := []string{m.Subject, m.Object}
	for _, mention := range mentionsOf(m.Content) {
		names = append(names, mention.Text)
	}
	folded := text.Fold(m.Content)
	for _, name := range names {
		if !grounding.HoldsWord(folded, text.Fold(name)) {
			continue
		}
		entities, err := tx.EntitiesByName(ctx, m.UserID, name)
		if err != nil {
			return err
		}
		if of := slices.IndexFunc(entities, func(e schema.NamedEntity) bool { return linked[e.ID] }); of > 0 {
			entities = entities[of:]
		} else if of < 0 && len(entities) != 1 {
			continue
		}
		if err := tx.LinkEntity(ctx, m.ID, entities[0].ID, name, sureOfName); err != nil {
			return err
		}
	}
	return nil
}
