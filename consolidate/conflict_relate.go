package consolidate

import (
	"context"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/consolidate/relation"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// ProposalContradiction is the kind of the rows of proposals that hold a
// [ContradictionPair].
const ProposalContradiction = "contradiction"

// ContradictionPair are two claims that contradict each other, by public id.
type ContradictionPair struct {
	Earlier string `json:"earlier"` // the one that begins to hold first
	Later   string `json:"later"`
}

func (p ContradictionPair) turned() ContradictionPair { return ContradictionPair{p.Later, p.Earlier} }

// Relate acts on the relation of two claims: the later supersedes the earlier, two
// that say the same are merged, or a contradiction is left to the host. The
// decision depends on the claims when it is applied.
//
// A merged claim is superseded by the kept one, which takes over those of its
// sources that state it. A pair that was left to the host once is not touched
// again, whatever the host decided.
type Relate struct {
	A, B     string // public ids
	Relation relation.Kind
	ByModel  bool   // found by a model, not by code
	Why      string // the model's words, for reports
}

func (p Relate) of() (kind, memory string) { return string(p.Relation), p.B }

func (p Relate) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	a, err := partyOf(ctx, tx, n.input.UserID, p.A)
	if err != nil {
		return Outcome{}, err
	}
	b, err := partyOf(ctx, tx, n.input.UserID, p.B)
	if err != nil {
		return Outcome{}, err
	}
	act := relation.Decide(p.Relation, p.ByModel, a, b, n.input.Now.In(n.input.Location))
	pair := pairOf(a, b)
	if act.Verb != relation.Leave {
		pending, err := wasProposed(ctx, tx, n.input.UserID, pair)
		if err != nil {
			return Outcome{}, err
		}
		if pending {
			return Outcome{Kind: ProposalContradiction, Memory: pair.Later, Status: Known, Reason: "it was left to the host before", Text: p.Why}, nil
		}
	}
	outcome := Outcome{Kind: string(p.Relation), Memory: act.Old.UID, Status: Applied, Reason: act.Reason, Text: p.Why}
	switch act.Verb {
	case relation.Leave:
		outcome.Status = Rejected
	case relation.Supersede:
		outcome.Kind = "supersede"
		err = tx.Supersede(ctx, act.Old.Memory, act.Kept.Memory, n.actor())
	case relation.Merge:
		outcome.Kind = "merge"
		err = mergeClaims(ctx, tx, n, act.Old, act.Kept)
	case relation.Flag:
		outcome.Kind, outcome.Memory, outcome.Status = ProposalContradiction, pair.Later, Waiting
		if _, err = tx.Link(ctx, act.Kept.Memory, act.Old.Memory, schema.LinkContradicts, 1, n.actor()); err == nil {
			_, _, err = tx.Propose(ctx, n.input.UserID, ProposalContradiction, pair, act.Reason, n.actor())
		}
	}
	return outcome, err
}

// mergeClaims supersedes one claim by another that says the same. The sources that
// state the kept claim make it surer, unless it is protected.
func mergeClaims(ctx context.Context, tx *schema.Tx, n *night, dropped, kept *relation.Party) error {
	if err := tx.Supersede(ctx, dropped.Memory, kept.Memory, n.actor()); err != nil || kept.IsProtected() {
		return err
	}
	evidence, err := tx.Night().Evidence(ctx, dropped.ID)
	if err != nil {
		return err
	}
	claim := claims.Reworded(kept.Content, kept.EventTime.Time)
	var sources []claims.Evidence
	for _, e := range evidence {
		m, err := tx.Memory(ctx, dropped.UserID, e.UID)
		if err != nil {
			return err
		}
		speaker := []string{m.Speaker}
		if m.Speaker == "" && m.Trust == schema.MaxTrust {
			speaker = []string{n.input.Scope.User}
		}
		if claim.StatedBy(m.Content, m.EventTime.In(n.input.Location), speaker) != "" {
			sources = append(sources, claims.Evidence{Memory: m, Quote: e.Quote, Holds: true})
		}
	}
	_, _, err = claims.Strengthen(ctx, tx, kept.Memory, sources, n.actor())
	return err
}

// reader is a snapshot or a write.
type reader interface {
	Memory(ctx context.Context, userID int64, uid string) (*schema.Memory, error)
	Night() schema.NightReads
}

// partyOf reads a claim with what decisions depend on.
func partyOf(ctx context.Context, r reader, userID int64, uid string) (*relation.Party, error) {
	m, err := r.Memory(ctx, userID, uid)
	if err != nil {
		return nil, err
	}
	p := &relation.Party{Memory: m}
	if p.Guarded, err = r.Night().IsGuarded(ctx, m.ID, false); err != nil {
		return nil, err
	}
	sources, err := r.Night().Evidence(ctx, m.ID)
	if err != nil {
		return nil, err
	}
	addSources(p, sources)
	return p, nil
}

// addSources sets when the claim was last said, by a source of at least its trust,
// and whether such a source states it outright.
func addSources(p *relation.Party, sources []schema.Evidence) {
	p.Outright = p.RunID == 0
	for _, s := range sources {
		if s.Trust < p.Trust {
			continue
		}
		if s.EventTime.After(p.Said) {
			p.Said = s.EventTime.Time
		}
		sentence := grounding.Sentence(s.Content, s.Quote)
		if bySpeaker(p.Subject, s.Speaker, s.Owner) && claims.StatesOutright(sentence, claims.Predicate(p.Predicate), p.Object) && !claims.Beside(sentence) {
			p.Outright = true // of a second home it is not stated that it is the only one
		}
	}
	if p.Said.IsZero() {
		p.Said = p.EventTime.Time
	}
}

// bySpeaker reports whether the subject of a claim is the speaker. If messages have
// speakers, "the user" is the one with the owner's name.
func bySpeaker(subject, speaker, owner string) bool {
	subject, speaker = text.Fold(subject), text.Fold(speaker)
	if subject == theUser {
		if speaker == "" {
			return true
		}
		subject = text.Fold(owner)
	}
	return subject != "" && (subject == speaker || slices.Contains(strings.Fields(speaker), subject))
}

func pairOf(a, b *relation.Party) ContradictionPair {
	earlier, later := relation.Order(a, b)
	return ContradictionPair{Earlier: earlier.UID, Later: later.UID}
}

// wasProposed reports whether a pair was left to the host before.
func wasProposed(ctx context.Context, tx *schema.Tx, userID int64, pair ContradictionPair) (bool, error) {
	return tx.Night().IsPairProposed(ctx, userID, ProposalContradiction, [2]string{"earlier", "later"}, pair.Earlier, pair.Later)
}
