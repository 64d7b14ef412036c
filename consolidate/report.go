package consolidate

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Report is what a run did.
type Report struct {
	RunID    string        `json:"run_id"`
	Cause    string        `json:"cause"`
	LocalDay string        `json:"local_day,omitempty"`
	State    string        `json:"state"` // done | failed
	Resumed  bool          `json:"resumed,omitempty"`
	Dry      bool          `json:"dry,omitempty"` // on a copy: nothing was changed
	Took     time.Duration `json:"took_ns"`
	Usage    Usage         `json:"usage,omitzero"`
	Stages   []StageReport `json:"stages"`
}

// StageReport is what one stage found and what became of its proposals. It is
// what the stages column of runs holds.
type StageReport struct {
	Name     string         `json:"name"`
	Took     time.Duration  `json:"took_ns"`
	Counts   map[string]int `json:"counts,omitempty"`
	Outcomes []Outcome      `json:"outcomes,omitempty"`
	Usage    Usage          `json:"usage,omitzero"`
	Prompts  []string       `json:"prompts,omitempty"` // what the model was asked by: "extract@1"
	// OutOfBudget says that the stage stopped because the budget was used up.
	OutOfBudget bool   `json:"out_of_budget,omitempty"`
	Error       string `json:"error,omitempty"`
	Done        bool   `json:"done"` // false: cut off in the middle
}

// Outcome is the fate of one proposal.
type Outcome struct {
	Kind   string `json:"kind"`
	Memory string `json:"memory,omitempty"` // public id of the memory concerned
	Fate   Fate   `json:"fate"`
	Reason string `json:"reason,omitempty"`
	// Text is what the proposal says, for those that say something new. It is
	// not kept in the ledger.
	Text string `json:"-"`
}

// Changes counts the proposals that were applied.
func (r *Report) Changes() (n int) {
	for _, s := range r.Stages {
		for _, o := range s.Outcomes {
			if o.Fate == Applied {
				n++
			}
		}
	}
	return n
}

// Summary tells the run in one line, stage by stage where there was something
// to do: "decay: 40 derived, 3 faded; prune: 2 retired, 1 beyond cap".
func (r *Report) Summary() string {
	var stages []string
	for _, s := range r.Stages {
		if told := s.summary(); told != "" {
			stages = append(stages, told)
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
		done[o.Kind+" "+string(o.Fate)]++
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
