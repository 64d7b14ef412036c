package schema

import (
	"sync"
	"time"
)

// GuardClock returns a clock that no fault of now stops: while now panics or gives
// a time that cannot be stored, it stays at the last good one. report is told when
// that begins, and with nil when now works again; nil: it is not told. field names
// now in errors.
//
// Errors: an [*InvalidError] when the first reading fails. Such a clock is the
// caller's mistake and not yet a fault of a memory in use.
func GuardClock(field string, now func() time.Time, report func(error)) (func() time.Time, error) {
	if report == nil {
		report = func(error) {}
	}
	c := &guardedClock{field: field, now: now, report: report}
	var err error
	if c.last, err = c.read(); err != nil {
		return nil, err
	}
	return c.time, nil
}

type guardedClock struct {
	field  string
	now    func() time.Time
	report func(error)

	mu      sync.Mutex // not held while now or report is called
	last    time.Time
	failing bool
}

func (c *guardedClock) time() time.Time {
	now, err := c.read()
	c.mu.Lock()
	if err == nil {
		c.last = now
	}
	now = c.last
	changed := c.failing != (err != nil)
	c.failing = err != nil
	c.mu.Unlock()
	if changed {
		c.report(err)
	}
	return now
}

func (c *guardedClock) read() (now time.Time, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &InvalidError{Field: c.field, Reason: "must give the time: it " + ForeignPanic("", r).(*ForeignError).kind()}
		}
	}()
	now = c.now()
	if now.IsZero() || now.Year() < 1 || now.Year() > 9999 { // what RFC 3339 can write
		return now, &InvalidError{Field: c.field, Reason: "must give a time from the year 1 to 9999, and not the zero time"}
	}
	return now, nil
}
