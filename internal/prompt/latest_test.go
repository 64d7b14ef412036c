package prompt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What was said last of a person stands beside what was said before, though it shares no word
// with the question but the name.
func TestLatestOfANameIsShown(t *testing.T) {
	const was, is = "Mabel and Rob marry at Bath Guildhall on 11 October, two hours, £700", "Mabel wrote, it's called off"
	sentences := []string{was}
	for i := range 60 {
		sentences = append(sentences, fmt.Sprintf("The registry of box %d is in cupboard %d.", i+2, i+90))
	}
	sentences = append(sentences, is)
	lines := linesOf(claimsOf(nil, sentences...), time.UTC, time.Time{})
	shown := lines.Ask(t.Context(), "Is the Bath registry wedding in October on?", "", Meaning{}, nil, time.Now()).Choose(160).Text
	require.Contains(t, shown, was)
	require.Contains(t, shown, is)
	require.Less(t, strings.Count(shown, "\n"), 20)
}

// Lines stand below the month that they were said in, those with a date of their own too.
func TestMonthsAboveDatedLines(t *testing.T) {
	lines := linesOf(claimsOf(nil, "I keep bees.", "I saw the dentist yesterday.", "I have a kiln."), time.UTC, time.Time{})
	for i, l := range lines.all {
		l.Said = time.Date(2026, time.Month(i+1), 5, 9, 0, 0, 0, time.UTC)
	}
	lines = indexLines(lines.all)
	lines.loc = time.UTC
	shown := lines.shown(lines.all, 100)
	require.Regexp(t, `2026-01:\n- I keep bees.*\n2026-02:\n- I saw the dentist yesterday.*\n2026-03:\n- I have a kiln`, shown)
}
