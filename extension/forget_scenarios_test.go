package extension

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/racing"
)

var scenarios = flag.Int("forget-scenarios", 25, "scenarios of testdata/forget.jsonl to try, of 100")

// forgetScenario is one conversation in testdata/forget.jsonl that ends with a
// request to forget something.
type forgetScenario struct {
	Lang string `json:"lang"`
	Said []struct {
		Text string  `json:"text"`
		Tell *string `json:"tell"` // the fact that an agent stored from it
	} `json:"said"`
	Ask   string `json:"ask"`
	About []int  `json:"about"` // places in Said that must be forgotten
	Keep  []int  `json:"keep"`  // places that must not
}

func forgetScenarios(t *testing.T) (all []forgetScenario) {
	t.Helper()
	f, err := os.Open("testdata/forget.jsonl")
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s forgetScenario
		require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
		all = append(all, s)
	}
	require.NoError(t, lines.Err())
	return all
}

// outcome is how a request to forget ended.
func (s *forgetScenario) outcome(t *testing.T) (forgotten bool, lost int) {
	l := newDiary(t)
	for _, m := range s.Said {
		l.says(m.Text)
		if m.Tell != nil {
			l.tool("remember_fact", map[string]any{"content": *m.Tell})
		}
	}
	l.publish(s.Ask)
	records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 1000})
	require.NoError(t, err)
	lines := l.profiled()
	stands := func(i int) bool {
		m := s.Said[i]
		return slices.ContainsFunc(records, func(r Record) bool { return r.Content == m.Text || m.Tell != nil && r.Content == *m.Tell }) ||
			slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(m.Text, line) })
	}
	for _, i := range s.Keep {
		if !stands(i) {
			lost++
		}
	}
	return !slices.ContainsFunc(s.About, stands), lost
}

// Of the 100 scenarios, which were written without knowledge of the rules, 38 are
// carried out and 12 of the 995 messages that must stay are forgotten; the other
// requests wait for the host.
func TestForgetInFreeWords(t *testing.T) {
	racing.Alone(t)
	all := forgetScenarios(t)
	step := max(1, len(all) / *scenarios)
	tried, done, kept, lost := 0, 0, 0, 0
	for i := 0; i < len(all); i += step {
		s := &all[i]
		forgotten, gone := s.outcome(t)
		tried, kept, lost = tried+1, kept+len(s.Keep), lost+gone
		if forgotten {
			done++
		}
		if !forgotten || gone > 0 {
			t.Logf("%d %s: forgotten %t, lost %d: %s", i, s.Lang, forgotten, gone, s.Ask)
		}
	}
	t.Logf("%d of %d requests carried out, %d of %d other messages forgotten", done, tried, lost, kept)
	require.GreaterOrEqual(t, done, tried/4)
	require.LessOrEqual(t, lost, kept/60)
}
