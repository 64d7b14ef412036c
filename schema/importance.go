package schema

import (
	"context"
)

// users.importance_since is the sum of the importance, 0–1 each, of the messages since
// the last reflection. It triggers the next one.

// GatherImportance adds a message's importance, 0–1, to the sum since the last
// reflection. It is not audited.
func (tx *Tx) GatherImportance(ctx context.Context, userID int64, importance float64) error {
	_, err := tx.Exec(ctx, "UPDATE users SET importance_since = importance_since + ? WHERE id = ?", importance, userID)
	return err
}

// SpendImportance subtracts the importance of the messages that a reflection covered
// from the sum.
func (tx *Tx) SpendImportance(ctx context.Context, userID int64, spent float64, by Actor) error {
	return tx.shiftImportance(ctx, userID, -max(0, spent), by)
}

// shiftImportance changes the sum, to no less than 0.
func (tx *Tx) shiftImportance(ctx context.Context, userID int64, change float64, by Actor) error {
	var gathered float64
	if err := tx.Row(ctx, "SELECT importance_since FROM users WHERE id = ?", []any{userID}, &gathered); err != nil {
		return err
	}
	if change = max(change, -gathered); change == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, "UPDATE users SET importance_since = importance_since + ? WHERE id = ?", change, userID); err != nil {
		return err
	}
	return tx.AuditRow(ctx, userID, by, OpImportance, "runs", by.RunID, JSONObject("spent", -change), JSONObject("spent", 0))
}

// SetImportance changes the importance of a memory, 0–1. For a message that no
// reflection has covered it adjusts the sum.
//
// Errors: [*InvalidError] for a number outside 0–1; [ErrConflict].
func (tx *Tx) SetImportance(ctx context.Context, m *Memory, importance float64, by Actor) error {
	if err := ValidUnit("importance", importance); err != nil {
		return err
	}
	before := m.Importance
	if err := tx.changeMemory(ctx, m, by, "rate", change{"importance", importance}); err != nil {
		return err
	}
	m.Importance = importance
	return tx.regather(ctx, m, before, by)
}

// regather follows with the sum for the next reflection when a message's importance
// changes.
func (tx *Tx) regather(ctx context.Context, m *Memory, before float64, by Actor) error {
	if m.Importance == before || m.Kind != KindEpisode || m.PartOfDocument() {
		return nil
	}
	var through int64
	if err := tx.Row(ctx, watermark, []any{m.UserID, "reflect"}, &through); err != nil || m.ID <= through {
		return err
	}
	return tx.shiftImportance(ctx, m.UserID, m.Importance-before, by)
}

// Given returns which of some episodes have an importance set by the host.
func (s *Snapshot) Given(ctx context.Context, episodes []Memory) (given map[int64]bool, err error) {
	seqs, given := make([]int64, len(episodes)), make(map[int64]bool)
	for i := range episodes {
		seqs[i] = episodes[i].EventSeq
	}
	var id int64
	err = Each(ctx, s.Query, []any{&id}, func() error {
		given[id] = true
		return nil
	}, `SELECT m.id FROM json_each(?) j CROSS JOIN events e ON e.seq = CAST(j.value AS BIGINT) JOIN memories m ON m.event_seq = e.seq
		WHERE CASE WHEN json_valid(e.payload) THEN json_extract(e.payload, '$.importance') END IS NOT NULL`, JSONList(seqs))
	return given, err
}

// SinceReflection returns the importance gathered since the last reflection, and
// in how many sessions messages were stored after the watermark of a stage.
func (s *Snapshot) SinceReflection(ctx context.Context, userID int64, stage string) (importance float64, sessions int, err error) {
	err = s.Row(ctx, `SELECT u.importance_since, (SELECT count(DISTINCT m.session_id) FROM memories m WHERE m.user_id = u.id AND m.kind = 'episode'
			AND m.id > coalesce((SELECT through FROM watermarks w WHERE w.user_id = u.id AND w.name = ?), 0))
		FROM users u WHERE u.id = ?`, []any{stage, userID}, &importance, &sessions)
	return importance, sessions, err
}

// LastMemoryID returns the id of the user's newest memory, 0 for none.
func (s *Snapshot) LastMemoryID(ctx context.Context, userID int64) (id int64, err error) {
	err = s.Row(ctx, "SELECT coalesce(max(id), 0) FROM memories WHERE user_id = ?", []any{userID}, &id)
	return id, err
}

// FieldChangedSinceReflection reports whether a field of a shared block of core
// memory differs from what it was at the last reflection.
func (s *Snapshot) FieldChangedSinceReflection(ctx context.Context, userID int64, block, field string) (changed bool, err error) {
	const path = "'$.\"' || ?3 || '\"'"
	err = s.Row(ctx, `SELECT coalesce((SELECT CASE WHEN coalesce(json_extract(b.content, `+path+`), '') <> coalesce(
			(SELECT json_extract(h.content, `+path+`) FROM block_history h WHERE h.block_id = b.id AND h.at <= u.reflected_at ORDER BY h.version DESC LIMIT 1), '') THEN 1 ELSE 0 END
		FROM blocks b WHERE b.user_id = u.id AND b.agent = '' AND b.name = ?2 AND json_valid(b.content)), 0) FROM users u WHERE u.id = ?1`,
		[]any{userID, block, field}, &changed)
	return changed, err
}

// RecentFilter selects the memories that a reflection is about.
type RecentFilter struct {
	// Newest selects the newest messages of all roles, also those of earlier
	// reflections. Otherwise the most important memories after After are selected,
	// and of messages only the user's.
	Newest bool
	// Everyone includes the messages of other roles.
	Everyone bool
	After    int64 // id of a memory
	// MinImportance, 0–1, does not apply to Newest.
	MinImportance float64
	Limit         int
}

// Recent returns the memories of a filter. Parts of documents are left out.
func (s *Snapshot) Recent(ctx context.Context, userID int64, f RecentFilter) (recent []Memory, err error) {
	q := s.NewSelect().Model(&recent).Where("user_id = ? AND state = ?", userID, StateActive).
		Where("NOT " + PartOfDocument).Limit(int64(f.Limit))
	switch {
	case f.Newest:
		q = q.Where("kind = ?", KindEpisode).OrderExpr("id DESC")
	case f.Everyone:
		q = q.Where("id > ? AND kind <> ?", f.After, KindReflection).OrderExpr("importance DESC, id DESC")
	default:
		q = q.Where("id > ? AND kind <> ? AND (kind <> ? OR role = 'user')", f.After, KindReflection, KindEpisode).
			OrderExpr("importance DESC, id DESC")
	}
	if f.MinImportance > 0 && !f.Newest {
		q = q.Where("importance >= ?", f.MinImportance-1e-9)
	}
	err = q.Scan(ctx)
	return recent, err
}

// The temporal types ([AttrTemporal]) of claims that expire.
const (
	TemporalEvent = "event"
	TemporalPlan  = "plan"
)

// Stands reports whether the memory is a claim that holds until it changes: a fact or
// preference with the temporal type state, habit or trait. No type means state.
func (m *Memory) Stands() bool {
	typ := m.Attributes[AttrTemporal]
	return (m.Kind == KindFact || m.Kind == KindPreference) && typ != TemporalEvent && typ != TemporalPlan
}

// Growth of the stability, by which a memory's age is divided when its retention is
// computed (cognitive-v9.md: ×1.02 for a retrieval, ×1.5 for a rehearsal, at most 10).
// An access counts if there was none in the half hour before, which is taken for the
// same conversation; a source counts if it is [Tx.Independent].
const (
	MaxStability = 10
	useGrowth    = 1.02
	sourceGrowth = 1.5
	oneUse       = 30 * 60 * 1000 // milliseconds
)

// Corroborated returns the stability after one more independent source.
func Corroborated(stability float64) float64 {
	return max(stability, min(MaxStability, max(1, stability)*sourceGrowth))
}

// Hold stops a memory's decay while a question about it waits for a person. It is not
// audited and does not change the version.
func (tx *Tx) Hold(ctx context.Context, m *Memory) error {
	_, err := tx.Exec(ctx, "UPDATE memories SET decay_rate = 0 WHERE id = ?", m.ID)
	return err
}

// LetGo ends [Tx.Hold] for a memory that is not protected: its decay starts now.
func (tx *Tx) LetGo(ctx context.Context, m *Memory) error {
	_, err := tx.Exec(ctx, `UPDATE memories SET decay_rate = ?, last_accessed = max(coalesce(last_accessed, 0), ?)
		WHERE id = ? AND protected = 0 AND kind <> 'episode'`, DefaultDecayRate, tx.Now.UnixMilli(), m.ID)
	return err
}
