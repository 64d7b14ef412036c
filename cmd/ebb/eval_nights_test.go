package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/racing"
)

var (
	nightsDir   = flag.String("nights", "", "measure recall before and after nights over the conversations in this folder instead of the fixture's")
	nightsFacts = flag.String("nights-facts", "", "what the model drew from them: lines as ebb eval --facts reads them")
)

// A model that was recorded on the conversations, its mistakes included, draws
// the facts of the night; what is found afterwards is no less than before.
func TestRecallAfterNights(t *testing.T) {
	racing.Alone(t)
	dir, facts := *nightsDir, *nightsFacts
	if dir == "" {
		dir, facts = evalFixture, evalFacts
	}
	set, err := evalset.Load(dir)
	require.NoError(t, err)
	recorded, err := set.LoadFacts(facts)
	require.NoError(t, err)

	server := llmtest.New(t)
	player := &player{set: set, byTurn: make(map[string][]evalset.Fact)}
	player.load(recorded)
	server.On(llmtest.Any, player.reply)

	m := &measurement{cmd: &evalCmd{K: 20}, app: &app{ctx: t.Context(), stdout: t.Output(), stderr: t.Output()}, set: set}
	m.clock.Set(set.Conversations[0].Turns[0].Time)
	m.x, err = extension.Open(t.Context(), filepath.Join(t.TempDir(), "nights.db"), &extension.Config{
		Now: m.clock.Now, Location: time.UTC, Night: extension.NightConfig{NoSchedule: true}, Model: server.LLM(t),
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.x.Close(t.Context())) }()
	require.NoError(t, m.importAll())
	require.NoError(t, m.askAll())
	before := m.view().Total

	var messages, calls, tokens, faults int
	fates := make(map[string]int)
	for _, c := range set.Conversations {
		m.clock.Set(c.Turns[len(c.Turns)-1].Time.Add(12 * time.Hour))
		report, err := m.x.Consolidate(t.Context(), extension.Scope{User: c.Name})
		require.NoError(t, err)
		messages += len(c.Turns)
		calls += report.Usage.Calls
		tokens += report.Usage.InputTokens + report.Usage.OutputTokens
		faults += report.Usage.Faults
		for _, s := range report.Stages {
			for _, o := range s.Outcomes {
				fates[strings.TrimSpace(fmt.Sprint(s.Name, ": ", o.Kind, " ", o.Status, " ", o.Reason))]++
			}
		}
	}
	m.answers, m.sources = nil, nil
	require.NoError(t, m.askAll())
	after := m.view().Total
	t.Logf("before the nights: R@5 %.1f  R@10 %.1f  R@20 %.1f  MRR %.1f", 100*before.Recall["5"], 100*before.Recall["10"], 100*before.Recall["20"], 100*before.MRR)
	t.Logf("after the nights:  R@5 %.1f  R@10 %.1f  R@20 %.1f  MRR %.1f", 100*after.Recall["5"], 100*after.Recall["10"], 100*after.Recall["20"], 100*after.MRR)
	t.Logf("%d messages: %d calls (one for %.0f messages), %d tokens (%.0f a message), %d answers of no use", messages, calls,
		float64(messages)/float64(calls), tokens, float64(tokens)/float64(messages), faults)
	for fate, n := range fates {
		t.Logf("%5d %s", n, fate)
	}
	require.Positive(t, fates["extract: add_fact applied"])
	require.GreaterOrEqual(t, after.Recall["10"], before.Recall["10"]-0.01, "facts do not crowd out what was said")
	if *nightsDir != "" {
		require.GreaterOrEqual(t, after.Recall["10"], before.Recall["10"])
		require.LessOrEqual(t, 40*calls, messages, "at most one call for 40 messages")
	}
}

// player plays back recorded facts by the messages it is shown, and makes
// mistakes as models do: now and then an answer of no use, an invented fact, a
// wrong alias.
type player struct {
	set    *evalset.Set
	byTurn map[string][]evalset.Fact // by the turn's text
	asked  int
}

func (p *player) load(recorded []evalset.Fact) {
	said := make(map[string]string)
	for _, c := range p.set.Conversations {
		for _, t := range c.Turns {
			said[c.Name+"/"+t.ID] = t.Text
		}
	}
	for _, f := range recorded {
		text := said[f.Conversation+"/"+f.Sources[0]]
		p.byTurn[text] = append(p.byTurn[text], f)
	}
}

var mentionNumber = regexp.MustCompile(`(?m)^\{"mention":(\d+)`)

var pairNumber = regexp.MustCompile(`(?m)^\{"pair":(\d+)`)

func (p *player) reply(w http.ResponseWriter, r *http.Request, req llmtest.Request) {
	p.asked++
	prompt, system := req.Prompt(), string(req.Messages[0].Content)
	var answer any
	switch {
	case p.asked%20 == 0:
		llmtest.Text("Sure! Here is what I found:\n```json\n{\"facts\": [{\"text\": \"A fact")(w, r, req)
		return
	case strings.Contains(system, `{"facts"`):
		answer = map[string]any{"facts": p.facts(prompt)}
	case strings.Contains(system, `{"pairs"`):
		pairs := []any{}
		for _, m := range pairNumber.FindAllStringSubmatch(prompt, -1) {
			pairs = append(pairs, map[string]any{"pair": json.Number(m[1]), "relation": "compatible", "why": ""})
		}
		answer = map[string]any{"pairs": pairs}
	case strings.Contains(system, `{"questions"`):
		answer = map[string]any{"questions": []string{"What keeps these people going?", "How do they spend their free time?", "What has changed for them?"}}
	case strings.Contains(system, `{"insights"`):
		answer = map[string]any{"insights": []any{map[string]any{"question": 1, "importance": 8, "sources": []string{"r1", "r2"},
			"text": "They keep going through what they do with those close to them."}}}
	case strings.Contains(system, `{"mentions"`):
		mentions := []any{}
		for _, m := range mentionNumber.FindAllStringSubmatch(prompt, -1) {
			mentions = append(mentions, map[string]any{"mention": json.Number(m[1]), "candidate": 0})
		}
		answer = map[string]any{"mentions": mentions}
	default:
		answer = map[string]any{"summaries": []any{}}
	}
	llmtest.JSON(answer)(w, r, req)
}

// facts answers with what was recorded for the messages shown.
func (p *player) facts(prompt string) []any {
	facts := []any{}
	add := func(text, alias, quote string) {
		facts = append(facts, map[string]any{"text": text, "kind": "fact", "subject": "", "predicate": "", "object": "", "type": "state", "when": "",
			"confidence": 0.9, "importance": 5, "sources": []string{alias}, "quote": quote})
	}
	for line := range strings.Lines(prompt) {
		var m struct {
			Alias string `json:"m"`
			Text  string `json:"text"`
		}
		if json.Unmarshal([]byte(line), &m) != nil || m.Alias == "" {
			continue
		}
		for _, f := range p.byTurn[m.Text] {
			quote := m.Text
			switch len(facts) % 12 {
			case 3, 7, 11:
				quote = "" // as recorded
			case 5:
				add("Professor Quibble owns 73 trumpets.", m.Alias, m.Text)
			case 9:
				add(f.Text, "m999", m.Text)
			}
			add(f.Text, m.Alias, quote)
		}
	}
	return facts
}
