package claims

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/schema"
)

// change supersedes the claims that the new one replaces, or the new one if its
// replacement is already known.
func (a *addition) change(ctx context.Context, out *Outcome) error {
	var replacedBy *candidate
	for _, k := range a.near {
		if !a.mayChange(k, out) {
			continue
		}
		earlier := a.before(k)
		switch {
		case earlier && k.outright && k.Trust >= out.Memory.Trust && out.Status == Made && said.Compare(k.reading, a.reading) == said.Replaces:
			if replacedBy == nil || k.ValidFrom.Before(replacedBy.ValidFrom.Time) {
				replacedBy = k
			}
		case !earlier && a.Outright && said.Compare(a.reading, k.reading) == said.Replaces:
			guarded, err := a.guarded(ctx, k)
			if err != nil {
				return err
			}
			if !guarded {
				if err := a.supersede(ctx, k, out.Memory, out); err != nil {
					return err
				}
			}
		}
	}
	if replacedBy == nil {
		return nil
	}
	fresh, err := a.tx.Memory(ctx, out.Memory.UserID, out.Memory.UID)
	if err != nil {
		return err
	}
	out.Memory = fresh
	return a.tx.Supersede(ctx, fresh, &replacedBy.Memory, a.by)
}

// mayChange reports whether a claim may conflict with the new one: it is another
// current claim, both or neither are plans, and they are not from one sentence.
func (a *addition) mayChange(k *candidate, out *Outcome) bool {
	switch {
	case k.ID == out.Memory.ID || slices.ContainsFunc(out.Ended, func(m *schema.Memory) bool { return m.ID == k.ID }):
		return false
	case k.State != schema.StateActive && k.State != schema.StateDormant:
		return false
	case !known(a.reading) || k.reading.Predicate == "":
		return false
	case (a.reading.Temporal == said.Plan) != (k.reading.Temporal == said.Plan) || a.Memory.ValidFrom.After(a.tx.Now) || k.ValidFrom.After(a.tx.Now):
		return false
	}
	return !a.sharesSentence(k) && !describes(a.reading, k.reading) && !a.aboutPart(k)
}

// aboutPart reports whether the later of the two claims is about one of several things that the earlier one
// joins, and the only claim that it makes: "I'm not allergic to penicillin" leaves the nuts of "I'm allergic to
// nuts and penicillin".
func (a *addition) aboutPart(k *candidate) bool {
	older, newer := &k.Memory, a.Memory
	if a.before(k) {
		older, newer = newer, older
	}
	return !a.reading.Wish && !k.reading.Wish && grounding.PartAbout(older.Content, newer.Content) != "" && len(said.Claims(older.Content, 0)) < 2
}

// called are predicates whose objects have names but may also be described.
var called = map[string]bool{"lives_in": true, "home_town": true, "from": true, "works_at": true, "studies_at": true, "car": true, "bike": true, "laptop": true, "phone_model": true}

// describes reports whether one claim may only describe what another names: "I live
// on a hill" does not end "I live in Lisbon", nor "I work at a bank" "I work at
// Fjordbank". Where nothing has capitals, or every noun, an indefinite article tells.
func describes(c, named said.Claim) bool {
	is := key(c.Predicate)
	if !called[is] || is != key(named.Predicate) || c.Ended != "" || c.Denied {
		return false
	}
	return !hasName(c.Object) && hasName(named.Object) ||
		sited[is] && c.Indefinite && !named.Indefinite && !(c.Change && hasName(c.Object))
}

// sited are those of them whose names have no indefinite article, unlike "a Skoda".
var sited = map[string]bool{"lives_in": true, "home_town": true, "from": true, "works_at": true, "studies_at": true}

// hasName reports whether an object contains a capital or a digit, or is in a
// script without capitals.
func hasName(object string) bool {
	return strings.ContainsFunc(object, func(r rune) bool { return !unicode.IsLower(r) && (unicode.IsLetter(r) || unicode.IsDigit(r)) })
}

// compare orders the claim and another by when they were stated, not by when they were
// stored. What has the same time is in the order of the messages.
func (a *addition) compare(k *candidate) int {
	if k.ID == a.Corrects {
		return 1
	}
	last, in := a.lastSaid()
	return cmp.Or(last.Compare(k.last), cmp.Compare(in, k.in))
}

// before reports whether the claim was stated before another. Two sentences of one
// message are in their order.
func (a *addition) before(k *candidate) bool {
	if c := a.compare(k); c != 0 {
		return c < 0
	}
	for _, e := range a.Evidence {
		for _, c := range k.cited {
			if c.SourceID == e.Memory.ID {
				return strings.Index(e.Memory.Content, e.Quote) < strings.Index(e.Memory.Content, c.Quote)
			}
		}
	}
	return false
}

// supersede ends one claim in favour of another, unless its trust forbids it.
func (a *addition) supersede(ctx context.Context, old *candidate, kept *schema.Memory, out *Outcome) error {
	if kept.Trust < old.Trust {
		return nil
	}
	ended := old.Memory // Supersede increments its version, and a write may run twice
	if err := a.tx.Supersede(ctx, &ended, kept, a.by); err != nil {
		return err
	}
	out.Ended = append(out.Ended, &ended)
	return nil
}

// Newer returns what the user has stated since a time that affects a claim: the
// claim that superseded it, and current ones that replace or may exclude it.
func Newer(ctx context.Context, tx *schema.Tx, owner string, m *schema.Memory, since time.Time) (newer []schema.Memory, err error) {
	a := &addition{Claim: Claim{Memory: m}, tx: tx, owner: owner, hash: m.ContentHash}
	cited, err := tx.Known().Cited(ctx, []int64{m.ID})
	if err != nil {
		return nil, err
	}
	if err := a.loadPeople(ctx); err != nil {
		return nil, err
	}
	a.reading, _ = read(m, owner, cited, a.close)
	if err := a.find(ctx); err != nil {
		return nil, err
	}
	for _, k := range a.near {
		verdict := said.Compare(k.reading, a.reading)
		if k.ID != m.ID && isCurrent(&k.Memory) && k.CreatedAt.After(since) && (verdict == said.Replaces || verdict == said.Unsure || k.ID == m.SupersededBy) {
			newer = append(newer, k.Memory)
		}
	}
	return newer, nil
}

// Replaced reports whether the claim has replaced m.
func (o *Outcome) Replaced(m *schema.Memory) bool {
	return o.Restated != nil && o.Restated.ID == m.ID || slices.ContainsFunc(o.Ended, func(ended *schema.Memory) bool { return ended.ID == m.ID })
}
