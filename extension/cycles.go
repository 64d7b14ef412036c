package extension

import (
	"context"
	"errors"
)

// Cycle is the cycle that a user's agents are in, 0 when nobody counts. What
// another process sets is seen when the file is next opened.
func (x *Extension) Cycle(scope Scope) int64 { return x.mem.Cycles.Get(scope) }

// SetCycle says that a cycle of a user's agents begins: from now on it is the
// attribute "cycle" of every message that is published, of whatever session and
// agent, unless the message says another. Imports are not stamped. The same
// cycle again changes nothing.
//
// Errors: [*InvalidError] for a cycle before the one that has begun, see
// [Extension.ResetCycle]; [ErrReadOnly]; the database's errors.
func (x *Extension) SetCycle(ctx context.Context, scope Scope, cycle int64) error {
	return x.setCycle(ctx, scope, cycle, false)
}

// ResetCycle is [Extension.SetCycle] that may also go back, to 0 for none.
func (x *Extension) ResetCycle(ctx context.Context, scope Scope, cycle int64) error {
	return x.setCycle(ctx, scope, cycle, true)
}

func (x *Extension) setCycle(ctx context.Context, scope Scope, cycle int64, back bool) error {
	if err := x.redactor.Labels(scope); err != nil {
		return err
	}
	err := x.mem.Cycles.Set(ctx, x.db, scope, cycle, back)
	if err == nil {
		x.behind.wake(scope)
	}
	return err
}

// raiseCycle makes the cycle at least this one.
func (x *Extension) raiseCycle(ctx context.Context, scope Scope, cycle int64) error {
	if cycle <= x.Cycle(scope) {
		return nil
	}
	err := x.SetCycle(ctx, scope, cycle)
	if _, begun := errors.AsType[*InvalidError](err); begun {
		return nil // a later one, in the meantime
	}
	return err
}
