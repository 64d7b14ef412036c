package prompt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Each line begins with its day, and stands below its year: what the user asked to keep first, then,
// by time, what a tool saved, what messages said and what was said in passing.
func TestLinesHaveTheirDaysBelowTheirYears(t *testing.T) {
	at := func(year int, month time.Month, sentences ...string) map[int64]*ownClaim {
		claims := claimsOf(schema.Attributes{schema.AttrSaid: schema.SaidLasting}, sentences...)
		for id, c := range claims {
			c.claim.Confidence = 1
			c.source.EventTime = schema.At(time.Date(year, month+time.Month(id-1), 3, 9, 0, 0, 0, time.UTC))
		}
		return claims
	}
	show := func(claims map[int64]*ownClaim, budget int) string {
		return linesOf(claims, time.UTC, time.Time{}).Ask(t.Context(), "Hello", "", Meaning{}, nil, time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)).Choose(budget).Text
	}
	claims := at(2025, 12, "I am mad about trains.", "We live in Oak Lane.", "The spare key is with Doreen.", "The stopcock is below the stairs.")
	claims[2].claim.Attributes = nil // saved by a tool
	claims[4].claim.Protected = true
	require.Equal(t, keptTitle+"2026:\n- Tue Mar 3: The stopcock is below the stairs.\n"+Title+"2025:\n- Wed Dec 3: I am mad about trains.\n2026:\n- Sat Jan 3: We live in Oak Lane.\n- Tue Feb 3: The spare key is with Doreen.\n", show(claims, 400))

	var sentences []string
	for i := range 60 {
		sentences = append(sentences, fmt.Sprintf("The key of door number %d is the one with the round head.", i+2))
	}
	for _, budget := range []int{100, 200, 400, 800} {
		section := show(at(2023, 1, sentences...), budget)
		require.LessOrEqual(t, text.Tokens(section), budget)
		require.Contains(t, section, ":\n- ", "%d: some line fits", budget)
		last := ""
		for line := range strings.Lines(section) {
			if !strings.HasPrefix(line, "- ") && line != Title {
				require.Greater(t, line, last, section)
				last = line
			}
		}
	}
}
