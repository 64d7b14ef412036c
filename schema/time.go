package schema

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"time"
)

// Time is a time as the database stores it: INTEGER Unix milliseconds, UTC. The zero
// value is stored as NULL and means "not set".
type Time struct{ time.Time }

// At returns t in UTC at the stored resolution; zero for the zero time.
func At(t time.Time) Time {
	if t.IsZero() {
		return Time{}
	}
	return Time{time.UnixMilli(t.UnixMilli()).UTC()}
}

// SameDay reports whether both times lie on one day in a time zone; nil means UTC.
func (t Time) SameDay(u Time, loc *time.Location) bool {
	loc = cmp.Or(loc, time.UTC)
	return t.In(loc).Format(time.DateOnly) == u.In(loc).Format(time.DateOnly)
}

// Value implements [driver.Valuer].
func (t Time) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return t.UnixMilli(), nil
}

// Scan implements [database/sql.Scanner].
func (t *Time) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = Time{}
	case int64:
		*t = Time{time.UnixMilli(v).UTC()}
	default:
		return fmt.Errorf("schema.Time: cannot read %T, want INTEGER milliseconds", src)
	}
	return nil
}
