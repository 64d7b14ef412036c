package recall

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// pickLastTalk picks what was said in the last conversation, and while there is
// room the most informative texts of the two before it. A conversation ends with
// its session, or with a pause.
func (r *Request) pickLastTalk(ctx context.Context) ([]pick, error) {
	const (
		talks = 3
		turns = 60 // read
	)
	current, err := r.running(ctx)
	if err != nil {
		return nil, err
	}
	var docs []uint32
	for i := len(r.index.docs) - 1; i >= 0; i-- {
		d := &r.index.docs[i]
		if len(docs) == turns && d.time <= r.index.docs[docs[turns-1]].time {
			continue
		}
		if r.index.meta[i].said() && d.time <= r.Now.UnixMilli() && !r.isRunning(uint32(i), current) && r.filter.admits(r.index, uint32(i)) {
			at, _ := slices.BinarySearchFunc(docs, d.time, func(doc uint32, time int64) int { return cmp.Compare(time, r.index.docs[doc].time) })
			docs = slices.Insert(docs, at, uint32(i)) // the newest first
			docs = docs[:min(len(docs), turns)]
		}
	}
	spoken, err := r.readPicks(ctx, docs)
	if err != nil {
		return nil, err
	}
	var groups [][]pick
	for i, p := range spoken {
		if i > 0 {
			before := spoken[i-1]
			if r.index.docs[p.doc].session == r.index.docs[before.doc].session && before.memory.EventTime.Sub(p.memory.EventTime.Time) < talkPause {
				groups[len(groups)-1] = append(groups[len(groups)-1], p)
				continue
			}
		}
		if len(groups) == talks {
			break
		}
		groups = append(groups, []pick{p})
	}
	var picks []pick
	for i, group := range groups {
		slices.SortStableFunc(group, func(a, b pick) int {
			return cmp.Or(cmp.Compare(bit(b.memory.Role == "user"), bit(a.memory.Role == "user")), cmp.Compare(b.info, a.info))
		})
		most := [talks]int{6, 3, 2}[i]
		for _, p := range group[:min(len(group), most)] {
			p.why, p.minRelevance = whyLastTalk, answerRelevance
			picks = append(picks, p)
		}
	}
	return picks[:min(len(picks), r.limit())], nil
}

// pickSelf picks what is known about the user: the most important facts and
// preferences, and while there is room what the user said about themselves.
func (r *Request) pickSelf(ctx context.Context) ([]pick, error) {
	var docs, said []uint32
	var ids []int64 // of docs
	for i := len(r.index.docs) - 1; i >= 0; i-- {
		l, d := &r.index.meta[i], &r.index.docs[i]
		dormant := l.keyed() && l.state == bitOfState(schema.StateDormant)
		switch {
		case !dormant && !r.filter.admits(r.index, uint32(i)) || dormant && !r.filter.byState:
		case l.keyed():
			docs, ids = append(docs, uint32(i)), append(ids, r.index.memories.At(i))
		case l.said() && d.flags&byUser != 0 && d.flags&(lexicon.FirstPerson|lexicon.Asks) == lexicon.FirstPerson && len(said) < 2*datedDepth:
			said = append(said, uint32(i))
		}
	}
	weighed, err := r.Snapshot.WeighedByID(ctx, r.UserID, ids)
	if err != nil {
		return nil, err
	}
	of := func(doc uint32) *schema.Memory {
		return cmp.Or(weighed[r.index.memories.At(int(doc))], new(schema.Memory))
	}
	slices.SortFunc(docs, func(a, b uint32) int {
		x, y := of(a), of(b)
		return cmp.Or(cmp.Compare(bit(y.Protected), bit(x.Protected)), cmp.Compare(y.Importance, x.Importance), cmp.Compare(a, b))
	})
	picks, err := r.readPicks(ctx, docs[:min(len(docs), datedDepth)])
	if err != nil {
		return nil, err
	}
	picks = picks[:min(len(picks), r.limit())]
	if len(picks) < r.limit() {
		own, err := r.readPicks(ctx, said)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(own, func(a, b pick) int { return cmp.Compare(b.info, a.info) })
		for _, p := range own {
			known := slices.ContainsFunc(picks, func(k pick) bool { return slices.Contains(r.index.keys[k.doc], p.doc) })
			if len(picks) < r.limit() && !known {
				picks = append(picks, p)
			}
		}
	}
	for i := range picks {
		picks[i].why, picks[i].minRelevance = whySelf, answerRelevance
	}
	return picks, nil
}

// pickTalk picks what a bare question is about: texts that match enough of the
// conversation, and what was injected in the last turn.
func (r *Request) pickTalk(ctx context.Context, all *ranked) ([]pick, error) {
	const (
		most   = 4
		enough = 0.2
	)
	current, err := r.running(ctx)
	if err != nil {
		return nil, err
	}
	// The model already has the running conversation in its context.
	all.candidates = slices.DeleteFunc(all.candidates, func(c scored) bool { return r.isRunning(c.doc, current) })
	var picks []pick
	if len(r.question.parts) > r.question.own {
		var known float32 // idf of the parts that the memory holds at all
		for _, p := range r.question.parts {
			if p.known || len(p.related) > 0 {
				known += p.idf
			}
		}
		share := func(some parts) float64 { return r.question.weigh(some) * float64(r.question.total/max(known, 1e-6)) }
		var docs []uint32
		for _, c := range all.candidates[:min(len(all.candidates), 12)] {
			d := r.matches.of(c.doc)
			if share(d.held()|d.lent) >= enough {
				docs = append(docs, c.doc)
			}
		}
		found, err := r.readPicks(ctx, docs)
		if err != nil {
			return nil, err
		}
		for _, p := range r.distinct(found, most) {
			p.why, p.minRelevance = whyTalk, answerRelevance
			picks = append(picks, p)
		}
	}
	if len(r.Plan.Carry) == 0 {
		return picks, nil
	}
	carried := 0
	for _, uid := range r.Plan.Carry {
		m, err := r.Snapshot.Memory(ctx, r.UserID, uid)
		if errors.Is(err, schema.ErrNotFound) {
			continue // it was erased since
		}
		if err != nil {
			return nil, err
		}
		if doc, known := r.index.find(m.ID); known && r.filter.admits(r.index, doc) && carried < most && r.excludes(m) == "" {
			carried++
			picks = append(picks, pick{doc: doc, memory: m, why: whyCarry, minRelevance: besideRelevance + 0.1})
		}
	}
	return picks, nil
}
