package consolidate

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Conflict is the stage that compares facts and preferences with each other. What
// has changed becomes current, its history stays, and no claim is lost.
//
// Code decides where it can: of two claims of one subject and one functional
// predicate (where somebody lives, works, …) that exclude each other, the one
// that began to hold later supersedes the other, see [schema.Tx.Supersede]. Claims
// after the stage's watermark are then compared with similar ones, many pairs in
// one call of the model. Its verdict allows no more than [Relate] does. Claims
// that contradict each other without a decision both stay, linked as
// "contradicts", and wait for the host.
//
// A batch without a usable answer is skipped, see [Skip]. If no batch of the run
// gets one, the stage fails and the claims wait. Without a model, code does its
// part and the rest waits.
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
	return x.functional(ctx) // verdicts may have made more decidable
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

// functional decides claims of functional keys by code, whenever they were
// stored. It needs no watermark, since decided claims are no longer current. Pairs
// for the host come last, when everything else is decided.
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
			settled, unsettled := settle(parties, x.in.Now, holding.left)
			changes, open = append(changes, settled...), append(open, unsettled...)
		}
		changed, err := x.inBatches(ctx, changes)
		if err != nil {
			return err
		}
		if changed {
			continue
		}
		for _, p := range open {
			r, _ := p.(Relate)
			holding.left[ContradictionPair{r.A, r.B}], holding.left[ContradictionPair{r.B, r.A}] = true, true
		}
		_, err = x.inBatches(ctx, open)
		return err
	}
}

// inBatches applies proposals and reports whether any was applied.
func (x *comparison) inBatches(ctx context.Context, proposals []Proposal) (changed bool, err error) {
	const size = 100
	for batch := range slices.Chunk(proposals, size) {
		outcomes, err := x.apply(ctx, batch...)
		if err != nil {
			return false, err
		}
		changed = changed || slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Status == Applied })
	}
	return changed, nil
}

// contested returns the functional keys with at least two claims, one of them not
// superseded, in order.
func (h *holding) contested() []claimKey {
	var keys []claimKey
	for key, claims := range h.byKey {
		if functional[key.predicate] != 0 && len(claims) > 1 &&
			slices.ContainsFunc(claims, func(c *claim) bool { return c.State != schema.StateSuperseded }) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b claimKey) int {
		return cmp.Or(cmp.Compare(a.subject, b.subject), cmp.Compare(a.predicate, b.predicate))
	})
	return keys
}

func (x *comparison) parties(ctx context.Context, claims []*claim) (list []*party, err error) {
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
// pairs that are left to the host. Each claim is superseded by the next in time
// that excludes it and may do so; if none may, it is paired with the last that
// excludes it. Claims of one object are merged if no other lies between them:
// somebody who moved back has moved twice. A claim that no message states outright
// waits for the model.
func settle(claims []*party, now time.Time, left map[ContradictionPair]bool) (changes, open []Proposal) {
	slices.SortFunc(claims, func(a, b *party) int {
		return cmp.Or(a.ValidFrom.Compare(b.ValidFrom.Time), cmp.Compare(a.ID, b.ID))
	})
	merged := make(map[*party]bool)
	for i, earlier := range claims {
		if !earlier.current() || merged[earlier] {
			continue
		}
		var unsettled []Proposal // at most one; none if the host has the pair already
		interrupted := false
		for _, later := range claims[i+1:] {
			p := Relate{A: earlier.UID, B: later.UID}
			switch {
			case merged[later]:
				continue
			case exclusive(earlier.Memory, later.Memory):
				p.Relation, interrupted = RelationUpdate, true
			case !interrupted && earlier.Object != "" && sameObject(earlier.Memory, later.Memory):
				p.Relation = RelationSame
			default:
				continue
			}
			asked := left[ContradictionPair{earlier.UID, later.UID}]
			act := decide(p.Relation, false, earlier, later, now)
			switch {
			case act.verb == flag && asked:
				unsettled = nil
			case act.verb == flag:
				unsettled = []Proposal{p}
			case act.verb == leave || asked:
				// The host has decided or will decide.
			case act.verb == supersede && !later.outright && !earlier.statedByUser():
				// The message may not have meant it that way.
			default:
				changes = append(changes, p)
				merged[act.old] = true
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
