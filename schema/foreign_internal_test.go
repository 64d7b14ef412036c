package schema

import (
	"fmt"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/sqlite"
)

// A fault of the disk is named in the text of an error that a host's code wraps around it.
func TestForeignErrorNamesTheFault(t *testing.T) {
	for _, kind := range []error{ErrCorrupt, ErrBusy, ErrDiskFull, ErrIO} {
		err := Foreign("the handler", fmt.Errorf("store: %w", kind))
		require.ErrorIs(t, err, kind)
		require.ErrorContains(t, err, kind.Error())
	}
	require.EqualError(t, sqlite.Refused("text", sqlite3.CONSTRAINT_CHECK), "text breaks a rule of the database: SQLite code 275")
}

// nilError panics when it is read through a nil pointer, as errors of hosts do.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

func TestPanickingForeignError(t *testing.T) {
	var none *nilError
	require.EqualError(t, Foreign("the handler", none), "the handler failed: a *schema.nilError, which panics when it is read")
}
