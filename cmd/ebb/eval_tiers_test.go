package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEvalAsksATeamsMemory(t *testing.T) {
	o := ebb(t, "", "--json", "eval", threeTierFixture)
	require.Equal(t, exitOK, o.code, o.err)
	var view tieredView
	require.NoError(t, json.Unmarshal([]byte(o.out), &view))
	require.Equal(t, 241, view.Entries)
	require.Equal(t, 165, view.Questions)
	require.Greater(t, view.Recall, view.Plain)
	require.Greater(t, view.Recall, .85, "86.7 when this was written; see docs/PROFILES.md")
	require.Positive(t, view.CoreTokens)
	require.Less(t, view.CoreTokens, 10_000)
	require.Zero(t, view.Unauthorised)
	require.Len(t, view.Categories, 10)
	require.Len(t, view.Missed, 165-int(165*view.Recall+.5))
	o = ebb(t, "", "eval", threeTierFixture)
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "plain FTS5")
}
