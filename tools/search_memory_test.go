package tools_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

func TestSearchShowsWhatItFinds(t *testing.T) {
	h := ada(t)
	turn := h.says("The kayak is in <Porto> & paid for.", time.Hour)
	answer := h.call("search_memory", "kayak")
	require.Contains(t, answer, "1 memory, best first:")
	require.Contains(t, answer, turn.UID)
	require.Contains(t, answer, "Sat 2026-05-16 11:00")
	require.Contains(t, answer, `"kind":"episode"`)
	require.Contains(t, answer, `"origin":"user_direct"`)
	require.Contains(t, answer, `\u003cPorto\u003e \u0026 paid`, "escaped")
	require.Len(t, h.shown, 1)
	require.Equal(t, turn.UID, h.shown[0].Memory.UID)
}

func TestSearchNeverSeesAnotherUser(t *testing.T) {
	db := openDB(t)
	a := newHost(t, db, schema.Scope{User: "ada", Session: "s"})
	b := newHost(t, db, schema.Scope{User: "bob", Session: "s"})
	c := newHost(t, db, schema.Scope{Tenant: "other", User: "ada", Session: "s"})
	a.says("The kayak is in Porto.", time.Hour)
	for _, other := range []*host{b, c} {
		require.Contains(t, other.call("search_memory", "kayak Porto"), "Nothing was found")
		require.Empty(t, other.shown)
	}
}

func TestSearchFilters(t *testing.T) {
	h := ada(t)
	h.says("kayak lesson one", 40*24*time.Hour) // 6 April
	h.says("kayak lesson two", 30*time.Hour)    // yesterday at 6 h
	h.fact("The user owns a kayak.", schema.OriginUser)
	for _, c := range []struct {
		input string
		found []string
	}{
		{`{"query": "kayak"}`, []string{"one", "two", "owns"}},
		{`{"query": "kayak", "kind": "fact"}`, []string{"owns"}},
		{`{"query": "kayak", "kind": "EPISODE"}`, []string{"one", "two"}},
		{`{"query": "kayak", "since": "yesterday"}`, []string{"two"}},
		{`{"query": "kayak", "since": "2026-05-15", "until": "2026-05-15"}`, []string{"two"}},
		{`{"query": "kayak", "until": "last month"}`, []string{"one", "owns"}},
		{`{"query": "kayak", "since": "last month", "until": "2026-04-10"}`, []string{"one"}},
		{`{"query": "kayak", "since": "2026-05-15T05:59:00Z", "until": "now"}`, []string{"two"}},
		{`{"query": "kayak", "since": "2026-05", "until": "2026"}`, []string{"two"}},
		{`{"query": "kayak", "tag": "sport"}`, nil},
		{`{"query": "kayak", "limit": "1"}`, []string{""}},
		{`{"query": "kayak", "limit": 1.0}`, []string{""}},
	} {
		answer := h.call("search_memory", c.input)
		if c.found == nil {
			require.Contains(t, answer, "Nothing was found", c.input)
			require.Contains(t, answer, "without tag", c.input)
			continue
		}
		require.Equal(t, len(c.found), strings.Count(answer, `"id"`), "%s\n%s", c.input, answer)
		for _, word := range c.found {
			require.Contains(t, answer, word, c.input)
		}
	}
}

func TestSearchExplainsBadNumbersAndTimes(t *testing.T) {
	h := ada(t)
	h.says("kayak", time.Hour)
	for input, says := range map[string]string{
		`{"query": "kayak", "limit": 0}`:                                       "limit must be a whole number from 1 to 50",
		`{"query": "kayak", "limit": -3}`:                                      "limit must be a whole number from 1 to 50",
		`{"query": "kayak", "limit": "-1e400"}`:                                "limit must be a whole number from 1 to 50",
		`{"query": "kayak", "limit": 2.5}`:                                     "limit must be a whole number from 1 to 50",
		`{"query": "kayak", "limit": "NaN"}`:                                   "limit must be a number",
		`{"query": "kayak", "limit": "many"}`:                                  "limit must be a number",
		`{"query": "kayak", "limit": true}`:                                    "limit must be a number",
		`{"query": "kayak", "limit": 1e9}`:                                     "limit was taken as 50",
		`{"query": "kayak", "limit": 1e999}`:                                   "limit was taken as 50",
		`{"query": "kayak", "kind": "rumour"}`:                                 `kind "rumour" is not one of episode, fact, preference, reflection`,
		`{"query": "kayak", "since": "soonish"}`:                               "since is not one time I can read",
		`{"query": "kayak", "since": "last week and last year"}`:               "since is not one time I can read",
		`{"query": "kayak", "until": "11:30 today"}`:                           "until is not one time I can read",
		`{"query": "kayak", "until": "3 pm yesterday"}`:                        "until is not one time I can read",
		`{"query": "kayak", "until": "today"}`:                                 "1 memory",
		`{"query": "kayak", "since": "2026-05-02", "until": "2026-04-01"}`:     "is not earlier than until",
		`{"query": "kayak", "tag": "` + strings.Repeat("x", 600) + `"}`:        "Nothing was found",
		`{"query": "\"kayak\" OR tenant:bob NEAR(* ^)"}`:                       "1 memory",
		`{"query": "` + strings.Repeat("zzz ", 9000) + `"}`:                    "Nothing was found",
		`{"query": "` + strings.Repeat("kayak zebra ", 5000) + `", "limit":3}`: "1 memory",
	} {
		require.Contains(t, h.call("search_memory", input), says, input[:min(len(input), 80)])
	}
	require.Empty(t, h.fault)
}

func TestSearchFindsDormantLast(t *testing.T) {
	h := ada(t)
	faded := h.fact("The user once owned a zeppelin.", schema.OriginUser)
	h.write(func(ctx context.Context, tx *schema.Tx) error {
		return tx.SetState(ctx, faded, schema.StateDormant, schema.Actor{Name: "night"})
	})
	answer := h.call("search_memory", "zeppelin")
	require.Contains(t, answer, faded.UID)
	require.Contains(t, answer, `"state":"dormant"`)
	h.says("The zeppelin museum was closed.", time.Hour)
	require.NotContains(t, h.call("search_memory", "zeppelin"), faded.UID)
}

func TestSearchReportsDegradedArms(t *testing.T) {
	all := tools.New(tools.Deps{
		DB: openDB(t), Scope: schema.Scope{User: "ada"},
		Search: func(context.Context, recall.Query) (*recall.Answer, error) {
			return &recall.Answer{Degraded: []recall.Degraded{{Arm: "vector", Reason: "embedder is down"}}}, nil
		},
	})
	answer, err := all[0].Call(t.Context(), "kayak")
	require.NoError(t, err)
	require.Contains(t, answer, "The vector search did not answer fully (embedder is down)")
	require.Contains(t, answer, "Nothing was found")
}
