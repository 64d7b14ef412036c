package recall

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall/users"
)

func TestDegradationsAreBounded(t *testing.T) {
	d := &degradations{byUser: users.New[map[string]*Degradation](maxDegraded)}
	for i := range int64(2 * maxDegraded) {
		d.note(1+i, time.Now(), []Degraded{{"vector", "late"}})
	}
	require.Equal(t, maxDegraded, d.byUser.Len())
	all, known := d.byUser.Peek(everybody)
	require.True(t, known)
	require.EqualValues(t, 2*maxDegraded, all["vector"].Count)
}
