package schema

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/pgtest"
)

func TestRolledBackTransactionIsNotCached(t *testing.T) {
	pgtest.FileOnly(t, "what its only writer knows")
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for _, outcome := range []error{errors.New("no"), nil} {
		var before, after knowledge
		require.ErrorIs(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			before = db.tombstones
			if _, err := tx.Erased(ctx, Scope{User: "ada"}, TombstoneEvent, "1"); err != nil {
				return err
			}
			after = db.tombstones
			return outcome
		}), outcome)
		require.Equal(t, unknown, before)
		require.Equal(t, absent, after)
	}
}
