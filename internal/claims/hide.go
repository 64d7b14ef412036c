package claims

import (
	"context"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// hide forgets the targets and whatever would reveal them: the messages that
// support the claims, other claims with the same words, memories derived from them,
// and summaries of entities that repeat them.
func (w *reading) hide(ctx context.Context, t *targets) error {
	hidden := make(map[int64]bool)
	one := func(m *schema.Memory) error {
		if hidden[m.ID] {
			return nil
		}
		hidden[m.ID] = true
		fresh, err := w.tx.Memory(ctx, w.UserID, m.UID)
		if err != nil || fresh.State == schema.StateForgotten || fresh.State == schema.StateQuarantined && !t.quarantined {
			return err
		}
		if err := w.tx.Forget(ctx, fresh, w.EventTime.Time, w.run.by); err != nil {
			return err
		}
		w.run.did("forget", fresh)
		w.hidden = append(w.hidden, *fresh)
		return nil
	}
	var ids []int64
	for i := range t.claims {
		ids = append(ids, t.claims[i].ID)
	}
	cited, err := w.tx.Cited(ctx, ids)
	if err != nil {
		return err
	}
	var sources []int64
	for _, c := range cited {
		sources = append(sources, c.SourceID)
	}
	behind, err := w.tx.ByID(ctx, w.UserID, sources)
	if err != nil {
		return err
	}
	t.episodes = append(t.episodes, behind...)
	for i := range t.claims {
		if err := one(&t.claims[i]); err != nil {
			return err
		}
	}
	for i := range t.episodes {
		if err := one(&t.episodes[i]); err != nil {
			return err
		}
		ids = append(ids, t.episodes[i].ID)
	}
	resting, err := w.tx.Resting(ctx, w.UserID, ids)
	if err != nil {
		return err
	}
	for i := range resting {
		m := &resting[i]
		if t.pointed || m.Kind == schema.KindReflection || isLasting(m) || t.tells(m.Content) {
			if err := one(m); err != nil {
				return err
			}
			t.claims = append(t.claims, *m)
		}
	}
	entities, err := w.tx.Summarised(ctx, w.UserID)
	if err != nil {
		return err
	}
	for i := range entities {
		if t.tells(entities[i].Summary) {
			if err := w.tx.ClearSummary(ctx, &entities[i], w.run.by); err != nil {
				return err
			}
		}
	}
	return nil
}

// tells reports whether a text contains the object of one of the claims, or all named
// terms.
func (t *targets) tells(s string) bool {
	folded := text.Fold(s)
	for i := range t.claims {
		if o := text.Fold(t.claims[i].Object); o != "" && grounding.HoldsWord(folded, o) {
			return true
		}
	}
	return t.holds(&schema.Memory{Content: s})
}
