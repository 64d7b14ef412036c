package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/tools"
)

// What the tools' descriptions take in every call of a model: in the prompt of an
// agent that is shown text, and as the definitions of a function-calling one.
func TestTokensOfDescriptions(t *testing.T) {
	cost := func(names ...string) (described, defined int) {
		for _, tool := range tools.New(tools.Deps{}, names...) {
			described += text.Tokens(tool.Description())
			definition, err := json.Marshal(tool.Definition())
			require.NoError(t, err)
			defined += text.Tokens(string(definition))
		}
		return described, defined
	}
	described, defined := cost()
	t.Logf("the default tools: %d tokens as text, %d as definitions", described, defined)
	require.LessOrEqual(t, described, 686, "half of what they took")
	require.LessOrEqual(t, defined, 1350)
	described, defined = cost(tools.Names()...)
	t.Logf("all: %d and %d", described, defined)
}
