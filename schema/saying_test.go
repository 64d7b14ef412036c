package schema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// Every search folds what it finds, so of a long text only the beginning; texts that begin
// alike and are not equally long stay different.
func TestSayingOfALongText(t *testing.T) {
	says := func(content string) schema.Saying {
		return (&schema.Memory{Kind: schema.KindEpisode, Content: content}).Saying()
	}
	long := says("I keep bees. " + strings.Repeat("The harbour.\n", 1<<17))
	longer := says("I keep bees. " + strings.Repeat("The harbour.\n", 1<<17+1))
	require.Less(t, len(long.Text), 1<<17)
	require.NotEqual(t, long, longer)
	require.False(t, long.IsOf(&longer))
	bees := says("I keep bees.")
	require.True(t, bees.IsOf(&long))
}
