package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fixtureQuery is one labelled question of the ThreeTier fixture. README.md beside the file says what the labels mean.
type fixtureQuery struct {
	ID         string  `json:"id"`
	Query      string  `json:"query"`
	Role       string  `json:"role"`
	Issue      int     `json:"issue"`
	CycleRange *[2]int `json:"cycleRange"`
	At         struct {
		Cycle     int       `json:"cycle"`
		Timestamp time.Time `json:"timestamp"`
	} `json:"at"`
	Evidence []string `json:"evidence"`
	Category string   `json:"category"`
}

// fixtureCounts are the questions of each category; README.md repeats them.
var fixtureCounts = map[string]int{
	"single": 17, "paraphrase": 21, "role": 13, "issue": 14, "cycle": 14, "temporal": 18, "decision": 19,
	"number": 16, "cross-cycle": 19, "archival": 14, "unanswerable": 10,
}

func TestThreeTierFixtureQueries(t *testing.T) {
	entries := map[string]streamEntry{}
	closing := map[int]time.Time{} // the time of each cycle's last entry
	roles, last := map[string]bool{}, 0
	for _, e := range fixtureLines[streamEntry](t, "stream.jsonl") {
		entries[e.ID], closing[e.Cycle], roles[e.Role], last = e, e.Timestamp, true, e.Cycle
	}
	docs := map[string]bool{"bank.md": true}
	for _, d := range fixtureDocs(t) {
		docs[d] = true
	}

	ids, asked, counts := map[string]bool{}, map[string]bool{}, map[string]int{}
	used := map[string]bool{}
	for _, q := range fixtureLines[fixtureQuery](t, "queries.jsonl") {
		require.False(t, ids[q.ID], "%s is given twice", q.ID)
		ids[q.ID] = true
		counts[q.Category]++
		require.GreaterOrEqual(t, len(strings.Fields(q.Query)), 3, q.ID)

		again := q.Query + q.At.Timestamp.String()
		require.False(t, asked[again], "%s is asked twice at the same time", q.ID)
		asked[again] = true

		require.Contains(t, closing, q.At.Cycle, q.ID)
		require.True(t, q.At.Timestamp.After(closing[q.At.Cycle]), "%s is asked when its cycle is over", q.ID)
		if next, ok := closing[q.At.Cycle+1]; ok {
			require.True(t, q.At.Timestamp.Before(next), "%s is asked in a later cycle than it says", q.ID)
		}
		if q.Role != "" {
			require.True(t, roles[q.Role], "%s: nobody is %s", q.ID, q.Role)
		}

		cycles, fromDocs := map[int]bool{}, 0
		for i, label := range q.Evidence {
			require.NotContains(t, q.Evidence[:i], label, q.ID)
			used[label] = true
			if docs[label] {
				require.Equal(t, last, q.At.Cycle, "%s: documents are as they stand at the end", q.ID)
				fromDocs++
				continue
			}
			e, ok := entries[label]
			require.True(t, ok, "%s: no entry and no document is %s", q.ID, label)
			require.LessOrEqual(t, e.Cycle, q.At.Cycle, "%s: evidence of the future", q.ID)
			cycles[e.Cycle] = true
			if q.Role != "" {
				require.Equal(t, q.Role, e.Role, q.ID)
			}
			if q.Issue != 0 {
				require.Contains(t, e.IssueRefs, q.Issue, q.ID)
			}
			if q.CycleRange != nil {
				require.GreaterOrEqual(t, e.Cycle, q.CycleRange[0], q.ID)
				require.LessOrEqual(t, e.Cycle, q.CycleRange[1], q.ID)
			}
		}
		switch q.Category {
		case "unanswerable":
			require.Empty(t, q.Evidence, q.ID)
			require.NotNil(t, q.Evidence, "%s says so with []", q.ID)
		case "cross-cycle":
			require.GreaterOrEqual(t, len(cycles), 2, q.ID)
			require.LessOrEqual(t, len(cycles), 3, q.ID)
			require.Zero(t, fromDocs, q.ID)
		case "archival":
			require.Equal(t, len(q.Evidence), fromDocs, q.ID)
			require.NotEmpty(t, q.Evidence, q.ID)
		default:
			require.NotEmpty(t, cycles, q.ID)
		}
	}
	require.Equal(t, fixtureCounts, counts)
	for d := range docs {
		require.True(t, used[d], "no question is about %s", d)
	}
}
