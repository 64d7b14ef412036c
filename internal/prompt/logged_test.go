package prompt

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// Where a line of a series is relevant, the newest reading is shown, with the earlier ones and their days.
func TestNewestReadingStandsWithEarlierOnes(t *testing.T) {
	sentences := []string{"121/79, pulse 64. My first blood pressure for you, the clinic wants a month of it"}
	for i := range 40 {
		sentences = append(sentences, fmt.Sprintf("Shelf number %d is painted red.", i+2))
	}
	sentences = append(sentences, "118/76 today", "124/81 :)", "The roof leaks again.", "116/75")
	claims := claimsOf(schema.Attributes{schema.AttrSaid: schema.SaidLasting}, sentences...)
	for _, c := range claims {
		c.source.Content = c.text
	}
	lines := linesOf(claims, time.UTC, time.Time{})
	for _, budget := range []int{150, 300, 5000} {
		text := lines.Ask(t.Context(), "What's my blood pressure now?", "", Meaning{}, nil, time.Now()).Choose(budget).Text
		require.Regexp(t, `- Tue Apr 14: 116/75 \(earlier: .*124/81 [A-Za-z\d ]+\)`, text, budget)
	}
}

// The lines of an unknown user are none, and have no series.
func TestAnUnknownUserHasNoSeries(t *testing.T) {
	lines := &Lines{loc: time.UTC}
	require.Empty(t, lines.Ask(t.Context(), "What's my blood pressure now?", "", Meaning{}, nil, time.Now()).Choose(400).Text)
}
