package consolidate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/schema"
)

// Report describes a run.
type Report struct {
	RunID    string        `json:"run_id"`
	Cause    string        `json:"cause"`
	LocalDay string        `json:"local_day,omitempty"`
	State    string        `json:"state"` // done | failed
	Resumed  bool          `json:"resumed,omitempty"`
	Dry      bool          `json:"dry,omitempty"` // run on a copy; nothing was changed
	Took     time.Duration `json:"took_ns"`
	Usage    ask.Usage     `json:"usage,omitzero"`
	Stages   []StageReport `json:"stages"`
}

// StageReport describes one stage of a run. The column runs.stages contains a list
// of them.
type StageReport struct {
	Name     string         `json:"name"`
	Took     time.Duration  `json:"took_ns"`
	Counts   map[string]int `json:"counts,omitempty"`
	Outcomes []Outcome      `json:"outcomes,omitempty"`
	Usage    ask.Usage      `json:"usage,omitzero"`
	Prompts  []string       `json:"prompts,omitempty"` // that the model was asked: "extract@1"
	// OutOfBudget: the stage stopped because the budget was used up.
	OutOfBudget bool   `json:"out_of_budget,omitempty"`
	Error       string `json:"error,omitempty"`
	Done        bool   `json:"done"` // false: interrupted
}

// Outcome is the result of one proposal.
type Outcome struct {
	Kind   string `json:"kind"`
	Memory string `json:"memory,omitempty"` // public id of the memory concerned
	Status Status `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Text is the text of a proposal that adds one. It is not stored with the run.
	Text string `json:"-"`
}

// Changes returns the number of applied proposals.
func (r *Report) Changes() (n int) {
	for _, s := range r.Stages {
		for _, o := range s.Outcomes {
			if o.Status == Applied {
				n++
			}
		}
	}
	return n
}

// Summary describes the run in one line, with the stages that did something:
// "extract: 3 add fact applied; prune: 40 derived, 1 beyond cap".
func (r *Report) Summary() string {
	var stages []string
	for _, s := range r.Stages {
		if summary := s.summary(); summary != "" {
			stages = append(stages, summary)
		}
	}
	if len(stages) == 0 {
		return "nothing to consolidate"
	}
	return strings.Join(stages, "; ")
}

func (s StageReport) summary() string {
	if s.Error != "" {
		return s.Name + ": failed: " + s.Error
	}
	done := make(map[string]int)
	for name, n := range s.Counts {
		done[strings.ReplaceAll(name, "_", " ")] += n
	}
	for _, o := range s.Outcomes {
		done[strings.ReplaceAll(o.Kind, "_", " ")+" "+string(o.Status)]++
	}
	if s.OutOfBudget {
		done["budget used up"]++
	}
	var parts []string
	for name, n := range done {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	slices.SortFunc(parts, func(a, b string) int {
		_, a, _ = strings.Cut(a, " ")
		_, b, _ = strings.Cut(b, " ")
		return strings.Compare(a, b)
	})
	return s.Name + ": " + strings.Join(parts, ", ")
}

// Recorded returns the report of a stored run, without the texts of its proposals.
//
// Errors: [schema.ErrCorrupt] for invalid JSON.
func Recorded(run *schema.Run) (*Report, error) {
	r := &Report{
		RunID: run.UID, Cause: run.Cause, LocalDay: run.LocalDay, State: run.State,
		Usage: usageOf(run),
	}
	if !run.FinishedAt.IsZero() {
		r.Took = max(0, run.FinishedAt.Sub(run.StartedAt.Time)).Round(time.Millisecond)
	}
	return r, schema.DecodeStored("the ledger of run "+run.UID, string(run.Stages), &r.Stages)
}

func usageOf(run *schema.Run) ask.Usage {
	return ask.Usage{
		Calls: int(run.Calls), InputTokens: int(run.InputTokens), OutputTokens: int(run.OutputTokens), Cost: run.Cost, Faults: int(run.Faults),
	}
}
