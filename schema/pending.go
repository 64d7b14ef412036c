package schema

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/uptrace/bun"
)

// PendingChange is a proposal that waits for the host, with its payload as JSON.
type PendingChange struct {
	bun.BaseModel `bun:"table:proposals"`

	ID        int64
	UserID    int64
	UID       string
	Kind      string
	Reason    string
	Payload   string
	CreatedAt Time
	State     string
	DecidedAt Time
	DecidedBy string
}

// Decode reads the payload.
func (p *PendingChange) Decode(payload any) error {
	return DecodeStored("the payload of proposal "+p.UID, p.Payload, payload)
}

// PendingProposals lists the proposals of some kinds that wait, oldest first.
func PendingProposals(ctx context.Context, db bun.IDB, userID int64, kinds []string) (waiting []PendingChange, err error) {
	err = db.NewSelect().Model(&waiting).Where("user_id = ? AND state = 'pending' AND kind IN (?)", userID, bun.List(kinds)).Order("id").Scan(ctx)
	return waiting, err
}

// PendingProposal finds one of them; [ErrNotFound] when it does not wait.
func PendingProposal(ctx context.Context, db bun.IDB, userID int64, uid string, kinds []string) (*PendingChange, error) {
	p := new(PendingChange)
	err := db.NewSelect().Model(p).Where("user_id = ? AND uid = ? AND state = 'pending' AND kind IN (?)", userID, uid, bun.List(kinds)).Scan(ctx)
	return p, OrNotFound(err)
}

// DecidedProposals lists the proposals of some kinds in whatever state, newest first,
// at most limit.
func DecidedProposals(ctx context.Context, db bun.IDB, userID int64, kinds []string, limit int) (all []PendingChange, err error) {
	err = db.NewSelect().Model(&all).Where("user_id = ? AND kind IN (?)", userID, bun.List(kinds)).Order("id DESC").Limit(int64(limit)).Scan(ctx)
	return all, err
}

// ProposalByUID finds a proposal in whatever state.
//
// Errors: [ErrNotFound].
func ProposalByUID(ctx context.Context, db bun.IDB, userID int64, uid string) (*PendingChange, error) {
	p := new(PendingChange)
	err := db.NewSelect().Model(p).Where("user_id = ? AND uid = ?", userID, uid).Scan(ctx)
	return p, OrNotFound(err)
}

// DecideProposal records the decision about a proposal, and who made it. The memory that
// a rejected [Question] is about starts to decay.
func (tx *Tx) DecideProposal(ctx context.Context, p *PendingChange, state string, by Actor) error {
	before := JSONObject("state", "pending")
	if p.Kind == KindProtect && state == "rejected" {
		var q Question
		if err := p.Decode(&q); err != nil {
			return err
		}
		m, err := tx.Memory(ctx, p.UserID, q.MemoryID)
		if err != nil {
			return err
		}
		var accessed any
		if !m.LastAccessed.IsZero() {
			accessed = m.LastAccessed.UnixMilli()
		}
		before = JSONObject("state", "pending", "last_accessed", accessed)
		if err := tx.LetGo(ctx, m); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, "UPDATE proposals SET state = ?, decided_at = ?, decided_by = ? WHERE id = ?", state, tx.Now.UnixMilli(), by.Name, p.ID)
	return errors.Join(err, tx.AuditRow(ctx, p.UserID, by, OpDecide, "proposals", p.ID, before, JSONObject("state", state)))
}

// KindProtect is the kind of the proposal to protect a memory, with a [Question] as
// payload.
const KindProtect = "protect"

// Question asks whether to protect a memory. Content is its text when the question was
// put, which is what a person agrees to.
type Question struct {
	MemoryID string `json:"memory_id"`
	Content  string `json:"content"`
}

// AskProtection stores the question whether to protect a memory and announces it. asked
// is false if it waits already. The memory does not decay until it is decided.
func (tx *Tx) AskProtection(ctx context.Context, m *Memory, by Actor) (asked bool, err error) {
	waiting, err := tx.questions(ctx, m)
	if err != nil || len(waiting) > 0 {
		return false, err
	}
	payload := JSONObject("memory_id", m.UID, "content", m.Content)
	if _, err := tx.propose(ctx, Waiting{UserID: m.UserID, Kind: KindProtect, Memory: m.UID}, payload, "", by); err != nil {
		return false, err
	}
	return true, tx.Hold(ctx, m)
}

// EndQuestions ends the questions about a memory that is protected now.
func (tx *Tx) EndQuestions(ctx context.Context, m *Memory, by Actor) error {
	waiting, err := tx.questions(ctx, m)
	for i := range waiting {
		err = errors.Join(err, tx.DecideProposal(ctx, &waiting[i], "applied", by))
	}
	return err
}

// EndProposals ends the waiting proposals of a kind and payload, which has been carried out.
func (tx *Tx) EndProposals(ctx context.Context, userID int64, kind string, payload any, by Actor) error {
	encoded, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	var waiting []PendingChange
	err = tx.NewSelect().Model(&waiting).Where("user_id = ? AND state = 'pending' AND kind = ? AND payload = ?", userID, kind, string(encoded)).Scan(ctx)
	for i := range waiting {
		err = errors.Join(err, tx.DecideProposal(ctx, &waiting[i], "applied", by))
	}
	return err
}

func (tx *Tx) questions(ctx context.Context, m *Memory) (waiting []PendingChange, err error) {
	err = tx.NewSelect().Model(&waiting).Where("user_id = ? AND state = 'pending' AND kind = ? AND json_extract(payload, '$.memory_id') = ?",
		m.UserID, KindProtect, m.UID).Scan(ctx)
	return waiting, err
}

// WaitingCorrections counts the user's proposals of a kind that wait, and those of them
// that give a memory this content.
func (tx *Tx) WaitingCorrections(ctx context.Context, kind string, m *Memory, content string) (all, same int64, err error) {
	err = tx.Row(ctx, `SELECT count(*), count(*) FILTER (WHERE json_extract(payload, '$.memory_id') = ? AND json_extract(payload, '$.new_content') = ?)
		FROM proposals WHERE user_id = ? AND state = 'pending' AND kind = ?`, []any{m.UID, content, m.UserID, kind}, &all, &same)
	return all, same, err
}

// BlockProposals counts the proposals of a kind about a block.
type BlockProposals struct {
	Waiting  int64
	Same     int64 // of these, with the same content
	Rejected int64 // rejected ones of the same change
}

// BlockProposals counts the proposals of a kind that would change a block of core
// memory from one content to another.
func (tx *Tx) BlockProposals(ctx context.Context, userID int64, kind, block, owner, from, to string) (n BlockProposals, err error) {
	err = tx.Row(ctx, `SELECT count(*) FILTER (WHERE state = 'pending'),
			count(*) FILTER (WHERE state = 'pending' AND json_extract(payload, '$.new_content') = ?5),
			count(*) FILTER (WHERE state = 'rejected' AND json_extract(payload, '$.new_content') = ?5 AND json_extract(payload, '$.content') = ?6)
		FROM proposals WHERE user_id = ?1 AND kind = ?2 AND json_extract(payload, '$.block') = ?3
			AND coalesce(json_extract(payload, '$.owner'), '') = ?4`,
		[]any{userID, kind, block, owner, to, from}, &n.Waiting, &n.Same, &n.Rejected)
	return n, err
}

// OpDecide is the decision of a host about what waited.
const OpDecide = "decide"
