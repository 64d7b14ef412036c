package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/racing"
)

func TestEvalOffTopic(t *testing.T) {
	racing.Alone(t)
	o := ebb(t, "", "--json", "eval", evalFixture, "--offtopic", "--budget", "600")
	require.Equal(t, exitOK, o.code, o.err)
	var v offTopicView
	require.NoError(t, json.Unmarshal([]byte(o.out), &v))
	require.Equal(t, 600, v.Budget)
	require.Positive(t, v.Questions)
	require.Less(t, v.OffTopic.Injected, v.OnTopic.Injected)
	require.LessOrEqual(t, v.OnTopic.Tokens, 600.)
	require.Greater(t, v.OnTopic.Recall, 0.4)
	require.LessOrEqual(t, v.OnTopic.Thresholds, v.OnTopic.Recall)
	require.LessOrEqual(t, v.OnTopic.Whole, v.OnTopic.Shown)

	o = ebb(t, "", "eval", evalFixture, "--offtopic")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "at most 1200 tokens")
	require.Contains(t, o.out, "points lost")

	o = ebb(t, "", "eval", evalFixture, "--offtopic", "--run", t.TempDir()+"/x")
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "--run")
}
