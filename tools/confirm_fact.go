package tools

import (
	"context"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/schema"
)

func confirmFact() *Tool {
	return &Tool{
		name:   "confirm_fact",
		writes: true,
		description: "Protects a fact from fading and change. " +
			"Use it when the user says never to forget it; unless they did in this conversation, it only asks. " +
			"Do not use it to agree with or save a fact (remember_fact).",
		primary: "memory_id",
		parameters: []parameter{
			{name: "memory_id", kind: kindText, required: true},
		},
		run: runConfirm,
	}
}

func runConfirm(ctx context.Context, d *Deps, args *arguments) (string, error) {
	id, err := memoryID(d, args)
	if err != nil {
		return "", err
	}
	m, err := schema.Get(ctx, d.DB, func(ctx context.Context, s *schema.Snapshot) (*schema.Memory, error) {
		return readClaim(ctx, d, s, args, id)
	})
	if err != nil {
		return "", err
	}
	d.changed(ChangeProtected, m)
	if m.Protected {
		return "That fact is protected already: " + quoted(m.Content) + ". Nothing needs to be done.", nil
	}
	if m.State == schema.StateQuarantined {
		return "", mistakef("confirm_fact: that fact is set aside for review (%s) and cannot be protected. The host has to release it first; tell the user so, and do not try again before. Nothing was changed.",
			quoted(m.Attributes[schema.AttrQuarantine]))
	}
	return keep(ctx, d, m)
}

// keep protects a memory if the user asked for it in this session, else it asks the
// host.
func keep(ctx context.Context, d *Deps, m *schema.Memory) (string, error) {
	wanted, err := keepAsAsked(ctx, d, m)
	if err != nil {
		return "", err
	}
	if wanted {
		return "Protected, as the user asked: " + quoted(m.Content) + ". It neither fades nor is changed by the memory itself.", nil
	}
	asked := false
	err = d.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		asked, err = tx.AskProtection(ctx, m, byModel)
		return err
	})
	if err != nil {
		return "", err
	}
	d.changed(ChangeProposed, m)
	if !asked {
		return "The question whether to protect " + quoted(m.Content) + " waits already; it was not asked twice. The user or the host has to confirm it. Until then it is not protected.", nil
	}
	return "Asked whether to protect " + quoted(m.Content) + ". The user or the host has to confirm it outside this conversation's tools; until then it is not protected.", nil
}

func toKeep(_ int, message string) []said.Request { return requestsTo(said.Keep, message) }

// keepAsAsked protects a memory if the user asked for it in this session.
func keepAsAsked(ctx context.Context, d *Deps, m *schema.Memory) (kept bool, err error) {
	asked, err := readRequests(ctx, d, toKeep)
	if err != nil {
		return false, err
	}
	for _, a := range asked {
		var meant []claims.Request
		if a.About != "" {
			if !claims.Names(a.About, m, d.Scope.User) {
				continue
			}
			meant = append(meant, claims.Request{Verb: said.Keep, Memories: []string{m.UID}})
		}
		if _, err := d.reader().Read(ctx, d.Scope, a.turn, meant...); err != nil {
			return false, err
		}
		err := d.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			now, err := s.Memory(ctx, m.UserID, m.UID)
			kept = err == nil && now.Protected
			return err
		})
		if kept || err != nil {
			return kept, err
		}
	}
	return false, nil
}
