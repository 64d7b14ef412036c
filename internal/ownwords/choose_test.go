package ownwords

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// Who is told the older of two lines is told the change as well, whatever words the
// question has for it.
func TestAChangeComesWithWhatItChanges(t *testing.T) {
	const was, changed = "Nadia from accounts signs my expenses.", "From today Piotr signs my expenses instead."
	told := make(map[int64]*ownClaim)
	for i, said := range append([]string{was, changed}, slices.Repeat([]string{"My shelf number %d is painted in colour %[1]d."}, 30)...) {
		if strings.Contains(said, "%") {
			said = fmt.Sprintf(said, i)
		}
		c := &ownClaim{claim: schema.Memory{ID: int64(i + 1), Content: said}, text: said}
		c.source = schema.Memory{ID: int64(100 + i), EventTime: schema.At(time.Date(2026, 3, 1+i, 9, 0, 0, 0, time.UTC))}
		c.prepare(time.UTC)
		told[c.claim.ID] = c
	}
	lines := linesOf(told, time.UTC)
	chosen := lines.Choose(100, "Nadia?", nil, time.Now())
	require.Contains(t, chosen.Text, was)
	require.Contains(t, chosen.Text, changed)
	require.NotContains(t, lines.Choose(100, "shelf number 22?", nil, time.Now()).Text, changed)
}
