package dream

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/schema"
)

const (
	redundantAbove = 0.9 // cosine of terms
	redundantDaily = 50
)

// Redundancy is the stage that makes dormant a derived memory that says the same as
// another one: of one kind and about one subject, with a cosine of terms above 0.9, and with
// the same names, numbers and negations, where the other has each of its words: "left" is no
// repetition of "right", and what says more stays. Of two with the same words that of higher
// trust stays, of equal trust that of higher utility, then of higher importance, then the
// older; one never gives way to less trust. At most 50 a day become dormant. Two
// events of different days are two events, whatever their words.
//
// Counts: those of [consolidate.Rules] for redundant.
type Redundancy struct{}

// Name implements [consolidate.Stage].
func (Redundancy) Name() string { return "redundancy" }

// Propose implements [consolidate.Stage].
func (r Redundancy) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	memories, err := schema.Get(ctx, in.DB, func(ctx context.Context, s *schema.Snapshot) ([]schema.Memory, error) {
		return active(ctx, s, in.UserID)
	})
	if err != nil {
		return err
	}
	repeats := repetitions(memories, in)
	return consolidate.Rules{Stage: r.Name(), List: []consolidate.Rule{{
		Name: "redundant", Where: Derived(), Most: redundantDaily,
		Worth: func(m *schema.Memory, _ time.Time) float64 { return m.Utility },
		When: func(m *schema.Memory, _ time.Time) (schema.Revision, bool) {
			return schema.Revision{State: schema.StateDormant}, repeats[m.ID]
		},
	}}}.Propose(ctx, in, apply)
}

// active returns the user's active derived memories with their texts, by id.
func active(ctx context.Context, s *schema.Snapshot, userID int64) ([]schema.Memory, error) {
	where := Derived()
	met, err := s.Night().Meeting(ctx, userID, schema.StateActive, &where)
	if err != nil {
		return nil, err
	}
	return WithTexts(ctx, s, userID, met)
}

// WithTexts reads memories that meet conditions with their texts, by id.
func WithTexts(ctx context.Context, s *schema.Snapshot, userID int64, met []schema.Memory) ([]schema.Memory, error) {
	ids := make([]int64, len(met))
	for i := range met {
		ids[i] = met[i].ID
	}
	memories, err := s.MemoriesByID(ctx, userID, ids)
	slices.SortFunc(memories, func(a, b schema.Memory) int { return cmp.Compare(a.ID, b.ID) })
	return memories, err
}

// repetitions returns the ids of the memories that repeat one that stays.
func repetitions(memories []schema.Memory, in *consolidate.Input) map[int64]bool {
	texts, marks, order := make([]string, len(memories)), make([]map[string]bool, len(memories)), make([]int, len(memories))
	for i := range memories {
		texts[i], marks[i], order[i] = memories[i].Content, reconcile.Marks(memories[i].Content), i
	}
	sets := text.TermSets(texts)
	slices.SortFunc(order, func(i, j int) int {
		a, b := &memories[i], &memories[j]
		return cmp.Or(cmp.Compare(b.Trust, a.Trust), cmp.Compare(sets[j].Len(), sets[i].Len()),
			cmp.Compare(b.Utility, a.Utility), cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.ID, b.ID))
	})
	repeats := make(map[int64]bool)
	var kept []int
	for _, i := range order {
		if slices.ContainsFunc(kept, func(k int) bool {
			return sets[i].Cosine(sets[k]) > redundantAbove && sets[i].Within(sets[k]) && maps.Equal(marks[i], marks[k]) && ofOneThing(&memories[i], &memories[k], in)
		}) {
			repeats[memories[i].ID] = true
		} else {
			kept = append(kept, i)
		}
	}
	return repeats
}

// ofOneThing reports whether two memories are of one kind, and not about two subjects or
// events of two days.
func ofOneThing(a, b *schema.Memory, in *consolidate.Input) bool {
	passing := func(m *schema.Memory) bool {
		return m.Attributes[schema.AttrTemporal] == schema.TemporalEvent || m.Attributes[schema.AttrTemporal] == schema.TemporalPlan
	}
	return a.Kind == b.Kind && (!passing(a) && !passing(b) || a.EventTime.SameDay(b.EventTime, in.Location)) &&
		!claims.OfOthers(claims.Subject(a, in.Scope.User), claims.Subject(b, in.Scope.User))
}
