package prompt

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// A new message changes the lines, but not what is known of the texts of the others.
func TestWordingsOutliveTheLines(t *testing.T) {
	current := make(map[int64]*ownClaim)
	tell := func(id int64, s string) []*line {
		m := schema.Memory{ID: id, Content: s}
		current[id] = &ownClaim{claim: m, source: m, text: s}
		return linesOf(current, time.UTC, time.Time{}).all
	}
	before := tell(1, "I keep bees in Hallstatt.")
	after := tell(2, "My cello is a Guarneri.")
	require.Len(t, after, 2)
	require.NotSame(t, before[0], after[0])
	require.Same(t, before[0].wording(), after[0].wording())
	for i := range mostWordings {
		after[0].claims[0].wording(string(rune('a' + i)))
	}
	require.LessOrEqual(t, len(after[0].claims[0].wordings.of), mostWordings)
}
