package extension

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// A model cannot protect a fact itself. Its request waits here as a confirmation
// until the host has asked the user. Proposals to change facts are in proposals.go.

// Confirmation is a pending request to protect a fact.
type Confirmation struct {
	ID       string    `json:"id"`
	MemoryID string    `json:"memory_id"`
	Shown    string    `json:"shown"` // the fact's text when the model asked
	AskedAt  time.Time `json:"asked_at"`
	// Token authorizes [Extension.Grant] once, as long as the fact's text equals
	// Shown. Listing confirmations again replaces it.
	Token string `json:"-"`
}

// Confirmations lists the pending confirmations, oldest first, each with a new
// token for [Extension.Grant]. With ReadOnly it lists them without tokens and
// leaves issued tokens valid.
func (x *Extension) Confirmations(ctx context.Context, scope Scope) ([]Confirmation, error) {
	if x.cfg.ReadOnly {
		return x.confirmationsToRead(ctx, scope)
	}
	var waiting []Confirmation
	err := x.db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		rows, err := schema.PendingConfirmations(ctx, tx, userID)
		if err != nil {
			return err
		}
		waiting = make([]Confirmation, len(rows))
		for i, r := range rows {
			token := rand.Text()
			if err := tx.SetToken(ctx, &rows[i], hashToken(token, r.Shown)); err != nil {
				return err
			}
			waiting[i] = Confirmation{ID: r.UID, MemoryID: r.MemoryUID, Shown: r.Shown, AskedAt: r.CreatedAt.Time, Token: token}
		}
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return nil, nil // an unknown user has no confirmations
	}
	return waiting, err
}

func (x *Extension) confirmationsToRead(ctx context.Context, scope Scope) (waiting []Confirmation, err error) {
	err = x.db.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		rows, err := schema.PendingConfirmations(ctx, s, userID)
		for _, r := range rows {
			waiting = append(waiting, Confirmation{ID: r.UID, MemoryID: r.MemoryUID, Shown: r.Shown, AskedAt: r.CreatedAt.Time})
		}
		return err
	})
	return waiting, err
}

// hashToken returns a hash that binds a token to the text it was issued for.
func hashToken(token, shown string) string {
	sum := sha256.Sum256([]byte(token + "\x00" + shown))
	return hex.EncodeToString(sum[:])
}

// Grant protects the fact of a confirmation: it no longer fades, and neither nights
// nor models change it.
//
// Errors: [ErrNotFound] for a confirmation that is not pending in this scope,
// [*InvalidError] for a wrong or used token, [ErrConflict] if the fact's text has
// changed since.
func (x *Extension) Grant(ctx context.Context, scope Scope, confirmationID, token string) error {
	return x.decide(ctx, scope, confirmationID, "granted", func(ctx context.Context, tx *schema.Tx, userID int64, c *schema.PendingQuestion) error {
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

// Refuse closes a confirmation without protecting the fact, which resumes fading.
// It returns [ErrNotFound] if the confirmation is not pending in this scope.
func (x *Extension) Refuse(ctx context.Context, scope Scope, confirmationID string) error {
	return x.decide(ctx, scope, confirmationID, "refused", func(ctx context.Context, tx *schema.Tx, userID int64, c *schema.PendingQuestion) error {
		m, err := tx.Memory(ctx, userID, c.MemoryUID)
		if err != nil {
			return err
		}
		return tx.LetGo(ctx, m)
	})
}

func (x *Extension) decide(ctx context.Context, scope Scope, uid, state string, apply func(context.Context, *schema.Tx, int64, *schema.PendingQuestion) error) error {
	return x.db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		c, err := schema.PendingConfirmation(ctx, tx, userID, uid)
		if err != nil {
			return err
		}
		if err := apply(ctx, tx, userID, c); err != nil {
			return err
		}
		return tx.DecideConfirmation(ctx, c, state)
	})
}

// Text that reads like instructions to a model and is not the user's own is
// quarantined when it is stored: explicit searches find it, marked as such, but it
// is never injected automatically and never consolidated. A host can list and
// release it.

// Quarantined lists a user's quarantined memories, newest first, at most limit; 0
// means 50. The attribute "quarantine" of each holds the reason.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Quarantined(ctx context.Context, scope Scope, limit int) ([]Record, error) {
	if limit < 0 {
		return nil, &InvalidError{Field: "limit", Reason: "is negative"}
	}
	records := []Record{}
	err := x.db.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		found, err := s.Quarantined(ctx, userID, cmp.Or(limit, inspect.DefaultLimit))
		records = append(records[:0], found...)
		return err
	})
	return records, err
}

// Release releases a memory from quarantine: it is treated like any other of its
// origin and trust, and is not inspected again. The audit records it.
//
// Errors: [ErrNotFound] for an id that is not this user's; [*InvalidError] for a
// memory that is not quarantined; [ErrConflict] if it has changed meanwhile.
func (x *Extension) Release(ctx context.Context, scope Scope, id string) error {
	return x.db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		m, err := tx.Memory(ctx, userID, id)
		if err != nil {
			return err
		}
		return tx.Release(ctx, m, schema.Actor{Name: "host"})
	})
}
