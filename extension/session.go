package extension

import (
	"context"
	"strings"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Session is the memory of one user as one conversation sees it: what it
// stores carries the scope's session and agent, what it recalls is all of the
// user's. It is safe for concurrent use and needs no closing.
type Session struct {
	ext   *Extension
	scope schema.Scope
	turn  *turn
	shown *blocks
}

// Scope is the scope the session was opened with.
func (s *Session) Scope() Scope { return s.scope }

// Recall searches the user's memory. It is [Extension.Recall] in this scope.
func (s *Session) Recall(ctx context.Context, q Query) (*Answer, error) {
	return s.ext.Recall(ctx, s.scope, q)
}

// inject finds what may help with question and is not in the prompt already,
// as a fenced block. It degrades to no block: memory never breaks a turn.
func (s *Session) inject(ctx context.Context, door, question, prompt string) string {
	cfg := &s.ext.cfg
	if len(text.QueryTerms(question, 1)) == 0 {
		return ""
	}
	answer, err := s.ext.Recall(ctx, s.scope, Query{
		Text: clip(question), Limit: cfg.InjectLimit, Budget: cfg.InjectTokens, Diversity: injectDiversity, Unquarantined: true,
		Skip: func(m *schema.Memory) bool { return strings.Contains(prompt, m.Content) },
	})
	if err != nil {
		if ctx.Err() == nil {
			s.ext.report(door, err)
		}
		return ""
	}
	block, nonce := render(answer.Results, cfg.Location)
	if block == "" {
		return ""
	}
	s.shown.add(nonce)
	s.announceShown(ctx, door, answer)
	return block
}

// injectDiversity keeps five injected memories from saying one thing twice.
const injectDiversity = 0.2

// clip keeps the end of a long prompt, where the question stands.
func clip(question string) string {
	const whole, tail = 2000, 600
	if len(question) <= whole {
		return question
	}
	return text.Clean(question[len(question)-tail:])
}

// announceShown records what a model was shown: access counts and the
// injection record follow in the background.
func (s *Session) announceShown(ctx context.Context, door string, answer *Answer) {
	report := eventbus.Recalled{Channel: door, Query: answer.Query, Items: make([]eventbus.RecalledItem, len(answer.Results))}
	for i, r := range answer.Results {
		report.Items[i] = eventbus.RecalledItem{ID: r.Memory.UID, Rank: r.Rank, Score: r.Score}
		s.turn.shown(r.Memory.Trust)
	}
	s.ext.cfg.Hooks.OnRecall(s.scope, door, answer)
	if s.ext.cfg.ReadOnly {
		return
	}
	event, err := eventbus.New(eventbus.TopicMemoryRecalled, s.scope, schema.OriginUnknown, report)
	if err == nil {
		err = s.ext.bus.Report(ctx, event)
	}
	if err != nil && ctx.Err() == nil {
		s.ext.report(door, err)
	}
}
