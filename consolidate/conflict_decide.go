package consolidate

import (
	"time"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Relation is how two claims stand to each other.
type Relation string

// The relations of two claims.
const (
	RelationSame          Relation = "same"          // they say the same
	RelationUpdate        Relation = "update"        // the later one ended the earlier one
	RelationContradiction Relation = "contradiction" // they cannot both hold, and nothing says which does
	RelationCompatible    Relation = "compatible"    // both hold
)

// relations are the words that a model may answer with.
var relations = []Relation{RelationSame, RelationUpdate, RelationContradiction, RelationCompatible}

// party is one of two claims that are held against each other, with what the
// decision rests on beside its row.
type party struct {
	*schema.Memory

	guarded bool      // it mentions a protected entity
	said    time.Time // when it was last said; its event time when no message says so
	// outright says that nobody had to conclude it: it was told as it is, or a
	// message of its sources states it in so many words.
	outright bool
}

// untouchable reports a claim that only the host may change.
func (p *party) untouchable() bool { return p.Protected || p.Pinned || p.guarded }

// told reports a claim that the user stated and no night drew.
func (p *party) told() bool { return p.RunID == 0 && p.Trust >= schema.MaxTrust }

// current reports a claim that is held to be true.
func (p *party) current() bool {
	return (p.State == schema.StateActive || p.State == schema.StateDormant) && p.ValidUntil.IsZero()
}

// weight orders claims by whose word they are: by trust, then the user's own
// before what was concluded from it.
func (p *party) weight() int {
	w := 4 * int(p.Trust)
	if p.Origin == schema.OriginUser {
		w += 2
	}
	if p.told() {
		w++
	}
	return w
}

// verb is what is to be done about two claims.
type verb int

const (
	leave     verb = iota // nothing, for the reason given
	supersede             // the second takes the place of the first
	merge                 // the second takes in the first, which says the same
	flag                  // both stay, linked, and the host decides
)

// action is a verb, the claims it is done to, and why, in words that hold
// nothing of the claims.
type action struct {
	verb   verb
	old    *party // for flag: the earlier one
	kept   *party
	reason string
}

// decide says what may be done about two claims of one user that stand to each
// other as r says, according to a model or, where byModel is false, to code.
// Who says so counts for little: a verdict only opens a door that trust,
// protection, time and wording may still keep shut.
//
// An update needs one key (subject and predicate), a later claim that nobody
// less trusted made, and that was not said before the other: what holds from
// earlier on is history, whenever it was learnt. What the user stated gives way
// only to what was stated outright, and to no model's verdict. Whatever else
// cannot both hold is flagged.
func decide(r Relation, byModel bool, a, b *party, now time.Time) action {
	earlier, later := order(a, b)
	act := action{old: earlier, kept: later}
	// What is learnt late may have ended with a claim that has ended since.
	history := earlier.current() && later.State == schema.StateSuperseded && !byModel && r == RelationUpdate
	answer := func(v verb, reason string) action {
		if v == flag && history {
			v = leave
		}
		act.verb, act.reason = v, reason
		return act
	}
	switch {
	case a.Kind == schema.KindEpisode || b.Kind == schema.KindEpisode:
		return answer(leave, "one of the two is no claim")
	case !history && (!a.current() || !b.current()):
		return answer(leave, "one of the two is not current any more")
	case r == RelationCompatible:
		return answer(leave, "both hold")
	case r == RelationSame:
		return decideSame(byModel, act)
	case r == RelationContradiction:
		return answer(flag, "they contradict each other")
	}
	switch {
	case later.ValidFrom.After(now):
		return answer(leave, "the later one does not hold yet")
	case isPlan(earlier.Memory) != isPlan(later.Memory):
		return answer(leave, "one of the two is a plan")
	case !sameKey(earlier.Memory, later.Memory):
		return answer(flag, "they are not about the same subject and predicate")
	case earlier.untouchable():
		return answer(flag, "the earlier one is protected")
	case later.weight()/2 < earlier.weight()/2:
		return answer(flag, "the later one is less trusted")
	case earlier.ValidFrom.Equal(later.ValidFrom.Time):
		return answer(flag, "nothing says which is newer")
	case later.said.Before(earlier.said):
		return answer(flag, "what holds from later on was said earlier")
	case earlier.told() && !later.outright:
		return answer(flag, "the user stated the earlier one, and nobody the later one outright")
	case earlier.told() && byModel:
		return answer(flag, "the user stated the earlier one, and only a model thinks that it has ended")
	case byModel && additive[claims.Predicate(earlier.Predicate)]:
		return answer(flag, "both could hold")
	}
	return answer(supersede, "")
}

// decideSame merges the lighter of two claims into the other, or of two that
// weigh the same the later into the earlier. Of a functional predicate a model
// may only have the earlier merged into the later: it does not see what was
// true between them.
func decideSame(byModel bool, act action) action {
	kept, dropped := act.old, act.kept
	inOrder := byModel && functional[claims.Predicate(kept.Predicate)] != 0
	if inOrder || kept.weight() < dropped.weight() {
		kept, dropped = dropped, kept
	}
	act.old, act.kept = dropped, kept
	switch {
	case kept.weight() < dropped.weight():
		act.reason = "the later one is less trusted"
	case dropped.untouchable():
		act.reason = "one of the two is protected"
	case byModel && dropped.told():
		act.reason = "the user stated both"
	case !restates(dropped.Memory, kept.Memory):
		act.reason = "the kept one does not hold all names, numbers and dates of the other"
	default:
		act.verb = merge
	}
	return act
}

// order sorts two claims by when they began to hold, then by when they were
// stored.
func order(a, b *party) (earlier, later *party) {
	if c := a.ValidFrom.Compare(b.ValidFrom.Time); c > 0 || c == 0 && a.ID > b.ID {
		return b, a
	}
	return a, b
}

func sameKey(a, b *schema.Memory) bool {
	x, ok := keyOf(a)
	y, ok2 := keyOf(b)
	return ok && ok2 && x == y
}

// restates reports whether nothing that can be looked up is lost with a claim
// when another is kept: the subject, its names, numbers and dates, whether it
// denies, and on which day it happened.
func restates(dropped, kept *schema.Memory) bool {
	if text.Fold(dropped.Subject) != text.Fold(kept.Subject) || negated(dropped) != negated(kept) || isPlan(dropped) != isPlan(kept) ||
		happenedApart(dropped, kept) {
		return false
	}
	s := grounding.Understand(dropped.Content, dropped.EventTime.Time)
	return s.Missing(kept.Content, kept.EventTime.Time, nil) == ""
}

// happenedApart reports two events of different days: it happened twice.
func happenedApart(a, b *schema.Memory) bool {
	return a.Attributes[schema.AttrTemporal] == string(Event) && b.Attributes[schema.AttrTemporal] == string(Event) &&
		a.ValidFrom.Sub(b.ValidFrom.Time).Abs() >= 24*time.Hour
}
