package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/measure"
	"github.com/ebbmem/ebb/internal/racing"
)

// The lives in testdata/talk ask about times and go on talking, in four languages.
func TestTimeQuestions(t *testing.T) {
	racing.Alone(t)
	if testing.Short() {
		t.Skip("lives four times four months")
	}
	var v measure.LivesView
	out := ebb(t, "", "eval", "--life", "testdata/talk", "--json")
	require.NoError(t, json.Unmarshal([]byte(out.out), &v), out.err)
	least := map[string]float64{"time": 0.95, "followup": 0.95, "off": 1}
	require.NotEmpty(t, v.Total)
	for _, f := range v.Total {
		assert.GreaterOrEqual(t, f.Present, least[f.Kind], "%s on day %d", f.Kind, f.Day)
	}
	if t.Failed() {
		for _, l := range v.Lives {
			for _, m := range l.Missed {
				t.Logf("%s, day %d: %s %v %v", l.Life, m.Day, m.Ask, m.Missing, m.Wrong)
			}
		}
	}
}
