package extension

import (
	"context"
	"errors"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// Cycle returns the current cycle of a user's agents, 0 if cycles are not used. A
// value set by another process is seen when the file is next opened.
func (x *Extension) Cycle(scope Scope) int64 { return x.mem.Cycles.Get(x.db.Complete(scope)) }

// SetCycle starts a cycle of a user's agents. From then on every published message
// gets the attribute "cycle" with this number, whatever its session and agent,
// unless it has one already. Imports are not stamped. Setting the current cycle
// again has no effect.
//
// Errors: [*InvalidError] for a cycle before the current one (use
// [Extension.ResetCycle]); [ErrReadOnly]; the database's errors.
func (x *Extension) SetCycle(ctx context.Context, scope Scope, cycle int64) error {
	return x.setCycle(ctx, scope, cycle, false)
}

// ResetCycle is [Extension.SetCycle] that also accepts an earlier cycle, and 0 for
// none.
func (x *Extension) ResetCycle(ctx context.Context, scope Scope, cycle int64) error {
	return x.setCycle(ctx, scope, cycle, true)
}

func (x *Extension) setCycle(ctx context.Context, scope Scope, cycle int64, back bool) error {
	scope = x.db.Complete(scope)
	if err := x.redactor.Labels(scope); err != nil {
		return err
	}
	err := x.mem.Cycles.Set(ctx, x.db, scope, cycle, back)
	if err == nil {
		x.background.wake(scope)
	}
	return err
}

// raiseCycle sets the cycle unless the current one is the same or later.
func (x *Extension) raiseCycle(ctx context.Context, scope Scope, cycle int64) error {
	if cycle <= x.Cycle(scope) {
		return nil
	}
	err := x.SetCycle(ctx, scope, cycle)
	if _, begun := errors.AsType[*InvalidError](err); begun {
		return nil // a later one was set meanwhile
	}
	return err
}

// stamp adds the attributes of the host and the current cycle to messages, and the origin of
// trusted tools to their results.
func (x *Extension) stamp(events []eventbus.Event) {
	for i := range events {
		if x.isTrusted(&events[i]) {
			events[i].Origin = schema.OriginToolInternal
		}
		if attributes := x.mem.Cycles.Stamp(events[i].Scope, x.attributes(events[i].Scope)); len(attributes) > 0 {
			events[i] = events[i].Stamped(attributes)
		}
	}
}

// attributes returns the host's attributes for messages of a scope. Invalid ones
// are reported and left out, since a faulty callback must not cost the message.
func (x *Extension) attributes(scope Scope) map[string]string {
	if x.cfg.Attributes == nil {
		return nil
	}
	var given map[string]string
	err := memory.CallHost("Config.Attributes", func() error { given = x.cfg.Attributes(scope); return nil })
	usable := make(map[string]string, len(given))
	for name, value := range given {
		if value == "" {
			continue
		}
		if invalid := schema.ValidAttribute(name, value); invalid != nil {
			err = invalid
			continue
		}
		usable[name] = value
	}
	x.outcome(scope, "attributes", callAttributes, err)
	return usable
}
