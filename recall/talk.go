package recall

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

const (
	// talkTurns is how many turns a bare question is searched together with.
	talkTurns = 4
	// talkPause ends a conversation: hosts may reuse the name of a session.
	talkPause = 6 * time.Hour
	// talkParts bounds the terms that the conversation adds to a question.
	talkParts = 24
	// emptyShare is the weight of empty words in a bare question.
	emptyShare = 0.2
)

// talkShares are the weights of the conversation's terms relative to the question's,
// the last text first.
var talkShares = [talkTurns]float32{0.7, 0.6, 0.35, 0.35}

// addTalk adds the terms of the conversation to a bare question.
func (r *Request) addTalk(ctx context.Context) error {
	p := r.Plan
	if p == nil || !p.Bare {
		return nil
	}
	talk := p.Talk
	stored, err := r.storedTalk(ctx)
	if err != nil {
		return err
	}
	talk = append(stored, talk...)
	r.question.addTerms(r.index, latest(talk, r.Text))
	return nil
}

// running is the number of the running conversation, 0 for one without a name.
func (r *Request) running(ctx context.Context) (uint32, error) {
	id, err := r.Snapshot.SessionID(ctx, r.UserID, r.Plan.Session)
	return r.index.sessions[id], err
}

// isRunning reports a turn of the running conversation. Conversations without a name
// share the number 0, so that only its beginning separates one from those before.
func (r *Request) isRunning(doc, session uint32) bool {
	d := &r.index.docs[doc]
	return d.session == session && d.time > r.Now.Add(-talkPause).UnixMilli() &&
		(session != 0 || !r.Plan.Began.IsZero() && d.time >= r.Plan.Began.UnixMilli())
}

// latest are the last few distinct texts other than the question, the last first.
func latest(talk []string, question string) (last []string) {
	for _, said := range slices.Backward(talk) {
		if len(last) < talkTurns && said != question && !slices.Contains(last, said) {
			last = append(last, said)
		}
	}
	return last
}

// storedTalk reads the last stored turns of the running conversation, oldest
// first.
func (r *Request) storedTalk(ctx context.Context) (talk []string, err error) {
	number, err := r.running(ctx)
	if err != nil || number == 0 {
		return nil, err
	}
	var ids []int64
	for at := r.index.lastInThread[number]; at >= 0 && len(ids) <= talkTurns && r.isRunning(uint32(at), number); at = r.index.docs[at].prev {
		if r.index.docs[at].time <= r.Now.UnixMilli() && r.filter.admits(r.index, uint32(at)) {
			ids = append(ids, r.index.memories.At(int(at)))
		}
	}
	slices.Reverse(ids)
	return r.contents(ctx, ids)
}

// contents reads texts in the order of ids.
func (r *Request) contents(ctx context.Context, ids []int64) (texts []string, err error) {
	memories, err := readByID(ctx, r.Snapshot, r.UserID, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if m := memories[id]; m != nil {
			texts = append(texts, m.Content)
		}
	}
	return texts, nil
}

// addTerms adds the terms of earlier texts to a question, those of the last text
// first. They weigh less than the question's own; names weigh more than others.
func (q *question) addTerms(ix *index, talk []string) {
	held := make(map[string]bool)
	q.own, q.total = len(q.parts), 0
	for i := range q.parts {
		p := &q.parts[i]
		held[p.term] = true
		if lexicon.IsEmpty(p.term) || lexicon.IsFrame(p.term) {
			p.idf, p.relatedIDF = emptyShare*p.idf, emptyShare*p.relatedIDF
		}
		q.total += p.idf
	}
	for i, said := range talk {
		if len(said) > 2000 {
			said = text.Clean(said[:2000])
		}
		named := make(map[string]bool)
		for _, m := range text.Mentions(said) {
			if m.Type == text.MentionName {
				for _, t := range text.Terms(m.Text) {
					named[t] = true
				}
			}
		}
		for _, t := range text.QueryTerms(text.WithoutFunctionWords(said), maxParts) {
			if len(q.parts) >= min(maxParts, q.own+talkParts) {
				return
			}
			if held[t] || lexicon.IsFrame(t) || lexicon.IsEmpty(t) || len(ix.named[t]) > 0 || lexicon.IsFunctional(t) {
				continue
			}
			held[t] = true
			share := talkShares[i]
			if named[t] {
				share = min(1, 1.5*share)
			}
			p := ix.part(t)
			if !p.known && len(p.related) == 0 {
				ix.inflected(&p)
			}
			p.idf, p.relatedIDF = p.idf*share, p.relatedIDF*share
			q.parts, q.terms = append(q.parts, p), append(q.terms, t)
			q.total += p.idf
		}
	}
}

// inflected relates an unknown term to a known form of the same word, by the endings
// of German and Spanish, which are not stemmed.
func (ix *index) inflected(p *part) {
	const shortest = 4
	for _, ending := range [...]string{"", "en", "es", "er", "em", "e", "n", "s"} {
		root, ok := strings.CutSuffix(p.term, ending)
		if !ok || len(root) < shortest || lexicon.IsUnspaced(root) {
			continue
		}
		for _, other := range [...]string{"", "en", "es", "er", "e", "n", "s"} {
			if id, known := ix.terms[root+other]; known {
				p.related = append(p.related, relative{id, 0.8})
				p.relatedIDF = float32(inverseDocumentFrequency(ix.counts.chunks, ix.frequency(id)))
				p.idf = p.relatedIDF
				return
			}
		}
	}
}

// isQuestion reports a text that only asks.
func isQuestion(s string) bool {
	return text.EndsAsking(s) && !slices.ContainsFunc(text.Sentences(text.Line(s)), func(s string) bool { return !text.EndsAsking(s) })
}

// isInformative reports a turn that is no question and no courtesy.
func isInformative(m *schema.Memory) bool {
	return !isQuestion(m.Content) && !text.IsSmallTalk(m.Content) && len(text.Terms(m.Content)) > 1
}
