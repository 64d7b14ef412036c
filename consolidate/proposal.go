package consolidate

import (
	"context"
	"errors"

	"github.com/ebbmem/ebb/schema"
)

// FadedBelow is the strength, confidence times retention, below which a memory
// has faded (simplified-memory.md §8).
const FadedBelow = 0.05

// Status is the result of a proposal.
type Status string

// The results of a proposal.
const (
	Applied     Status = "applied"
	Rejected    Status = "rejected"    // it does not fit the current memories
	Waiting     Status = "waiting"     // for the host to decide
	Known       Status = "known"       // it would change nothing
	Quarantined Status = "quarantined" // stored in quarantine
)

// Proposal is a change that a stage asks for. All implementations are in this
// package: a stage proposes, the runner decides and applies.
type Proposal interface {
	// of names the change in reports, such as "retire", "" for one that they leave out,
	// and returns the public id of the memory it concerns, "" for none.
	of() (kind, memory string)
	// apply checks the proposal against the current memories and carries it out.
	// All checks come before the first write. A [*schema.InvalidError] or
	// [schema.ErrConflict] rejects the proposal.
	apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error)
}

// applied is the outcome of a proposal that was carried out.
func applied(p Proposal) Outcome {
	kind, memory := p.of()
	return Outcome{Kind: kind, Memory: memory, Status: Applied}
}

// Retire soft-deletes a faded derived memory that the user did not state.
type Retire struct {
	UID     string
	Version int64 // the memory as the stage saw it
}

func (p Retire) of() (kind, memory string) { return "retire", p.UID }

func (p Retire) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	m, err := n.faded(ctx, tx, p.UID, p.Version)
	if err != nil {
		return Outcome{}, err
	}
	if m.Trust >= schema.MaxTrust {
		return Outcome{}, &schema.InvalidError{Field: "trust", Reason: "says that the user stated it; it may only become dormant"}
	}
	*n.allowance--
	return applied(p), tx.Retire(ctx, m, n.actor())
}

// MakeDormant takes a faded memory out of default search. Search still finds it
// on request, and using it makes it active again.
type MakeDormant struct {
	UID     string
	Version int64 // the memory as the stage saw it
}

func (p MakeDormant) of() (kind, memory string) { return "dormant", p.UID }

func (p MakeDormant) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	m, err := n.faded(ctx, tx, p.UID, p.Version)
	if err != nil {
		return Outcome{}, err
	}
	*n.allowance--
	return applied(p), tx.SetState(ctx, m, schema.StateDormant, n.actor())
}

// faded reads a memory and checks that it has faded and that the day's cap
// allows one more to leave default search.
func (n *night) faded(ctx context.Context, tx *schema.Tx, uid string, version int64) (*schema.Memory, error) {
	m, err := n.unchanged(ctx, tx, uid, version, schema.StateActive)
	switch {
	case err != nil:
		return nil, err
	case m.Kind == schema.KindEpisode:
		return nil, &schema.InvalidError{Field: "memory", Reason: "is an episode; what was said does not fade"}
	case !(n.input.strength(m) < FadedBelow):
		return nil, &schema.InvalidError{Field: "memory", Reason: "has not faded; it was used in the meantime"}
	}
	if err := n.unguarded(ctx, tx, m, n.input.guardsSentences()); err != nil {
		return nil, err
	}
	if n.allowance == nil {
		left, err := allowance(ctx, tx.Night(), n.input)
		if err != nil {
			return nil, err
		}
		n.allowance = &left
	}
	if *n.allowance <= 0 {
		return nil, &schema.InvalidError{Field: "memory", Reason: "is beyond the day's retirement cap"}
	}
	return m, nil
}

func isNotFound(err error) bool { return errors.Is(err, schema.ErrNotFound) }

// rejection is the reason when err speaks of the proposal, not of the database.
func rejection(err error) (reason string, ok bool) {
	var invalid *schema.InvalidError
	if errors.As(err, &invalid) || errors.Is(err, schema.ErrConflict) || errors.Is(err, schema.ErrNotFound) {
		return err.Error(), true
	}
	return "", false
}
