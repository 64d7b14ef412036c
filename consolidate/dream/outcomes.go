package dream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/appraise"
	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/cognitive"
	"github.com/ebbmem/ebb/schema"
)

// Outcomes is the stage that learns from conversations which memories help
// (cognitive-v9.md, "Update on Use"). Of what was shown to a model before an answer,
// a memory helped if a name or a number in it that the user had not just said stands
// in the answer. It did not help if the user corrects the answer within half an hour,
// in words that the memory shares; of what else a corrected answer rests on, nothing is
// learnt. Utility moves a tenth of the way to 1 or to 0, once for an answer. Nothing follows
// from anything else.
//
// What is related to something shown, and was not shown itself, becomes more stable by
// 1.02 an answer ("Neighbor evolution"); what was shown has as it was used.
//
// An answer is judged when the half hour is over, whenever the next night is: how
// often nights run does not matter.
//
// Counts: answers, those judged; helped, corrected and neighbours, memories.
type Outcomes struct{}

const (
	outcomesStage   = "outcomes"
	outcomesBatch   = 500              // messages
	outcomesAhead   = 100              // messages after an answer among which its correction is
	correctable     = 30 * time.Minute // after an answer
	shownBefore     = time.Hour        // an answer, at most
	neighbourGrowth = 1.02             // factor on the stability of neighbours
)

// Name implements [consolidate.Stage].
func (Outcomes) Name() string { return outcomesStage }

// Propose implements [consolidate.Stage].
func (o Outcomes) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	after, err := in.Watermark(ctx, outcomesStage)
	for err == nil {
		var proposals []consolidate.Proposal
		through := after
		err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
			l := &learning{in: in, s: s, learnt: make(map[string]*lesson)}
			if through, err = l.read(ctx, after); err == nil {
				proposals, err = l.proposals(ctx)
			}
			return err
		})
		if err != nil || through == after {
			return err
		}
		_, err = apply(ctx, append(proposals, consolidate.Advance{Stage: outcomesStage, Through: through})...)
		after = through
	}
	return err
}

// learning is what the stage reads of a batch of messages.
type learning struct {
	in     *consolidate.Input
	s      *schema.Snapshot
	learnt map[string]*lesson // by public id
	order  []string           // of learnt
}

// lesson is what was learnt of a memory.
type lesson struct {
	helped     []bool // in order
	neighbours int    // answers for which something related was shown
}

func (l *learning) lesson(uid string) *lesson {
	if l.learnt[uid] == nil {
		l.learnt[uid], l.order = new(lesson), append(l.order, uid)
	}
	return l.learnt[uid]
}

// showing is what was shown to a model at once.
type showing struct {
	at    time.Time
	items []enrich.RecalledItem
}

// read judges the answers of a batch of messages. through is the last message with
// which it is done.
func (l *learning) read(ctx context.Context, after int64) (through int64, err error) {
	messages, err := l.s.EpisodesAfter(ctx, l.in.UserID, after, outcomesBatch+outcomesAhead)
	through = after
	for i := range messages[:min(len(messages), outcomesBatch)] {
		m := &messages[i]
		if m.CreatedAt.Add(correctable).After(l.in.Now) {
			break
		}
		if m.Role == "assistant" && err == nil {
			err = l.judge(ctx, m, messages[i+1:min(len(messages), i+1+outcomesAhead)])
		}
		if err != nil {
			return after, err
		}
		through = m.ID
	}
	return through, err
}

// judge learns from one answer, given the messages after it.
func (l *learning) judge(ctx context.Context, answer *schema.Memory, later []schema.Memory) error {
	at, since := answer.EventTime.Time, answer.EventTime.Add(-shownBefore)
	shown, err := l.showings(ctx, answer.SessionName, since, at)
	if err != nil || len(shown) == 0 {
		return err
	}
	const talk = 20
	earlier, err := l.s.Before(ctx, answer, talk)
	if err != nil {
		return err
	}
	asked := l.in.Scope.User
	for i := range earlier {
		m := &earlier[i]
		if m.Role == "assistant" {
			if m.EventTime.After(since) {
				since = m.EventTime.Time
			}
			break
		}
		if m.Role == "user" {
			asked += " " + m.Speaker + " " + m.Content
		}
	}
	t := exchange{said: wordsOf(answer.Content), asked: wordsOf(asked)}
	t.correction, t.corrected = correctionOf(answer, later)
	l.in.Count("answers", 1)
	seen, ids := make(map[string]bool), []int64(nil)
	for _, s := range shown {
		for _, item := range s.items {
			if item.Rank > 0 && !seen[item.ID] && s.at.After(since) {
				seen[item.ID] = true
				m, err := l.s.Memory(ctx, l.in.UserID, item.ID)
				if errors.Is(err, schema.ErrNotFound) {
					continue
				}
				if err != nil {
					return err
				}
				ids = append(ids, m.ID)
				l.learn(&t, m)
			}
		}
	}
	return l.spread(ctx, ids)
}

// spread strengthens what is related to the memories of an answer.
func (l *learning) spread(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	links, err := l.s.LinksOf(ctx, l.in.UserID, ids, append([]string{schema.LinkCauses}, schema.PrunableLinks...)...)
	for i := range links {
		for _, m := range [...]schema.Memory{links[i].From, links[i].To} {
			if !slices.Contains(ids, m.ID) {
				ids = append(ids, m.ID) // once
				l.lesson(m.UID).neighbours++
				l.in.Count("neighbours", 1)
			}
		}
	}
	return err
}

// showings returns what was shown in a session between two times.
func (l *learning) showings(ctx context.Context, session string, since, until time.Time) ([]showing, error) {
	injections, err := l.s.InjectionsOf(ctx, l.in.UserID, session, since, until)
	if err != nil {
		return nil, err
	}
	shown := make([]showing, len(injections))
	for i := range injections {
		shown[i].at = injections[i].ShownAt.Time
		if err := schema.DecodeStored("the list of what was shown", injections[i].Items, &shown[i].items); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

// correctionOf returns the terms of the user's next message in the session of an answer, and
// whether it corrects something in time. A no to what the answer asks corrects nothing.
func correctionOf(answer *schema.Memory, later []schema.Memory) (terms []string, corrected bool) {
	for i := range later {
		m := &later[i]
		if m.Role == "user" && m.SessionID == answer.SessionID {
			if m.OwnWords() && m.CreatedAt.Sub(answer.CreatedAt.Time) <= correctable &&
				(appraise.Corrects(m.Content) || appraise.Denies(m.Content) && !strings.HasSuffix(strings.TrimSpace(answer.Content), "?")) {
				return text.QueryTerms(m.Content, 0), true
			}
			return nil, false
		}
	}
	return nil, false
}

// learn judges one memory that was shown.
func (l *learning) learn(t *exchange, m *schema.Memory) {
	helped, judged := t.judge(m.Content)
	if !judged {
		return
	}
	of := l.lesson(m.UID)
	of.helped = append(of.helped, helped)
	if helped {
		l.in.Count("helped", 1)
	} else {
		l.in.Count("corrected", 1)
	}
}

// proposals revises what was learnt of. What is dormant does not become more stable.
func (l *learning) proposals(ctx context.Context) (proposals []consolidate.Proposal, err error) {
	for _, uid := range l.order {
		m, err := l.s.Memory(ctx, l.in.UserID, uid)
		if err != nil {
			return nil, err
		}
		if m.Protected || m.Pinned || m.State != schema.StateActive && m.State != schema.StateDormant {
			continue
		}
		utility, stability := m.Utility, m.Stability
		for _, helped := range l.learnt[uid].helped {
			utility = cognitive.Learnt(utility, helped)
		}
		for range l.learnt[uid].neighbours {
			if m.State == schema.StateActive {
				stability = min(schema.MaxStability, max(1, stability)*neighbourGrowth)
			}
		}
		learnt := schema.Revision{Utility: &utility}
		if stability != m.Stability {
			learnt.Stability = &stability
		}
		if !learnt.Changes(m) {
			continue
		}
		proposals = append(proposals, consolidate.Revise{UID: uid, Version: m.Version, Revision: learnt, Rule: &consolidate.Rule{
			Name: "outcome", Dormant: m.State == schema.StateDormant,
			When: func(*schema.Memory, time.Time) (schema.Revision, bool) { return learnt, true },
		}})
	}
	return proposals, nil
}

// exchange is an answer with what was said before and after it.
type exchange struct {
	said       map[string]bool // words of the answer
	asked      map[string]bool // words of the question
	corrected  bool            // the user corrects the answer
	correction []string        // terms of the correction
}

// judge reports whether a memory with this text helped, and whether that is known.
func (t *exchange) judge(content string) (helped, judged bool) {
	terms := text.Terms(content)
	if slices.ContainsFunc(t.correction, func(term string) bool { return slices.Contains(terms, term) }) {
		return false, true
	}
	if t.corrected { // in which of its parts, the words do not say
		return false, false
	}
	for name := range namesOf(content) {
		if t.said[name] && !t.asked[text.Fold(name)] {
			return true, true
		}
	}
	return false, false
}

// wordsOf returns the words of a text as they are written, and folded.
func wordsOf(s string) map[string]bool {
	words := make(map[string]bool)
	for _, w := range splitWords(s) {
		words[w], words[text.Fold(w)] = true, true
	}
	return words
}

func splitWords(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// namesOf returns the words of the names in a text and its numbers, as they are written.
func namesOf(s string) map[string]bool {
	const least = 3 // letters
	names := make(map[string]bool)
	for _, w := range splitWords(s) {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			names[w] = true
		}
	}
	for _, m := range text.Mentions(s) {
		if m.Type == text.MentionDate {
			continue // its numbers are in
		}
		for _, w := range splitWords(m.Text) {
			if utf8.RuneCountInString(w) >= least {
				names[w] = true
			}
		}
	}
	return names
}
