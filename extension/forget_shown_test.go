package extension_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/text"
)

// shownTo returns what stands before a model: a prompt, core memory and what waits.
func shownTo(t *testing.T, x *extension.Extension, s extension.Scope) string {
	t.Helper()
	session, err := x.Session(s)
	require.NoError(t, err)
	in, err := session.Preview(t.Context(), "Whom do I love, and what is our project?")
	require.NoError(t, err)
	all := []string{in.Block}
	blocks, err := x.AllBlocks(t.Context(), s)
	require.NoError(t, err)
	for i := range blocks {
		all = append(all, blocks[i].Content)
	}
	waiting, err := x.Proposals(t.Context(), s)
	require.NoError(t, err)
	for i := range waiting {
		all = append(all, text.JSON(waiting[i]))
	}
	return strings.Join(all, "\n")
}

// What the user asks to forget leaves core memory, open drafts and what waits, and no tool
// brings it back before the user says it again. Undoing the run restores it.
func TestForgottenIsShownNowhere(t *testing.T) {
	now := clock.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	writer := new(scribe)
	x := housed(t, filepath.Join(t.TempDir(), "m.db"), now, func(c *extension.Config) { c.Model = writer })
	s := extension.Scope{User: "ada", Session: "s1", Agent: "helper"}
	tells(t, x, s, "I have a lover called Valdemar.", "I keep apples in the cellar.", "I sing on Mondays.")
	session, err := x.Session(s)
	require.NoError(t, err)
	for section, item := range map[string]string{"core": "Ada has a lover called Valdemar", "facts": "I know about Valdemar"} {
		callTool(t, session, "core_memory_append", text.JSON(map[string]string{"section": section, "item": item}))
	}
	callTool(t, session, "core_memory_append", `{"section": "core", "item": "Ada keeps apples in the cellar"}`)
	reflection := reflectionAnswer()
	reflection["summary"], reflection["awareness"] = "She told me of Valdemar.", []string{"I keep the secret of Valdemar"}
	writer.reflection = reflection
	r := x.Reflections()
	reflect := func() *fourstores.Status {
		asked, err := r.Request(t.Context(), s, fourstores.Request{})
		require.NoError(t, err)
		granted, err := r.Grant(t.Context(), s, asked.ID, fourstores.Grant{})
		require.NoError(t, err)
		draft, err := r.Draft(t.Context(), s, granted.ID)
		require.NoError(t, err)
		return draft
	}
	_, err = r.Approve(t.Context(), s, reflect().ID)
	require.NoError(t, err)
	now.Add(time.Hour)
	tells(t, x, s, "My desk is white.")
	reflect()
	require.Contains(t, shownTo(t, x, s), "Valdemar")

	now.Add(time.Hour)
	s.Session = "s2"
	tells(t, x, s, "Forget everything I said about Valdemar.")
	require.NotContains(t, shownTo(t, x, s), "Valdemar")
	require.Contains(t, shownTo(t, x, s), "Ada keeps apples in the cellar")
	last, err := r.Status(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, fourstores.Rejected, last.State)

	session, err = x.Session(s)
	require.NoError(t, err)
	for _, c := range [][2]string{
		{"core_memory_append", `{"section": "core", "item": "Ada loves Valdemar"}`},
		{"core_memory_append", `{"section": "facts", "item": "Her friend is Valdemar, who lives far away in the north with two dogs"}`},
		{"core_memory_update", `{"section": "identity", "content": {"facts": ["I know Valdemar"]}}`},
		{"remember_fact", `{"content": "Valdemar rings twice"}`},
	} {
		require.Contains(t, callTool(t, session, c[0], c[1]), "asked to forget", c[1])
	}
	require.Contains(t, callTool(t, session, "core_memory_append", `{"section": "core", "item": "Ada said everything is fine in the garden"}`), "is changed")
	require.NotContains(t, shownTo(t, x, s), "Valdemar")
	writer.reflection = nil
	now.Add(time.Hour)
	tells(t, x, s, "I planted three trees.")
	reflect()
	require.NotContains(t, writer.prompt, "Valdemar")

	runs, err := x.Runs(t.Context(), s, 10)
	require.NoError(t, err)
	for i := range runs {
		report, err := extension.RunReport(&runs[i])
		require.NoError(t, err)
		if strings.Contains(text.JSON(report), `"forget"`) {
			_, err := x.Undo(t.Context(), s, runs[i].UID)
			require.NoError(t, err)
		}
	}
	require.Contains(t, shownTo(t, x, s), "Ada has a lover called Valdemar")

	tells(t, x, s, "Forget everything I said about Valdemar.")
	now.Add(time.Hour)
	tells(t, x, s, "Valdemar and I are friends again.")
	require.Contains(t, callTool(t, session, "core_memory_append", `{"section": "core", "item": "Ada and Valdemar are friends"}`), "is changed")
}

// What a team asks to forget leaves the blocks of ThreeTier and does not come back by its tools. What
// the host wrote itself stays.
func TestForgottenOfATeam(t *testing.T) {
	now := clock.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	cfg := extension.ThreeTier()
	cfg.Now, cfg.Location, cfg.Night.NoSchedule = now.Now, time.UTC, true
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(t.Context())) })
	s := extension.Scope{User: "team", Session: "c1", Agent: "research"}
	require.NoError(t, x.SetCycle(t.Context(), s, 10))
	_, err = x.SetBlock(t.Context(), s, "rules", "Nothing of Zanzibar goes to the press.", 0)
	require.NoError(t, err)
	tells(t, x, s, "Our secret project is called Zanzibar.", "The release is in May.")
	session, err := x.Session(s)
	require.NoError(t, err)
	callTool(t, session, "core_memory_append", `{"section": "blockers", "item": "Zanzibar has no budget"}`)
	callTool(t, session, "core_memory_append", `{"section": "lessons", "item": "Zanzibar taught us patience"}`)
	callTool(t, session, "core_memory_append", `{"section": "lessons", "item": "The release needs a checklist"}`)
	require.Contains(t, shownTo(t, x, s), "taught us patience")

	now.Add(time.Hour)
	s.Session = "c2"
	tells(t, x, s, "Forget what I said about Zanzibar.")
	shown := shownTo(t, x, s)
	require.NotContains(t, shown, "budget")
	require.NotContains(t, shown, "patience")
	require.Contains(t, shown, "The release needs a checklist")
	require.Contains(t, shown, "Nothing of Zanzibar goes to the press.")

	session, err = x.Session(s)
	require.NoError(t, err)
	for _, c := range [][2]string{
		{"core_memory_append", `{"section": "lessons", "item": "The secret project is called Zanzibar"}`},
		{"memory_log", `{"action": "Talk", "importance": 5, "type": "observation", "content": "The secret project is called Zanzibar."}`},
		{"archival_insert", `{"content": "The secret project is called Zanzibar", "type": "lesson"}`},
	} {
		require.Contains(t, callTool(t, session, c[0], c[1]), "asked to forget", c[0])
	}
	for _, c := range [][2]string{
		{"memory_log", `{"action": "Release", "importance": 5, "type": "observation", "content": "Our release checklist for the secret garden project is done; it forgot nothing."}`},
		{"archival_insert", `{"content": "What the team said about releases", "type": "lesson"}`},
	} {
		require.NotContains(t, callTool(t, session, c[0], c[1]), "asked to forget", c[0])
	}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(s, "Zanzibar is public now.")))
	require.NoError(t, x.WaitIdle(t.Context()))
	require.Contains(t, callTool(t, session, "archival_insert", `{"content": "Zanzibar was announced", "type": "lesson"}`), "Archived")
}
