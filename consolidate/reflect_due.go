package consolidate

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// BlockField names a field of a block of core memory.
type BlockField struct{ Block, Field string }

// turned reports whether enough cycles have passed since the last reflection, or
// the boundary says something else than it did then.
func (r *Reflect) turned(ctx context.Context, s *schema.Snapshot, userID int64) (due bool, err error) {
	if r.Cycles > 0 {
		err = s.Row(ctx, "SELECT cycle - reflected_cycle >= ? FROM users WHERE id = ?", []any{r.Cycles, userID}, &due)
	}
	if due || err != nil || r.Boundary == (BlockField{}) {
		return due, err
	}
	const path = "'$.\"' || ?3 || '\"'"
	err = s.Row(ctx, `SELECT coalesce((SELECT coalesce(json_extract(b.content, `+path+`), '') <> coalesce(
			(SELECT json_extract(h.content, `+path+`) FROM block_history h WHERE h.block_id = b.id AND h.at <= u.reflected_at ORDER BY h.version DESC LIMIT 1), '')
		FROM blocks b WHERE b.user_id = u.id AND b.agent = '' AND b.name = ?2 AND json_valid(b.content)), 0) FROM users u WHERE u.id = ?1`,
		[]any{userID, r.Boundary.Block, r.Boundary.Field}, &due)
	return due, err
}

// focus is what the model is told beside the usual.
func (r *Reflect) focus() string {
	if r.Focus == "" {
		return ""
	}
	return "\n\nFocus on: " + r.Focus
}

// done is what is noted when a reflection is over.
func (x *reflection) done() []Proposal {
	done := []Proposal{Advance{reflectStage, x.through}, Spend{x.gathered}}
	if x.Cycles > 0 || x.Boundary != (BlockField{}) {
		done = append(done, Reflected{})
	}
	return done
}

// Reflected asks to note in which cycle a reflection was.
type Reflected struct{}

// Kind implements [Proposal]; bookkeeping is not reported.
func (Reflected) Kind() string { return "" }

// MemoryUID implements [Proposal].
func (Reflected) MemoryUID() string { return "" }

func (p Reflected) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	return applied(p), tx.MarkReflected(ctx, n.input.UserID, n.actor())
}
