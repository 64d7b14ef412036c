package consolidate

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ebbmem/ebb/consolidate/relation"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/schema"
)

// Conflict is the stage that resolves contradictions between facts and preferences.
// Superseded claims are kept as history.
//
// Some conflicts are decided without a model: if two claims with the same subject and
// functional predicate (lives in, works at, …) exclude each other, the one valid from
// the later time supersedes the other, see [schema.Tx.Supersede]. Claims after the
// stage's watermark are then compared with similar ones by the model, many pairs per
// call. Its verdicts are applied within the limits of [Relate]. Contradictions that
// remain undecided keep both claims, linked as "contradicts", and wait for the host.
//
// A batch without a usable answer is skipped, see [Skip]. If no batch of the run gets
// a usable answer, the stage fails and the claims wait. Without a model only the first
// step runs.
//
// Counts: compared, pairs shown to the model; waiting, claims beyond the budget.
type Conflict struct {
	// Pairs is the maximum number of pairs in one call. Default [DefaultPairs].
	Pairs int
}

// DefaultPairs is the default of [Conflict].
const DefaultPairs = 30

const conflictStage = "conflict"

// Name implements [Stage].
func (Conflict) Name() string { return conflictStage }

// Propose implements [Stage].
func (s Conflict) Propose(ctx context.Context, in *Input, apply Apply) error {
	if s.Pairs <= 0 {
		s.Pairs = DefaultPairs
	}
	x := &comparison{Conflict: s, in: in, apply: apply}
	if err := x.functional(ctx); err != nil || in.Model == nil {
		return err
	}
	if err := x.model(ctx); err != nil || !x.usable {
		return err
	}
	return x.functional(ctx) // again: the verdicts may allow more decisions
}

// comparison is a run of the stage.
type comparison struct {
	Conflict

	in      *Input
	apply   Apply
	holding *holding
	// Batches are held back until the model has given one usable answer.
	usable bool
	held   [][]Proposal
	fault  error // the last unusable answer
}

// functional resolves the claims of functional predicates without a model, until
// nothing changes any more. It needs no watermark, since superseded claims are no
// longer current. Pairs for the host are proposed last, when all else is decided.
func (x *comparison) functional(ctx context.Context) error {
	for {
		holding, err := holdingOf(ctx, x.in)
		if err != nil {
			return err
		}
		x.holding = holding
		var changes, open []Proposal
		for _, key := range holding.contested() {
			parties, err := x.parties(ctx, holding.byKey[key])
			if err != nil {
				return err
			}
			settled, unsettled := settle(parties, x.in.Now.In(x.in.Location), holding.left)
			changes, open = append(changes, settled...), append(open, unsettled...)
		}
		outcomes, err := x.apply.InBatches(ctx, changes)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Status == Applied }) {
			continue
		}
		for _, p := range open {
			r, _ := p.(Relate)
			holding.left[ContradictionPair{r.A, r.B}], holding.left[ContradictionPair{r.B, r.A}] = true, true
		}
		_, err = x.apply.InBatches(ctx, open)
		return err
	}
}

// contested returns, in order, the functional keys with at least two claims of which
// at least one is not superseded.
func (h *holding) contested() []relation.ClaimKey {
	var keys []relation.ClaimKey
	for key, of := range h.byKey {
		// of several daughters each lives somewhere: Add, which knows their names, and the model decide
		if relation.Functional[key.Predicate] != 0 && len(of) > 1 && !claims.OneOfSeveral(key.Subject) &&
			slices.ContainsFunc(of, func(c *claim) bool { return c.State != schema.StateSuperseded }) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b relation.ClaimKey) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Predicate, b.Predicate))
	})
	return keys
}

func (x *comparison) parties(ctx context.Context, claims []*claim) (list []*relation.Party, err error) {
	err = x.in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		for _, c := range claims {
			p, err := partyOf(ctx, s, x.in.UserID, c.UID)
			if err != nil {
				return err
			}
			list = append(list, p)
		}
		return nil
	})
	return list, err
}

// settle decides the claims of one functional key and returns the changes and the
// pairs for the host. A claim is superseded by the first later claim that excludes it
// and is allowed to supersede it; if there is none, it is paired with the last claim
// that excludes it. Claims with the same object are merged if no other claim lies
// between them in time: somebody who moved away and back has moved twice. A later
// claim that no message states explicitly is left to the model.
func settle(claims []*relation.Party, now time.Time, left map[ContradictionPair]bool) (changes, open []Proposal) {
	slices.SortFunc(claims, func(a, b *relation.Party) int {
		return cmp.Or(a.ValidFrom.Compare(b.ValidFrom.Time), cmp.Compare(a.ID, b.ID))
	})
	merged := make(map[*relation.Party]bool)
	for i, earlier := range claims {
		if !earlier.Current() || merged[earlier] {
			continue
		}
		var unsettled []Proposal // at most one; none if the host has the pair already
		interrupted := false
		for _, later := range claims[i+1:] {
			p := Relate{A: earlier.UID, B: later.UID}
			switch {
			case merged[later]:
				continue
			case relation.Exclusive(earlier.Memory, later.Memory):
				p.Relation, interrupted = relation.Update, true
			case !interrupted && earlier.Object != "" && relation.SameObject(earlier.Memory, later.Memory):
				p.Relation = relation.Same
			default:
				continue
			}
			asked := left[ContradictionPair{earlier.UID, later.UID}]
			act := relation.Decide(p.Relation, false, earlier, later, now)
			switch {
			case act.Verb == relation.Flag && asked:
				unsettled = nil
			case act.Verb == relation.Flag:
				unsettled = []Proposal{p}
			case act.Verb == relation.Leave || asked:
				// Nothing to do, or the host has been asked.
			case act.Verb == relation.Supersede && !later.Outright && !earlier.StatedByUser():
				// No message states the later claim explicitly: left to the model.
			default:
				changes = append(changes, p)
				merged[act.Old] = true
			}
			if merged[earlier] {
				unsettled = nil
				break
			}
		}
		open = append(open, unsettled...)
	}
	return changes, open
}
