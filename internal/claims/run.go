package claims

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/schema"
)

// outcome is a part of a run's ledger entry, in the JSON format of nights.
type outcome struct {
	Kind   string `json:"kind"`
	Memory string `json:"memory,omitempty"`
	Status string `json:"status"`
}

// Outcomes in the ledger.
const (
	applied = "applied"
	waiting = "waiting" // for the host
)

var runs = uuid.MustParse("5b0e5c46-5f7e-4a0e-9d3a-6a0b7d6f3c11")

// RunOf returns the id of the run with the changes of a message. It is derived from
// the message's id.
func RunOf(messageUID string) string {
	return uuid.NewSHA1(runs, []byte(schema.CauseSaid+":"+messageUID)).String()
}

// run is a ledger entry that is being written.
type run struct {
	tx       *schema.Tx
	id       int64
	by       schema.Actor
	fresh    bool  // created by open
	undone   bool  // the run was undone
	outcomes []any // outcome
}

// open returns the run with an id, creating it if it does not exist.
func open(ctx context.Context, tx *schema.Tx, userID int64, uid, cause, actor string) (*run, error) {
	r := &run{tx: tx}
	id, state, err := tx.RunState(ctx, userID, uid)
	if errors.Is(err, schema.ErrNotFound) {
		r.fresh = true
		id, err = tx.BeginRun(ctx, userID, uid, cause)
	}
	r.id, r.undone, r.by = id, state == "undone", schema.Actor{Name: actor, RunID: id}
	return r, err
}

// did records a change for the report.
func (r *run) did(kind string, m *schema.Memory) {
	r.outcomes = append(r.outcomes, outcome{Kind: kind, Memory: m.UID, Status: applied})
}

// close writes the report. A new run without changes is deleted.
func (r *run) close(ctx context.Context) error {
	if len(r.outcomes) == 0 && !r.fresh {
		return nil
	}
	return r.tx.EndRun(ctx, r.id, schema.CauseSaid, r.outcomes...)
}
