package recall

import (
	"context"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// A claim says in other words what its source turn says, so it is one more key to
// the turn: "Ada moved to Oslo" finds "we took the last boxes up on Friday". Keys
// are not stored. A claim that is retired, superseded, quarantined or erased stops
// being a key with the next search.

// keyed reports whether a document may be a key to the turns it rests on.
func (l *docMeta) keyed() bool {
	return l.kind&(bitOfKind(schema.KindFact)|bitOfKind(schema.KindPreference)) != 0
}

// readKeys reads the source turns of claims that are new or have changed.
func (ix *index) readKeys(ctx context.Context, s *schema.Snapshot, userID int64, claims []uint32) error {
	slices.Sort(claims)
	claims = slices.Compact(claims)
	ids := make([]int64, len(claims))
	for i, claim := range claims {
		ids[i] = ix.memories.At(int(claim))
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

// turnsOf are the turns that a document is a key to. A search in the past (AsOf)
// has no keys: a later claim does not say how things were.
func (r *Request) turnsOf(doc uint32) []uint32 {
	if turns := r.index.keys[doc]; len(turns) > 0 && r.index.meta[doc].current() && r.AsOf.IsZero() {
		return turns
	}
	return nil
}

// scoreKeys gives every turn the score of the best claim that rests on it, beside
// its own.
func (r *Request) scoreKeys() {
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
