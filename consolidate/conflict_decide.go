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
	RelationSame          Relation = "same"          // they state the same
	RelationUpdate        Relation = "update"        // the later one replaces the earlier one
	RelationContradiction Relation = "contradiction" // they exclude each other, and it is unknown which is true
	RelationCompatible    Relation = "compatible"    // both can be true
)

// relations are the answers that a model may give.
var relations = []Relation{RelationSame, RelationUpdate, RelationContradiction, RelationCompatible}

// party is one of two compared claims, with the data that a decision needs.
type party struct {
	*schema.Memory

	guarded bool      // it mentions a protected entity
	said    time.Time // when it was last stated; its event time without a source
	// outright reports that the claim was not derived by a model, or that one of its
	// sources states it explicitly.
	outright bool
}

// isProtected reports whether only the host may change the claim.
func (p *party) isProtected() bool { return p.Protected || p.Pinned || p.guarded }

// statedByUser reports whether the user stated the claim, rather than a night having
// derived it.
func (p *party) statedByUser() bool { return p.RunID == 0 && p.Trust >= schema.MaxTrust }

// current reports whether the claim is neither superseded nor ended.
func (p *party) current() bool {
	return (p.State == schema.StateActive || p.State == schema.StateDormant) && p.ValidUntil.IsZero()
}

// weight orders claims by trust. At equal trust, the user's own statements weigh more
// than derived claims.
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
	merge                 // the second takes over the sources of the first, which states the same
	flag                  // both are kept and linked, and the host decides
)

// action is a decision about two claims. The reason contains none of their text.
type action struct {
	verb   verb
	old    *party // for flag: the earlier one
	kept   *party
	reason string
}

// decide returns the permitted action for two claims of one user in relation r.
// byModel states that a model found the relation. Trust, protection, time and wording
// may forbid an action.
//
// For an update, both claims must have the same key (subject and predicate), and the
// later one must be at least as trusted and not stated before the earlier one. Claims
// are ordered by the start of their validity, not by when they were learnt. A claim
// that the user stated is superseded only by one that is stated explicitly, never by a
// model's verdict. Other claims that exclude each other are flagged for the host.
func decide(r Relation, byModel bool, a, b *party, now time.Time) action {
	earlier, later := order(a, b)
	act := action{old: earlier, kept: later}
	// A claim that was learnt late may have been replaced by one that is itself
	// superseded by now.
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

// decideSame merges the claim of less weight into the other, or at equal weight the
// later into the earlier. For a functional predicate, a model may only merge the
// earlier into the later, because it does not see the claims between them.
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

// restates reports whether the kept claim contains all specifics of the dropped one:
// subject, names, numbers, dates, negation and, for an event, the day.
func restates(dropped, kept *schema.Memory) bool {
	if text.Fold(dropped.Subject) != text.Fold(kept.Subject) || negated(dropped) != negated(kept) || isPlan(dropped) != isPlan(kept) ||
		happenedApart(dropped, kept) {
		return false
	}
	s := grounding.Understand(dropped.Content, dropped.EventTime.Time)
	return s.Missing(kept.Content, kept.EventTime.Time, nil) == ""
}

// happenedApart reports whether two claims are events on different days.
func happenedApart(a, b *schema.Memory) bool {
	return a.Attributes[schema.AttrTemporal] == string(Event) && b.Attributes[schema.AttrTemporal] == string(Event) &&
		a.ValidFrom.Sub(b.ValidFrom.Time).Abs() >= 24*time.Hour
}
