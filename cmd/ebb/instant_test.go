package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestInstant(t *testing.T) {
	evening := time.Date(2026, 3, 1, 18, 0, 0, 0, time.UTC) // time.Local is UTC in these tests
	for text, want := range map[string]time.Time{
		"2026-03-01":                evening.Add(-18 * time.Hour),
		"2026-03-01 18:00":          evening,
		"2026-03-01T18:00":          evening,
		"2026-03-01 18:00:07":       evening.Add(7 * time.Second),
		"2026-03-01T18:00:07":       evening.Add(7 * time.Second),
		"2026-03-01T18:00:07Z":      evening.Add(7 * time.Second),
		"2026-03-01T23:45:00+05:45": evening,
	} {
		var got instant
		require.NoError(t, got.UnmarshalText([]byte(text)), text)
		require.Equal(t, want, got.Time, text)
	}
	for _, text := range []string{"", "now", "2026-13-01", "2026-02-30", "18:00", "2026-03-01T18:00:00+25:00", "10000-01-01"} {
		require.ErrorContains(t, new(instant).UnmarshalText([]byte(text)), "is no time; write 2026-03-01", text)
	}
}

// A search as of a time in words returns what one as of its date returns: without the
// question's plan, which is about the present.
func TestAsOfInWords(t *testing.T) {
	db := filepath.Join(t.TempDir(), "m.db")
	turns := `{"id":"m1","session":"a","time":"2026-01-05T18:00:00Z","text":"I went to the sea with Noor."}
{"id":"m2","session":"b","time":"2026-01-25T18:00:00Z","text":"I went to the theatre with Noor."}`
	require.Equal(t, exitOK, ebb(t, turns, "--db", db, "--user", "ada", "import", "--mine", "-").code)
	search := func(asOf string) outcome {
		return ebb(t, "", "--db", db, "--now", "2026-03-18T09:00:00Z", "search", "--json", "--as-of", asOf, "Where did I go with Noor on 5 January 2026?")
	}
	dated, worded := search("2026-02-01"), search("last month")
	require.Equal(t, exitOK, dated.code, dated.err)
	require.Contains(t, dated.out, "theatre")
	require.Equal(t, dated.out, worded.out)
}

func TestMomentInWords(t *testing.T) {
	a := &app{now: time.Date(2026, 3, 18, 9, 0, 0, 0, time.UTC), location: time.UTC}
	for words, want := range map[string]time.Time{
		"last month":  time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
		"yesterday":   time.Date(2026, 3, 17, 0, 0, 0, 0, time.UTC),
		"2026-03-01":  time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		" last week ": time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC),
	} {
		var got moment
		require.NoError(t, got.UnmarshalText([]byte(words)), words)
		require.Equal(t, want, got.at(a), words)
	}
	for _, words := range []string{"", "soon", "the report of last month"} {
		require.ErrorContains(t, new(moment).UnmarshalText([]byte(words)), "in words such as", words)
	}
	require.True(t, new(moment).at(a).IsZero(), "not given")
}
