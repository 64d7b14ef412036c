package extension

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// talk keeps the recent messages of a conversation, which its questions may refer to.
type talk struct {
	mu       sync.Mutex
	said     []string  // messages of the user and the agent, oldest first, without what exceeds answerEnds
	answered bool      // the last one is the agent's
	ignored  bool      // the last question is small talk, or was not searched for: its answer is no part of the talk
	at       time.Time // of the last one
	carry    []string  // ids of the memories shown last
	erased   int64     // the erasures of the user's that said is newer than
}

const (
	// maxTalk bounds the messages kept.
	maxTalk = 6
	// answerEnds is how many bytes of the beginning and of the end of an answer are kept.
	answerEnds = 2000
	// talkPause ends a talk, as for stored messages: hosts may reuse the name of a session.
	talkPause = 6 * time.Hour
)

// talk returns the talk of the conversation. Sessions without a name are conversations of
// their own.
func (s *Session) talk() *talk {
	erased := s.ext.captures.erasures(s.scope)
	if s.scope.Session == "" {
		return s.unnamed.since(erased)
	}
	return s.conversation().talk.since(erased)
}

// since ends the talk if it is older than the last erasure.
func (t *talk) since(erased int64) *talk {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.erased != erased {
		t.said, t.carry, t.answered, t.erased = nil, nil, false, erased
	}
	return t
}

// heard adds a question and what was shown for it. Small talk, for which there was
// no search, is ignored with its answer.
func (t *talk) heard(found *Injection, now time.Time) {
	asked := found.Query.Text
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ignored = asked == ""; t.ignored {
		return
	}
	t.rest(now)
	if n := len(t.said); n == 0 || t.answered || t.said[n-1] != asked { // not by a second source
		t.add(asked)
	}
	t.answered, t.at = false, now
	t.carry = t.carry[:0]
	for _, item := range found.Items {
		t.carry = append(t.carry, item.Memory.UID)
	}
}

// hasAnswered adds the agent's answer to the talk, without secrets. They are removed before
// the answer is cut, which could make one unrecognizable.
func (s *Session) hasAnswered(said string) {
	said = s.ext.redactor.BuiltIn(text.Clean(said))
	if len(said) > 2*answerEnds {
		said = text.Clean(said[:answerEnds]) + "\n" + text.Clean(lastBytes(said, answerEnds))
	}
	s.talk().hasAnswered(said, s.ext.cfg.Now())
}

// hasAnswered adds the agent's answer, in place of its steps and of another source's report.
func (t *talk) hasAnswered(said string, now time.Time) {
	if strings.TrimSpace(said) == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ignored {
		return
	}
	t.rest(now)
	if t.answered {
		t.said = t.said[:len(t.said)-1]
	}
	t.add(said)
	t.answered, t.at = true, now
}

func (t *talk) add(said string) {
	if t.said = append(t.said, said); len(t.said) > maxTalk {
		t.said = slices.Delete(t.said, 0, 1)
	}
}

// rest ends the talk after a pause.
func (t *talk) rest(now time.Time) {
	if now.Sub(t.at) > talkPause {
		t.said, t.carry, t.answered = nil, nil, false
	}
}

// endAfterPause is rest for a talk that is not under way.
func (t *talk) endAfterPause(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest(now)
}

func (t *talk) recent(now time.Time) (said, carry []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest(now)
	return slices.Clone(t.said), slices.Clone(t.carry)
}

// last returns the last message of the user's and the answer to it.
func (t *talk) last(now time.Time) string {
	said, _ := t.recent(now)
	return strings.Join(said[max(0, len(said)-2):], "\n")
}

// blockOrder returns the order of the sessions in a block.
func blockOrder(p *lexicon.Plan) prompt.Order {
	if len(p.Spans) > 0 || p.About == lexicon.AboutLastTalk {
		return prompt.OrderOldest
	}
	return prompt.OrderNewest
}

// storyLimit is how many memories answer a question about a period of time or about
// the user in general, unless Config.Injection.Limit is set.
const storyLimit = 12

// searchLimit returns how many memories are searched for.
func searchLimit(p *lexicon.Plan, cfg *Config) int {
	if cfg.usualLimit && cfg.Injection.Limit == DefaultInjectionLimit && (p.About != "" || len(p.Spans) > 0) {
		return storyLimit
	}
	return cfg.Injection.Limit
}

// noteLine returns the answer's note, such as a date without records, as one line.
func noteLine(answer *Answer) string {
	if answer == nil || answer.Note == "" {
		return ""
	}
	return "(" + text.Line(answer.Note) + ")\n"
}

// How many bytes of the end of a question and of a prompt are read. That is far
// more than a search uses.
const (
	questionEnd = 64 << 10
	promptEnd   = 1 << 20
)

// lastBytes returns the last bytes of s.
func lastBytes(s string, bytes int) string { return s[max(0, len(s)-bytes):] }

// search searches for memories relevant to question that are not in the prompt
// already. The answer is nil if the question needs no search. The query's plan is never
// nil.
func (s *Session) search(ctx context.Context, question, prompt string, loc *time.Location) (*Answer, Query, error) {
	cfg, none := &s.ext.cfg, Query{Plan: new(lexicon.Plan)}
	// Normalized and redacted as stored texts are, so that they match. Redacted
	// before it is shortened, which could cut a secret beyond recognition.
	question, err := s.ext.redactor.Text(ctx, "", text.Clean(lastBytes(question, questionEnd)))
	if err != nil {
		return nil, none, err
	}
	prompt = s.ext.redactor.BuiltIn(text.Clean(lastBytes(prompt, promptEnd)))
	if len(text.QueryTerms(question, 1)) == 0 || cfg.Injection.Skip(question) {
		return nil, none, nil
	}
	now := cfg.Now().In(loc)
	p := s.plan(question, now)
	if p.Bare {
		if err := s.takeUp(ctx, p); err != nil {
			return nil, none, err
		}
	}
	q := Query{
		Text: clip(question), Limit: searchLimit(p, cfg), Now: now, Faded: true, Diversity: max(0, cfg.Injection.Diversity), Unquarantined: true, Small: true, Plan: p,
		Skip: func(m *schema.Memory) bool {
			return m.Untrusted() && !cfg.Injection.Untrusted || inPrompt(m.Content, prompt)
		},
	}
	if p.World {
		return nil, q, nil
	}
	answer, err := s.ext.recall(ctx, s.scope, q)
	if err != nil || !p.MayBeBare() || len(choose(answer.Relevance, answer.Results, cfg, nil)) > 0 {
		return answer, q, err
	}
	p.Bare = true
	if err := s.takeUp(ctx, p); err != nil {
		return nil, none, err
	}
	with, err := s.ext.recall(ctx, s.scope, q)
	if err != nil || !slices.ContainsFunc(with.Results, func(r Result) bool { return r.Why != "" }) {
		p.Bare = false
		return answer, q, err
	}
	return with, q, nil
}

// plan parses what a question asks for beyond its words. Days are those of now's location.
func (s *Session) plan(question string, now time.Time) *lexicon.Plan {
	p := lexicon.PlanOf(clip(question), now)
	if p.Session = s.scope.Session; p.Session == "" {
		p.Began = s.began
	}
	return &p
}

// takeUp adds the session's recent messages to a plan.
func (s *Session) takeUp(ctx context.Context, p *lexicon.Plan) error {
	said, carry := s.talk().recent(s.ext.cfg.Now())
	p.Carry = carry
	for _, t := range said {
		t, err := s.ext.redactor.Text(ctx, "", text.Clean(t))
		if err != nil {
			return err
		}
		p.Talk = append(p.Talk, t)
	}
	return nil
}

// Search is [Extension.Recall] with the question's plan, for tools. The plan
// covers times and the last conversation, but not the session's recent messages. There is
// none for a query with AsOf, and a query with a plan keeps its own.
func (s *Session) Search(ctx context.Context, q Query) (*Answer, error) {
	q, err := s.planned(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.ext.presentFirst(s.ext.recall(ctx, s.scope, q))
}

// planned adds to a query what [Session.Search] does.
func (s *Session) planned(ctx context.Context, q Query) (Query, error) {
	q, err := s.ext.placed(ctx, s.scope, q)
	if err == nil && q.Plan == nil && q.AsOf.IsZero() {
		q.Plan = s.plan(q.Text, q.Now)
		q.Plan.Bare = false
	}
	return q, err
}

// Why explains for one memory why [Session.Search] does or does not return it: the filter
// that excludes it, that no search arm proposed it, or its rank and signals next to
// those of the result above it, or of the last one. With the query of an [Injection] it
// explains the search behind that.
//
// Errors: those of [Session.Search]; [ErrNotFound] for an id that is not in this
// scope.
func (s *Session) Why(ctx context.Context, q Query, id string) (*Explanation, error) {
	q, err := s.planned(ctx, q)
	if err != nil {
		return nil, err
	}
	e, err := s.ext.searcher.Why(ctx, s.scope, s.ext.ofProfile(s.scope, q), id)
	if err != nil || e.Outcome != recall.Returned && e.Above == nil {
		return e, err
	}
	q.Wait = true // as Why does
	answer, err := s.ext.presentFirst(s.ext.recall(ctx, s.scope, q))
	if err != nil {
		return nil, err
	}
	e.Above = nil
	for i := range answer.Results {
		r := &answer.Results[i]
		if r.Memory.ID == e.Memory.ID {
			e.Outcome, e.Result, e.Reason = recall.Returned, r, fmt.Sprintf("it is result %d of %d", r.Rank, len(answer.Results))
			return e, nil
		}
		e.Above = r
	}
	if e.Outcome == recall.Returned { // before the host's reranker
		e.Outcome, e.Reason = recall.Outranked, fmt.Sprintf("the reranker does not have it among the %d results", len(answer.Results))
	}
	return e, nil
}
