package schema

import (
	"context"
)

// Waiting is a proposal or a confirmation that waits for a person's decision.
type Waiting struct {
	UserID int64
	UID    string // of the proposal or the confirmation
	// Kind is the proposal's, or [KindProtect] for a confirmation.
	Kind   string
	Memory string // public id of the memory that a confirmation is about
}

// KindProtect is the [Waiting] kind of the question whether to protect a memory.
const KindProtect = "protect"

// AddProposal stores a proposal, with its payload as JSON, and announces it.
func (tx *Tx) AddProposal(ctx context.Context, userID int64, kind, payload, reason string, by Actor) (uid string, err error) {
	if uid, err = NewUID(); err != nil {
		return "", err
	}
	id, err := tx.Insert(ctx, `INSERT INTO proposals (id, uid, user_id, run_id, kind, payload, reason, state, created_at)
		VALUES (`+tx.UnusedID("proposals")+`, ?, ?, ?, ?, ?, ?, 'pending', ?)`,
		uid, userID, NullID(by.RunID), kind, payload, reason, At(tx.Now))
	if err != nil {
		return "", err
	}
	if err := tx.AuditRow(ctx, userID, by, OpPropose, "proposals", id, "", JSONObject("state", "pending")); err != nil {
		return "", err
	}
	return uid, tx.announceWaiting(ctx, Waiting{UserID: userID, UID: uid, Kind: kind})
}

// AskProtection stores the question whether to protect a memory and announces it. asked
// is false if it waits already. The memory does not decay until it is decided.
func (tx *Tx) AskProtection(ctx context.Context, m *Memory) (asked bool, err error) {
	var waits bool
	err = tx.Row(ctx, "SELECT EXISTS (SELECT 1 FROM confirmations WHERE user_id = ? AND memory_id = ? AND state = 'pending')", []any{m.UserID, m.ID}, &waits)
	if err != nil || waits {
		return false, err
	}
	uid, err := NewUID()
	if err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, "INSERT INTO confirmations (uid, user_id, memory_id, shown, state, created_at) VALUES (?, ?, ?, ?, 'pending', ?)",
		uid, m.UserID, m.ID, m.Content, At(tx.Now))
	if err != nil {
		return false, err
	}
	if err := tx.Hold(ctx, m); err != nil {
		return false, err
	}
	return true, tx.announceWaiting(ctx, Waiting{UserID: m.UserID, UID: uid, Kind: KindProtect, Memory: m.UID})
}

func (tx *Tx) announceWaiting(ctx context.Context, w Waiting) error {
	if tx.db.waiting == nil {
		return nil
	}
	return tx.db.waiting(ctx, tx, w)
}

// BlockWritten is a change of a block of core memory.
type BlockWritten struct {
	UserID       int64
	Block, Agent string // its name and the agent that owns it
	Version      int64  // that the change made
	Actor        string
}

// OnBlock sets the function that is called in every transaction that changes a block.
func (db *DB) OnBlock(fn func(ctx context.Context, tx *Tx, w BlockWritten) error) { db.block = fn }

// AnnounceBlock calls the function of [DB.OnBlock].
func (tx *Tx) AnnounceBlock(ctx context.Context, w BlockWritten) error {
	if tx.db.block == nil {
		return nil
	}
	return tx.db.block(ctx, tx, w)
}

// UserByID returns a user's tenant and name by row id.
//
// Errors: [ErrNotFound].
func (tx *Tx) UserByID(ctx context.Context, userID int64) (tenant, name string, err error) {
	err = tx.Row(ctx, "SELECT tenant, name FROM users WHERE id = ?", []any{userID}, &tenant, &name)
	return tenant, name, OrNotFound(err)
}

// Waits reports whether a question or proposal about a memory waits.
func (tx *Tx) Waits(ctx context.Context, m *Memory) (waits bool, err error) {
	err = tx.Row(ctx, `SELECT EXISTS (SELECT 1 FROM confirmations WHERE user_id = ?1 AND memory_id = ?2 AND state = 'pending')
		OR EXISTS (SELECT 1 FROM proposals WHERE user_id = ?1 AND state = 'pending' AND instr(payload, ?3) > 0)`, []any{m.UserID, m.ID, m.UID}, &waits)
	return waits, err
}

// WaitingMemories returns the row ids of a user's memories with a waiting question or
// proposal.
func (s *Snapshot) WaitingMemories(ctx context.Context, userID int64) (ids []int64, err error) {
	err = s.NewRaw(`SELECT memory_id FROM confirmations WHERE user_id = ?0 AND state = 'pending'
		UNION SELECT m.id FROM proposals p
			JOIN memories m ON m.uid IN (json_extract(p.payload, '$.memory_id'), json_extract(p.payload, '$.earlier'), json_extract(p.payload, '$.later'))
			WHERE p.user_id = ?0 AND p.state = 'pending' AND m.user_id = ?0`, userID).Scan(ctx, &ids)
	return ids, err
}
