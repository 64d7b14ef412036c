package dream

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// The heuristics of cognitive-v9.md, Relational Memory, at their thresholds.
func TestHeuristicsOfRelations(t *testing.T) {
	for _, c := range []struct {
		shared, withHubs int
		overlap          float64
		sameCategory     bool
		typ              string
		confidence       float64
	}{
		{2, 2, 0, false, schema.LinkSameEntity, 0.7},
		{2, 2, 1, true, schema.LinkSameEntity, 0.7},
		{1, 1, 0.31, false, schema.LinkElaborates, 0.5},
		{0, 1, 0.31, false, schema.LinkElaborates, 0.5},
		{1, 1, 0.30, false, "", 0},
		{0, 2, 0.30, false, "", 0},
		{0, 0, 0.31, false, "", 0},
		{1, 1, 0.30, true, schema.LinkRelated, 0.4},
		{0, 0, 0.16, true, schema.LinkRelated, 0.4},
		{0, 0, 0.15, true, "", 0},
	} {
		typ, confidence := related(c.shared, c.withHubs, c.overlap, c.sameCategory)
		require.Equal(t, c.typ, typ, c)
		require.InDelta(t, c.confidence, confidence, 1e-12, c)
	}
}

func TestBadVerdicts(t *testing.T) {
	good := func() []verdict { return []verdict{{2, "none", 0}, {1, "Causes ", 0.5}} }
	require.NoError(t, check(good(), 2))
	for name, change := range map[string]func(v []verdict) []verdict{
		"too few":       func(v []verdict) []verdict { return v[:1] },
		"twice":         func(v []verdict) []verdict { v[0].Pair = 1; return v },
		"another pair":  func(v []verdict) []verdict { v[0].Pair = 3; return v },
		"supersedes":    func(v []verdict) []verdict { v[1].Relation = "supersedes"; return v },
		"contradicts":   func(v []verdict) []verdict { v[1].Relation = "contradicts"; return v },
		"no confidence": func(v []verdict) []verdict { v[1].Confidence = 0; return v },
		"too sure":      func(v []verdict) []verdict { v[1].Confidence = 1.01; return v },
	} {
		require.Error(t, check(change(good()), 2), name)
	}
}
