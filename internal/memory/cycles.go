package memory

import (
	"context"
	"strconv"
	"sync"

	"github.com/ebbmem/ebb/schema"
)

// Cycles caches the cycle that each user's agents are in, so that stamping a
// message reads no file. It is safe for concurrent use.
type Cycles struct {
	setting sync.Mutex // held while one is written or all are read

	mu sync.RWMutex
	of map[schema.Scope]int64 // by tenant and user
}

// Team is the scope that a cycle belongs to: all agents and sessions of a user
// share one.
func Team(scope schema.Scope) schema.Scope {
	return schema.Scope{Tenant: scope.Tenant, User: scope.User}
}

// Get is a user's cycle, 0 for none.
func (c *Cycles) Get(scope schema.Scope) int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.of[Team(scope)]
}

// Put sets a user's cycle in the cache alone.
func (c *Cycles) Put(scope schema.Scope, cycle int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[Team(scope)] = cycle
}

// Load reads every user's cycle from the file.
func (c *Cycles) Load(ctx context.Context, db *schema.DB) error {
	c.setting.Lock()
	defer c.setting.Unlock()
	return db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		all, err := s.Cycles(ctx)
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.of = all
		return nil
	})
}

// Set writes a user's cycle. It goes back only if back is set.
func (c *Cycles) Set(ctx context.Context, db *schema.DB, scope schema.Scope, cycle int64, back bool) error {
	c.setting.Lock()
	defer c.setting.Unlock()
	err := db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		return tx.SetCycle(ctx, userID, cycle, back)
	})
	if err == nil {
		c.Put(scope, cycle)
	}
	return err
}

// Stamp adds the user's cycle to the attributes of a message, unless they name
// one. The map may be nil.
func (c *Cycles) Stamp(scope schema.Scope, attributes map[string]string) map[string]string {
	cycle := c.Get(scope)
	if _, named := attributes[schema.AttrCycle]; named || cycle == 0 {
		return attributes
	}
	if attributes == nil {
		attributes = make(map[string]string, 1)
	}
	attributes[schema.AttrCycle] = strconv.FormatInt(cycle, 10)
	return attributes
}
