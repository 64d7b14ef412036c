package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/measure"
)

// factsFile is the file of facts in a set's folder.
const factsFile = "observations.jsonl"

// depth is the number of results kept for a question.
const depth = 300

// example is one question with the signals of its results.
type example struct {
	set, conversation string
	evidence          int // turns that answer it, found or not
	paraphrase, held  bool
	rows              [][]float64
	right             []bool // by row
	id                string
	turns             []string                // by row
	scores            []float64               // by row, of the ranker
	arms              []map[string][2]float64 // by row, rank and score in each arm that found it
}

// data is all examples and the names of their columns.
type data struct {
	signals  []string
	defaults []float64 // the ranker's current weights
	dropped  []string  // columns that are never fitted
	facts    bool      // also learn each set's facts
	options
	examples []example
}

// sets returns the names of the sets, in order of loading.
func (d *data) sets() []string { return d.distinct(func(e *example) string { return e.set }) }

// conversations returns the names of the conversations, in order of loading.
func (d *data) conversations() []string {
	return d.distinct(func(e *example) string { return e.conversation })
}

func (d *data) distinct(key func(*example) string) (all []string) {
	for i := range d.examples {
		if k := key(&d.examples[i]); !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}

// only returns the examples for which keep is true.
func (d *data) only(keep func(*example) bool) *data {
	part := &data{signals: d.signals, defaults: d.defaults, dropped: d.dropped}
	for _, e := range d.examples {
		if keep(&e) {
			part.examples = append(part.examples, e)
		}
	}
	return part
}

// load imports the set in dir and asks its questions.
func (d *data) load(ctx context.Context, dir string) error {
	return withMemory(ctx, dir, d.facts, d.encoder, func(x *extension.Extension, set *evalset.Set, clock func(time.Time)) error {
		questions := make([]question, len(set.Queries))
		for i, q := range set.Queries {
			questions[i] = question{Query: q}
		}
		more, err := readParaphrases(d.paraphrases, filepath.Base(dir))
		if err != nil {
			return err
		}
		for _, q := range append(questions, more...) {
			clock(q.Time)
			answer, err := d.encoder.ask(ctx, x, q.Conversation, extension.Query{Text: q.Question, Now: q.Time, Limit: depth, Wait: true})
			if err != nil {
				return err
			}
			d.add(filepath.Base(dir), q, answer)
		}
		return nil
	})
}

// withMemory imports the set in dir, each conversation under a user of its own, and with
// withFacts its facts. It calls ask with the memory and a function that sets its clock.
func withMemory(ctx context.Context, dir string, withFacts bool, e encoder, ask func(x *extension.Extension, set *evalset.Set, clock func(time.Time)) error) (err error) {
	set, err := evalset.Load(dir)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "fit")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	var now atomic.Int64
	clock := func(t time.Time) { now.Store(t.UnixMilli()) }
	clock(set.Conversations[0].Turns[0].Time)
	cfg := &extension.Config{Now: func() time.Time { return time.UnixMilli(now.Load()).UTC() }, Location: time.UTC, Night: extension.NightConfig{NoSchedule: true}}
	if err := e.connect(cfg); err != nil {
		return err
	}
	x, err := extension.Open(ctx, filepath.Join(scratch, "memory.db"), cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(ctx))) }()
	for _, c := range set.Conversations {
		f, err := os.Open(c.Path)
		if err != nil {
			return err
		}
		_, err = x.Import(ctx, f, transfer.ImportOptions{Scope: extension.Scope{User: c.Name}, Clock: clock})
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	if withFacts {
		facts, err := set.LoadFacts(filepath.Join(dir, factsFile))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := measure.LearnFacts(ctx, x, set, facts, clock); err != nil {
			return err
		}
	}
	if err := x.WaitIdle(ctx); err != nil {
		return err
	}
	return ask(x, set, clock)
}

func (d *data) add(set string, q question, answer *extension.Answer) {
	e := example{set: set, conversation: set + "/" + q.Conversation, evidence: len(q.Evidence), paraphrase: q.kind == "paraphrase", held: q.held, id: q.ID}
	for _, r := range answer.Results {
		if r.Memory.Kind != extension.KindEpisode {
			continue // only turns are fitted
		}
		row := make([]float64, len(r.Signals))
		for i, s := range r.Signals {
			row[i] = s.Value
			if len(d.signals) < len(r.Signals) {
				d.signals, d.defaults = append(d.signals, s.Name), append(d.defaults, s.Weight)
			}
		}
		e.rows = append(e.rows, row)
		e.right = append(e.right, slices.Contains(q.Evidence, r.Memory.EventID))
		e.turns = append(e.turns, r.Memory.EventID)
		e.scores = append(e.scores, r.Score)
		arms := make(map[string][2]float64)
		for _, a := range r.Arms {
			arms[a.Arm] = [2]float64{float64(a.Rank), a.Score}
		}
		e.arms = append(e.arms, arms)
	}
	d.examples = append(d.examples, e)
}

// dump writes the examples, one per line, after a line with the names of the
// signals.
func (d *data) dump(path string) error {
	var all bytes.Buffer
	to := json.NewEncoder(&all)
	if err := to.Encode(map[string]any{"signals": d.signals, "weights": d.defaults}); err != nil {
		return err
	}
	for _, e := range d.examples {
		if err := to.Encode(map[string]any{
			"set": e.set, "conversation": e.conversation, "evidence": e.evidence, "paraphrase": e.paraphrase, "held": e.held, "id": e.id, "turns": e.turns, "scores": e.scores, "arms": e.arms, "rows": e.rows, "right": e.right,
		}); err != nil {
			return err
		}
	}
	return os.WriteFile(path, all.Bytes(), 0o600)
}
