package recall

import (
	"cmp"
	"context"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// filter tests documents against the restrictions of a query.
type filter struct {
	states       stateBit
	dormant      kindBit // kinds of which dormant memories are admitted
	kinds        kindBit // 0 = all
	session      uint32
	inSession    bool
	since, until int64 // Unix milliseconds; see bounded
	bounded      [2]bool
	tagged       map[int64]bool // nil = no restriction
	meeting      map[int64]bool // memories that meet the conditions; nil = no conditions
	byState      bool           // only the state is restricted
}

func newFilter(ctx context.Context, snap *schema.Snapshot, ix *index, userID int64, q Query) (*filter, error) {
	f := &filter{states: bitOfState(schema.StateActive)}
	if q.Faded {
		f.states |= dormantBit
		f.dormant = bitOfKind(schema.KindFact) | bitOfKind(schema.KindPreference)
	}
	if q.Dormant || !q.AsOf.IsZero() {
		f.states |= dormantBit
		f.dormant = ^kindBit(0)
	}
	if !q.Unquarantined {
		f.states |= bitOfState(schema.StateQuarantined)
	}
	if !q.AsOf.IsZero() { // whether it held then is decided once it is read
		f.states |= bitOfState(schema.StateSuperseded) | bitOfState(schema.StateRetired)
	}
	if q.divided != nil && q.divided.Superseded {
		f.states |= bitOfState(schema.StateSuperseded)
	}
	for _, k := range q.Kinds {
		f.kinds |= bitOfKind(k)
	}
	f.since, f.bounded[0] = bound(q.Since)
	f.until, f.bounded[1] = bound(q.Until)
	if q.Session != "" {
		id, err := snap.SessionID(ctx, userID, q.Session)
		if err != nil {
			return nil, err
		}
		f.inSession = true
		if id != 0 {
			f.session = ix.sessions[id] // 0, no session, if nothing was said in it
		}
	}
	if q.Tag != "" {
		var err error
		if f.tagged, err = snap.TaggedMemories(ctx, userID, q.Tag); err != nil {
			return nil, err
		}
	}
	var where schema.Conditions
	if q.Where != nil {
		where = *q.Where
	}
	where.Agent = cmp.Or(where.Agent, q.Agent)
	if !where.IsZero() {
		var err error
		if f.meeting, err = snap.Meeting(ctx, userID, &where); err != nil {
			return nil, err
		}
	}
	f.byState = f.kinds == 0 && !f.inSession && f.bounded == [2]bool{} && f.tagged == nil && f.meeting == nil
	return f, nil
}

// bound is a time in Unix milliseconds, and whether it is set.
func bound(t time.Time) (int64, bool) {
	return t.UnixMilli(), !t.IsZero()
}

// admits reports whether a document passes the filter.
func (f *filter) admits(ix *index, doc uint32) bool {
	return f.admitsState(&ix.meta[doc]) && (f.byState || f.excludes(ix, doc) == "")
}

// admitsState reports whether the query includes the state of a document.
func (f *filter) admitsState(l *docMeta) bool {
	return l.state&f.states != 0 && (l.state != dormantBit || l.kind&f.dormant != 0)
}

// excludes names the restriction that excludes a document, "" for none.
func (f *filter) excludes(ix *index, doc uint32) string {
	d, l := &ix.docs[doc], &ix.meta[doc]
	switch {
	case !f.admitsState(l):
		return "state"
	case f.kinds != 0 && l.kind&f.kinds == 0:
		return "kind"
	case f.inSession && (d.session != f.session || d.session == 0):
		return "session"
	case f.bounded[0] && d.time < f.since:
		return "since"
	case f.bounded[1] && d.time >= f.until:
		return "until"
	case f.tagged != nil && !f.tagged[ix.memories.At(int(doc))]:
		return "tag"
	case f.meeting != nil && !f.meeting[ix.memories.At(int(doc))]:
		return "conditions"
	}
	return ""
}
