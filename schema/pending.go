package schema

import (
	"context"
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

// DecideProposal records the decision about a proposal, and who made it.
func (tx *Tx) DecideProposal(ctx context.Context, p *PendingChange, state string, by Actor) error {
	_, err := tx.Exec(ctx, "UPDATE proposals SET state = ?, decided_at = ?, decided_by = ? WHERE id = ?", state, tx.Now.UnixMilli(), by.Name, p.ID)
	return errors.Join(err, tx.AuditRow(ctx, p.UserID, by, OpDecide, "proposals", p.ID, JSONObject("state", "pending"), JSONObject("state", state)))
}

// PendingQuestion is the question whether to protect a memory, which waits for the
// host.
type PendingQuestion struct {
	bun.BaseModel `bun:"table:confirmations,alias:c"`

	ID        int64
	UserID    int64
	UID       string
	Shown     string // the text that the question is about
	TokenHash string
	CreatedAt Time
	MemoryUID string `bun:",scanonly"`
	Accessed  Time   `bun:",scanonly"` // last_accessed of the memory
}

func pendingQuestions(db bun.IDB, into any, userID int64) *bun.SelectQuery {
	return db.NewSelect().Model(into).Join("JOIN memories AS m ON m.id = c.memory_id").
		ColumnExpr("c.id, c.user_id, c.uid, c.shown, c.token_hash, c.created_at, m.uid AS memory_uid, m.last_accessed AS accessed").
		Where("c.user_id = ? AND c.state = 'pending'", userID)
}

// PendingConfirmations lists the questions that wait, oldest first.
func PendingConfirmations(ctx context.Context, db bun.IDB, userID int64) (waiting []PendingQuestion, err error) {
	err = pendingQuestions(db, &waiting, userID).Order("c.id").Scan(ctx)
	return waiting, err
}

// PendingConfirmation finds one of them; [ErrNotFound] when it does not wait.
func PendingConfirmation(ctx context.Context, db bun.IDB, userID int64, uid string) (*PendingQuestion, error) {
	q := new(PendingQuestion)
	err := pendingQuestions(db, q, userID).Where("c.uid = ?", uid).Scan(ctx)
	return q, OrNotFound(err)
}

// SetToken stores the hash of the token that answers a question, in place of the
// one before.
func (tx *Tx) SetToken(ctx context.Context, q *PendingQuestion, hash string) error {
	_, err := tx.Exec(ctx, "UPDATE confirmations SET token_hash = ? WHERE id = ?", hash, q.ID)
	return err
}

// DecideConfirmation records what the host has decided; the token is spent.
func (tx *Tx) DecideConfirmation(ctx context.Context, q *PendingQuestion, state string) error {
	_, err := tx.Exec(ctx, "UPDATE confirmations SET state = ?, token_hash = '', decided_at = ? WHERE id = ?", state, tx.Now.UnixMilli(), q.ID)
	before := JSONObject("state", "pending")
	if state == "refused" { // which starts the memory's decay, see [Tx.LetGo]
		var accessed any
		if !q.Accessed.IsZero() {
			accessed = q.Accessed.UnixMilli()
		}
		before = JSONObject("state", "pending", "last_accessed", accessed)
	}
	return errors.Join(err, tx.AuditRow(ctx, q.UserID, Actor{Name: "host"}, OpDecide, "confirmations", q.ID, before, JSONObject("state", state)))
}

// GrantConfirmations ends the questions about a memory that is protected now.
func (tx *Tx) GrantConfirmations(ctx context.Context, m *Memory) error {
	waiting, err := Column[int64](ctx, tx.Query, "SELECT id FROM confirmations WHERE memory_id = ? AND state = 'pending'", m.ID)
	for _, id := range waiting {
		err = errors.Join(err, tx.DecideConfirmation(ctx, &PendingQuestion{ID: id, UserID: m.UserID}, "granted"))
	}
	return err
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
