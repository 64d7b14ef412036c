package schema

import (
	"context"
	"fmt"
)

// Attributes of profiles with cycles and tiers. They are not reserved: a host may set
// them as well.
const (
	AttrCycle   = "cycle"   // the cycle in which it happened, an integer from 1
	AttrType    = "type"    // of an entry of a stream: action, observation, reflection or decision
	AttrIssues  = "issues"  // numbers of issues, separated by commas
	AttrPulls   = "prs"     // numbers of pull requests, separated by commas
	AttrTokens  = "tokens"  // the author's estimate of its length in tokens
	AttrArchive = "archive" // of an archival memory: cycle, decision, research, spec, lesson or bank
	AttrRoles   = "roles"   // of an archival memory: the roles it is for, separated by commas
	AttrSource  = "source"  // of a part of a document: the file it was read from
)

// MaxCycle is the largest number of a cycle.
const MaxCycle = 1<<53 - 1

// Cycles returns the current cycle of each user's agents. Users without a count of
// cycles are left out.
func (s *Snapshot) Cycles(ctx context.Context) (map[Scope]int64, error) {
	cycles := make(map[Scope]int64)
	var of Scope
	var cycle int64
	err := Each(ctx, s.Query, []any{&of.Tenant, &of.User, &cycle}, func() error {
		cycles[of] = cycle
		return nil
	}, "SELECT tenant, name, cycle FROM users WHERE cycle > 0 AND name <> ''")
	return cycles, err
}

// SetCycle sets the current cycle of a user's agents; 0 ends the count.
//
// Errors: [*InvalidError] for a number outside 0 to [MaxCycle], or below the current
// cycle unless back is true.
func (tx *Tx) SetCycle(ctx context.Context, userID, cycle int64, back bool) error {
	if cycle < 0 || cycle > MaxCycle {
		return &InvalidError{Field: "cycle", Reason: "must be from 0 to 2^53 − 1"}
	}
	var now int64
	if err := tx.Row(ctx, "SELECT cycle FROM users WHERE id = ?", []any{userID}, &now); err != nil {
		return err
	}
	if cycle < now && !back {
		return &InvalidError{Field: "cycle", Reason: fmt.Sprintf("is %d, and cycle %d has begun; use ResetCycle to count again from an earlier one", cycle, now)}
	}
	_, err := tx.Exec(ctx, "UPDATE users SET cycle = ? WHERE id = ?", cycle, userID)
	return err
}

// Cycle returns the current cycle of a user's agents, 0 without a count.
func (tx *Tx) Cycle(ctx context.Context, userID int64) (cycle int64, err error) {
	err = tx.Row(ctx, "SELECT cycle FROM users WHERE id = ?", []any{userID}, &cycle)
	return cycle, err
}

// MarkReflected records that a reflection has covered everything through the current
// cycle.
func (tx *Tx) MarkReflected(ctx context.Context, userID int64, by Actor) error {
	var cycle int64
	var at Time
	if err := tx.Row(ctx, "SELECT reflected_cycle, reflected_at FROM users WHERE id = ?", []any{userID}, &cycle, &at); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE users SET reflected_cycle = cycle, reflected_at = ? WHERE id = ?", At(tx.Now), userID); err != nil {
		return err
	}
	before := JSONObject("cycle", cycle, "at", nil)
	if !at.IsZero() {
		before = JSONObject("cycle", cycle, "at", at.UnixMilli())
	}
	return tx.AuditRow(ctx, userID, by, OpReflected, "runs", by.RunID, before, JSONObject("at", At(tx.Now).UnixMilli()))
}
