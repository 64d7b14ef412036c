package recall

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

const (
	// talkTurns is how many turns back a bare question leans on.
	talkTurns = 4
	// talkPause ends a conversation: a session's name may be used again.
	talkPause = 6 * time.Hour
	// talkParts bounds the terms that the talk adds to a question.
	talkParts = 24
)

// talkShares weigh the terms of the talk beside those of the question, the last
// text first.
var talkShares = [talkTurns]float32{0.7, 0.6, 0.35, 0.35}

// takeUp adds what the talk is about to a bare question.
func (r *Request) takeUp(ctx context.Context) error {
	p := r.Plan
	if p == nil || !p.Bare {
		return nil
	}
	talk := p.Talk
	if p.Session != "" {
		stored, err := r.storedTalk(ctx, p.Session)
		if err != nil {
			return err
		}
		talk = append(slices.Clone(stored), talk...)
	}
	r.question.enlarge(r.index, latest(talk, r.Text))
	return nil
}

// latest are the last few different texts that are not the question itself, the
// last first.
func latest(talk []string, question string) (last []string) {
	for _, said := range slices.Backward(talk) {
		if len(last) < talkTurns && said != question && !slices.Contains(last, said) {
			last = append(last, said)
		}
	}
	return last
}

// storedTalk reads the last turns of a session, oldest first, unless they are of
// an earlier conversation.
func (r *Request) storedTalk(ctx context.Context, name string) (talk []string, err error) {
	id, err := r.Snapshot.SessionID(ctx, r.UserID, name)
	if err != nil || id == 0 {
		return nil, err
	}
	number, known := r.index.sessions[id]
	if !known || number == 0 {
		return nil, nil
	}
	var ids []int64
	since := r.Now.Add(-talkPause).UnixMilli()
	for at := r.index.tails[number]; at >= 0 && len(ids) <= talkTurns; at = r.index.docs[at].prev {
		if r.index.docs[at].time < since {
			break
		}
		if r.index.docs[at].time <= r.Now.UnixMilli() && r.filter.admits(r.index, uint32(at)) {
			ids = append(ids, r.index.memories.at(int(at)))
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

// enlarge adds the terms of what was said before to a question, the last first,
// each text's with less weight than the question's own. Names weigh more.
func (q *question) enlarge(ix *index, talk []string) {
	held := make(map[string]bool)
	for _, p := range q.parts {
		held[p.term] = true
	}
	q.own = len(q.parts)
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
			if held[t] || frameWord[t] || emptyTerm[t] || len(ix.named[t]) > 0 || isFunctional(t) {
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

// inflected relates a term that no text holds to the form of it that one does, by
// the endings of German and Spanish, which are not stemmed.
func (ix *index) inflected(p *part) {
	const shortest = 4
	for _, ending := range [...]string{"", "en", "es", "er", "em", "e", "n", "s"} {
		root, ok := strings.CutSuffix(p.term, ending)
		if !ok || len(root) < shortest || isUnspaced(root) {
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

// emptyTerm are the terms of empty words.
var emptyTerm = func() map[string]bool {
	set := make(map[string]bool)
	for w := range emptyWord {
		for _, t := range text.Terms(w) {
			set[t] = true
		}
	}
	return set
}()

// isQuestion reports a text that asks and says nothing else.
func isQuestion(s string) bool {
	s = strings.TrimSpace(s)
	if !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, "？") {
		return false
	}
	for i, c := range s[:len(s)-1] {
		if c == '。' || (c == '.' || c == '!') && i+1 < len(s) && s[i+1] == ' ' && i > 3 {
			return false
		}
	}
	return true
}

// says reports a turn that tells something.
func says(m *schema.Memory) bool {
	return !isQuestion(m.Content) && !text.IsSmallTalk(m.Content) && len(text.Terms(m.Content)) > 1
}
