// Package clock is a simulated clock, for replaying old conversations and for
// tests.
package clock

import (
	"sync/atomic"
	"time"
)

// Simulated is a clock that moves only when it is set. It is safe for concurrent
// use; the zero value is 1970-01-01.
type Simulated struct{ millis atomic.Int64 }

// At returns a clock that stands at t.
func At(t time.Time) *Simulated {
	c := new(Simulated)
	c.Set(t)
	return c
}

// Now returns the time it stands at, in UTC and whole milliseconds.
func (c *Simulated) Now() time.Time { return time.UnixMilli(c.millis.Load()).UTC() }

// Set moves it to t.
func (c *Simulated) Set(t time.Time) { c.millis.Store(t.UnixMilli()) }

// Add moves it by d.
func (c *Simulated) Add(d time.Duration) { c.Set(c.Now().Add(d)) }
