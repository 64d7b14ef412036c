package extension

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// A model may ask for something it cannot do itself: that a fact be protected
// for good. It waits here for the host, who asks the person concerned; what is
// to be decided between two claims stands in proposals.go.

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
// token for [Extension.Grant]. A memory opened with ReadOnly lists them without
// tokens, and leaves those that were issued as they are.
func (x *Extension) Confirmations(ctx context.Context, scope Scope) ([]Confirmation, error) {
	if x.cfg.ReadOnly {
		return x.confirmationsToRead(ctx, scope)
	}
	var waiting []Confirmation
	err := x.write(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
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
		return nil, nil // nothing is known of this user, so nothing waits
	}
	return waiting, err
}

func (x *Extension) confirmationsToRead(ctx context.Context, scope Scope) (waiting []Confirmation, err error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		rows, err := schema.PendingConfirmations(ctx, s, userID)
		for _, r := range rows {
			waiting = append(waiting, Confirmation{ID: r.UID, MemoryID: r.MemoryUID, Shown: r.Shown, AskedAt: r.CreatedAt.Time})
		}
		return err
	})
	return waiting, err
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

// Refuse ends a confirmation without protecting anything: the fact, which did not
// fade while the question waited, fades from now on. It returns [ErrNotFound] when
// it does not wait in this scope.
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
	return x.write(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
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
