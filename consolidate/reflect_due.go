package consolidate

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// BlockField names a field of a block of core memory.
type BlockField struct{ Block, Field string }

// turned reports whether enough cycles have passed since the last reflection, or
// the boundary field has changed.
func (r *Reflect) turned(ctx context.Context, s *schema.Snapshot, userID int64) (due bool, err error) {
	if r.Cycles > 0 {
		user, err := s.UserByID(ctx, userID)
		if err != nil || user.Cycle-user.ReflectedCycle >= r.Cycles {
			return err == nil, err
		}
	}
	if r.Boundary == (BlockField{}) {
		return false, nil
	}
	return s.FieldChangedSinceReflection(ctx, userID, r.Boundary.Block, r.Boundary.Field)
}

// focus returns the instructions of Focus.
func (r *Reflect) focus() string {
	if r.Focus == "" {
		return ""
	}
	return "\n\nFocus on: " + r.Focus
}

// done returns the bookkeeping at the end of a reflection.
func (x *reflection) done() []Proposal {
	done := []Proposal{Advance{reflectStage, x.through}, Spend{x.gathered}}
	if x.Cycles > 0 || x.Boundary != (BlockField{}) {
		done = append(done, Reflected{})
	}
	return done
}

// Reflected records the cycle of a reflection.
type Reflected struct{}

func (Reflected) of() (kind, memory string) { return "", "" }

func (p Reflected) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	return applied(p), tx.MarkReflected(ctx, n.input.UserID, n.actor())
}
