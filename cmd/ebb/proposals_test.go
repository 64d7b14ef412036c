package main

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/extension"
)

// A change of the rules that a model proposed is shown with the text that holds,
// and decided, by an operator who knows nothing of the host's configuration.
func TestDecideProposedRule(t *testing.T) {
	f := newFixture(t, "ada")
	cfg := extension.ThreeTier()
	cfg.Night.NoSchedule = true
	x, err := extension.Open(t.Context(), f.db, cfg)
	require.NoError(t, err)
	scope := extension.Scope{User: "ada", Agent: "qa"}
	_, err = x.SetBlock(t.Context(), scope, extension.BlockRules, "Test twice.", 0)
	require.NoError(t, err)
	s, err := x.Session(scope)
	require.NoError(t, err)
	_, err = s.Preview(t.Context(), "")
	require.NoError(t, err)
	for section, content := range map[string]string{extension.BlockRules: "Test thrice.", extension.BlockPlaybook: "Look for races."} {
		for range 2 { // the first is told what the section holds
			input, err := json.Marshal(map[string]string{"section": section, "content": content})
			require.NoError(t, err)
			_, err = s.CallTool(t.Context(), llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: "core_memory_update", Arguments: string(input)}})
			require.NoError(t, err)
		}
	}
	require.NoError(t, x.Close(context.Background()))

	list := ebb(t, "", "proposals", "--db", f.db)
	require.Equal(t, exitOK, list.code, list.err)
	require.Contains(t, list.out, "block rules\n")
	require.Contains(t, list.out, "change  - Test twice.")
	require.Contains(t, list.out, "change  + Test thrice.")
	require.Contains(t, list.out, "block playbook qa\n")
	require.Contains(t, list.out, "change  + Look for races.")
	var waiting struct{ Proposals []extension.Proposal }
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "proposals", "--json", "--db", f.db).out), &waiting))
	require.Len(t, waiting.Proposals, 2)
	for _, p := range waiting.Proposals {
		decision := map[string]string{extension.BlockRules: "approve", extension.BlockPlaybook: "reject"}[p.Block]
		got := ebb(t, "", "proposals", decision, p.ID, "--db", f.db)
		require.Equal(t, exitOK, got.code, got.err)
	}
	x, err = extension.Open(t.Context(), f.db, cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	blocks, err := x.Blocks(t.Context(), scope)
	require.NoError(t, err)
	require.Empty(t, blocks[0].Content)
	require.Equal(t, "Test thrice.", blocks[1].Content)
}
