package erase_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

var ada = schema.Scope{Tenant: "acme", User: "ada", Session: "s1"}

func day(month time.Month, d int) time.Time { return time.Date(2026, month, d, 12, 0, 0, 0, time.UTC) }

func openAt(t testing.TB, now *time.Time) *schema.DB {
	t.Helper()
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &schema.Options{Now: func() time.Time { return *now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// store writes an episode.
func store(ctx context.Context, db *schema.DB, scope schema.Scope, content string) (m *schema.Memory, err error) {
	chunks := schema.PrepareChunks(content, "Ada")
	err = db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		user, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		session, err := tx.SessionID(ctx, user, scope.Session)
		if err != nil {
			return err
		}
		m = &schema.Memory{UserID: user, SessionID: session, Kind: schema.KindEpisode, Speaker: "Ada", Content: content,
			Confidence: 1, Origin: schema.OriginUser, Trust: schema.MaxTrust}
		return tx.InsertMemory(ctx, m, chunks)
	})
	return m, err
}

// written runs fn in one write and returns the user's id.
func written(t *testing.T, db *schema.DB, scope schema.Scope, fn func(ctx context.Context, tx *schema.Tx, userID int64) error) int64 {
	t.Helper()
	var userID int64
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if userID, err = tx.UserID(ctx, scope); err != nil {
			return err
		}
		return fn(ctx, tx, userID)
	}))
	return userID
}

func read(t *testing.T, db *schema.DB, fn func(ctx context.Context, s *schema.Snapshot) error) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), fn))
}
