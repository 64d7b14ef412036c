package schema

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAWriteJoinsTheTransactionThatRuns(t *testing.T) {
	failure := errors.New("no")
	for name, c := range map[string]struct {
		second error
		ran    int // the first one's runs
	}{
		"shares its commit":          {nil, 1},
		"and undoes nothing but its": {failure, 2},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			ran, shared := 0, false
			second := make(chan error)
			require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
				if ran++; ran == 1 {
					go func() {
						second <- db.Write(context.Background(), func(ctx context.Context, tx *Tx) error {
							shared = shared || tx.shared
							if _, err := tx.UserID(ctx, Scope{User: "grace"}); err != nil {
								return err
							}
							return c.second
						})
					}()
					require.Eventually(t, func() bool { return len(db.queue) > 0 }, 10*time.Second, time.Millisecond)
				}
				_, err := tx.UserID(ctx, Scope{User: "ada"})
				return err
			}))
			require.ErrorIs(t, <-second, c.second)
			require.True(t, shared)
			require.Equal(t, c.ran, ran)
			require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
				ada, err := s.UserID(ctx, Scope{User: "ada"})
				require.NoError(t, err)
				require.NotZero(t, ada)
				grace, err := s.UserID(ctx, Scope{User: "grace"})
				require.NoError(t, err)
				require.Equal(t, c.second == nil, grace != 0)
				return nil
			}))
		})
	}
}

func TestAnUndoneTransactionTeachesTheWriterNothing(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for _, outcome := range []error{errors.New("no"), nil} {
		var before, after knowledge
		require.ErrorIs(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			before = db.others.tombstones
			if _, err := tx.Erased(ctx, Scope{User: "ada"}, TombstoneEvent, "1"); err != nil {
				return err
			}
			after = db.others.tombstones
			return outcome
		}), outcome)
		require.Equal(t, notAsked, before)
		require.Equal(t, thereIsNone, after)
	}
}
