package recall

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Weights of the linear ranker, one per signal. Every signal is 0 when there
// is nothing to say, so that a missing one is neutral. A host may set its own.
type Weights struct {
	Text        float64 // own BM25 / the best in this search, 0–1
	Neighbours  float64 // the same of the turns before and after, summed, 0–2
	Fusion      float64 // normalised reciprocal rank fusion of all arms, 0–1
	Session     float64 // mean of the session's three best text scores, 0–1
	Speaker     float64 // 1 when the question names the speaker
	FirstPerson float64 // 1 when the named speaker speaks of themselves
	Length      float64 // ln(1 + words)/ln(1 + 100), capped at 1
	Date        float64 // 1 when the question asks when and the text holds a date
	User        float64 // 1 for the user's own words
	Retention   float64 // retention − 1 of a derived memory, −1–0
	Confidence  float64 // confidence − 1 of a derived memory, −1–0
	Importance  float64 // importance − ½ of a derived memory, −½–½
}

// DefaultWeights were fitted on the development split; see docs/RECALL.md.
func DefaultWeights() Weights {
	return Weights{
		Text: 1, Neighbours: 0.25, Fusion: 0, Session: 0.25, Speaker: 0.15, FirstPerson: 0.05,
		Length: 0.15, Date: 0.10, User: 0.10,
		Retention: 0.2, Confidence: 0.2, Importance: 0.1,
	}
}

// signals are the values the weights multiply.
type signals struct {
	text, neighbours, fusion, session, speaker, firstPerson, length, date, user float64
	retention, confidence, importance                                           float64
}

func (s signals) list(w Weights) []Signal {
	return []Signal{
		{"text", s.text, w.Text},
		{"neighbours", s.neighbours, w.Neighbours},
		{"fusion", s.fusion, w.Fusion},
		{"session", s.session, w.Session},
		{"speaker", s.speaker, w.Speaker},
		{"first person", s.firstPerson, w.FirstPerson},
		{"length", s.length, w.Length},
		{"date", s.date, w.Date},
		{"user", s.user, w.User},
		{"retention", s.retention, w.Retention},
		{"confidence", s.confidence, w.Confidence},
		{"importance", s.importance, w.Importance},
	}
}

// scored is a candidate with its place in the ranking.
type scored struct {
	fused
	doc     *document
	signals []Signal
	score   float64
}

// asked is what the question itself tells the ranker.
type asked struct {
	when     bool            // it asks for a time
	speakers map[uint16]bool // speakers it names
}

// score turns fused candidates into a ranking: the sum of weighted signals.
// It is a pure function of its arguments.
func score(ix *index, q asked, found []fused, text []Candidate, derived map[int64]*schema.Memory, now time.Time, w Weights) []scored {
	byMemory := make(map[int64]*Candidate, len(text))
	var top float64
	for i := range text {
		byMemory[text[i].MemoryID] = &text[i]
		top = max(top, float64(text[i].own))
	}
	sessions := sessionPriors(ix, text)
	ranked := make([]scored, 0, len(found))
	for _, f := range found {
		doc, ok := ix.find(f.memoryID)
		if !ok {
			continue
		}
		d := &ix.docs[doc]
		s := signals{fusion: f.score, length: min(1, math.Log1p(float64(d.words))/math.Log1p(100))}
		if c := byMemory[f.memoryID]; c != nil && top > 0 {
			s.text = float64(c.own) / top
			s.neighbours = float64(c.beside) / top
		}
		s.session = sessions[d.session]
		if q.speakers[d.speaker] {
			s.speaker = 1
			s.firstPerson = bit(d.flags&saysI != 0)
		}
		s.date = bit(q.when && d.flags&datesIt != 0)
		s.user = bit(d.flags&byUser != 0)
		if m := derived[f.memoryID]; m != nil {
			s.retention = RetentionOf(m, now) - 1
			s.confidence = m.Confidence - 1
			s.importance = m.Importance - 0.5
		}
		all := s.list(w)
		ranked = append(ranked, scored{fused: f, doc: d, signals: all, score: total(all)})
	}
	slices.SortFunc(ranked, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.memoryID, b.memoryID))
	})
	return ranked
}

func total(all []Signal) (sum float64) {
	for _, s := range all {
		sum += s.Contribution()
	}
	return sum
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// RetentionOf is a memory's [Retention] at now. Forgetting counts from the
// last use, or from when it was learnt; what happened long ago but was learnt
// today is fresh.
func RetentionOf(m *schema.Memory, now time.Time) float64 {
	since := m.CreatedAt.Time
	if m.LastAccessed.After(since) {
		since = m.LastAccessed.Time
	}
	return Retention(m.DecayRate, now.Sub(since).Hours()/24)
}

// sessionPriors is, by session, the mean of its three best text scores
// divided by the best of all.
func sessionPriors(ix *index, text []Candidate) map[int64]float64 {
	const best = 3
	type tally struct {
		sum float64
		n   int
	}
	tallies := make(map[int64]tally)
	var top float64
	for _, c := range text { // best first
		top = max(top, c.Score)
		doc, ok := ix.find(c.MemoryID)
		if !ok {
			continue
		}
		session := ix.docs[doc].session
		if t := tallies[session]; t.n < best && session != 0 {
			tallies[session] = tally{t.sum + c.Score, t.n + 1}
		}
	}
	priors := make(map[int64]float64, len(tallies))
	for session, t := range tallies {
		if top > 0 {
			priors[session] = t.sum / best / top
		}
	}
	return priors
}
