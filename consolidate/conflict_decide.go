package consolidate

import (
	"time"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Relation is the relation of two claims.
type Relation string

// The relations of two claims.
const (
	RelationSame          Relation = "same"          // they say the same
	RelationUpdate        Relation = "update"        // the later one ends the earlier one
	RelationContradiction Relation = "contradiction" // they cannot both hold, and it is not known which does
	RelationCompatible    Relation = "compatible"    // both hold
)

// relations are the answers that a model may give.
var relations = []Relation{RelationSame, RelationUpdate, RelationContradiction, RelationCompatible}

// party is one of two claims to be compared, with what a decision depends on
// besides the memory.
type party struct {
	*schema.Memory

	guarded bool      // it mentions a protected entity
	said    time.Time // when it was last said; its event time without a source
	// outright: it was not concluded by a model, or one of its sources states it in
	// so many words.
	outright bool
}

// isProtected reports whether only the host may change the claim.
func (p *party) isProtected() bool { return p.Protected || p.Pinned || p.guarded }

// statedByUser reports whether the user stated the claim, and no night drew it.
func (p *party) statedByUser() bool { return p.RunID == 0 && p.Trust >= schema.MaxTrust }

// current reports whether the claim holds.
func (p *party) current() bool {
	return (p.State == schema.StateActive || p.State == schema.StateDormant) && p.ValidUntil.IsZero()
}

// weight orders claims by trust, and of equal trust the user's own words before
// conclusions.
func (p *party) weight() int {
	w := 4 * int(p.Trust)
	if p.Origin == schema.OriginUser {
		w += 2
	}
	if p.statedByUser() {
		w++
	}
	return w
}

// verb is what to do about two claims.
type verb int

const (
	leave     verb = iota // nothing
	supersede             // the second supersedes the first
	merge                 // the second takes over the sources of the first, which says the same
	flag                  // both stay, linked, and the host decides
)

// action is a decision about two claims. The reason contains no text of them.
type action struct {
	verb   verb
	old    *party // for flag: the earlier one
	kept   *party
	reason string
}

// decide returns what may be done about two claims of one user in relation r,
// which a model found or, if byModel is false, code. The relation alone is not
// enough: trust, protection, time and wording may forbid an action.
//
// An update needs claims of one key (subject and predicate) of which the later is
// at least as trusted and was not said before the earlier. A claim that begins to
// hold earlier is history, whenever it was learnt. A claim that the user stated is
// superseded only by one stated outright, never by a model's verdict. Other claims
// that cannot both hold are flagged for the host.
func decide(r Relation, byModel bool, a, b *party, now time.Time) action {
	earlier, later := order(a, b)
	act := action{old: earlier, kept: later}
	// A claim learnt late may have been ended by one that is itself superseded.
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
	case earlier.isProtected():
		return answer(flag, "the earlier one is protected")
	case later.weight()/2 < earlier.weight()/2:
		return answer(flag, "the later one is less trusted")
	case earlier.ValidFrom.Equal(later.ValidFrom.Time):
		return answer(flag, "nothing says which is newer")
	case later.said.Before(earlier.said):
		return answer(flag, "what holds from later on was said earlier")
	case earlier.statedByUser() && !later.outright:
		return answer(flag, "the user stated the earlier one, and nobody the later one outright")
	case earlier.statedByUser() && byModel:
		return answer(flag, "the user stated the earlier one, and only a model thinks that it has ended")
	case byModel && additive[claims.Predicate(earlier.Predicate)]:
		return answer(flag, "both could hold")
	}
	return answer(supersede, "")
}

// decideSame merges the claim of less weight into the other, or of equal weight
// the later into the earlier. For a functional predicate, a model may only merge
// the earlier into the later, because it does not see what held between them.
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
	case dropped.isProtected():
		act.reason = "one of the two is protected"
	case byModel && dropped.statedByUser():
		act.reason = "the user stated both"
	case !restates(dropped.Memory, kept.Memory):
		act.reason = "the kept one does not hold all names, numbers and dates of the other"
	default:
		act.verb = merge
	}
	return act
}

// order sorts two claims by when they begin to hold, then by when they were stored.
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

// restates reports whether a kept claim contains everything specific of a dropped
// one: subject, names, numbers, dates, negation and, for an event, the day.
func restates(dropped, kept *schema.Memory) bool {
	if text.Fold(dropped.Subject) != text.Fold(kept.Subject) || negated(dropped) != negated(kept) || isPlan(dropped) != isPlan(kept) ||
		happenedApart(dropped, kept) {
		return false
	}
	s := grounding.Understand(dropped.Content, dropped.EventTime.Time)
	return s.Missing(kept.Content, kept.EventTime.Time, nil) == ""
}

// happenedApart reports whether two claims are events of different days.
func happenedApart(a, b *schema.Memory) bool {
	return a.Attributes[schema.AttrTemporal] == string(Event) && b.Attributes[schema.AttrTemporal] == string(Event) &&
		a.ValidFrom.Sub(b.ValidFrom.Time).Abs() >= 24*time.Hour
}
