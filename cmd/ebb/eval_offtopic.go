package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/evalset"
)

// offTopicView is the shape of `ebb eval --offtopic --json`.
type offTopicView struct {
	Set       string `json:"set"`
	Questions int    `json:"questions"`
	Budget    int    `json:"budget"`
	// OffTopic is of the questions asked of the next conversation.
	OffTopic offTopicPart `json:"off_topic"`
	// OnTopic is of the same questions asked of their own.
	OnTopic onTopicPart `json:"on_topic"`
}

type offTopicPart struct {
	Injected float64 `json:"injected"` // share of questions that inject anything
	Tokens   float64 `json:"tokens"`   // mean, of all questions
	// NamesSpeaker is the share of questions that name someone who speaks in
	// the next conversation too, so that it may well be about them.
	NamesSpeaker float64 `json:"names_speaker"`
	Others       float64 `json:"injected_others"` // share of the other questions that inject anything
}

type onTopicPart struct {
	Injected   float64 `json:"injected"`
	Tokens     float64 `json:"tokens"`
	Recall     float64 `json:"recall_10"`            // without the thresholds
	Thresholds float64 `json:"recall_10_thresholds"` // of what is relevant enough
	Shown      float64 `json:"recall_injected"`      // of what is injected, in whatever length
	Whole      float64 `json:"recall_injected_whole"`
	Terms      float64 `json:"answer_terms"` // of the answer, beside those of the question, in the block
}

// offTopic asks each question of its own conversation and of the next one, the
// way that memories are put before a model.
func (m *measurement) offTopic() (*offTopicView, error) {
	v := &offTopicView{
		Set: filepath.Base(filepath.Clean(m.cmd.Dir)), Questions: len(m.set.Queries), Budget: m.injectTokens(),
	}
	if len(m.set.Conversations) < 2 {
		return nil, &usageError{"--offtopic needs a set of two conversations or more"}
	}
	bar := m.app.bar(int64(len(m.set.Queries)), "asking", false)
	defer func() { _ = bar.Clear() }()
	speakers := m.set.Speakers()
	n, others := float64(len(m.set.Queries)), 0.0
	for _, q := range m.set.Queries {
		m.clock.Set(q.Time)
		next := m.set.Next(q.Conversation)
		off, err := m.preview(next, q)
		if err != nil {
			return nil, err
		}
		names := evalset.NamesAny(q.Question, speakers[next])
		if names {
			v.OffTopic.NamesSpeaker += 1 / n
		} else {
			others++
		}
		if off.Block != "" {
			v.OffTopic.Injected += 1 / n
			v.OffTopic.Tokens += float64(off.Tokens) / n
			if !names {
				v.OffTopic.Others++
			}
		}
		if err := m.onTopic(q, &v.OnTopic, 1/n); err != nil {
			return nil, err
		}
		_ = bar.Add(1)
	}
	if others > 0 {
		v.OffTopic.Others /= others
	}
	return v, nil
}

func (m *measurement) preview(user string, q evalset.Query) (*extension.Injection, error) {
	if err := m.cmd.await(m.app.ctx, m.x, extension.Scope{User: user}, q.Question); err != nil {
		return nil, err
	}
	session, err := m.x.Session(extension.Scope{User: user, Session: "evaluation"})
	if err != nil {
		return nil, err
	}
	found, err := session.Preview(m.app.ctx, q.Question)
	if err != nil {
		return nil, fmt.Errorf("question %s: %w", q.ID, err)
	}
	return found, nil
}

// onTopic adds one question's share to the figures.
func (m *measurement) onTopic(q evalset.Query, part *onTopicPart, share float64) error {
	found, err := m.preview(q.Conversation, q)
	if err != nil {
		return err
	}
	scope := extension.Scope{User: q.Conversation}
	recall := func(results []extension.Result) (float64, error) {
		turns := make(map[string]bool)
		for _, r := range results {
			of, err := m.turnsOf(scope, r.Memory, 0)
			if err != nil {
				return 0, err
			}
			for _, turn := range of {
				turns[turn] = slices.Contains(q.Evidence, turn)
			}
		}
		right := 0.0
		for _, is := range turns {
			if is {
				right++
			}
		}
		return right / float64(len(q.Evidence)), nil
	}
	answer, err := m.x.Recall(m.app.ctx, scope, extension.Query{Text: q.Question, Now: q.Time, Limit: 10, Wait: true})
	if err != nil {
		return err
	}
	var relevant, shown, whole []extension.Result
	for _, r := range answer.Results {
		if answer.Relevance >= extension.DefaultMinRelevance && r.Relevance >= extension.DefaultMinResultRelevance {
			relevant = append(relevant, r)
		}
	}
	for _, line := range found.Profile {
		for _, id := range line.Sources {
			detail, err := m.x.Get(m.app.ctx, scope, id)
			if err != nil {
				return err
			}
			r := extension.Result{Memory: detail.Memory}
			shown, whole = append(shown, r), append(whole, r)
		}
	}
	for _, item := range found.Items {
		shown = append(shown, item.Result)
		if item.Whole {
			whole = append(whole, item.Result)
		}
	}
	for _, of := range []struct {
		results []extension.Result
		sum     *float64
	}{{answer.Results, &part.Recall}, {relevant, &part.Thresholds}, {shown, &part.Shown}, {whole, &part.Whole}} {
		r, err := recall(of.results)
		if err != nil {
			return err
		}
		*of.sum += share * r
	}
	part.Terms += share * q.AnswerIn(found.Block)
	if found.Block != "" {
		part.Injected += share
		part.Tokens += share * float64(found.Tokens)
	}
	return nil
}

// injectTokens is the budget of a block.
func (m *measurement) injectTokens() int {
	if m.cmd.Budget > 0 {
		return m.cmd.Budget
	}
	return extension.DefaultInjectionTokens
}

func (m *measurement) runOffTopic(path string) (v *offTopicView, err error) {
	m.clock.Set(m.set.Conversations[0].Turns[0].Time)
	cfg := m.config()
	cfg.Injection.Tokens = m.injectTokens()
	if err := m.cmd.connect(cfg); err != nil {
		return nil, err
	}
	if m.x, err = extension.Open(m.app.ctx, path, cfg); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.x.Close(context.WithoutCancel(m.app.ctx))) }()
	if err := m.importAll(); err != nil {
		return nil, err
	}
	return m.offTopic()
}

func (v *offTopicView) print(a *app) error {
	p := a.page()
	percent := func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
	p.Line("%s: %s, blocks of at most %d tokens.", v.Set, cells.Count(v.Questions, "question", "questions"), v.Budget)
	p.Line("")
	p.Line("Asked of the next conversation:")
	p.Table("  ", [][]string{
		{"inject anything", percent(v.OffTopic.Injected), fmt.Sprintf("%.0f tokens a question", v.OffTopic.Tokens)},
		{"name someone who speaks there too", percent(v.OffTopic.NamesSpeaker)},
		{"of the others, inject anything", percent(v.OffTopic.Others)},
	})
	p.Line("")
	p.Line("Asked of their own:")
	p.Table("  ", [][]string{
		{"inject anything", percent(v.OnTopic.Injected), fmt.Sprintf("%.0f tokens a question", v.OnTopic.Tokens)},
		{"R@10 without the thresholds", percent(v.OnTopic.Recall)},
		{"R@10 with them", percent(v.OnTopic.Thresholds), fmt.Sprintf("%.1f points lost", 100*(v.OnTopic.Recall-v.OnTopic.Thresholds))},
		{"evidence injected", percent(v.OnTopic.Shown)},
		{"evidence injected whole", percent(v.OnTopic.Whole)},
		{"words of the answer injected", percent(v.OnTopic.Terms)},
	})
	return p.Err
}
