// Package relation decides what becomes of two claims that say the same, replace or
// contradict each other. It reads and writes nothing.
package relation

import (
	"time"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Kind is the relation of two claims.
type Kind string

// The relations of two claims.
const (
	Same          Kind = "same"          // they state the same
	Update        Kind = "update"        // the later one replaces the earlier one
	Contradiction Kind = "contradiction" // they exclude each other, and it is unknown which is true
	Compatible    Kind = "compatible"    // both can be true
)

// Kinds are the answers that a model may give.
var Kinds = []Kind{Same, Update, Contradiction, Compatible}

// Party is one of two compared claims, with the data that a decision needs.
type Party struct {
	*schema.Memory

	Guarded bool      // it mentions a protected entity
	Said    time.Time // when it was last stated; its event time without a source
	// Outright reports that the claim was not derived by a model, or that one of its
	// sources states it explicitly.
	Outright bool
}

// IsProtected reports whether only the host may change the claim.
func (p *Party) IsProtected() bool { return p.Protected || p.Pinned || p.Guarded }

// StatedByUser reports whether the user stated the claim, rather than a night having
// derived it.
func (p *Party) StatedByUser() bool { return p.RunID == 0 && p.Trust >= schema.MaxTrust }

// Current reports whether the claim is neither superseded nor ended.
func (p *Party) Current() bool {
	return (p.State == schema.StateActive || p.State == schema.StateDormant) && p.ValidUntil.IsZero()
}

// weight orders claims by trust. At equal trust, the user's own statements weigh more
// than derived claims.
func (p *Party) weight() int {
	w := 4 * int(p.Trust)
	if p.Origin == schema.OriginUser {
		w += 2
	}
	if p.StatedByUser() {
		w++
	}
	return w
}

// Verb is what to do about two claims.
type Verb int

const (
	Leave     Verb = iota // nothing
	Supersede             // the second supersedes the first
	Merge                 // the second takes over the sources of the first, which states the same
	Flag                  // both are kept and linked, and the host decides
)

// Action is a decision about two claims. The reason contains none of their text.
type Action struct {
	Verb   Verb
	Old    *Party // for flag: the earlier one
	Kept   *Party
	Reason string
}

// Decide returns the permitted action for two claims of one user in relation r.
// byModel states that a model found the relation. Trust, protection, time and wording
// may forbid an action.
//
// For an update, both claims must have the same key (subject and predicate), and the
// later one must be at least as trusted and not stated before the earlier one. Claims
// are ordered by the start of their validity, not by when they were learnt. A claim
// that the user stated is superseded only by one that is stated explicitly, never by a
// model's verdict. Other claims that exclude each other are flagged for the host. The days of
// events are those of now's time zone.
func Decide(r Kind, byModel bool, a, b *Party, now time.Time) Action {
	earlier, later := Order(a, b)
	act := Action{Old: earlier, Kept: later}
	// A claim that was learnt late may have been replaced by one that is itself
	// superseded by now.
	history := earlier.Current() && later.State == schema.StateSuperseded && !byModel && r == Update
	answer := func(v Verb, reason string) Action {
		if v == Flag && history {
			v = Leave
		}
		act.Verb, act.Reason = v, reason
		return act
	}
	switch {
	case a.Kind == schema.KindEpisode || b.Kind == schema.KindEpisode:
		return answer(Leave, "one of the two is no claim")
	case a.Attributes[schema.AttrProject] != b.Attributes[schema.AttrProject]:
		return answer(Leave, "they are of different projects")
	case !history && (!a.Current() || !b.Current()):
		return answer(Leave, "one of the two is not current any more")
	case r == Compatible:
		return answer(Leave, "both hold")
	case r == Same:
		return decideSame(byModel, act, now.Location())
	case r == Contradiction:
		return answer(Flag, "they contradict each other")
	}
	switch {
	case later.ValidFrom.After(now):
		return answer(Leave, "the later one does not hold yet")
	case IsPlan(earlier.Memory) != IsPlan(later.Memory):
		return answer(Leave, "one of the two is a plan")
	case !sameKey(earlier.Memory, later.Memory):
		return answer(Flag, "they are not about the same subject and predicate")
	case earlier.IsProtected():
		return answer(Flag, "the earlier one is protected")
	case later.weight()/2 < earlier.weight()/2:
		return answer(Flag, "the later one is less trusted")
	case earlier.ValidFrom.Equal(later.ValidFrom.Time):
		return answer(Flag, "nothing says which is newer")
	case later.Said.Before(earlier.Said):
		return answer(Flag, "what holds from later on was said earlier")
	case earlier.StatedByUser() && !later.Outright:
		return answer(Flag, "the user stated the earlier one, and no source states the later one outright")
	case earlier.StatedByUser() && byModel:
		return answer(Flag, "the user stated the earlier one, and only a model thinks that it has ended")
	case byModel && Additive[claims.Predicate(earlier.Predicate)]:
		return answer(Flag, "both could hold")
	}
	return answer(Supersede, "")
}

// decideSame merges the claim of less weight into the other, or at equal weight the
// later into the earlier. For a functional predicate, a model may only merge the
// earlier into the later, because it does not see the claims between them.
func decideSame(byModel bool, act Action, loc *time.Location) Action {
	kept, dropped := act.Old, act.Kept
	inOrder := byModel && Functional[claims.Predicate(kept.Predicate)] != 0
	if inOrder || kept.weight() < dropped.weight() {
		kept, dropped = dropped, kept
	}
	act.Old, act.Kept = dropped, kept
	switch {
	case kept.weight() < dropped.weight():
		act.Reason = "the later one is less trusted"
	case dropped.IsProtected():
		act.Reason = "one of the two is protected"
	case byModel && dropped.StatedByUser():
		act.Reason = "the user stated both"
	case !restates(dropped.Memory, kept.Memory, loc):
		act.Reason = "the kept one does not hold all names, numbers and dates of the other"
	default:
		act.Verb = Merge
	}
	return act
}

// Order sorts two claims by when they begin to hold, then by when they were stored.
func Order(a, b *Party) (earlier, later *Party) {
	if c := a.ValidFrom.Compare(b.ValidFrom.Time); c > 0 || c == 0 && a.ID > b.ID {
		return b, a
	}
	return a, b
}

func sameKey(a, b *schema.Memory) bool {
	x, ok := KeyOf(a)
	y, ok2 := KeyOf(b)
	return ok && ok2 && x == y
}

// restates reports whether the kept claim contains all specifics of the dropped one:
// subject, names, numbers, dates, negation and, for an event, the day.
func restates(dropped, kept *schema.Memory, loc *time.Location) bool {
	if text.Fold(dropped.Subject) != text.Fold(kept.Subject) || Negated(dropped) != Negated(kept) || IsPlan(dropped) != IsPlan(kept) ||
		claims.HappenedApart(dropped, kept, loc) {
		return false
	}
	s := grounding.Understand(dropped.Content, dropped.EventTime.Time)
	return s.Missing(kept.Content, kept.EventTime.Time, nil) == ""
}
