package schema

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Time is an instant as the database keeps it: INTEGER Unix milliseconds, UTC.
// The zero value is stored as NULL and means "not set". Text times would
// compare wrongly between writers that format them differently.
type Time struct{ time.Time }

// At truncates t to the stored resolution, in UTC. The zero time stays zero.
func At(t time.Time) Time {
	if t.IsZero() {
		return Time{}
	}
	return Time{time.UnixMilli(t.UnixMilli()).UTC()}
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
