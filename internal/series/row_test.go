package series

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
)

func never(time.Time) bool { return false }

func TestEarlierReadingsHaveTheirDays(t *testing.T) {
	statements := daily("121/79", "118/76", "131/78", "I read Wednesday's wrong, it was 121/78", "124/81 :)")
	statements[4].Said = monday.AddDate(1, 0, 0)
	joined := Join(append(statements, Statement{Text: "119/77", Readings: Of("119/77"), Said: monday.AddDate(1, 0, 3)}))
	require.Len(t, joined, 1)
	s := joined[0]
	assert.Equal(t, "119/77", s.Members[s.Newest()].Value)
	assert.Equal(t, "121/79 Mar 2 2026, 118/76 Mar 3, 121/78 Mar 4, 124/81 Mar 2 2027", s.Earlier(100, never))
}

// However many readings there are, the row stays within its tokens, and those of the times asked for
// are in it.
func TestEarlierReadingsAreThinned(t *testing.T) {
	var texts []string
	for i := range 200 {
		texts = append(texts, fmt.Sprintf("%d.%d", 60+i%7, i%10))
	}
	texts[77] = "69.9 uff"
	joined := Join(daily(texts...))
	require.Len(t, joined, 1)
	s := joined[0]
	require.Len(t, s.Members, 200)
	for _, tokens := range []int{20, 40, 80, 160} {
		row := s.Earlier(tokens, never)
		assert.LessOrEqual(t, text.Tokens(row), tokens)
		assert.Contains(t, row, "…")
		assert.NotContains(t, row, monday.AddDate(0, 0, 199).Format("Jan 2"), "the newest")
		assert.Contains(t, row, monday.AddDate(0, 0, 198).Format("Jan 2"), "the last before it")
		if tokens >= 40 {
			assert.Contains(t, row, "69.9", "the highest")
			assert.Contains(t, row, texts[0]+" "+monday.Format("Jan 2 2006"), "the first")
		}
	}
	from := monday.AddDate(0, 0, 100)
	within := func(at time.Time) bool { return !at.Before(from) && at.Before(from.AddDate(0, 0, 14)) }
	row := strings.Split(s.Earlier(60, within), ", ")
	for i := range 14 {
		day := from.AddDate(0, 0, i).Format("Jan 2")
		assert.True(t, slices.ContainsFunc(row, func(part string) bool { return strings.HasSuffix(part, day) || strings.Contains(part, day+" ") }), day)
	}
}
