package extension

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/intent"
	"github.com/ebbmem/ebb/schema"
)

// talk is what passed through one session: what its questions are about.
type talk struct {
	mu    sync.Mutex
	said  []string // by the user and the agent, oldest first; as it came, not redacted
	carry []string // ids of the memories shown last
}

// maxTalk bounds how much is kept.
const maxTalk = 6

// heard notes a question and what was shown for it. Small talk, for which nothing
// is searched, changes no subject.
func (t *talk) heard(found *Injection) {
	if found.asked == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(found.asked)
	t.carry = t.carry[:0]
	for _, item := range found.Items {
		t.carry = append(t.carry, item.Memory.UID)
	}
}

// answered notes what the agent said.
func (t *talk) answered(said string) {
	if strings.TrimSpace(said) == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(said)
}

func (t *talk) add(said string) {
	if t.said = append(t.said, said); len(t.said) > maxTalk {
		t.said = t.said[1:]
	}
}

func (t *talk) now() (said, carry []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.said), slices.Clone(t.carry)
}

// plan is how a question is searched for.
type plan struct{ Plan }

// oldestFirst is the order in which a time is told.
const oldestFirst InjectOrder = "oldest"

// order is the order of the sessions in a block.
func (p plan) order(usual InjectOrder) InjectOrder {
	if len(p.Spans) > 0 || p.About == intent.AboutLastTalk {
		return oldestFirst
	}
	return usual
}

// storyLimit is how many memories tell a time, or what is known of the user,
// unless Config.Injection.Limit says otherwise.
const storyLimit = 12

// limit is how many memories are searched for.
func (p plan) limit(usual int) int {
	if usual == DefaultInjectionLimit && (p.About != "" || len(p.Spans) > 0) {
		return storyLimit
	}
	return usual
}

// noteLine says what a time holds nothing of, as one line that no text can forge.
func noteLine(answer *Answer) string {
	if answer == nil || answer.Note == "" {
		return ""
	}
	return "(" + text.Line(answer.Note) + ")\n"
}

func answerQuery(answer *Answer) string {
	if answer == nil {
		return ""
	}
	return answer.Query
}

// How much is read of the end of a question, many times what is searched for, and
// of a prompt, in bytes.
const (
	questionEnd = 64 << 10
	promptEnd   = 1 << 20
)

// endOf is the end of a text: the last bytes of it.
func endOf(s string, bytes int) string { return s[max(0, len(s)-bytes):] }

// search looks for what may help with question and is not in the prompt
// already. It is nil for a question that nothing is searched for.
func (s *Session) search(ctx context.Context, question, prompt string) (*Answer, plan, error) {
	cfg := &s.ext.cfg
	// As texts are stored: what is asked must be recognised among them. Redacted
	// before it is cut, which could halve a secret beyond recognition.
	question, err := s.ext.redactor.Text(ctx, "", text.Clean(endOf(question, questionEnd)))
	if err != nil {
		return nil, plan{}, err
	}
	prompt = s.ext.redactor.BuiltIn(text.Clean(endOf(prompt, promptEnd)))
	if len(text.QueryTerms(question, 1)) == 0 || cfg.Injection.Skip(question) {
		return nil, plan{}, nil
	}
	p, now, err := s.plan(ctx, clip(question))
	if err != nil {
		return nil, plan{}, err
	}
	if p.World {
		return nil, p, nil
	}
	ask := func() (*Answer, error) {
		return s.ext.recall(ctx, s.scope, Query{
			Text: clip(question), Limit: p.limit(cfg.Injection.Limit), Now: now, Faded: true, Diversity: max(0, cfg.Injection.Diversity), Unquarantined: true, Small: true, Plan: &p.Plan,
			Skip: func(m *schema.Memory) bool {
				return m.Hearsay() && !cfg.Injection.Untrusted || stands(m.Content, prompt)
			},
		})
	}
	answer, err := ask()
	if err != nil || !p.MayBeBare() || len(choose(answer.Relevance, answer.Results, cfg)) > 0 {
		return answer, p, err
	}
	p.Bare = true
	if err := s.takeUp(ctx, &p); err != nil {
		return nil, plan{}, err
	}
	with, err := ask()
	if err != nil || !slices.ContainsFunc(with.Results, func(r Result) bool { return r.Why != "" }) {
		p.Bare = false
		return answer, p, err
	}
	return with, p, nil
}

// plan reads what a question asks for beyond its words, in the user's zone.
func (s *Session) plan(ctx context.Context, question string) (plan, time.Time, error) {
	now := s.ext.cfg.Now().In(s.ext.cfg.Location)
	p := plan{PlanOf(question, now)}
	if len(p.Spans) > 0 || p.When {
		zone, err := s.ext.zone(ctx, s.scope)
		if err != nil {
			return p, now, err
		}
		if zone != nil {
			now = now.In(zone)
			p = plan{PlanOf(question, now)}
		}
	}
	p.Session = s.scope.Session
	if p.Bare {
		return p, now, s.takeUp(ctx, &p)
	}
	return p, now, nil
}

// takeUp adds what passed through this session to a plan.
func (s *Session) takeUp(ctx context.Context, p *plan) error {
	said, carry := s.talk.now()
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

// zone is a user's own time zone, nil without one.
func (x *Extension) zone(ctx context.Context, scope Scope) (zone *time.Location, err error) {
	err = x.db.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) error {
		id, err := snap.UserID(ctx, scope)
		if err != nil || id == 0 {
			return err
		}
		user, err := snap.UserByID(ctx, id)
		if err != nil || user.TimeZone == "" {
			return err
		}
		if named, err := time.LoadLocation(user.TimeZone); err == nil {
			zone = named
		}
		return nil
	})
	return zone, err
}

// recallPlanned is [Session.Recall] with the question's plan, for tools: it knows
// times and the last conversation, and nothing of the running talk.
func (s *Session) recallPlanned(ctx context.Context, q Query) (*Answer, error) {
	if q.Plan == nil && q.AsOf.IsZero() && strings.TrimSpace(q.Text) != "" {
		p, now, err := s.plan(ctx, q.Text)
		if err != nil {
			return nil, err
		}
		if p.Bare = false; p.Active() {
			q.Plan = &p.Plan
			if q.Now.IsZero() {
				q.Now = now
			}
		}
	}
	return s.Recall(ctx, q)
}

// PlanOf reads what a question asked at now, in now's location, asks for beyond
// its words. [Session.Preview], [WrapModel], [Session.Memory] and the tools do so
// themselves.
func PlanOf(question string, now time.Time) Plan { return intent.PlanOf(clip(question), now) }
