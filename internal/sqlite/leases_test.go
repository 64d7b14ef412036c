package sqlite

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/engine"
)

// A lease whose expiry a damaged file has lost would block its job for good.
func TestLeaseWithoutExpiryIsTaken(t *testing.T) {
	db := open(t, Options{})
	require.NoError(t, db.Write(t.Context(), func(_ context.Context, tx *Tx) error {
		if err := tx.Do("DROP TABLE leases"); err != nil {
			return err
		}
		if err := tx.Do("CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, term INTEGER NOT NULL, expires_at INTEGER)"); err != nil {
			return err
		}
		return tx.Do("INSERT INTO leases VALUES ('night', 'somebody', 4, NULL)")
	}))
	lease, err := engine.AcquireLease(t.Context(), db.Engine(), "night", "me", time.Minute)
	require.NoError(t, err)
	require.EqualValues(t, 5, lease.Term)
}
