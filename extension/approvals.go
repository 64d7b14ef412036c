package extension

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// A model may ask for two things it cannot do itself: that a fact be protected
// for good, and that something be corrected which the user's own words do not
// back. Both wait here for the host, who asks the person concerned.

// Confirmation is a question whether a fact is to be protected.
type Confirmation struct {
	ID       string    `json:"id"`
	MemoryID string    `json:"memory_id"`
	Shown    string    `json:"shown"` // the text the question is about
	AskedAt  time.Time `json:"asked_at"`
	// Token grants this confirmation, once, while the fact still says Shown.
	// Listing again issues a new one and voids the old.
	Token string `json:"-"`
}

// Confirmations lists the questions that wait, oldest first, each with a fresh
// token for [Extension.Grant].
func (x *Extension) Confirmations(ctx context.Context, scope Scope) ([]Confirmation, error) {
	var waiting []Confirmation
	err := x.write(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		var rows []confirmationRow
		if err := tx.NewSelect().TableExpr("confirmations AS c").Join("JOIN memories AS m ON m.id = c.memory_id").
			ColumnExpr("c.id, c.uid, c.shown, c.created_at, m.uid AS memory_uid").
			Where("c.user_id = ? AND c.state = 'pending'", userID).Order("c.id").Scan(ctx, &rows); err != nil {
			return err
		}
		waiting = make([]Confirmation, len(rows))
		for i, r := range rows {
			token := rand.Text()
			if _, err := tx.Exec(ctx, "UPDATE confirmations SET token_hash = ? WHERE id = ?", hashToken(token, r.Shown), r.ID); err != nil {
				return err
			}
			waiting[i] = Confirmation{ID: r.UID, MemoryID: r.MemoryUID, Shown: r.Shown, AskedAt: r.CreatedAt.Time, Token: token}
		}
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return nil, nil // nothing is known of this user, so nothing waits
	}
	return waiting, err
}

type confirmationRow struct {
	bun.BaseModel `bun:"table:confirmations"`

	ID        int64
	UID       string
	Shown     string
	TokenHash string
	CreatedAt schema.Time
	MemoryUID string
}

// hashToken binds a token to the text it was issued for.
func hashToken(token, shown string) string {
	sum := sha256.Sum256([]byte(token + "\x00" + shown))
	return hex.EncodeToString(sum[:])
}

// Grant protects the fact a confirmation asks about: it no longer fades, and
// no night and no model changes it.
//
// Errors: [ErrNotFound] for a confirmation that does not wait in this scope,
// [*InvalidError] for a wrong or used token, [ErrConflict] when the fact no
// longer says what was shown.
func (x *Extension) Grant(ctx context.Context, scope Scope, confirmationID, token string) error {
	return x.decide(ctx, scope, confirmationID, "granted", func(ctx context.Context, tx *schema.Tx, userID int64, c *confirmationRow) error {
		if subtle.ConstantTimeCompare([]byte(hashToken(token, c.Shown)), []byte(c.TokenHash)) != 1 {
			return &InvalidError{Field: "token", Reason: "does not belong to this confirmation, or was replaced; list the confirmations again"}
		}
		m, err := tx.Memory(ctx, userID, c.MemoryUID)
		if err != nil {
			return err
		}
		if m.Content != c.Shown || m.State == schema.StateSuperseded || m.State == schema.StateRetired {
			return fmt.Errorf("the fact is no longer what was shown: %w", ErrConflict)
		}
		return tx.Protect(ctx, m, schema.Actor{Name: "host"})
	})
}

// Refuse ends a confirmation without protecting anything. It returns
// [ErrNotFound] when it does not wait in this scope.
func (x *Extension) Refuse(ctx context.Context, scope Scope, confirmationID string) error {
	return x.decide(ctx, scope, confirmationID, "refused", nil)
}

func (x *Extension) decide(ctx context.Context, scope Scope, uid, state string, apply func(context.Context, *schema.Tx, int64, *confirmationRow) error) error {
	return x.write(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		var rows []confirmationRow
		if err := tx.NewSelect().TableExpr("confirmations AS c").Join("JOIN memories AS m ON m.id = c.memory_id").
			ColumnExpr("c.id, c.uid, c.shown, c.token_hash, c.created_at, m.uid AS memory_uid").
			Where("c.user_id = ? AND c.uid = ? AND c.state = 'pending'", userID, uid).Scan(ctx, &rows); err != nil {
			return err
		}
		if len(rows) == 0 {
			return ErrNotFound
		}
		if apply != nil {
			if err := apply(ctx, tx, userID, &rows[0]); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "UPDATE confirmations SET state = ?, token_hash = '', decided_at = ? WHERE id = ?",
			state, tx.Now.UnixMilli(), rows[0].ID)
		return err
	})
}

// Proposal is a change that waits for the host's approval.
type Proposal struct {
	ID         string    `json:"id"`
	Kind       string    `json:"kind"` // correct
	Reason     string    `json:"reason,omitempty"`
	MemoryID   string    `json:"memory_id"`
	Content    string    `json:"content"` // as it was
	NewContent string    `json:"new_content"`
	ProposedAt time.Time `json:"proposed_at"`
}

type proposalRow struct {
	bun.BaseModel `bun:"table:proposals"`

	ID        int64
	UID       string
	Kind      string
	Reason    string
	Payload   string
	CreatedAt schema.Time
}

// Proposals lists the changes that wait, oldest first.
func (x *Extension) Proposals(ctx context.Context, scope Scope) ([]Proposal, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	var waiting []Proposal
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		var rows []proposalRow
		if err := s.NewSelect().Model(&rows).Where("user_id = ? AND state = 'pending' AND kind = ?", userID, tools.ProposalCorrect).
			Order("id").Scan(ctx); err != nil {
			return err
		}
		for _, r := range rows {
			c, err := correction(r)
			if err != nil {
				return err
			}
			waiting = append(waiting, Proposal{
				ID: r.UID, Kind: r.Kind, Reason: r.Reason, MemoryID: c.MemoryID, Content: c.Content, NewContent: c.NewContent,
				ProposedAt: r.CreatedAt.Time,
			})
		}
		return nil
	})
	return waiting, err
}

func correction(r proposalRow) (c tools.Correction, err error) {
	if err := json.Unmarshal([]byte(r.Payload), &c); err != nil {
		return c, fmt.Errorf("proposal %s: %w", r.UID, err)
	}
	return c, nil
}

// Approve applies a proposed correction with the host's authority: the new
// text supersedes the old and is as trusted as the old was.
//
// Errors: [ErrNotFound] for a proposal that does not wait in this scope,
// [ErrConflict] when the fact has changed since, [*InvalidError] when it is
// protected.
func (x *Extension) Approve(ctx context.Context, scope Scope, proposalID string) error {
	return x.settle(ctx, scope, proposalID, "applied", func(ctx context.Context, tx *schema.Tx, userID int64, c tools.Correction) error {
		old, err := tx.Memory(ctx, userID, c.MemoryID)
		if err != nil {
			return err
		}
		if old.Content != c.Content {
			return fmt.Errorf("the fact is no longer what the proposal was about: %w", ErrConflict)
		}
		session, err := tx.SessionID(ctx, userID, c.Session)
		if err != nil {
			return err
		}
		m := &schema.Memory{
			UserID: userID, SessionID: session, SessionName: c.Session, Agent: c.Agent, Kind: old.Kind, Content: c.NewContent,
			Confidence: 1, Importance: old.Importance, DecayRate: schema.DefaultDecayRate, Origin: old.Origin, Trust: old.Trust,
			Tags: old.Tags,
		}
		if err := tx.InsertMemory(ctx, m, schema.PrepareChunks(m.Content, "")); err != nil {
			return err
		}
		if err := tx.Supersede(ctx, old, m, schema.Actor{Name: "host"}); err != nil {
			return err
		}
		return x.announce(ctx, tx, scope, m)
	})
}

// Reject ends a proposal without changing anything. It returns [ErrNotFound]
// when it does not wait in this scope.
func (x *Extension) Reject(ctx context.Context, scope Scope, proposalID string) error {
	return x.settle(ctx, scope, proposalID, "rejected", nil)
}

func (x *Extension) settle(ctx context.Context, scope Scope, uid, state string, apply func(context.Context, *schema.Tx, int64, tools.Correction) error) error {
	return x.write(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		var rows []proposalRow
		if err := tx.NewSelect().Model(&rows).
			Where("user_id = ? AND uid = ? AND state = 'pending' AND kind = ?", userID, uid, tools.ProposalCorrect).Scan(ctx); err != nil {
			return err
		}
		if len(rows) == 0 {
			return ErrNotFound
		}
		if apply != nil {
			c, err := correction(rows[0])
			if err != nil {
				return err
			}
			if err := apply(ctx, tx, userID, c); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "UPDATE proposals SET state = ?, decided_at = ?, decided_by = 'host' WHERE id = ?",
			state, tx.Now.UnixMilli(), rows[0].ID)
		return err
	})
}

// write runs fn for the scope's user; [ErrNotFound] for one nothing is known of.
func (x *Extension) write(ctx context.Context, scope Scope, fn func(context.Context, *schema.Tx, int64) error) error {
	if err := scope.Validate(); err != nil {
		return err
	}
	var userID int64
	if err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		userID, err = s.UserID(ctx, scope)
		return err
	}); err != nil {
		return err
	}
	if userID == 0 {
		return ErrNotFound
	}
	return x.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error { return fn(ctx, tx, userID) })
}
