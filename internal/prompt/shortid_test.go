package prompt

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShortIDs(t *testing.T) {
	var ids, others ShortIDs
	require.Equal(t, ids.Of("a"), others.Of("a"), "made from the public id")
	_, known := ids.UID(others.Of("b"))
	require.False(t, known, "of another conversation")
	given := make(map[string]string)
	for i := range 2 * maxShortIDs {
		uid := fmt.Sprint(i)
		short := ids.Of(uid)
		require.Len(t, short, 6)
		require.Equal(t, short, ids.Of(uid), "the same again")
		back, known := ids.UID(short)
		require.True(t, known)
		require.Equal(t, uid, back)
		given[short] = uid
	}
	_, known = ids.UID(ids.Of("a"))
	require.True(t, known, "one that was dropped is given again")
	require.LessOrEqual(t, len(ids.full), maxShortIDs)
	require.Len(t, ids.short, len(ids.full))
	require.Len(t, ids.order, len(ids.full))
}
