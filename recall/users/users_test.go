package users_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall/users"
)

func TestShrinkDropsTheOldest(t *testing.T) {
	c := users.New[int64](10)
	own := func(v int64) int64 { return v }
	for user := range int64(5) {
		c.Add(user, 10)
	}
	_, _ = c.Get(0) // now the last
	c.Shrink(50, own)
	require.Equal(t, 5, c.Len(), "the limit is not exceeded")
	c.Shrink(29, own)
	require.Equal(t, []int64{4, 0}, c.Keys())
	c.Shrink(1, own)
	require.Equal(t, []int64{0}, c.Keys(), "the last stays, whatever its size")
}
