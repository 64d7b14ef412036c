// Package proposed reads what waiting proposals are about.
package proposed

import (
	"cmp"
	"context"
	"fmt"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// memories reads memories by public id: a snapshot or a write.
type memories interface {
	Memory(ctx context.Context, userID int64, uid string) (*schema.Memory, error)
}

// CheckPayload decodes the payload of a kind of proposal as those do who list and
// decide it; nil for kinds that are not listed.
func CheckPayload(kind, payload string) error {
	var into any
	switch kind {
	case tools.ProposalCorrect:
		into = new(tools.Correction)
	case tools.ProposalBlock:
		into = new(tools.BlockChange)
	case tools.ProposalForget:
		into = new(tools.Forgetting)
	case tools.ProposalMemory:
		into = new(tools.Offer)
	case schema.KindProtect:
		into = new(schema.Question)
	case consolidate.ProposalContradiction:
		into = new(consolidate.ContradictionPair)
	case consolidate.ProposalMergeEntities:
		into = new(consolidate.EntityPair)
	default:
		return nil
	}
	return (&schema.PendingChange{Payload: payload}).Decode(into)
}

// Forgetting reads what a proposal to forget is about: a memory, or the message
// that asks. [schema.ErrConflict] if the memory is forgotten already.
func Forgetting(ctx context.Context, db memories, userID int64, r *schema.PendingChange) (m *schema.Memory, message bool, err error) {
	var f tools.Forgetting
	if err := r.Decode(&f); err != nil {
		return nil, false, err
	}
	if m, err = db.Memory(ctx, userID, cmp.Or(f.Memory, f.Message)); err != nil {
		return nil, false, err
	}
	if m.State == schema.StateForgotten {
		return nil, false, fmt.Errorf("memory %s is forgotten: %w", m.UID, schema.ErrConflict)
	}
	return m, f.Memory == "", nil
}

// Protection reads the fact that a proposal wants to protect, and its text when that was
// asked. [schema.ErrConflict] if the fact is no longer current.
func Protection(ctx context.Context, db memories, userID int64, r *schema.PendingChange) (m *schema.Memory, shown string, err error) {
	var q schema.Question
	if err := r.Decode(&q); err != nil {
		return nil, "", err
	}
	if m, err = db.Memory(ctx, userID, q.MemoryID); err == nil {
		err = current(m)
	}
	return m, q.Content, err
}

func current(m *schema.Memory) error {
	if m.State != schema.StateActive && m.State != schema.StateDormant {
		return fmt.Errorf("memory %s is no longer current: %w", m.UID, schema.ErrConflict)
	}
	return nil
}

// Contradiction reads the two claims of which a proposal says that the later replaces
// the earlier. [schema.ErrConflict] if one of them is no longer current.
func Contradiction(ctx context.Context, db memories, userID int64, r *schema.PendingChange) (earlier, later *schema.Memory, err error) {
	var pair consolidate.ContradictionPair
	if err := r.Decode(&pair); err != nil {
		return nil, nil, err
	}
	if earlier, err = db.Memory(ctx, userID, pair.Earlier); err != nil {
		return nil, nil, err
	}
	if later, err = db.Memory(ctx, userID, pair.Later); err != nil {
		return nil, nil, err
	}
	for _, m := range []*schema.Memory{earlier, later} {
		if err := current(m); err != nil {
			return nil, nil, err
		}
	}
	return earlier, later, nil
}

// entities reads entities by public id: a snapshot or a write.
type entities interface {
	Entity(ctx context.Context, userID int64, uid string) (*schema.Entity, error)
}

// TwoEntities reads the two entities that a proposal takes for one. [schema.ErrConflict]
// if one of them was merged already.
func TwoEntities(ctx context.Context, db entities, userID int64, r *schema.PendingChange) (from, into *schema.Entity, err error) {
	var pair consolidate.EntityPair
	if err := r.Decode(&pair); err != nil {
		return nil, nil, err
	}
	if from, err = db.Entity(ctx, userID, pair.From); err != nil {
		return nil, nil, err
	}
	if into, err = db.Entity(ctx, userID, pair.Into); err != nil {
		return nil, nil, err
	}
	for _, e := range []*schema.Entity{from, into} {
		if e.MergedInto != 0 {
			return nil, nil, fmt.Errorf("entity %s was merged already: %w", e.UID, schema.ErrConflict)
		}
	}
	return from, into, nil
}
