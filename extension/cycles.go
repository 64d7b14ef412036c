package extension

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/ebbmem/ebb/schema"
)

// cycles are the cycles that users' agents are in. They are durable in the file
// and read from it once: a message is stamped from memory.
type cycles struct {
	setting sync.Mutex // held while one is written

	mu sync.RWMutex
	of map[Scope]int64 // by tenant and user
}

func (c *cycles) get(scope Scope) int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.of[team(scope)]
}

// team is whose count it is: all agents and sessions of a user share it.
func team(scope Scope) Scope { return Scope{Tenant: scope.Tenant, User: scope.User} }

// loadCycles reads every user's cycle anew.
func (x *Extension) loadCycles(ctx context.Context) error {
	x.cycles.setting.Lock()
	defer x.cycles.setting.Unlock()
	return x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		all, err := s.Cycles(ctx)
		if err != nil {
			return err
		}
		x.cycles.mu.Lock()
		defer x.cycles.mu.Unlock()
		x.cycles.of = all
		return nil
	})
}

func (c *cycles) put(scope Scope, cycle int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[team(scope)] = cycle
}

// Cycle is the cycle that a user's agents are in, 0 when nobody counts. What
// another process sets is seen when the file is next opened.
func (x *Extension) Cycle(scope Scope) int64 { return x.cycles.get(scope) }

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
	if err := x.redactor.labels(scope); err != nil {
		return err
	}
	x.cycles.setting.Lock()
	defer x.cycles.setting.Unlock()
	err := x.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		return tx.SetCycle(ctx, userID, cycle, back)
	})
	if err == nil {
		x.cycles.put(scope, cycle)
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

// inCycle adds the cycle to attributes of a message; the map may be nil.
func (x *Extension) inCycle(scope Scope, attributes map[string]string) map[string]string {
	cycle := x.Cycle(scope)
	if _, said := attributes[schema.AttrCycle]; said || cycle == 0 {
		return attributes
	}
	if attributes == nil {
		attributes = make(map[string]string, 1)
	}
	attributes[schema.AttrCycle] = strconv.FormatInt(cycle, 10)
	return attributes
}
