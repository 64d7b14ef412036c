package main

import (
	"sync/atomic"
	"time"
)

// clock is a simulated time, for replaying what was said long ago: it stands
// where it was last set. It is safe for concurrent use.
type clock struct{ millis atomic.Int64 }

func (c *clock) now() time.Time { return time.UnixMilli(c.millis.Load()).UTC() }

func (c *clock) set(t time.Time) { c.millis.Store(t.UnixMilli()) }
