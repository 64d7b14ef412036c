package enrich

import (
	"cmp"
	"context"
	"slices"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// What one memory may link. There are more lookups than names because the same
// name can be mentioned in several ways, and again while it is unknown.
const (
	maxNames   = 200
	maxLookups = 2 * maxNames
	maxRoles   = 200
)

// Mentions returns the mentions in a text that can be entities, the names with
// most words first: "Karim Haddad" says who "Karim" is wherever it stands. It
// leaves out dates and what is not a valid name, such as a tracking link of a
// thousand bytes.
func Mentions(content string) []text.Mention {
	found := slices.DeleteFunc(text.Mentions(content), func(m text.Mention) bool {
		return m.Type == text.MentionDate || schema.ValidEntityName("mention", m.Text) != nil
	})
	slices.SortStableFunc(found, func(a, b text.Mention) int {
		return cmp.Compare(len(names.Parse(b.Text).Words), len(names.Parse(a.Text).Words))
	})
	return found
}

// firstDistinct keeps the mentions of the first n different texts, in the order
// given.
func firstDistinct(found []text.Mention, n int) []text.Mention {
	if len(found) <= n {
		return found
	}
	keep := make(map[string]bool, n)
	for _, m := range byPosition(found) {
		if len(keep) == n {
			break
		}
		keep[m.Text] = true
	}
	return slices.DeleteFunc(slices.Clone(found), func(m text.Mention) bool { return !keep[m.Text] })
}

func byPosition(found []text.Mention) []text.Mention {
	return slices.SortedFunc(slices.Values(found), func(a, b text.Mention) int { return cmp.Compare(a.Start, b.Start) })
}

// properNames returns the mentions that are proper names, in order of position.
func properNames(found []text.Mention) []text.Mention {
	return slices.DeleteFunc(byPosition(found), func(m text.Mention) bool { return m.Type != text.MentionName })
}

// mentionKey holds everything that decides what a mention resolves to.
type mentionKey struct {
	typ        text.MentionType
	text       string
	confidence float64
	place      bool
}

// link resolves the mentions of a memory, each different one once, and links
// the memory to their entities.
func (r *resolver) link(ctx context.Context, a *analysis) error {
	if err := r.learnAliases(ctx, a.mentions); err != nil {
		return err
	}
	byStart := make(map[int]*schema.Entity, len(a.mentions))
	known := make(map[mentionKey]*schema.Entity)
	lookups := 0
	for _, m := range a.mentions {
		key := mentionKey{m.Type, m.Text, m.Confidence, r.afterPlacePreposition(m)}
		if e := known[key]; e != nil {
			byStart[m.Start] = e
			continue
		}
		if lookups == maxLookups {
			continue
		}
		lookups++
		match, err := r.resolve(ctx, m)
		if err != nil {
			return err
		}
		if match.entity == nil {
			continue
		}
		known[key], byStart[m.Start] = match.entity, match.entity
		if err := r.tx.LinkEntity(ctx, r.memory.ID, match.entity.ID, m.Text, min(m.Confidence, match.confidence)); err != nil {
			return err
		}
	}
	for _, role := range a.roles {
		if err := r.role(ctx, role, byStart); err != nil {
			return err
		}
	}
	return r.casual(ctx, a.lowercase)
}

// uniqueName is the confidence of a link by a name that only one entity bears.
const uniqueName = 0.9

// LinkKnown links a derived memory to the known entities that its text names:
// those that its sources are linked to, or that alone bear the name. It creates
// no entity, because what the text names occurs in the sources, which were
// enriched.
func LinkKnown(ctx context.Context, tx *schema.Tx, m *schema.Memory, sourceIDs []int64) error {
	linked := make(map[int64]bool) // to a source
	for _, source := range sourceIDs {
		ids, err := tx.EntitiesOf(ctx, source)
		if err != nil {
			return err
		}
		for _, id := range ids {
			linked[id] = true
		}
	}
	candidates := []string{m.Subject, m.Object}
	for _, mention := range Mentions(m.Content) {
		candidates = append(candidates, mention.Text)
	}
	folded := text.Fold(m.Content)
	for _, name := range candidates {
		if !grounding.HoldsWord(folded, text.Fold(name)) {
			continue
		}
		entities, err := tx.EntitiesByName(ctx, m.UserID, name)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(entities, func(e schema.NamedEntity) bool { return linked[e.ID] }); i > 0 {
			entities = entities[i:]
		} else if i < 0 && len(entities) != 1 {
			continue
		}
		if err := tx.LinkEntity(ctx, m.ID, entities[0].ID, name, uniqueName); err != nil {
			return err
		}
	}
	return nil
}
