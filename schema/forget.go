package schema

import (
	"context"
	"maps"
	"time"
)

// Forget hides a memory because its user requested it at a time: no search finds it, no
// night reads it, and no message from before at derives it again. Its relations to other
// memories are removed. It stays in the file until it is erased, and undoing its run
// restores it with its relations. A forgotten memory is not changed.
//
// Errors: [ErrConflict] for a memory that changed since it was read.
func (tx *Tx) Forget(ctx context.Context, m *Memory, at time.Time, by Actor) error {
	if m.State == StateForgotten {
		return nil
	}
	attributes := maps.Clone(m.Attributes)
	if attributes == nil {
		attributes = make(Attributes)
	}
	attributes[AttrForgotten] = at.UTC().Format(time.RFC3339Nano)
	if err := tx.changeMemory(ctx, m, by, "forget", change{"state", string(StateForgotten)}, change{"attributes", attributes}); err != nil {
		return err
	}
	m.State, m.Attributes = StateForgotten, attributes
	return tx.unlinkAll(ctx, m, by)
}

// Forgotten returns the row id, the text and the times of a user's newest forgotten memories but answers, at most limit.
func (s *Snapshot) Forgotten(ctx context.Context, userID int64, limit int) (all []Memory, err error) {
	err = s.NewSelect().Model(&all).Column("id", "content", "state", "event_time", "attributes").
		Where("user_id = ? AND state = ? AND role <> 'assistant'", userID, StateForgotten).Order("id DESC").Limit(int64(limit)).Scan(ctx)
	return all, err
}

// ForgottenAt returns when the user asked to forget the memory, zero for memories in
// other states.
func (m *Memory) ForgottenAt() time.Time {
	at, err := time.Parse(time.RFC3339Nano, m.Attributes[AttrForgotten])
	if m.State != StateForgotten || err != nil {
		return time.Time{}
	}
	return at
}

// ClearSummary deletes an entity's summary; a night writes a new one after the next mention.
//
// Errors: [ErrConflict] if the summary changed since it was read.
func (tx *Tx) ClearSummary(ctx context.Context, e *Entity, by Actor) error {
	return tx.setSummary(ctx, e, "", by)
}

// ProtectEntity sets or ends the protection of an entity. No night changes a protected
// entity or the memories that mention it.
func (tx *Tx) ProtectEntity(ctx context.Context, e *Entity, protected bool, by Actor) error {
	if e.Protected == protected {
		return nil
	}
	if _, err := tx.Exec(ctx, "UPDATE entities SET protected = ? WHERE id = ?", protected, e.ID); err != nil {
		return err
	}
	before := JSONObject("protected", e.Protected)
	e.Protected = protected
	return tx.AuditRow(ctx, e.UserID, by, "protect", "entities", e.ID, before, JSONObject("protected", protected))
}
