package extension_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a person states is redacted like every other text.
func TestStatedFactsAreRedacted(t *testing.T) {
	const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	x := open(t, fresh(t))
	stated, err := x.Remember(t.Context(), ada, "My deploy token is "+token)
	require.NoError(t, err)
	corrected, err := x.Correct(t.Context(), ada, stated.Memory.UID, "My deploy token for the shop is "+token)
	require.NoError(t, err)
	for _, id := range []string{stated.Memory.UID, corrected.Memory.UID} {
		detail, err := x.Get(t.Context(), ada, id)
		require.NoError(t, err)
		require.NotContains(t, detail.Memory.Content, token)
		require.Contains(t, detail.Memory.Content, "[redacted:")
	}
}
