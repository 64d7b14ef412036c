package schema

import (
	"sync"
	"time"
)

// GuardClock wraps a host's clock. While now panics or returns a time that cannot be
// stored, the returned clock stands still at the last valid time. report, if not nil,
// is called with the error when that begins and with nil when now works again. field
// names now in errors.
//
// Errors: an [*InvalidError] if the first call of now fails.
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
