package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
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

// moment is an [instant], or a time in words, which begins where they say:
// "last month" is the first moment of it.
type moment struct {
	instant
	words string
}

// UnmarshalText implements [encoding.TextUnmarshaler] for kong.
func (m *moment) UnmarshalText(words []byte) error {
	err := m.instant.UnmarshalText(words)
	if err == nil {
		return nil
	}
	m.words = strings.TrimSpace(string(words))
	if _, ok := m.begins(time.Now()); !ok { // which moment it is does not matter yet
		return fmt.Errorf("%w, or in words such as \"last month\"", err)
	}
	return nil
}

// given reports whether a time was named, as a date or in words.
func (m *moment) given() bool { return !m.IsZero() || m.words != "" }

// at is the time that is meant, words being read as of the app's present.
func (m *moment) at(a *app) time.Time {
	now := a.now
	if now.IsZero() {
		now = time.Now()
	}
	if start, ok := m.begins(now.In(a.zone())); ok {
		return start
	}
	return m.Time
}

// begins resolves the words, which must be one time expression and nothing else.
func (m *moment) begins(now time.Time) (start time.Time, ok bool) {
	spans := text.TimeSpans(m.words, now)
	if len(spans) != 1 || spans[0].Text != m.words {
		return time.Time{}, false
	}
	return spans[0].Start.UTC(), true
}
