package main

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
)

func TestSearch(t *testing.T) {
	f := newFixture(t, "ada")
	got := ebb(t, "", "search", "who", "teaches", "violin?", "-n", "1", "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, " 1. Mon 2026-03-02 07:45  ada  monday  score ")
	require.Contains(t, got.out, "\n    My violin teacher Ottilie moved to Ghent.\n    "+f.adaID+"\n")

	require.Equal(t, "Nothing found.\n", ebb(t, "", "search", "zeppelin", "--db", f.db).out)
	for name, restriction := range map[string][]string{
		"kind": {"--kind", "fact"}, "tag": {"--tag", "music"}, "session": {"--session", "tuesday"},
		"since": {"--since", "2026-03-03"}, "until": {"--until", "2026-03-02"},
		"as of": {"--as-of", "2026-01-01"}, "known at": {"--known-at", "2026-03-05"},
	} {
		require.Equal(t, "Nothing found.\n", ebb(t, "", append([]string{"search", "violin", "--db", f.db}, restriction...)...).out, name)
	}
	require.Contains(t, ebb(t, "", "search", "violin", "--since", "2026-03-02", "--until", "2026-03-02 07:46", "--session", "monday",
		"--kind", "episode,fact", "--as-of", "2026-03-05T00:00:00Z", "--now", "2026-05-01", "--db", f.db).out, "Ottilie")
	require.Contains(t, ebb(t, "", "search", `"violin* OR NEAR(`, "--db", f.db).out, "Ottilie", "syntax is taken literally")
}

// Days are the user's, as for an agent.
func TestSearchInTheUsersZone(t *testing.T) {
	f := newFixture(t, "ada")
	yesterday := []string{"what", "did", "I", "say", "yesterday?", "--now", "2026-03-02T12:00:00Z", "--db", f.db}
	require.Contains(t, ebb(t, "", append([]string{"search"}, yesterday...)...).out, "Nothing is stored from Sun 2026-03-01")
	require.Equal(t, exitOK, ebb(t, "", "profile", "--time-zone", "Pacific/Honolulu", "--db", f.db).code)
	require.Contains(t, ebb(t, "", append([]string{"search"}, yesterday...)...).out, "Order: by the plan (a time), then by score.\n 1. Mon 2026-03-02 07:45")
	why := ebb(t, "", append([]string{"explain", "--memory", f.adaID}, yesterday...)...)
	require.Contains(t, why.out, "returned: it is result 1 of ")
}

func TestExplainAddsUp(t *testing.T) {
	f := newFixture(t, "ada")
	got := ebb(t, "", "explain", "violin teacher", "--json", "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	var answer answerView
	require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
	require.NotEmpty(t, answer.Results)
	for _, r := range answer.Results {
		require.NotEmpty(t, r.Arms)
		sum := 0.0
		for _, s := range r.Signals {
			sum += s.Contribution
		}
		require.Less(t, math.Abs(r.Score-sum), 1e-9)
		odds := 0.0
		for _, g := range r.Grounds {
			odds += g.Contribution
		}
		require.InDelta(t, r.Relevance, answer.Relevance/(1+math.Exp(-odds)), 1e-9)
	}
	require.Empty(t, answer.Order)
	text := ebb(t, "", "explain", "violin teacher", "--db", f.db).out
	require.Regexp(t, `text arm +rank 1 +\(\d`, text)
	require.Regexp(t, `user +\+0\.\d{3} .*the user’s own words`, text)
	require.Contains(t, text, "relevance in ln odds: ")
	require.NotContains(t, text, "Order: ")

	planned := ebb(t, "", "explain", "What did I say on 2 March 2026?", "--now", "2026-03-10", "--db", f.db).out
	require.Contains(t, planned, "Order: by the plan (a time), then by score.")
	require.Contains(t, planned, "relevance ≥ 0.800")
	got = ebb(t, "", "search", "What did I say on 2 March 2026?", "--now", "2026-03-10", "--json", "--db", f.db)
	require.Contains(t, got.out, `"order": "a time"`)
	require.Contains(t, got.out, `"relevance_floor": 0.8`)
}

func TestExplainMissing(t *testing.T) {
	f := newFixture(t, "ada")
	var answer answerView
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "search", "violin teacher", "--json", "--db", f.db).out), &answer))
	id := answer.Results[0].Memory.UID
	require.Contains(t, ebb(t, "", "explain", "violin teacher", "--memory", id, "--db", f.db).out, "returned")
	require.Contains(t, ebb(t, "", "explain", "zeppelin xylograph", "--memory", id, "--db", f.db).out, "unmatched")
	require.Contains(t, ebb(t, "", "explain", "violin teacher", "--memory", id, "--kind", "reflection", "--db", f.db).out, "excluded")
	require.Equal(t, exitNotFound, ebb(t, "", "explain", "violin", "--memory", "nope", "--db", f.db).code)

	var why map[string]any
	got := ebb(t, "", "explain", "violin teacher", "--memory", id, "--json", "--db", f.db)
	require.NoError(t, json.Unmarshal([]byte(got.out), &why))
	require.ElementsMatch(t, []string{"memory", "outcome", "reason", "result", "above", "apart", "degraded"}, slices.Collect(maps.Keys(why)))
	require.Equal(t, "returned", why["outcome"])
	require.Contains(t, why["result"], "signals")
	require.Nil(t, why["above"])
	require.Empty(t, why["apart"])

	require.Greater(t, len(answer.Results), 1)
	second := answer.Results[1].Memory.UID
	require.Contains(t, ebb(t, "", "explain", "violin teacher", "--memory", second, "--db", f.db).out, "what sets it apart")
	var compared whyView
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "explain", "violin teacher", "--memory", second, "--json", "--db", f.db).out), &compared))
	require.Equal(t, id, compared.Above.Memory.UID)
	require.NotEmpty(t, compared.Apart)
}

func TestShow(t *testing.T) {
	f := newFixture(t, "ada")
	got := ebb(t, "", "show", f.adaID, "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	for _, part := range []string{"My violin teacher Ottilie moved to Ghent.", "user_direct, trust 4 of 4", "1.00, never fades", "user.message, event m1"} {
		require.Contains(t, got.out, part)
	}
	var detail extension.Detail
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "show", f.adaID, "--json", "--db", f.db).out), &detail))
	require.Equal(t, "m1", detail.Event.ID)
	require.Equal(t, "ada", detail.Event.Scope.User)
}

func TestTimeline(t *testing.T) {
	f := newFixture(t, "ada")
	got := ebb(t, "", "timeline", "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, `Monday, 2 March 2026
  07:45  ada        My violin teacher Ottilie moved to Ghent.
  07:46  assistant  Will the lessons go on?

Tuesday, 3 March 2026
  07:45  user       Yes, by video, on Fridays.
                    She insists.
`, got.out)
	require.Contains(t, ebb(t, "", "timeline", "--ids", "--db", f.db).out, f.adaID)
	newest := ebb(t, "", "timeline", "-n", "1", "--db", f.db).out
	require.Contains(t, newest, "by video")
	require.NotContains(t, newest, "Ottilie")
	require.Equal(t, "Nothing in this time.\n", ebb(t, "", "timeline", "--since", "2027-01-01", "--db", f.db).out)

	unknown := ebb(t, "", "timeline", "--entity", "Zebulon", "--db", f.db)
	require.Equal(t, exitNotFound, unknown.code)
	require.Contains(t, unknown.err, `mentions "Zebulon"`)
}

func TestStats(t *testing.T) {
	f := newFixture(t, "ada", "ben")
	got := ebb(t, "", "stats", "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, 2, strings.Count(got.out, "3 episodes"))
	require.Contains(t, got.out, "file  healthy")

	var v statsView
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "stats", "--user", "ben", "--json", "--db", f.db).out), &v))
	require.Len(t, v.Users, 1)
	require.Equal(t, "ben", v.Users[0].User)
	require.EqualValues(t, 3, v.Users[0].Memories["episode"])
	require.Positive(t, v.Health.FileBytes)
}

func TestDoctor(t *testing.T) {
	f := newFixture(t, "ada")
	got := ebb(t, "", "doctor", "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "Healthy.\n")

	execute(t, f.db, "DELETE FROM chunks WHERE memory_id = 1")
	got = ebb(t, "", "doctor", f.db)
	require.Equal(t, exitDamaged, got.code)
	require.Contains(t, got.out, "memories that no search by text can find: 1")
	require.Contains(t, got.out, "fix: ")
	require.Contains(t, got.err, "is damaged")
	var d doctor.Diagnosis
	got = ebb(t, "", "doctor", f.db, "--json")
	require.Equal(t, exitDamaged, got.code)
	require.NoError(t, json.Unmarshal([]byte(got.out), &d))
	require.False(t, d.Healthy)
}

func TestConsolidate(t *testing.T) {
	f := newFixture(t, "ada")
	got := ebb(t, "", "consolidate", "--db", f.db)
	require.Equal(t, exitOK, got.code, got.err)
	require.NotEmpty(t, strings.TrimSpace(got.out))
	var run map[string]any
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "consolidate", "--json", "--db", f.db).out), &run))
	require.Equal(t, exitOK, ebb(t, "", "doctor", "--db", f.db).code)
}

// What others wrote may hold signs that steer a terminal.
func TestMemoriesCannotSteerTheTerminal(t *testing.T) {
	path := newFixture(t, "ada").db
	x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{User: "ada", Session: "\x1b[2Jblank"},
		"parcel \x1b]0;owned\x07 \u202eevil", eventbus.Speaker("\x1b[31mred"))))
	require.NoError(t, x.Close(t.Context()))
	for _, args := range [][]string{{"search", "parcel"}, {"explain", "parcel"}, {"timeline"}} {
		got := ebb(t, "", append(args, "--db", path)...)
		require.Equal(t, exitOK, got.code, got.err)
		require.Contains(t, got.out, "parcel")
		require.NotContains(t, got.out, "\x1b")
		require.NotContains(t, got.out, "\u202e")
	}
}

func TestReadOnlyFileCommands(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everything")
	}
	f := newFixture(t, "ada")
	require.NoError(t, os.Chmod(f.db, 0o400))
	for name, args := range reading(f.adaID) {
		got := ebb(t, "", append(args, "--db", f.db)...)
		require.Equal(t, exitOK, got.code, "%s: %s", name, got.err)
	}
	got := ebb(t, "", "consolidate", "--db", f.db)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "read-only")
}

func TestProfileSetsTheTimeZone(t *testing.T) {
	f := newFixture(t, "ada")
	set := func(zone string) outcome { return ebb(t, "", "profile", "--time-zone", zone, "--db", f.db) }
	unknown := set("Mars/Olympus")
	require.NotEqual(t, exitOK, unknown.code)
	require.Contains(t, unknown.err, "IANA")
	require.NotContains(t, ebb(t, "", "export", "--db", f.db).out, "time_zone")
	require.Equal(t, exitOK, set("Asia/Tokyo").code)
	require.Contains(t, ebb(t, "", "export", "--db", f.db).out, `"time_zone":"Asia/Tokyo"`)
	require.Equal(t, exitOK, set("").code)
	require.NotContains(t, ebb(t, "", "export", "--db", f.db).out, "time_zone")

	require.Equal(t, exitNotFound, ebb(t, "", "profile", "--time-zone", "Asia/Tokyo", "--user", "adda", "--db", f.db).code)
	require.NotContains(t, ebb(t, "", "stats", "--db", f.db).out, "adda", "a slip makes no user")
	missing := f.db + ".other"
	require.Equal(t, exitNotFound, ebb(t, "", "profile", "--time-zone", "Asia/Tokyo", "--user", "ada", "--db", missing).code)
	require.NoFileExists(t, missing)
}
