package main

import (
	"fmt"
	"time"
)

// instant is a point in time on the command line: a date (its first moment,
// local time), a date and time, or RFC 3339 with a zone.
type instant struct{ time.Time }

// UnmarshalText implements [encoding.TextUnmarshaler] for kong.
func (i *instant) UnmarshalText(text []byte) error {
	s := string(text)
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		i.Time = t.UTC()
		return nil
	}
	for _, layout := range [...]string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			i.Time = t.UTC()
			return nil
		}
	}
	return fmt.Errorf("%q is no time; write 2026-03-01, \"2026-03-01 18:00\" or 2026-03-01T18:00:00Z", s)
}
