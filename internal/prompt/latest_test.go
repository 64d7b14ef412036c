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
