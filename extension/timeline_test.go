package extension_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

var monday = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func say(t *testing.T, x *extension.Extension, scope extension.Scope, at time.Time, content string) {
	t.Helper()
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, content, eventbus.At(at))))
}

func contents(records []extension.Record) []string {
	texts := make([]string, len(records))
	for i, r := range records {
		texts[i] = r.Content
	}
	return texts
}

func TestTimelineOrder(t *testing.T) {
	x := open(t, fresh(t))
	tuesday := extension.Scope{User: "ada", Session: "tuesday"}
	say(t, x, tuesday, monday.Add(48*time.Hour), "third")
	say(t, x, ada, monday, "first")
	say(t, x, ada, monday.Add(24*time.Hour), "second")
	say(t, x, extension.Scope{User: "bob"}, monday, "another user's")

	for _, test := range []struct {
		name string
		q    extension.TimelineQuery
		want []string
	}{
		{"everything", extension.TimelineQuery{}, []string{"first", "second", "third"}},
		{"the newest", extension.TimelineQuery{Limit: 2}, []string{"second", "third"}},
		{"since is in", extension.TimelineQuery{Since: monday.Add(24 * time.Hour)}, []string{"second", "third"}},
		{"until is out", extension.TimelineQuery{Until: monday.Add(48 * time.Hour)}, []string{"first", "second"}},
		{"before 1970", extension.TimelineQuery{Until: time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC)}, []string{}},
		{"session", extension.TimelineQuery{Session: "tuesday"}, []string{"third"}},
		{"unknown session", extension.TimelineQuery{Session: "sunday"}, []string{}},
		{"kind", extension.TimelineQuery{Kinds: []extension.Kind{extension.KindEpisode}}, []string{"first", "second", "third"}},
		{"other kinds", extension.TimelineQuery{Kinds: []extension.Kind{extension.KindFact, extension.KindReflection}}, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			records, err := x.Timeline(t.Context(), ada, test.q)
			require.NoError(t, err)
			require.Equal(t, test.want, contents(records))
		})
	}
	none, err := x.Timeline(t.Context(), extension.Scope{User: "nobody"}, extension.TimelineQuery{})
	require.NoError(t, err)
	require.Empty(t, none)

	all, err := x.Timeline(t.Context(), ada, extension.TimelineQuery{})
	require.NoError(t, err)
	_, err = x.Forget(t.Context(), ada, all[1].UID)
	require.NoError(t, err)
	for forgotten, want := range map[bool][]string{false: {"first", "third"}, true: {"first", "second", "third"}} {
		all, err = x.Timeline(t.Context(), ada, extension.TimelineQuery{Forgotten: forgotten})
		require.NoError(t, err)
		require.Equal(t, want, contents(all))
	}
}

func TestTimelineOfAnEntityByAnyName(t *testing.T) {
	x := open(t, fresh(t))
	say(t, x, ada, monday, "I had lunch with Ingrid Hansen in Tromsø.")
	say(t, x, ada, monday.Add(time.Hour), "it rained all afternoon")
	say(t, x, extension.Scope{User: "bob"}, monday, "Ingrid Hansen called me.")
	require.NoError(t, x.WaitIdle(t.Context()))
	for _, name := range []string{"Ingrid Hansen", "ingrid hansen", " INGRID  Hansen "} {
		records, err := x.Timeline(t.Context(), ada, extension.TimelineQuery{Entity: name})
		require.NoError(t, err, name)
		require.Equal(t, []string{"I had lunch with Ingrid Hansen in Tromsø."}, contents(records))
	}
	_, err := x.Timeline(t.Context(), ada, extension.TimelineQuery{Entity: "Zebulon"})
	require.ErrorIs(t, err, extension.ErrNotFound)
	_, err = x.Timeline(t.Context(), extension.Scope{User: "carol"}, extension.TimelineQuery{Entity: "Ingrid Hansen"})
	require.ErrorIs(t, err, extension.ErrNotFound, "another user's entity")
}

func TestTimelineRefusesBadInput(t *testing.T) {
	x := open(t, fresh(t))
	for field, q := range map[string]extension.TimelineQuery{
		"limit": {Limit: 1_000_000_000}, "kind": {Kinds: []extension.Kind{"dream"}},
		"since": {Since: monday, Until: monday}, "entity": {Entity: "a\x00b"}, "session": {Session: "\xff"},
	} {
		_, err := x.Timeline(t.Context(), ada, q)
		var invalid *extension.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
	_, err := x.Timeline(t.Context(), extension.Scope{}, extension.TimelineQuery{})
	var invalid *extension.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "Scope.User", invalid.Field)
}

func TestGet(t *testing.T) {
	x := open(t, fresh(t))
	s := session(t, x, ada)
	tool := func(name, arguments string) {
		answer, err := s.CallTool(t.Context(), llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments}})
		require.NoError(t, err)
		t.Log(answer.Content)
	}
	fact := func(content string) extension.Record {
		facts, err := x.Timeline(t.Context(), ada, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindFact}})
		require.NoError(t, err)
		for _, f := range facts {
			if f.Content == content {
				return f
			}
		}
		require.Failf(t, "no such fact", "%s in %v", content, contents(facts))
		return extension.Record{}
	}
	say(t, x, ada, time.Time{}, "The choir meets in Bergen on Tuesdays.")
	tool("remember_fact", `{"content": "The choir meets in Bergen on Tuesdays.", "entity_names": ["Bergen"]}`)
	old := fact("The choir meets in Bergen on Tuesdays.")
	say(t, x, ada, time.Time{}, "The choir meets in Voss on Fridays now.")
	tool("correct_fact", fmt.Sprintf(`{"memory_id": %q, "new_content": "The choir meets in Voss on Fridays."}`, old.UID))
	current := fact("The choir meets in Voss on Fridays.")
	say(t, x, ada, time.Time{}, "Sorry: the choir meets in Geilo on Sundays.")
	tool("correct_fact", fmt.Sprintf(`{"memory_id": %q, "new_content": "The choir meets in Geilo on Sundays."}`, current.UID))
	last := fact("The choir meets in Geilo on Sundays.")

	d, err := x.Get(t.Context(), ada, old.UID)
	require.NoError(t, err)
	require.Equal(t, "superseded", string(d.Memory.State))
	require.Equal(t, []string{current.Content, last.Content}, contents(d.ReplacedBy), "the current one last")
	require.Len(t, d.History, 2)
	require.Equal(t, []string{"add", "supersede"}, []string{d.History[0].Operation, d.History[1].Operation})
	require.Len(t, d.Sources, 1)
	require.Equal(t, "The choir meets in Bergen on Tuesdays.", d.Sources[0].Memory.Content)
	require.Equal(t, "Bergen", d.Entities[0].Name)
	require.InDelta(t, 1, d.Retention, 0.01)
	require.Nil(t, d.Event)

	d, err = x.Get(t.Context(), ada, last.UID)
	require.NoError(t, err)
	require.Equal(t, []string{current.Content}, contents(d.Replaces))
	require.Empty(t, d.ReplacedBy)

	d, err = x.Get(t.Context(), ada, d.Sources[0].Memory.UID)
	require.NoError(t, err)
	require.Equal(t, []string{last.Content}, contents(d.Derived))
	require.Equal(t, eventbus.TopicUserMessage, d.Event.Topic)
	require.Equal(t, ada, d.Event.Scope)
}

func TestGetIsPerUser(t *testing.T) {
	x := open(t, fresh(t))
	say(t, x, ada, monday, "private")
	records, err := x.Timeline(t.Context(), ada, extension.TimelineQuery{})
	require.NoError(t, err)
	for _, test := range []struct {
		scope extension.Scope
		id    string
	}{
		{extension.Scope{User: "bob"}, records[0].UID},
		{extension.Scope{Tenant: "acme", User: "ada"}, records[0].UID},
		{ada, "01999999-0000-7000-8000-000000000000"},
		{ada, "' OR 1=1 --"},
	} {
		_, err := x.Get(t.Context(), test.scope, test.id)
		require.ErrorIs(t, err, extension.ErrNotFound)
		require.Equal(t, extension.ErrNotFound.Error(), err.Error(), "foreign and unknown read the same")
	}
	var invalid *extension.InvalidError
	_, err = x.Get(t.Context(), ada, "  ")
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "id", invalid.Field)
}

func TestUsersOrder(t *testing.T) {
	x := open(t, fresh(t))
	users, err := x.Users(t.Context())
	require.NoError(t, err)
	require.Empty(t, users)
	for _, scope := range []extension.Scope{{User: "zoe"}, {User: "ada"}, {Tenant: "acme", User: "ada"}} {
		say(t, x, scope, monday, "hello")
	}
	users, err = x.Users(t.Context())
	require.NoError(t, err)
	require.Len(t, users, 3)
	require.Equal(t, extension.Scope{User: "zoe"}, users[0].Scope())
	require.Equal(t, extension.Scope{Tenant: "acme", User: "ada"}, users[2].Scope())
}

// Sentences that are kept beside their message do not take its place in the limit.
func TestTimelineLimitCountsWhatIsListed(t *testing.T) {
	x := open(t, fresh(t))
	for i, text := range []string{"Karim has his own bakery since two weeks", "My sister keeps bees on her roof in Ghent", "The cat sleeps in the laundry basket every night", "Our allotment is behind the old brickworks"} {
		say(t, x, ada, monday.Add(time.Duration(i)*time.Hour), text)
	}
	require.NoError(t, x.WaitIdle(t.Context()))
	facts, err := x.Timeline(t.Context(), ada, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindFact}})
	require.NoError(t, err)
	require.Len(t, facts, 4)
	records, err := x.Timeline(t.Context(), ada, extension.TimelineQuery{Limit: 4})
	require.NoError(t, err)
	require.Equal(t, []string{"Karim has his own bakery since two weeks", "My sister keeps bees on her roof in Ghent", "The cat sleeps in the laundry basket every night", "Our allotment is behind the old brickworks"}, contents(records))
	records, err = x.Timeline(t.Context(), ada, extension.TimelineQuery{Limit: 2})
	require.NoError(t, err)
	require.Equal(t, []string{"The cat sleeps in the laundry basket every night", "Our allotment is behind the old brickworks"}, contents(records))
}
