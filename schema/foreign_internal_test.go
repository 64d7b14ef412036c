package schema

import (
	"fmt"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/sqlite"
)

// The kind of a fault is known by its text as well, of SQLite's errors and of
// those that a host's code wraps around them.
func TestFaultKind(t *testing.T) {
	for kind, text := range map[error]string{
		ErrCorrupt: ErrCorrupt.Error(), ErrBusy: ErrBusy.Error(), ErrDiskFull: ErrDiskFull.Error(), ErrIO: ErrIO.Error(),
	} {
		require.Equal(t, kind, FaultKind("consumer: "+text+" (SQLite code 1)"))
		err := fmt.Errorf("store: %w", kind)
		require.ErrorIs(t, Foreign("the handler", err), kind)
		require.Equal(t, kind, FaultKind(Foreign("the handler", err).Error()))
	}
	require.NoError(t, FaultKind("status 503"))
	require.EqualError(t, sqlite.Refused("text", sqlite3.CONSTRAINT_CHECK), "text breaks a rule of the database: SQLite code 275")
}

// nilError panics when it is read through a nil pointer, as errors of hosts do.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

func TestPanickingForeignError(t *testing.T) {
	var none *nilError
	require.EqualError(t, Foreign("the handler", none), "the handler failed: a *schema.nilError, which panics when it is read")
}
