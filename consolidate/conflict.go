package consolidate

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Conflict is the stage that holds facts and preferences against each other,
// so that what has changed is current the next morning, what it was before can
// still be asked for, and no claim disappears.
//
// Code decides where it can: of two claims of one subject and one functional
// predicate (where somebody lives, works, …) that exclude each other, the one
// that began to hold later takes the place of the other, see
// [schema.Tx.Supersede]. Claims behind the stage's watermark are then compared
// with those that are like them, many pairs in one call of the model, whose
// verdict opens no more than [Relate] allows. What cannot both be true and
// cannot be decided stays, linked as "contradicts", and waits for the host.
//
// A batch the model cannot digest is left out, see [LeaveOut], unless none of
// the run was of use: then the stage fails and the claims wait. Without a model
// code does its part and the rest waits for one.
//
// Counts: compared (pairs shown to the model), waiting (claims that did not fit
// into the budget).
type Conflict struct {
	// Pairs is how many pairs are put into one call at most. Default 30.
	Pairs int
}

// DefaultPairs is how many pairs one call of [Conflict] is about.
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
	return x.functional(ctx) // what a verdict may have brought with it
}

// comparison is the stage at work.
type comparison struct {
	Conflict

	in      *Input
	apply   Apply
	holding *holding
	// held back until one batch has shown that the model can answer at all.
	usable bool
	held   [][]Proposal
	fault  error
}

// functional settles what code can: claims of one functional key, whenever
// they were stored. It needs no watermark, since what it settles is no longer
// current. What is left to the host comes last, when all else is settled.
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

// inBatches applies proposals and reports whether any of them held.
func (x *comparison) inBatches(ctx context.Context, proposals []Proposal) (changed bool, err error) {
	const size = 100
	for batch := range slices.Chunk(proposals, size) {
		outcomes, err := x.apply(ctx, batch...)
		if err != nil {
			return false, err
		}
		changed = changed || slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Fate == Applied })
	}
	return changed, nil
}

// contested are the functional keys with at least two claims of which one is
// current, in order.
func (h *holding) contested() []claimKey {
	var keys []claimKey
	for key, claims := range h.byKey {
		if functional[key.predicate] != 0 && len(claims) > 1 &&
			slices.ContainsFunc(claims, func(c *contender) bool { return c.State != schema.StateSuperseded }) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b claimKey) int {
		return cmp.Or(cmp.Compare(a.subject, b.subject), cmp.Compare(a.predicate, b.predicate))
	})
	return keys
}

func (x *comparison) parties(ctx context.Context, claims []*contender) (list []*party, err error) {
	err = x.in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		for _, c := range claims {
			p, err := partyOf(ctx, s, s, x.in.UserID, c.UID)
			if err != nil {
				return err
			}
			list = append(list, p)
		}
		return nil
	})
	return list, err
}

// settle says what becomes of the claims of one functional key, and which pairs
// are open. Each gives way
// to the next in time that excludes it and may take its place; if none may, the
// last of those that exclude it is left to the host. Claims of one object are
// merged when nothing lies between them: who moved back moved twice. A drawn claim that no
// message states outright waits for a model's second look.
func settle(claims []*party, now time.Time, left map[ContradictionPair]bool) (changes, open []Proposal) {
	slices.SortFunc(claims, func(a, b *party) int {
		return cmp.Or(a.ValidFrom.Compare(b.ValidFrom.Time), cmp.Compare(a.ID, b.ID))
	})
	merged := make(map[*party]bool)
	for i, earlier := range claims {
		if !earlier.current() || merged[earlier] {
			continue
		}
		var unsettled []Proposal // at most one; none, too, when the host has it already
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
				// The host said that both hold, or will say.
			case act.verb == supersede && !later.outright && !earlier.told():
				// The message may not have meant it so.
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
