package schema

import (
	"context"
)

// Waiting is a proposal that waits for a person's decision.
type Waiting struct {
	UserID int64
	UID    string // of the proposal
	Kind   string
	Memory string // public id of the memory that a [Question] is about
}

// AddProposal stores a proposal, with its payload as JSON, and announces it.
func (tx *Tx) AddProposal(ctx context.Context, userID int64, kind, payload, reason string, by Actor) (uid string, err error) {
	return tx.propose(ctx, Waiting{UserID: userID, Kind: kind}, payload, reason, by)
}

func (tx *Tx) propose(ctx context.Context, w Waiting, payload, reason string, by Actor) (uid string, err error) {
	if w.UID, err = NewUID(); err != nil {
		return "", err
	}
	id, err := tx.Insert(ctx, `INSERT INTO proposals (id, uid, user_id, run_id, kind, payload, reason, state, created_at)
		VALUES (`+tx.UnusedID("proposals")+`, ?, ?, ?, ?, ?, ?, 'pending', ?)`,
		w.UID, w.UserID, NullID(by.RunID), w.Kind, payload, reason, At(tx.Now))
	if err != nil {
		return "", err
	}
	if err := tx.AuditRow(ctx, w.UserID, by, OpPropose, "proposals", id, "", JSONObject("state", "pending")); err != nil {
		return "", err
	}
	return w.UID, tx.announceWaiting(ctx, w)
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

// Waits reports whether a proposal about a memory waits.
func (tx *Tx) Waits(ctx context.Context, m *Memory) (waits bool, err error) {
	err = tx.Row(ctx, "SELECT EXISTS (SELECT 1 FROM proposals WHERE user_id = ? AND state = 'pending' AND instr(payload, ?) > 0)", []any{m.UserID, m.UID}, &waits)
	return waits, err
}

// WaitingMemories returns the row ids of a user's memories with a waiting proposal.
func (s *Snapshot) WaitingMemories(ctx context.Context, userID int64) (ids []int64, err error) {
	err = s.NewRaw(`SELECT DISTINCT m.id FROM proposals p
		JOIN memories m ON m.uid IN (json_extract(p.payload, '$.memory_id'), json_extract(p.payload, '$.earlier'), json_extract(p.payload, '$.later'))
		WHERE p.user_id = ?0 AND p.state = 'pending' AND m.user_id = ?0`, userID).Scan(ctx, &ids)
	return ids, err
}
