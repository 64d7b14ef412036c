package audit

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/clock"
)

func TestChanges(t *testing.T) {
	at := clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	cfg := extension.FourStores()
	cfg.Tools.MainAgent, cfg.Night.NoSchedule, cfg.Now = "main", true, at.Now
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(t.Context())) })
	ada := extension.Scope{User: "ada", Agent: "scout"}
	_, err = x.Remember(t.Context(), ada, "Ada keeps bees in Ghent")
	require.NoError(t, err)
	at.Set(at.Now().AddDate(0, 0, 100))
	now := at.Now()
	s, err := x.Session(ada)
	require.NoError(t, err)
	for _, tool := range s.Tools() {
		if tool.Name() == "remember_fact" {
			_, err = tool.Call(t.Context(), `{"content": "The gate is green"}`)
			require.NoError(t, err)
		}
	}
	_, err = x.SetBlock(t.Context(), ada, "soul", `{"boundaries": ["no lies"]}`, 0)
	require.NoError(t, err)

	all, err := Changes(t.Context(), x, ada, ChangeFilter{})
	require.NoError(t, err)
	require.Len(t, all, 2, "the last 90 days")
	require.Equal(t, "subagent:scout", all[0].Actor)
	require.False(t, all[0].Critical)
	require.Equal(t, Change{At: now, Actor: "host", Operation: "block", Record: "blocks", ID: "soul", Critical: true}, all[1])
	for filter, n := range map[ChangeFilter]int{
		{Since: now.AddDate(-1, 0, 0)}: 3, {Since: now.AddDate(-1, 0, 0), Limit: 1}: 1, {Actor: "subagent"}: 1, {Actor: "subagent:scout"}: 1, {Actor: "sub"}: 0,
		{Since: now.AddDate(-1, 0, 0), Until: now}: 1, {Actor: "host"}: 1,
	} {
		all, err := Changes(t.Context(), x, ada, filter)
		require.NoError(t, err)
		require.Len(t, all, n, "%+v", filter)
	}
	none, err := Changes(t.Context(), x, extension.Scope{User: "bob"}, ChangeFilter{})
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = Changes(t.Context(), x, ada, ChangeFilter{Limit: -1})
	require.Error(t, err)
}
