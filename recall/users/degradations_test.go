package users

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDegradationsAreBounded(t *testing.T) {
	d := NewDegradations()
	for i := range int64(2 * maxDegraded) {
		d.Note(1+i, time.Now(), map[string]string{"vector": "late"})
	}
	require.Equal(t, maxDegraded, d.byUser.Len())
	require.EqualValues(t, 2*maxDegraded, d.Of(Everybody)[0].Count)
}
