package consolidate

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Recorded reads a run's report back from the ledger. The texts of its
// proposals are not in there.
//
// The error says that the ledger's entry is no JSON of ours.
func Recorded(run *schema.Run) (*Report, error) {
	r := &Report{
		RunID: run.UID, Cause: run.Cause, LocalDay: run.LocalDay, State: run.State,
		Usage: Usage{
			Calls: int(run.Calls), InputTokens: int(run.InputTokens), OutputTokens: int(run.OutputTokens),
			Cost: run.Cost, Faults: int(run.Faults),
		},
	}
	if !run.FinishedAt.IsZero() {
		r.Took = max(0, run.FinishedAt.Sub(run.StartedAt.Time)).Round(time.Millisecond)
	}
	if err := json.Unmarshal(run.Stages, &r.Stages); err != nil {
		return nil, fmt.Errorf("%w: the ledger of run %s: %w", schema.ErrCorrupt, run.UID, err)
	}
	return r, nil
}
