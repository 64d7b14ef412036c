package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/cmd/ebb/records"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/inspector"
	"github.com/ebbmem/ebb/internal/mcpserver"
)

// query are the arguments that search and explain share.
type query struct {
	localEncoder

	Query   []string `arg:"" help:"A question or keywords; all characters are literal."`
	Limit   int      `short:"n" placeholder:"N" default:"10" help:"Maximum number of results, 1 to 1000 (default 10)."`
	Kind    []string `placeholder:"KIND" help:"Only these kinds: episode, fact, preference, reflection."`
	Tag     string   `help:"Only memories with this tag."`
	Session string   `placeholder:"NAME" help:"Only this session."`
	Since   moment   `placeholder:"TIME" help:"Only what happened at or after this time."`
	Until   moment   `placeholder:"TIME" help:"Only what happened before this time."`
	AsOf    moment   `placeholder:"TIME" help:"What was true at this time, according to present knowledge."`
	KnownAt moment   `placeholder:"TIME" help:"What was known at this time."`
	Dormant bool     `help:"Include dormant (faded) memories."`
}

type (
	searchCmd  struct{ query }
	explainCmd struct {
		query
		Memory string `placeholder:"ID" help:"Explain why this memory is, or is not, among the results."`
	}
)

// Help documents the JSON.
func (searchCmd) Help() string {
	return `With --json: {"query", "relevance", "considered", "degraded": [{"arm", "reason"}], "results": [{"rank", "score", "relevance", "memory": {"id", "kind", "content", "event_time", …}, "superseded": {"since", "by", "text"}}]}; superseded is set if the memory no longer holds. relevance is a probability: of the answer, that the question is about what is remembered; of a result, that it helps. Both decide what a prompt gets by itself.

Results are ordered by score, unless "order" names a plan, such as "the date of something", which ranks first what it is about. "relevance_floor" is set if a plan raised the relevance to it; text output shows ≥.`
}

// Help documents the JSON.
func (explainCmd) Help() string {
	return `With --json: as ebb search, and each result has "why", "arms": [{"arm", "rank", "score"}] and "signals": [{"name", "value", "weight", "contribution"}]; the score is the sum of the contributions. "grounds", of the answer and of each result, have the same fields; their contributions are the relevance in ln odds. What the signals are: "go doc github.com/ebbmem/ebb/recall.Weights" and docs/RECALL.md. A profile with a planner adds "intent" and "parts".

With --memory and --json: {"memory", "outcome": "returned"|"excluded"|"unmatched"|"outranked"|"cut", "reason", "result", "above", "apart": [{"name", "by"}], "degraded"}; result is its ranking; above is the result just above it, or the last one if it was not returned; each is null if there is none. apart has by how much each signal ranks above over result, the largest first.`
}

// answerView is the shape of `ebb search --json` and `ebb explain --json`.
type answerView struct {
	Query      string               `json:"query"`
	Considered int                  `json:"considered"`      // memories that were scored
	Degraded   []mcpserver.Degraded `json:"degraded"`        // arms that did not answer
	Relevance  float64              `json:"relevance"`       // probability that the question is about what is remembered
	Note       string               `json:"note,omitempty"`  // what the time asked about holds nothing of
	Order      string               `json:"order,omitempty"` // what the plan that changed the order is about
	Results    []resultView         `json:"results"`
	// Intent and Parts are how the profile's planner took the question apart.
	Intent  string       `json:"intent,omitempty"`
	Parts   []string     `json:"parts,omitempty"`
	Grounds []signalView `json:"grounds,omitempty"` // of Relevance
}

type resultView struct {
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
	// Relevance is the probability that it helps to answer, 0 to 1.
	Relevance float64          `json:"relevance"`
	Floor     float64          `json:"relevance_floor,omitempty"` // set if Relevance was raised to it
	Memory    extension.Record `json:"memory"`
	// Why says for what the question asks beyond its words it is here.
	Why string `json:"why,omitempty"`
	// Superseded says that what it tells is no longer so.
	Superseded *extension.Superseded `json:"superseded,omitempty"`
	Arms       []armView             `json:"arms,omitempty"`
	Signals    []signalView          `json:"signals,omitempty"`
	Grounds    []signalView          `json:"grounds,omitempty"` // of Relevance
}

type armView struct {
	Arm   string  `json:"arm"`
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

type signalView struct {
	Name         string  `json:"name"`
	Value        float64 `json:"value"`
	Weight       float64 `json:"weight"`
	Contribution float64 `json:"contribution"`
}

// validLimit refuses what the library would take for its default, too.
func validLimit(limit int) error {
	if limit < 1 || limit > 1000 {
		return &usageError{"--limit must be from 1 to 1000"}
	}
	return nil
}

func (q *query) ask(a *app) (answer *extension.Answer, ended map[string]extension.Superseded, err error) {
	err = q.with(a, func(x *extension.Extension, s *extension.Session, asked extension.Query) error {
		if answer, err = s.Search(a.ctx, asked); err != nil {
			return err
		}
		found := make([]extension.Record, len(answer.Results))
		for i := range answer.Results {
			found[i] = answer.Results[i].Memory
		}
		ended, err = x.Superseded(a.ctx, a.scope(), found...)
		return err
	})
	return answer, ended, err
}

// with opens the memory and calls ask with a session and the query of the flags.
func (q *query) with(a *app, ask func(*extension.Extension, *extension.Session, extension.Query) error) (err error) {
	if err := validLimit(q.Limit); err != nil {
		return err
	}
	cfg := a.profile.config()
	cfg.ReadOnly, cfg.Night.NoSchedule = true, true
	if err := q.connect(cfg); err != nil {
		return err
	}
	x, err := a.openWith(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	kinds := make([]extension.Kind, len(q.Kind))
	for i, k := range q.Kind {
		kinds[i] = extension.Kind(k)
	}
	s, err := x.Session(a.scope())
	if err != nil {
		return err
	}
	return ask(x, s, extension.Query{
		Text: strings.Join(q.Query, " "), Now: a.now, Limit: q.Limit, Kinds: kinds, Tag: q.Tag, Session: q.Session,
		Since: q.Since.at(a), Until: q.Until.at(a), Dormant: q.Dormant,
		AsOf: extension.AsOf{Valid: q.AsOf.at(a), Known: q.KnownAt.at(a)}, Wait: true,
	})
}

func (c *searchCmd) Run(a *app) error { return c.run(a, false) }

// Run implements the command.
func (c *explainCmd) Run(a *app) error {
	if c.Memory == "" {
		return c.run(a, true)
	}
	var why *extension.Explanation
	err := c.with(a, func(_ *extension.Extension, s *extension.Session, asked extension.Query) (err error) {
		why, err = s.Why(a.ctx, asked, c.Memory)
		return notFoundAs(err, noSuchMemory(c.Memory))
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(whyOf(why))
	}
	p := a.page()
	p.Say("%s: %s", why.Outcome, why.Reason)
	if why.Result != nil {
		p.result(*why.Result, nil)
		records.Reasons(p.Page, *why.Result)
	}
	if why.Above != nil && why.Result != nil {
		p.Line("")
		p.Line("Compared with:")
		p.result(*why.Above, nil)
		if why.Above.Why != "" {
			p.Line("      the plan ranks it first: it is %s", why.Above.Why)
		}
		p.Line("      what sets it apart, the largest first:")
		var rows [][]string
		for _, s := range why.Apart() {
			rows = append(rows, []string{s.Name, fmt.Sprintf("%+.3f", s.Value), inspector.SignalWords(s.Name)})
		}
		p.Table("      ", rows)
	}
	return p.Err
}

func (q *query) run(a *app, explain bool) error {
	answer, ended, err := q.ask(a)
	if err != nil {
		return err
	}
	if a.json {
		v := viewOf(answer, explain)
		for i := range v.Results {
			if s, is := ended[v.Results[i].Memory.UID]; is {
				v.Results[i].Superseded = &s
			}
		}
		return a.printJSON(v)
	}
	p := a.page()
	for _, d := range answer.Degraded {
		p.Note(cells.Warm, "", fmt.Sprintf("The %s arm did not answer: %s", d.Arm, cells.OneLine(d.Reason, 200)))
		if q.Encoder != "" && d.Reason == "no text has a vector yet" {
			p.Say("To make them, run `ebb serve --encoder %s` or `ebb mcp --encoder %[1]s` with this memory once.", q.Encoder)
		}
	}
	if len(answer.Results) == 0 {
		p.Line("Nothing found.")
	}
	if answer.Note != "" {
		p.Say("%s", answer.Note)
	}
	if answer.Order != "" {
		p.Say("Order: by the plan (%s), then by score.", answer.Order)
	}
	if explain {
		records.Grounds(p.Page, "", fmt.Sprintf("Relevance of the question %.3f,", answer.Relevance), answer.Grounds)
	}
	if explain && answer.Planned != nil {
		p.Say("Intent %s.", strings.ReplaceAll(string(answer.Planned.Intent), "_", " "))
		for i, part := range answer.Planned.Queries[1:] {
			p.Say("Part %d: %s", i+1, cells.OneLine(part, 200))
		}
	}
	for i, r := range answer.Results {
		if i > 0 {
			p.Line("")
		}
		p.result(r, ended)
		if explain {
			records.Reasons(p.Page, r)
		}
	}
	return p.Err
}

// whyView is the shape of `ebb explain --memory ID --json`.
type whyView struct {
	Memory   extension.Record     `json:"memory"`
	Outcome  string               `json:"outcome"`
	Reason   string               `json:"reason"`
	Result   *resultView          `json:"result"`
	Above    *resultView          `json:"above"`
	Apart    []apartView          `json:"apart"`
	Degraded []mcpserver.Degraded `json:"degraded"`
}

type apartView struct {
	Name string  `json:"name"`
	By   float64 `json:"by"`
}

func whyOf(e *extension.Explanation) whyView {
	v := whyView{Memory: e.Memory, Outcome: string(e.Outcome), Reason: e.Reason, Apart: []apartView{}, Degraded: mcpserver.DegradedOf(e.Degraded)}
	if e.Result != nil {
		v.Result = new(resultOf(e.Result, true))
	}
	if e.Above != nil {
		v.Above = new(resultOf(e.Above, true))
	}
	for _, s := range e.Apart() {
		v.Apart = append(v.Apart, apartView{s.Name, s.Value})
	}
	return v
}

func viewOf(answer *extension.Answer, explain bool) answerView {
	v := answerView{
		Query: answer.Query, Relevance: answer.Relevance, Note: answer.Note, Order: answer.Order, Considered: answer.Considered,
		Degraded: mcpserver.DegradedOf(answer.Degraded), Results: make([]resultView, len(answer.Results)),
	}
	if explain && answer.Planned != nil {
		v.Intent, v.Parts = string(answer.Planned.Intent), answer.Planned.Queries[1:]
	}
	if explain {
		v.Grounds = signalsOf(answer.Grounds)
	}
	for i := range answer.Results {
		v.Results[i] = resultOf(&answer.Results[i], explain)
	}
	return v
}

func resultOf(r *extension.Result, explain bool) resultView {
	v := resultView{Rank: r.Rank, Score: r.Score, Relevance: r.Relevance, Memory: r.Memory}
	if isFloor(r) {
		v.Floor = r.MinRelevance
	}
	if !explain {
		return v
	}
	v.Why = r.Why
	for _, arm := range r.Arms {
		v.Arms = append(v.Arms, armView(arm))
	}
	v.Signals, v.Grounds = signalsOf(r.Signals), signalsOf(r.Grounds)
	return v
}

func signalsOf(signals []extension.Signal) (views []signalView) {
	for _, s := range signals {
		views = append(views, signalView{s.Name, s.Value, s.Weight, s.Contribution()})
	}
	return views
}

// isFloor reports a relevance that a plan has raised.
func isFloor(r *extension.Result) bool {
	return r.MinRelevance > 0 && r.Relevance == r.MinRelevance
}

// result shows one memory found: when, who, where, then the text.
func (p *page) result(r extension.Result, ended map[string]extension.Superseded) {
	relevance := fmt.Sprintf("relevance %.3f", r.Relevance)
	if isFloor(&r) {
		relevance = fmt.Sprintf("relevance ≥ %.3f", r.Relevance)
	}
	p.Parts("    ", append(p.heading(p.In(cells.Bold, fmt.Sprintf("%2d. ", r.Rank)), &r.Memory), p.In(cells.Dim, fmt.Sprintf("score %.3f", r.Score)), p.In(cells.Dim, relevance))...)
	p.Body("    ", "    ", r.Memory.Content)
	if s, is := ended[r.Memory.UID]; is {
		p.Note(cells.Warm, "    ", s.String())
	}
	p.ID("    ", r.Memory.UID)
}

// heading are the parts of a memory's first line, after first: when, who, which
// session, what and how it stands when that is not the usual.
func (p *page) heading(first string, m *extension.Record) []string {
	parts := []string{first + p.Moment(m.EventTime.Time), p.In(cells.Bold, records.Speaker(m))}
	if m.SessionName != "" {
		parts = append(parts, cells.OneLine(m.SessionName, 40))
	}
	if m.Kind != extension.KindEpisode && cmp.Or(m.Speaker, m.Role) != "" {
		parts = append(parts, string(m.Kind))
	}
	if m.State != "active" {
		parts = append(parts, p.In(cells.Warm, string(m.State)))
	}
	if !m.ValidUntil.IsZero() {
		parts = append(parts, "until "+m.ValidUntil.In(p.Location).Format("2006-01-02"))
	}
	return parts
}
