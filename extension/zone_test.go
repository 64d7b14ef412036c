package extension

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "time/tzdata"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Days are those of the user's time zone: in a question, in the arguments and records of
// tools, in a block and in its core section, also after the zone has changed.
func TestDaysAreThoseOfTheUsersZone(t *testing.T) {
	x, say := talked(t, Config{Tools: ToolsConfig{Names: []string{"recent_context", "search_memory"}}})
	say(time.Date(2026, 2, 8, 20, 0, 0, 0, time.UTC), "a", "Repaired the accordion with goat leather.", "The boathouse key hangs on nail fourteen.") // the 9th in Auckland
	say(time.Date(2026, 2, 9, 20, 0, 0, 0, time.UTC), "b", "I am allergic to nuts since two weeks.", "")                                             // the 10th
	require.NoError(t, x.WaitIdle(t.Context()))
	s, err := x.Session(Scope{User: "ada"})
	require.NoError(t, err)
	tool := func(name, input string) string {
		for _, tool := range s.Tools() {
			if tool.Name() == name {
				answer, err := tool.Call(t.Context(), input)
				require.NoError(t, err)
				return answer
			}
		}
		t.Fatalf("no tool %s", name)
		return ""
	}
	preview := func(question string) string {
		found, err := s.Preview(t.Context(), question)
		require.NoError(t, err)
		return found.Block
	}
	say(time.Date(2026, 2, 9, 21, 0, 0, 0, time.UTC), "", "", "") // the 10th

	require.Contains(t, preview("What am I allergic to?"), "- Mon Feb 9: ")
	require.Contains(t, tool("recent_context", `{"day": "2026-02-08"}`), "accordion")

	for _, unknown := range []string{"Pacific/Atlantis", "Local", "../etc/passwd"} {
		var invalid *InvalidError
		require.ErrorAs(t, x.SetTimeZone(t.Context(), Scope{User: "ada"}, unknown), &invalid)
	}
	require.NoError(t, x.SetTimeZone(t.Context(), Scope{User: "new"}, "Asia/Tokyo"))
	require.NoError(t, x.SetTimeZone(t.Context(), Scope{User: "ada"}, "Pacific/Auckland"))
	require.Contains(t, preview("What am I allergic to?"), "- Tue Feb 10: ")
	require.Contains(t, preview("Where does the boathouse key hang?"), "Mon 2026-02-09 09:00")
	require.Contains(t, tool("recent_context", `{"day": "2026-02-09"}`), "accordion")
	require.NotContains(t, tool("recent_context", `{"day": "2026-02-08"}`), "accordion")
	for _, question := range []string{"What did I do yesterday?", "What did I do on 9 February?"} {
		answer := tool("search_memory", `{"query": "`+question+`"}`)
		require.Contains(t, answer, "Mon 2026-02-09")
		require.Contains(t, answer, "09:00 user: Repaired")
		require.NotContains(t, answer, "Nothing is stored from")
	}
	require.Contains(t, tool("search_memory", `{"query": "accordion", "since": "2026-02-09"}`), "accordion")
	profile, err := x.Profile(t.Context(), s.Scope())
	require.NoError(t, err)
	require.NotEmpty(t, profile.Lines)

	require.NoError(t, x.SetTimeZone(t.Context(), s.Scope(), ""))
	require.Contains(t, preview("What am I allergic to?"), "- Mon Feb 9: ")
	zone, err := x.location(t.Context(), Scope{User: "new"})
	require.NoError(t, err)
	require.Equal(t, "Asia/Tokyo", zone.String())
}

// A search takes the moment of asking from its query, and days from the user's zone, also
// where the question has no plan.
func TestSearchesAskInTheUsersZone(t *testing.T) {
	x, say := talked(t, Config{})
	say(time.Date(2026, 2, 7, 12, 0, 0, 0, time.UTC), "a", "The dentist pulled a tooth.", "")
	say(time.Date(2026, 2, 8, 12, 0, 0, 0, time.UTC), "b", "The dentist sent a bill.", "")  // the 8th in Tokyo, too
	say(time.Date(2026, 2, 8, 20, 0, 0, 0, time.UTC), "c", "The dentist sent a card.", "")  // the 9th there
	say(time.Date(2026, 2, 9, 23, 0, 0, 0, time.UTC), "d", "The dentist called me up.", "") // the 10th there
	say(time.Date(2026, 2, 9, 23, 30, 0, 0, time.UTC), "d", "Hello", "")
	scope := Scope{User: "ada"}
	require.NoError(t, x.SetTimeZone(t.Context(), scope, "Asia/Tokyo"))
	s, err := x.Session(scope)
	require.NoError(t, err)
	for name, search := range map[string]func(Query) (*Answer, error){
		"Search": func(q Query) (*Answer, error) { return s.Search(t.Context(), q) },
		"Recall": func(q Query) (*Answer, error) { return x.Recall(t.Context(), scope, q) },
	} {
		for now, want := range map[time.Time]string{
			{}: "The dentist sent a card.",
			time.Date(2026, 2, 8, 14, 0, 0, 0, time.UTC): "The dentist pulled a tooth.",
			time.Date(2026, 2, 8, 22, 0, 0, 0, time.UTC): "The dentist sent a bill.",
		} {
			found, err := search(Query{Text: "dentist yesterday", Now: now})
			require.NoError(t, err)
			var yesterday []string
			for _, r := range found.Results {
				if slices.ContainsFunc(r.Arms, func(a recall.ArmRank) bool { return a.Arm == "time" }) {
					yesterday = append(yesterday, r.Memory.Content)
				}
			}
			require.Equal(t, []string{want}, yesterday, "%s at %s", name, now)
		}
	}
	found, err := s.Search(t.Context(), Query{Text: "What did I do yesterday?", Now: time.Date(2026, 2, 8, 22, 0, 0, 0, time.UTC)})
	require.NoError(t, err)
	require.Empty(t, found.Note)
	require.Len(t, found.Results, 1)
	require.Equal(t, "The dentist sent a bill.", found.Results[0].Memory.Content)
}

// "Yesterday" in a request to forget is the user's.
func TestForgetOfYesterdayIsOfTheUsersDay(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	require.NoError(t, err)
	x, say := talked(t, Config{Location: tokyo})
	say(time.Date(2026, 2, 8, 20, 0, 0, 0, tokyo), "a", "I sent my application to Kyocera.", "Good luck!")
	say(time.Date(2026, 2, 9, 20, 0, 0, 0, tokyo), "b", "I sent my application to Fujitsu.", "Good luck!")
	say(time.Date(2026, 2, 10, 8, 0, 0, 0, tokyo), "c", "Forget the application that I told you about yesterday.", "Okay.")
	require.NoError(t, x.WaitIdle(t.Context()))
	forgotten, err := x.Timeline(t.Context(), Scope{User: "ada"}, TimelineQuery{Forgotten: true, Kinds: []Kind{KindEpisode}})
	require.NoError(t, err)
	for _, m := range forgotten {
		if m.Role != "user" && m.SessionName == "c" {
			continue // hidden if the request was carried out before it came
		}
		require.Equal(t, m.Content == "I sent my application to Fujitsu." || m.Role == "user" && m.SessionName == "c", m.State == schema.StateForgotten, m.Content)
	}
}
