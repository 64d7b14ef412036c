package recall

import (
	"cmp"
	"math"

	"github.com/ebbmem/ebb/recall/lexicon"
)

// lengthOf is ln(1 + words)/ln(1 + 100), capped at 1: an answer takes words.
func lengthOf(d *document) float64 {
	return min(1, math.Log1p(float64(d.words))/math.Log1p(100))
}

// signal computes the signals of every candidate that the index holds.
func (m *matches) signal(ix *index, q *question, found []proposal) []scored {
	undo := m.mark(q)
	defer undo()
	candidates := make([]scored, 0, len(found))
	for _, f := range found {
		doc, ok := f.place-1, f.place > 0
		if !ok {
			doc, ok = ix.find(f.memoryID)
		}
		if ok {
			candidates = append(candidates, scored{proposal: f, doc: doc, interest: m.interest(ix, q, doc), echo: ix.echoes(m, q, doc), holds: q.weigh(m.of(doc).held())})
		}
	}
	// Best first by the text arm's score, whichever arm proposed them.
	order(candidates, func(c *scored) float64 { return float64(c.interest) })
	view := m.view(ix, q, candidates)
	model := m.model(ix, candidates)
	defer m.drop(model)
	for i := range candidates {
		m.fetched += ix.chunks.Fetch(m.chunkOf(ix, candidates[i].doc))
	}
	for i := range candidates {
		c := &candidates[i]
		said := m.read(ix, c.doc)
		c.signals = view.of(c.doc, said)
		c.passage = m.passage(ix, q, c.doc, said)
		c.signals.Feedback = m.feedback(said, i+1)
		for _, a := range c.arms {
			if a.Arm == (entityArm{}).Name() {
				c.signals.Entity = 1
			}
		}
	}
	toBest(candidates)
	return candidates
}

// view holds what the candidates of one search share.
type view struct {
	ix *index
	q  *question
	m  *matches
	// top and topRelated are the best text scores, without and with relatives.
	top, topRelated float64
	sessions        map[uint32]prior
}

// prior is a session's three best text scores.
type prior struct {
	sum float64
	n   int
}

const priorBest = 3

func (m *matches) view(ix *index, q *question, candidates []scored) *view {
	v := &view{ix: ix, q: q, m: m, sessions: make(map[uint32]prior, len(candidates))}
	for i := range candidates {
		if candidates[i].echo {
			continue // the same question, asked before, would be the best score
		}
		d := m.of(candidates[i].doc)
		v.top = max(v.top, float64(d.own))
		v.topRelated = max(v.topRelated, float64(d.own+d.related))
	}
	v.top = cmp.Or(v.top, v.topRelated)
	for i := range candidates { // best first
		doc := candidates[i].doc
		s := ix.meta[doc].thread
		if p := v.sessions[s]; s != 0 && p.n < priorBest {
			v.sessions[s] = prior{p.sum + v.text(int32(doc)), p.n + 1}
		}
	}
	return v
}

// text is the text score that a document contributes to its neighbours and session:
// its own or that of its best key.
func (v *view) text(doc int32) float64 {
	if doc < 0 || v.topRelated == 0 {
		return 0
	}
	d := v.m.of(uint32(doc))
	return min(1, float64(max(d.own+0.5*d.related, d.key))/v.topRelated)
}

// echoShare is the share of a question that another must hold to be its echo.
const echoShare = 0.6

// echoes reports a document that repeats the question, or says that it has no answer.
// A question about earlier questions has no echoes.
func (ix *index) echoes(m *matches, q *question, doc uint32) bool {
	switch form := ix.docs[doc].form; {
	case q.ofAsking:
		return false
	case form&lexicon.OnlyAsks != 0:
		return q.weigh(m.of(doc).held()) >= echoShare
	default:
		return form&lexicon.NoAnswer != 0
	}
}

// of computes the signals of a document; said are the terms of its best chunk.
func (v *view) of(doc uint32, said []uint32) (s signals) {
	d, l, found := &v.ix.docs[doc], &v.ix.meta[doc], v.m.of(doc)
	v.content(&s, found, said)
	before, after := v.ix.around(doc)
	v.surroundings(&s, doc, l.thread, found, before, after)
	v.voice(&s, doc, l.speaker, found, before, after)

	q := v.q.kind
	s.Date = bit(q&asksWhen != 0 && d.flags&lexicon.HoldsDate != 0)
	s.Number = bit(q&asksNumber != 0 && d.flags&lexicon.HoldsNumber != 0)
	switch names := float64(d.form.Names()) / lexicon.NameCap; {
	case q&asksWho != 0:
		s.Name = names
	case q&asksName != 0:
		s.Name = names / 3
	}
	s.Time = v.q.nearness(d.time)
	return s
}

func (v *view) content(s *signals, found *docMatch, said []uint32) {
	if v.topRelated > 0 {
		s.Text = min(1, float64(found.own)/v.top)
		s.Related = min(1, float64(found.related)/v.topRelated)
		s.Phrase = v.m.phrase(v.q, said)
		s.Key = min(1, float64(found.key)/v.topRelated)
		s.KeyCoverage = v.q.weigh(found.lent &^ found.held())
	}
}

func (v *view) surroundings(s *signals, doc, thread uint32, found *docMatch, before, after [window]int32) {
	s.Before, s.After = v.text(before[0]), v.text(after[0])
	together := found.held()
	for _, near := range [...][window]int32{before, after} {
		for _, n := range near {
			together |= v.m.at(n).held()
		}
	}
	s.Window = v.q.weigh(together)
	if thread == 0 { // a session of its own
		s.Session = v.text(int32(doc)) / priorBest
		s.SessionCoverage = v.q.weigh(found.held())
	} else {
		s.Session = v.sessions[thread].sum / priorBest
		s.SessionCoverage = v.q.weigh(v.m.sessions[thread])
	}
}

func (v *view) voice(s *signals, doc uint32, speaker uint16, found *docMatch, before, after [window]int32) {
	d := &v.ix.docs[doc]
	if len(v.q.speakers) > 0 && v.ix.speakers[speaker] != "" {
		switch {
		case v.q.speakers.has(speaker):
			s.Speaker = 1
			s.FirstPerson = bit(d.flags&lexicon.FirstPerson != 0)
		case v.ix.beside(v.q, before, after):
			s.Speaker = 1
		default:
			s.Speaker = -1
		}
	}
	s.User = bit(d.flags&byUser != 0 != v.q.ofOthers)
	s.Asks = bit(d.flags&lexicon.Asks != 0)
	if !v.q.ofAsking {
		s.Question, s.NoAnswer = bit(d.form&lexicon.OnlyAsks != 0), bit(d.form&lexicon.NoAnswer != 0)
		if share := v.q.weigh(found.held()); s.Question > 0 && share >= echoShare {
			s.Echo = share
		}
	}
	s.You = bit(d.flags&lexicon.SecondPerson != 0)
	s.Wish = bit((d.flags&lexicon.StatesWish != 0 || d.form&lexicon.Instructs != 0) && d.flags&byUser != 0 && len(v.q.speakers) == 0)
	s.Length = lengthOf(d)
}
