package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/measure"
)

type evalCmd struct {
	encoderFlags

	Dir       string  `arg:"" help:"A folder with conversations/NAME.jsonl and queries.jsonl."`
	RunFile   string  `name:"run" type:"path" placeholder:"FILE" help:"Write the rankings here, in TREC format (question-id Q0 turn-id rank score tag)."`
	Against   string  `type:"existingfile" placeholder:"FILE" help:"Also compare with the rankings that an earlier --run wrote, question by question."`
	K         int     `name:"k" default:"20" placeholder:"N" help:"Number of source turns ranked for each question, 20 to 1000 (default 20)."`
	Diversity float64 `placeholder:"X" help:"Weight of maximal marginal relevance, 0 to 1 (default 0: off)."`
	Budget    int     `placeholder:"N" help:"Maximum tokens of a question's results (default 0: unlimited; with --offtopic 1200)."`
	Facts     string  `type:"existingfile" placeholder:"FILE" help:"Also remember the facts in this file, one a line, each with its source turns."`
	OffTopic  bool    `name:"offtopic" help:"Measure injection instead: how often a question about another conversation injects anything, and how much recall the thresholds cost."`
	Life      bool    `help:"Measure instead what a model sees over a year of labelled lives. DIR holds one file for each life; see docs/LIVES.md."`
	Core      int     `placeholder:"N" help:"With --life: the tokens of the core section (default 400; --core=-1: none)."`
}

// Help says what is measured, and documents the JSON.
func (evalCmd) Help() string {
	return `Imports each conversation for a separate user into a temporary memory, with the clock set to each turn's time. After background work has finished, it asks each question at its time and measures which turns are found. A question sees its whole conversation.

The unit is the turn: a fact counts as its source turns, and a turn counts once. With --facts FILE the memory also gets facts after the last turn, as a night would extract them, from lines {"conversation", "id", "session", "speaker", "text", "sources": [turn ids]}. R@k is the share of the evidence among the first k turns, Hit@k is 1 if any of it is, All@k is 1 if all of it is. Tokens are estimates. Intervals of R@k are 95 % by bootstrap over the questions; those of the differences with --against are paired.

With --json: {"set", "turns", "facts", "questions", "import_seconds", "recall_seconds", "total", "categories": [{"name", "questions", "recall", "hit", "all", "tokens": {"5", "10", "20"}, "mrr", "ndcg"}], "recall": [{"mean", "low", "high"}], "against": [the same of the differences]}, all from 0 to 1 except tokens; the intervals are of R@5, R@10 and R@20.

A folder with the stream.jsonl of a team's agents, queries.jsonl, docs and bank.md is replayed night by night. Each question is asked at its time with its filters, with recall_search and archival_search, five results each. It counts as answered if everything it needs is found. For comparison it shows SQLite's FTS5 on the same texts, tags and filters with ten results, the tokens of core memory, and unauthorised changes of it. With --json: {"set", "entries", "documents", "questions", "recall", "plain", "core_tokens", "attempts", "unauthorised", "categories": [{"name", "questions", "recall", "plain"}], "missed"}.

With --offtopic --json: {"set", "questions", "budget", "off_topic": {"injected", "tokens", "names_speaker", "injected_others"}, "on_topic": {"injected", "tokens", "recall_10", "recall_10_thresholds", "recall_injected", "recall_injected_whole"}}, shares from 0 to 1 and mean tokens.

With --life --json: {"lives": [{"life", "messages", "seconds", "figures": [figure], "forgetting", "missed": [{"question", "kind", "day", "ask", "missing", "wrong", "known", "block"}]}], "total": [figure], "forgetting": {"requests", "words", "agent", "mistaken"}}; a figure is {"kind", "day", "questions", "present", "stale", "evidence", "tokens", "memories"}, without day if it is of all days. What they count is in docs/LIVES.md.`
}

// Run measures, and writes nothing but what it was asked for.
func (c *evalCmd) Run(a *app) (err error) {
	switch {
	case c.K < 20 || c.K > 1000:
		return &usageError{"--k must be from 20 to 1000"}
	case c.Diversity < 0 || c.Diversity > 1:
		return &usageError{"--diversity must be from 0 to 1"}
	case c.Budget < 0:
		return &usageError{"--budget must not be negative"}
	case c.OffTopic && c.RunFile != "":
		return &usageError{"--run has no rankings to write with --offtopic; ask for one of them"}
	}
	if err := c.check(); err != nil {
		return err
	}
	if c.Life {
		return c.runLives(a)
	}
	if evalset.IsTiered(c.Dir) {
		return c.runTeam(a)
	}
	set, err := evalset.Load(c.Dir)
	if err != nil {
		return &usageError{err.Error()}
	}
	m := &measurement{cmd: c, app: a, set: set}
	if c.Facts != "" {
		if m.facts, err = set.LoadFacts(c.Facts); err != nil {
			return &usageError{err.Error()}
		}
	}
	dir, err := os.MkdirTemp("", "ebb-eval-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if c.OffTopic {
		view, err := m.runOffTopic(filepath.Join(dir, "eval.db"))
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(view)
		}
		return view.print(a)
	}
	if err := m.run(filepath.Join(dir, "eval.db")); err != nil {
		return err
	}
	if c.RunFile != "" {
		err := writeFile(c.RunFile, true, func(w io.Writer) error { return evalset.WriteRun(w, m.answers, c.K, "ebb") })
		if err != nil {
			return err
		}
	}
	view := m.view()
	if c.Against != "" {
		other, err := evalset.ReadRun(c.Against)
		if err != nil {
			return err
		}
		view.Against = evalset.Estimated(m.answers, other)
	}
	if a.json {
		return a.printJSON(view)
	}
	return view.print(a)
}

// measurement is one run over a set.
type measurement struct {
	cmd   *evalCmd
	app   *app
	set   *evalset.Set
	clock clock.Simulated
	x     *extension.Extension

	facts   []evalset.Fact      // after the turns
	sources map[string][]string // turns by derived memory, by id

	turns            int
	imported, recall time.Duration
	answers          []evalset.Answered
}

func (m *measurement) run(path string) (err error) {
	m.clock.Set(m.set.Conversations[0].Turns[0].Time)
	config := m.config()
	if err := m.cmd.connect(config); err != nil {
		return err
	}
	if m.x, err = extension.Open(m.app.ctx, path, config); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.x.Close(context.WithoutCancel(m.app.ctx))) }()
	started := time.Now()
	if err := m.importAll(); err != nil {
		return err
	}
	m.imported = time.Since(started)
	started = time.Now()
	if err := m.askAll(); err != nil {
		return err
	}
	m.recall = time.Since(started)
	return nil
}

// config is the profile's, with a clock of ours and no nights.
func (m *measurement) config() *extension.Config {
	cfg := m.app.profile.config()
	cfg.Now, cfg.Location, cfg.Night.NoSchedule = m.clock.Now, time.UTC, true
	return cfg
}

func (m *measurement) importAll() error {
	all := 0
	for _, c := range m.set.Conversations {
		all += len(c.Turns)
	}
	bar := m.app.bar(int64(all), "importing", false)
	defer func() { _ = bar.Clear() }()
	for _, c := range m.set.Conversations {
		f, err := os.Open(c.Path)
		if err != nil {
			return err
		}
		report, err := m.x.Import(m.app.ctx, f, transfer.ImportOptions{
			Scope: extension.Scope{User: c.Name}, Clock: m.clock.Set,
			Progress: func(int64, int64) { _ = bar.Add(1) },
		})
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
		m.turns += report.Stored
	}
	if err := measure.LearnFacts(m.app.ctx, m.x, m.set, m.facts, m.clock.Set); err != nil {
		return err
	}
	if err := m.x.WaitIdle(m.app.ctx); err != nil {
		return err
	}
	return m.healthy()
}

// healthy refuses to measure a memory that is not whole.
func (m *measurement) healthy() error {
	health, err := m.x.Health(m.app.ctx)
	if err != nil || health.Healthy() {
		return err
	}
	for _, c := range health.Consumers {
		if c.Parked+c.Retrying > 0 {
			return fmt.Errorf("the consumer %s failed for %s, so the figures would be incomplete: %s",
				c.Name, cells.Count(c.Parked+c.Retrying, "event", "events"), c.LastError)
		}
	}
	return errors.New("background work failed, so the figures would be incomplete")
}

func (m *measurement) askAll() error {
	bar := m.app.bar(int64(len(m.set.Queries)), "asking", false)
	defer func() { _ = bar.Clear() }()
	for _, q := range m.set.Queries {
		m.clock.Set(q.Time)
		ranking, err := m.ask(q)
		if err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		m.answers = append(m.answers, evalset.Answered{Query: q, Ranking: ranking})
		_ = bar.Add(1)
	}
	return nil
}

// ask ranks K source turns. Where several results come from one turn it asks
// for more of them.
func (m *measurement) ask(q evalset.Query) ([]evalset.Ranked, error) {
	const most = 1000
	scope := extension.Scope{User: q.Conversation}
	if err := m.cmd.await(m.app.ctx, m.x, scope, q.Question); err != nil {
		return nil, err
	}
	for limit := m.cmd.K; ; limit = min(2*limit, most) {
		answer, err := m.x.Recall(m.app.ctx, scope, extension.Query{
			Text: q.Question, Now: q.Time, Limit: limit, Diversity: m.cmd.Diversity, Budget: m.cmd.Budget, Wait: true,
		})
		if err != nil {
			return nil, err
		}
		if len(answer.Degraded) > 0 {
			return nil, fmt.Errorf("the %s arm did not answer: %s", answer.Degraded[0].Arm, answer.Degraded[0].Reason)
		}
		found := make([]evalset.Found, len(answer.Results))
		for i, r := range answer.Results {
			turns, err := m.turnsOf(scope, r.Memory, 0)
			if err != nil {
				return nil, err
			}
			found[i] = evalset.Found{Turns: turns, Text: r.Memory.Content, Score: r.Score}
		}
		ranking := evalset.Rank(found)
		if len(ranking) >= m.cmd.K || len(found) < limit || limit == most {
			return ranking[:min(len(ranking), m.cmd.K)], nil
		}
	}
}

// turnsOf are the turns a memory comes from: itself for a message, the turns
// of its sources, in the order they were said, for what was derived.
func (m *measurement) turnsOf(scope extension.Scope, memory extension.Record, depth int) ([]string, error) {
	const deepest = 4 // a reflection on facts of messages is 2
	if memory.EventID != "" {
		return []string{memory.EventID}, nil
	}
	if memory.Kind == extension.KindEpisode || depth == deepest {
		return nil, nil
	}
	if turns, known := m.sources[memory.UID]; known {
		return turns, nil
	}
	detail, err := m.x.Get(m.app.ctx, scope, memory.UID)
	if err != nil {
		return nil, err
	}
	var turns []string
	for _, source := range detail.Sources {
		of, err := m.turnsOf(scope, source.Memory, depth+1)
		if err != nil {
			return nil, err
		}
		turns = append(turns, of...)
	}
	if m.sources == nil {
		m.sources = make(map[string][]string)
	}
	m.sources[memory.UID] = turns
	return turns, nil
}
