package recall

import (
	"context"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// What is claimed of a turn says it in other words, and so is one more key to
// it: "Ada moved to Oslo" finds "we took the last boxes up on Friday". Nothing
// is stored for it. A claim that is retired, superseded, quarantined or gone is
// no key any more, in the next search.

// keyed reports whether a document may be a key to the turns it rests on.
func (l *label) keyed() bool {
	return l.kind&(bitOfKind(schema.KindFact)|bitOfKind(schema.KindPreference)) != 0
}

// relearn reads what claims rest on, after they came or changed.
func (ix *index) relearn(ctx context.Context, s *schema.Snapshot, userID int64, claims []uint32) error {
	slices.Sort(claims)
	claims = slices.Compact(claims)
	ids := make([]int64, len(claims))
	for i, claim := range claims {
		ids[i] = ix.memories.at(int(claim))
		delete(ix.keys, claim)
	}
	return s.KeyedTurns(ctx, userID, ids, func(claim, turn int64) {
		from, known := ix.find(claim)
		to, there := ix.find(turn)
		if known && there {
			ix.keys[from] = append(ix.keys[from], to)
		}
	})
}

// turnsOf are the turns that a document is a key to now. What was claimed
// since does not speak for how things were.
func (r *Request) turnsOf(doc uint32) []uint32 {
	if turns := r.index.keys[doc]; len(turns) > 0 && r.index.labels[doc].current() && r.AsOf.IsZero() {
		return turns
	}
	return nil
}

// lend lets every turn be found by the claims that rest on it: it gets the
// score of the best of them beside its own.
func (r *Request) lend() {
	m := r.matches
	if len(r.index.keys) == 0 {
		return
	}
	for _, c := range m.found {
		for _, turn := range r.turnsOf(c.doc) {
			d := m.touch(turn)
			d.key = max(d.key, c.score())
			d.lent |= c.held()
		}
	}
}
