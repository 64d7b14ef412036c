package consolidate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/schema"
)

// The test binary is also the other process: with EBB_NIGHT set it runs a night
// over that file, until it is done or killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("EBB_NIGHT"); path != "" {
		nightUntilKilled(path)
		return
	}
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, opts ...func(*schema.Options)) *schema.DB {
	t.Helper()
	var options schema.Options
	for _, opt := range opts {
		opt(&options)
	}
	db, err := schema.Open(context.Background(), filepath.Join(t.TempDir(), "memory.db"), &options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// remember stores a memory of the scope's user, by default trusted to its
// origin's ceiling.
func remember(t testing.TB, db *schema.DB, scope schema.Scope, m schema.Memory) *schema.Memory {
	t.Helper()
	if m.Kind == "" {
		m.Kind = schema.KindEpisode
	}
	if m.Origin == "" {
		m.Origin, m.Trust = schema.OriginUser, schema.MaxTrust
	}
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if m.UserID, err = tx.UserID(ctx, scope); err != nil {
			return err
		}
		return tx.InsertMemory(ctx, &m, schema.PrepareChunks(m.Content, m.Speaker))
	}))
	return &m
}
