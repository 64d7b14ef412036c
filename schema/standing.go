package schema

import "context"

// The temporal types that pass ([AttrTemporal]); the others stand.
const (
	TemporalEvent = "event"
	TemporalPlan  = "plan"
)

// Stands reports a claim that holds until it changes: a fact or preference whose
// temporal type is state, habit or trait. A claim without a type is a state.
func (m *Memory) Stands() bool {
	typ := m.Attributes[AttrTemporal]
	return (m.Kind == KindFact || m.Kind == KindPreference) && typ != TemporalEvent && typ != TemporalPlan
}

// How stability grows, which divides the time a memory has to fade in
// (cognitive-v9.md: ×1.02 for a retrieval, ×1.5 for a rehearsal, at most 10). A
// use counts when none was in the half hour before, which is taken for the same
// conversation; a further source when it is [Tx.Independent].
const (
	MaxStability = 10
	useGrowth    = 1.02
	sourceGrowth = 1.5
	oneUse       = 30 * 60 * 1000 // milliseconds
)

// Corroborated is a stability after one more independent source.
func Corroborated(stability float64) float64 {
	return max(stability, min(MaxStability, max(1, stability)*sourceGrowth))
}

// Hold keeps a memory from fading while a question about it waits for a person.
// Like an access it is bookkeeping: not audited, and Version stays.
func (tx *Tx) Hold(ctx context.Context, m *Memory) error {
	_, err := tx.Exec(ctx, "UPDATE memories SET decay_rate = 0 WHERE id = ?", m.ID)
	return err
}

// LetGo ends [Tx.Hold] for a memory that is not protected: forgetting begins now.
func (tx *Tx) LetGo(ctx context.Context, m *Memory) error {
	_, err := tx.Exec(ctx, `UPDATE memories SET decay_rate = ?, last_accessed = max(coalesce(last_accessed, 0), ?)
		WHERE id = ? AND NOT protected AND kind <> 'episode'`, DefaultDecayRate, tx.Now.UnixMilli(), m.ID)
	return err
}
