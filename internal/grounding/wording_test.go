package grounding

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIsPreference(t *testing.T) {
	for content, want := range map[string]bool{
		"The user prefers tea to coffee.":         true,
		"The user doesn't like coriander.":        true,
		"The user's favourite colour is green.":   true,
		"The user can't stand loud bars.":         true,
		"The office looks like a barn.":           false,
		"The user's sister Rosa lives in Porto.":  false,
		"The user's likelihood of moving is low.": false,
	} {
		require.Equal(t, want, IsPreference(content), content)
	}
}
