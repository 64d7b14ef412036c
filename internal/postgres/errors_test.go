package postgres

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/engine"
)

// Only a full disk lasts; what else a server lacks passes.
func TestWhatAServerLacks(t *testing.T) {
	for code, c := range map[string]struct {
		kind  error
		again bool
	}{
		"53100": {engine.ErrDiskFull, false}, "53200": {engine.ErrBusy, false}, "53300": {engine.ErrBusy, true}, "53400": {engine.ErrBusy, false},
	} {
		err := fmt.Errorf("begin: %w", &pgconn.PgError{Code: code})
		require.ErrorIs(t, classify(t.Context(), err), c.kind, code)
		require.Equal(t, c.again, unreachable(err), code)
	}
}
