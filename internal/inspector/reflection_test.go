package inspector

import (
	"encoding/json"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
)

func fourStores(c *extension.Config) {
	*c = *extension.FourStores()
	c.Night.NoSchedule = true
}

// A reflection that waits is shown with what it asks for and what was written. Each
// decision about it is one run, with the person's reason, and is undone.
func TestAReflectionIsDecidedOnThePage(t *testing.T) {
	w := newWorld(t, Options{Scope: ada, Write: true, Reflects: true}, fourStores)
	w.say(ada, "I'm allergic to cashews.", "My boss is Henrike.")
	facts := []string{w.fact("allergic").UID, w.fact("boss Henrike").UID}
	w.enter()
	_, page := w.get("/u/me/decide")
	require.NotContains(t, page, "reflect")
	rows := func() string { // but those of blocks, whose history has the undoing too
		return regexp.MustCompile(`(?m)^block.*\n`).ReplaceAllString(w.state(), "")
	}
	decide := func(form url.Values, shown string) {
		t.Helper()
		_, page := w.get("/u/me/decide")
		s, err := w.ext.Reflections().Status(t.Context(), ada)
		require.NoError(t, err)
		before := rows()
		form.Set("csrf", w.csrf(page))
		form.Set("id", s.ID)
		form.Set("reason", "well done <b>")
		for _, undo := range []bool{true, false} {
			status, page := w.post("/u/me/do", form)
			require.Equal(t, 200, status, page)
			run := undoShape.FindStringSubmatch(page)
			require.NotNil(t, run, page)
			require.NotEqual(t, before, rows())
			_, page = w.get("/u/me/nights/" + run[1])
			require.Contains(t, page, "well done &lt;b&gt;")
			_, page = w.get("/u/me/" + shown)
			require.Contains(t, page, "well done &lt;b&gt;", "the reason is on the page")
			if undo {
				status, page = w.post("/u/me/do", url.Values{"csrf": form["csrf"], "action": {"undo"}, "id": {run[1]}})
				require.Equal(t, 200, status, page)
				require.NotContains(t, page, "stayed:")
				require.Equal(t, before, rows())
			}
		}
	}
	_, err := w.ext.Reflections().Request(t.Context(), ada, fourstores.Request{Extra: 500, ExtraReason: "much <b>happened</b>", Penalty: 20, PenaltyReason: "a <i>slip</i>"})
	require.NoError(t, err)
	_, page = w.get("/u/me/decide")
	require.Contains(t, page, "May the agent reflect?")
	require.Contains(t, page, "much &lt;b&gt;happened")
	require.Contains(t, page, "a &lt;i&gt;slip")
	decide(url.Values{"action": {"grant_reflection"}, "verdict": {"bonus"}, "amount": {"20"}}, "decide")
	_, page = w.get("/u/me/decide")
	require.Contains(t, page, "ebb reflect draft")
	granted, err := w.ext.Reflections().Status(t.Context(), ada)
	require.NoError(t, err)
	require.Equal(t, 8500, granted.Grant.Tokens)

	draft, err := json.Marshal(map[string]any{
		"granted": granted.Grant, "summary": "A quiet <b>week</b>.", "awareness": []string{"I ask <i>too much</i>."}, "trust": 4,
		"elements": []map[string]string{{"element": "inner_monologue", "text": "It was <u>quiet</u>."}},
		"insights": []map[string]any{{"text": "Ada is careful at <s>work</s>.", "importance": .6, "sources": facts}},
	})
	require.NoError(t, err)
	require.NoError(t, w.ext.Parts().DB.Write(t.Context(), func(ctx contextOf, tx *schema.Tx) error {
		waiting, err := schema.PendingProposals(ctx, tx, 1, []string{"reflection_grant"})
		if err != nil {
			return err
		}
		if err := tx.DecideProposal(ctx, &waiting[0], "applied", schema.Actor{Name: "test"}); err != nil {
			return err
		}
		_, err = tx.AddProposal(ctx, 1, "reflection", string(draft), "a test", schema.Actor{Name: "test"})
		return err
	}))
	_, page = w.get("/u/me/decide")
	for _, shown := range []string{"A quiet &lt;b&gt;week", "I ask &lt;i&gt;too much", "It was &lt;u&gt;quiet", "Ada is careful at &lt;s&gt;work", "/memories/" + facts[0], "I&#39;m allergic to cashews."} {
		require.Contains(t, page, shown)
	}
	require.Empty(t, alive(page))
	decide(url.Values{"action": {"approve_reflection"}}, "nights")
	_, page = w.get("/u/me/profile")
	require.Contains(t, page, "I ask &lt;i&gt;too much")
	learnt, err := w.ext.Timeline(t.Context(), ada, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindReflection}})
	require.NoError(t, err)
	require.Len(t, learnt, 1)
	_, page = w.get("/u/me/decide")
	require.Contains(t, page, "Nothing waits for you.")

	_, err = w.ext.Reflections().Request(t.Context(), ada, fourstores.Request{})
	require.NoError(t, err)
	_, page = w.get("/u/me/decide")
	csrf := w.csrf(page)
	status, _ := w.post("/u/me/do", url.Values{"csrf": {csrf}, "action": {"grant_reflection"}, "id": {"x"}, "amount": {"much"}})
	require.Equal(t, 400, status)
	w.page.o.Reflects = false // as with a profile without its blocks
	_, page = w.get("/u/me/decide")
	require.Contains(t, page, "--profile fourstores")
	require.NotContains(t, page, "grant_reflection")
	status, _ = w.post("/u/me/do", url.Values{"csrf": {csrf}, "action": {"reject_reflection"}, "id": {"x"}})
	require.Equal(t, 400, status)
}
