package tools

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/schema"
)

func confirmFact() *Tool {
	return &Tool{
		name:   "confirm_fact",
		writes: true,
		description: "Asks for a fact to be protected for good, so that it neither fades nor is changed by the memory itself. " +
			"Use it when the user says that something must never be forgotten. It only asks: the user or the host decides, so do not tell the user that it is protected. " +
			"Do not use it to agree with a fact or to save a new one (remember_fact). Returns whether the question now waits.",
		primary: "memory_id",
		parameters: []parameter{
			{name: "memory_id", kind: kindText, required: true, about: "The id of the fact, copied from a search_memory record."},
		},
		run: runConfirm,
	}
}

func runConfirm(ctx context.Context, d *Deps, args arguments) (string, error) {
	id, err := memoryID(args)
	if err != nil {
		return "", err
	}
	var m *schema.Memory
	err = d.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, d.Scope)
		if err != nil {
			return err
		}
		m, err = readClaim(ctx, s, userID, args, id)
		return err
	})
	if err != nil {
		return "", err
	}
	if m.Protected {
		return "That fact is protected already: " + quoted(m.Content) + ". Nothing needs to be done.", nil
	}
	if m.State == schema.StateQuarantined {
		return "", mistakef("confirm_fact: that fact is set aside for review (%s) and cannot be protected. The host has to release it first; tell the user so, and do not try again before. Nothing was changed.",
			quoted(m.Attributes[schema.AttrQuarantine]))
	}
	asked := false
	err = d.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		asked, err = ask(ctx, tx, m)
		return err
	})
	if err != nil {
		return "", err
	}
	if !asked {
		return "The question whether to protect " + quoted(m.Content) + " waits already; it was not asked twice. The user or the host has to confirm it. Until then it is not protected.", nil
	}
	return "Asked whether to protect " + quoted(m.Content) + ". The user or the host has to confirm it outside this conversation's tools; until then it is not protected.", nil
}

// ask records a pending confirmation unless one for this memory waits. Until it is
// decided the memory does not fade.
func ask(ctx context.Context, tx *schema.Tx, m *schema.Memory) (bool, error) {
	waiting, err := tx.NewSelect().Table("confirmations").
		Where("user_id = ? AND memory_id = ? AND state = 'pending'", m.UserID, m.ID).Exists(ctx)
	if err != nil || waiting {
		return false, err
	}
	uid, err := uuid.NewV7()
	if err != nil {
		return false, errors.Join(errors.New("make an id"), err)
	}
	_, err = tx.Exec(ctx, "INSERT INTO confirmations (uid, user_id, memory_id, shown, state, created_at) VALUES (?, ?, ?, ?, 'pending', ?)",
		uid.String(), m.UserID, m.ID, m.Content, tx.Now.UnixMilli())
	if err != nil {
		return false, err
	}
	return true, tx.Hold(ctx, m)
}
