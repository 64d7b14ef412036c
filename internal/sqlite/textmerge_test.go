package sqlite

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStepsOfAMerge(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	later := now.Add(time.Hour)
	const never = -1
	for name, c := range map[string]struct {
		m     merging
		pause bool
		pages int64
		wait  time.Duration
	}{
		"too little":                     {m: merging{lowest: mergeSegments - 1, largest: mergeSegments - 1}, pause: true, wait: never},
		"in a pause":                     {m: merging{lowest: mergeSegments, rest: later}, pause: true, pages: mergePages, wait: writePause},
		"above the lowest level, in one": {m: merging{largest: mergeSegments, rest: later}, pause: true, pages: mergePages, wait: writePause},
		"in one that goes on":            {m: merging{lowest: mergeSegments, paused: true}, pause: true, pages: mergePages, wait: mergePause},
		"a pause is waited for":          {m: merging{lowest: mergeUrgent - 1}, wait: writePause},
		"before FTS5 would merge":        {m: merging{lowest: mergeUrgent, rest: later}, pages: mergeFew, wait: writePause},
		"above the lowest level":         {m: merging{largest: mergeSegments, rest: now}, pages: mergeFew, wait: writePause},
		"half merged":                    {m: merging{merged: mergeSegments, rest: now}, pages: mergeFew, wait: writePause},
		"so many that FTS5 prefers it to the lowest level": {m: merging{merged: mergeUrgent, rest: later}, pages: mergePages, wait: writePause},
		"others have their time":                           {m: merging{lowest: mergeUrgent - 1, largest: mergeLate - 1, merged: mergeUrgent - 1, rest: now.Add(1)}, wait: writePause},
		"unless far too much has been left":                {m: merging{largest: mergeLate, rest: later}, pages: mergeFew, wait: writePause},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.pages, c.m.pages(now, c.pause))
			wait, some := c.m.wait()
			require.Equal(t, c.wait != never, some)
			if some {
				require.Equal(t, c.wait, wait)
			}
		})
	}
}

// YieldToWriters would wait for a series of merges.
func TestYieldToWritersIgnoresMerges(t *testing.T) {
	db := open(t, Options{})
	for i := range mergeSegments {
		addText(t, db, manyWords(i))
	}
	last := db.pauses.last.Load()
	require.Eventually(t, func() bool { return segments(t, db) == 1 }, 10*time.Second, time.Millisecond)
	require.Equal(t, last, db.pauses.last.Load())
}

// Background work checks Contended, and would stop for merges.
func TestMergeWithoutContention(t *testing.T) {
	merge, some, more := &write{merge: true}, &write{}, &write{}
	for n, group := range [][]*write{{merge}, {merge, some}, {merge, some, more}} {
		require.Equal(t, n, waiting(group))
	}
	require.Equal(t, 2, waiting([]*write{some, more}))
}
