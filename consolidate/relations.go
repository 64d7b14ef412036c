package consolidate

import (
	"context"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// AddRelation stores a relation between two of the user's active memories. Claims that
// replace or contradict each other are related by [Relate] alone.
type AddRelation struct {
	From, To   string  // public ids
	Type       string  // [schema.LinkCauses] or one of [schema.PrunableLinks]
	Confidence float64 // above 0, up to 1
	Why        string  // for reports
}

func (p AddRelation) of() (kind, memory string) { return "relate", p.From }

func (p AddRelation) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	if p.Type != schema.LinkCauses && !slices.Contains(schema.PrunableLinks, p.Type) {
		return Outcome{}, &schema.InvalidError{Field: "type", Reason: "is none of causes, elaborates, same_entity, related_to"}
	}
	if err := schema.ValidUnit("confidence", p.Confidence); err != nil {
		return Outcome{}, err
	}
	if p.From == p.To || p.Confidence == 0 {
		return Outcome{}, &schema.InvalidError{Field: "relation", Reason: "is of a memory to itself, or of no confidence"}
	}
	var ends [2]*schema.Memory
	for i, uid := range [...]string{p.From, p.To} {
		m, err := tx.Memory(ctx, n.input.UserID, uid)
		if err != nil {
			return Outcome{}, err
		}
		if m.State != schema.StateActive {
			return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "is not active any more"}
		}
		ends[i] = m
	}
	added, err := tx.Link(ctx, ends[0], ends[1], p.Type, p.Confidence, n.actor())
	outcome := applied(p)
	outcome.Reason = p.Type
	outcome.Text = p.Why
	if !added {
		outcome.Status = Known
	}
	return outcome, err
}

// RemoveRelation removes one of the least relations of a user who has more than Above.
type RemoveRelation struct {
	From, To string // public ids
	Type     string // one of [schema.PrunableLinks]
	Above    int
}

func (p RemoveRelation) of() (kind, memory string) { return "unrelate", p.From }

func (p RemoveRelation) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	if !slices.Contains(schema.PrunableLinks, p.Type) {
		return Outcome{}, &schema.InvalidError{Field: "type", Reason: "is of relations that are never pruned"}
	}
	const relations = "relations" // counted once a batch: pruning removes hundreds
	if _, counted := n.left[relations]; !counted {
		links, err := tx.Night().Links(ctx, n.input.UserID, schema.PrunableLinks...)
		if err != nil {
			return Outcome{}, err
		}
		n.left[relations] = len(links)
	}
	if n.left[relations] <= p.Above {
		return Outcome{}, &schema.InvalidError{Field: "relation", Reason: "is not beyond the bound any more"}
	}
	from, err := tx.Memory(ctx, n.input.UserID, p.From)
	if err != nil {
		return Outcome{}, err
	}
	to, err := tx.Memory(ctx, n.input.UserID, p.To)
	if err != nil {
		return Outcome{}, err
	}
	removed, err := tx.Unlink(ctx, from, to, p.Type, n.actor())
	switch {
	case err != nil:
		return Outcome{}, err
	case !removed:
		return Outcome{}, schema.ErrNotFound
	}
	n.left[relations]--
	outcome := applied(p)
	outcome.Reason = p.Type
	return outcome, nil
}
