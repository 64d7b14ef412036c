package measure

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/evalset"
)

// LivesView is the shape of `ebb eval --life --json`.
type LivesView struct {
	Lives []LifeResult `json:"lives"`
	Total []LifeFigure `json:"total"`
	// Forgetting sums up that of the lives.
	Forgetting Forgetting `json:"forgetting"`
}

type LifeResult struct {
	Life       string       `json:"life"`
	Messages   int          `json:"messages"`
	Seconds    float64      `json:"seconds"`
	Figures    []LifeFigure `json:"figures"`
	Forgetting Forgetting   `json:"forgetting"`
	Missed     []LifeMiss   `json:"missed,omitempty"`
}

// LifeFigure is what stood before the model for one kind of question on one day.
type LifeFigure struct {
	Kind      string  `json:"kind"`
	Day       int     `json:"day,omitempty"` // 0: on all days, or a day of the question's own
	Questions int     `json:"questions"`
	Present   float64 `json:"present"`  // share with all that is true; for forgotten and off: with nothing of it, with nothing but the core
	Stale     float64 `json:"stale"`    // share with what was true before, and without what is
	Evidence  float64 `json:"evidence"` // mean share of what is wanted
	Tokens    float64 `json:"tokens"`   // mean
	Memories  float64 `json:"memories"` // mean
}

type LifeMiss struct {
	Question string   `json:"question"`
	Kind     string   `json:"kind"`
	Day      int      `json:"day"`
	Ask      string   `json:"ask"`
	Missing  []string `json:"missing,omitempty"` // statements
	Wrong    []string `json:"wrong,omitempty"`   // statements shown that should not be
	// Known are the missing statements that are lines of the profile, which the question
	// did not choose. The others were not understood.
	Known []string `json:"known,omitempty"`
	Block string   `json:"block,omitempty"` // what stood before the model
}

// Lives measures each life in a memory of its own.
func Lives(ctx context.Context, lives []*evalset.Life, o Options) (*LivesView, error) {
	v := &LivesView{}
	var all tally
	for _, life := range lives {
		r := &lifeRun{ctx: ctx, o: o, life: life, said: make(map[string]int)}
		if err := r.run(); err != nil {
			return nil, fmt.Errorf("life %s: %w", life.Name, err)
		}
		v.Lives = append(v.Lives, LifeResult{life.Name, r.messages, r.took.Seconds(), r.tally.figures(), r.forgetting, r.missed})
		v.Forgetting.Add(r.forgetting)
		all.add(r.tally)
	}
	v.Total = all.figures()
	return v, nil
}

// lifeRun lives one life.
type lifeRun struct {
	ctx   context.Context
	o     Options
	life  *evalset.Life
	clock clock.Simulated
	x     *extension.Extension

	messages int
	saved    bool // by another agent than the main one, since the last review
	took     time.Duration
	tally    tally
	missed   []LifeMiss

	forgetting Forgetting
	said       map[string]int // messages that the user does not ask to forget, by their texts
}

func (r *lifeRun) run() (err error) {
	dir, err := os.MkdirTemp("", "ebb-life-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r.clock.Set(r.life.Start)
	cfg, err := r.o.Config()
	if err != nil {
		return err
	}
	cfg.Now, cfg.Location, cfg.Night.NoSchedule = r.clock.Now, r.life.Zone, true
	if len(cfg.Stores) > 0 {
		cfg.Tools.MainAgent = r.life.Main
	}
	began := time.Now()
	if r.x, err = extension.Open(r.ctx, filepath.Join(dir, "life.db"), cfg); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.x.Close(context.WithoutCancel(r.ctx))) }()
	step, done := r.o.Progress(r.life.Days, r.life.Name)
	defer done()
	for day := range r.life.Days {
		if err := r.day(day); err != nil {
			return fmt.Errorf("day %d: %w", day, err)
		}
		step()
	}
	r.took = time.Since(began)
	return r.countMistaken()
}

// day lives through one day: a night, what is said in order of time, and in the
// evening the questions.
func (r *lifeRun) day(day int) error {
	midnight, next := r.life.Midnight(day), r.life.Midnight(day+1)
	if day > 0 {
		r.clock.Set(midnight.Add(time.Hour))
		if _, err := r.x.Consolidate(r.ctx, r.scope("", "")); err != nil {
			return err
		}
	}
	said := slices.DeleteFunc(slices.Clone(r.life.Statements), func(s evalset.Statement) bool {
		return s.At.Before(midnight) || !s.At.Before(next)
	})
	for n := range 4 {
		at, message, reply := r.life.Small(day, n)
		if message != "" {
			said = append(said, evalset.Statement{At: at, Session: fmt.Sprintf("day-%d", day), Text: message, Reply: reply, Speaker: r.life.Speaker, Everyday: true})
		}
	}
	slices.SortStableFunc(said, func(a, b evalset.Statement) int { return a.At.Compare(b.At) })
	for _, s := range said {
		if s.Everyday && slices.Contains(evalset.CheckDays, day) {
			if err := r.before(s, day); err != nil {
				return err
			}
		}
		if err := r.say(s); err != nil {
			return err
		}
	}
	evening := midnight.Add(21 * time.Hour)
	r.clock.Set(evening.Add(-time.Minute))
	if err := r.review(); err != nil {
		return err
	}
	due := r.life.Due(day, evening)
	if len(due) == 0 {
		return nil
	}
	if err := r.x.WaitIdle(r.ctx); err != nil {
		return err
	}
	for i, q := range due {
		r.clock.Set(evening.Add(time.Duration(i) * time.Minute))
		if err := r.ask(q); err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
	}
	return r.x.WaitIdle(r.ctx)
}

func (r *lifeRun) scope(session, agent string) extension.Scope {
	return extension.Scope{User: r.life.User, Session: session, Agent: cmp.Or(agent, r.life.Main)}
}

// call uses a tool as a model does.
func (r *lifeRun) call(scope extension.Scope, tool string, input any) (string, error) {
	session, err := r.x.Session(scope)
	if err != nil {
		return "", err
	}
	arguments, err := json.Marshal(input)
	if err != nil {
		return "", err
	}
	answer, err := session.CallTool(r.ctx, llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: tool, Arguments: string(arguments)}})
	return answer.Content, err
}

// review has the main agent accept what the others have saved since.
func (r *lifeRun) review() error {
	if !r.saved {
		return nil
	}
	r.saved = false
	scope := r.scope("review", "")
	waiting, err := r.call(scope, "review_proposals", struct{}{})
	if err != nil {
		return err
	}
	for line := range strings.Lines(waiting) {
		var p struct {
			ID string `json:"proposal_id"`
		}
		if json.Unmarshal([]byte(line), &p) != nil || p.ID == "" {
			continue
		}
		if _, err := r.call(scope, "review_proposals", map[string]any{"proposal_id": p.ID, "accept": true}); err != nil {
			return err
		}
	}
	return nil
}

func (r *lifeRun) publish(e eventbus.Event) error {
	r.messages++
	return r.x.Bus().Publish(r.ctx, e)
}

// before counts what is shown to a model that is to answer an everyday message.
func (r *lifeRun) before(s evalset.Statement, day int) error {
	r.clock.Set(s.At)
	if err := r.x.WaitIdle(r.ctx); err != nil {
		return err
	}
	session, err := r.x.Session(r.scope(s.Session, s.Agent))
	if err != nil {
		return err
	}
	shown, err := session.Preview(r.ctx, s.Text)
	if err != nil {
		return err
	}
	r.tally.count(evalset.Everyday, day, LifeFigure{Questions: 1, Present: share(len(shown.Items) == 0), Tokens: float64(shown.Tokens), Memories: float64(len(shown.Items))})
	return nil
}

// say is one statement: the message, what the agent saves of it, its reply.
func (r *lifeRun) say(s evalset.Statement) error {
	r.clock.Set(s.At)
	scope := r.scope(s.Session, s.Agent)
	if s.Role == "assistant" {
		if err := r.publish(eventbus.AgentResponse(scope, s.Text, eventbus.Speaker(s.Speaker))); err != nil || r.life.Main == "" || s.Agent == "" {
			return err
		}
		r.saved = true
		_, err := r.call(scope, "remember_fact", map[string]string{"content": s.Text})
		return err
	}
	if err := r.publish(eventbus.UserMessage(scope, s.Text, eventbus.Speaker(s.Speaker))); err != nil {
		return err
	}
	if s.Fact != "" {
		if _, err := r.call(scope, "remember_fact", map[string]string{"content": s.Fact}); err != nil {
			return err
		}
	}
	if len(s.Forgets) > 0 || s.Changes != "" || s.Keep {
		if err := r.x.WaitIdle(r.ctx); err != nil { // a person takes longer to go on than this
			return err
		}
	}
	switch {
	case len(s.Forgets) > 0:
		if err := r.forget(s, scope); err != nil {
			return err
		}
	case !slices.ContainsFunc(r.life.Statements, func(later evalset.Statement) bool { return slices.Contains(later.Forgets, s.ID) }):
		r.said[s.Text]++
	}
	if s.Reply == "" {
		return nil
	}
	r.clock.Set(s.At.Add(20 * time.Second))
	return r.publish(eventbus.AgentResponse(scope, s.Reply))
}

// noAnswer is what the agent says to every question: the next one must not live
// off it.
const noAnswer = "I do not know that, sorry."

// ask puts a question through a wrapped model, as a host does, and judges what
// stands before it.
func (r *lifeRun) ask(q evalset.Asked) error {
	scope := r.scope(fmt.Sprintf("ask-%s-%d", q.ID, q.Day), "")
	session, err := r.x.Session(scope)
	if err != nil {
		return err
	}
	var history []llms.MessageContent
	for _, e := range q.Before {
		if _, err := r.turn(session, &history, e.Ask, e.Reply); err != nil {
			return err
		}
	}
	if err := r.o.Await(r.ctx, r.x, scope, q.Ask); err != nil {
		return err
	}
	if q.Kind == evalset.AskUnasked { // a message of the user's life: stored, it would be a memory too
		shown, err := session.Preview(r.ctx, q.Ask)
		if err != nil {
			return err
		}
		return r.judge(q, shown)
	}
	shown, err := r.turn(session, &history, q.Ask, noAnswer)
	if err != nil {
		return err
	}
	return r.judge(q, shown)
}

// turn is one exchange: what is shown, then both sides are stored.
func (r *lifeRun) turn(session *extension.Session, history *[]llms.MessageContent, ask, reply string) (*extension.Injection, error) {
	shown, err := session.Preview(r.ctx, ask)
	if err != nil {
		return nil, err
	}
	*history = append(*history, llms.TextParts(llms.ChatMessageTypeHuman, ask))
	model := extension.WrapModel(fixedAnswer(reply), session)
	if _, err := model.GenerateContent(r.ctx, *history); err != nil {
		return nil, err
	}
	*history = append(*history, llms.TextParts(llms.ChatMessageTypeAI, reply))
	if err := r.publish(eventbus.UserMessage(session.Scope(), ask, eventbus.Speaker(r.life.Speaker))); err != nil {
		return nil, err
	}
	return shown, r.publish(eventbus.AgentResponse(session.Scope(), reply))
}

// fixedAnswer says one thing.
type fixedAnswer string

func (m fixedAnswer) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: string(m)}}}, nil
}

func (m fixedAnswer) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return string(m), nil
}

func (r *lifeRun) judge(q evalset.Asked, shown *extension.Injection) (err error) {
	lines := evalset.Lines(shown.Block)
	var f LifeFigure
	miss := LifeMiss{Question: q.ID, Kind: q.Kind, Day: q.Day, Ask: q.Ask}
	f.Questions, f.Tokens, f.Memories = 1, float64(shown.Tokens), float64(len(shown.Items))
	switch q.Kind {
	case evalset.AskOff:
		f.Present = share(len(shown.Items) == 0)
		for _, item := range shown.Items {
			miss.Wrong = append(miss.Wrong, item.Memory.Content)
		}
	case evalset.AskForgotten:
		for _, s := range q.Harmful {
			if s.Shown(lines) {
				miss.Wrong = append(miss.Wrong, s.ID)
			}
		}
		f.Present = share(len(miss.Wrong) == 0)
	default:
		for _, s := range q.Wanted {
			if s.Shown(lines) {
				f.Evidence += 1 / float64(len(q.Wanted))
			} else {
				miss.Missing = append(miss.Missing, s.ID)
			}
		}
		f.Present = share(len(miss.Missing) == 0)
		for _, s := range q.Stale {
			if len(miss.Missing) > 0 && s.Shown(lines) {
				miss.Wrong = append(miss.Wrong, s.ID)
			}
		}
		f.Stale = share(len(miss.Wrong) > 0)
	}
	if f.Present == 0 {
		miss.Block = shown.Block
		if miss.Known, err = r.inProfile(q.Wanted, miss.Missing); err != nil {
			return err
		}
		r.missed = append(r.missed, miss)
	}
	day := q.Day
	if q.LifeQuestion.Day != 0 {
		day = 0
	}
	r.tally.count(q.Kind, day, f)
	return nil
}

// inProfile returns which missing ones of the wanted statements are lines of the profile.
func (r *lifeRun) inProfile(wanted []*evalset.Statement, missing []string) (ids []string, err error) {
	p, err := r.x.Profile(r.ctx, r.scope("", ""))
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, l := range p.Lines {
		lines = append(lines, l.Text)
	}
	lines = evalset.Lines(strings.Join(lines, "\n"))
	for _, s := range wanted {
		if slices.Contains(missing, s.ID) && s.Shown(lines) {
			ids = append(ids, s.ID)
		}
	}
	return ids, nil
}

func share(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// tally adds figures up, by kind and day.
type tally struct{ sums []LifeFigure }

func (t *tally) count(kind string, day int, f LifeFigure) {
	at := slices.IndexFunc(t.sums, func(s LifeFigure) bool { return s.Kind == kind && s.Day == day })
	if at < 0 {
		at = len(t.sums)
		t.sums = append(t.sums, LifeFigure{Kind: kind, Day: day})
	}
	s := &t.sums[at]
	s.Questions += f.Questions
	s.Present += f.Present
	s.Stale += f.Stale
	s.Evidence += f.Evidence
	s.Tokens += f.Tokens
	s.Memories += f.Memories
}

func (t *tally) add(other tally) {
	for _, s := range other.sums {
		t.count(s.Kind, s.Day, s)
	}
}

// figures are the means, by kind, then day.
func (t *tally) figures() []LifeFigure {
	var all []LifeFigure
	for _, kind := range append(slices.Clone(evalset.AskKinds), evalset.Everyday) {
		for _, day := range append([]int{0}, evalset.CheckDays...) {
			for _, s := range t.sums {
				if s.Kind == kind && s.Day == day {
					n := float64(s.Questions)
					s.Present, s.Stale, s.Evidence, s.Tokens, s.Memories = s.Present/n, s.Stale/n, s.Evidence/n, s.Tokens/n, s.Memories/n
					all = append(all, s)
				}
			}
		}
	}
	return all
}
