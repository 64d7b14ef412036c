package extension

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/schema"
)

// A failure of one user's background work is shown only to that user and to the
// operator.
func TestStatsHideOtherUsersHealth(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), &Config{Night: NightConfig{NoSchedule: true}, Now: func() time.Time { return now }})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	ada, bob := Scope{User: "ada"}, Scope{User: "bob"}
	require.NoError(t, x.mem.Publish(t.Context(), eventbus.UserMessage(ada, "I like tea"), eventbus.UserMessage(bob, "I like figs")))
	require.NoError(t, x.WaitIdle(t.Context()))
	told := func(scope Scope) string {
		text, err := x.statsForTool(scope)(t.Context())
		require.NoError(t, err)
		return text
	}
	before, theirs := told(ada), told(bob)

	x.fault(bob, "tool remember_fact", storeMessage, errors.New("the disk of bob"))
	require.NoError(t, x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		id, err := tx.KnownUserID(ctx, bob)
		if err != nil {
			return err
		}
		if err := tx.RecordFailure(ctx, "embed", id, errors.New("a text of bob's")); err != nil {
			return err
		}
		if err := tx.RecordFailure(ctx, "embed", 0, errors.New("the provider is away")); err != nil {
			return err
		}
		for _, query := range []string{
			"INSERT INTO deliveries (consumer, seq, attempts, last_error) SELECT 'ebb.enrich', max(seq), 9, 'bob' FROM events WHERE user_id = ?",
			"INSERT INTO runs (uid, user_id, cause, state, started_at) SELECT 'r', id, 'night', 'failed', 1 FROM users WHERE id = ?",
			"INSERT INTO gaps (uid, user_id, stage, memories, attempts, last_error, created_at) SELECT 'g', id, 'extract', '[]', 9, 'bob', 1 FROM users WHERE id = ?",
			"UPDATE consumers SET cursor = 0 WHERE ? > 0", // all waits: the user's own, and no more
		} {
			if _, err := tx.Exec(ctx, query, id); err != nil {
				return err
			}
		}
		return nil
	}))
	require.Equal(t, before, settled(t, x, told, ada))
	require.NotEqual(t, theirs, told(bob))

	health, err := x.Health(t.Context())
	require.NoError(t, err)
	require.False(t, health.Healthy())
	require.Len(t, health.Failures, 3, "the operator sees all of it")
	stats, err := x.Stats(t.Context(), bob)
	require.NoError(t, err)
	require.False(t, stats.Health.Healthy())
	require.True(t, stats.Health.NightFailed)
	require.True(t, stats.Health.GivenUp)
	require.EqualValues(t, 1, stats.Health.Parked)
	require.Len(t, stats.Health.Failures, 2)
}

// settled asks again once the consumers, which were set back, have caught up.
func settled(t *testing.T, x *Extension, told func(Scope) string, scope Scope) string {
	t.Helper()
	require.NoError(t, x.WaitIdle(t.Context()))
	return told(scope)
}

// Faults of ever more users do not fill the memory; what is over goes after a day, what was of
// an erased user at once.
func TestFaultsAreBounded(t *testing.T) {
	now := clock.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &Config{Now: now.Now, NoBackground: true, Hooks: Hooks{OnError: func(string, error) {}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	ada, last := Scope{User: "ada"}, Scope{User: "last"}
	for i := range maxMissed {
		x.fault(Scope{User: "user " + strconv.Itoa(i)}, "memory", storeMessage, errors.New("lost"))
	}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I have a brother.")))
	x.fault(ada, "memory", storeMessage, errors.New("lost"))
	x.fault(last, "memory", storeMessage, errors.New("lost"))
	x.worked(last, "memory", storeMessage)
	require.Len(t, x.faults(false, everybody), maxMissed-1)
	require.Len(t, x.faults(true, everybody), 1)
	_, err = x.Erase(t.Context(), ada, Erasure{Everything: true})
	require.NoError(t, err)
	require.Len(t, x.faults(false, everybody), maxMissed-2)
	now.Add(25 * time.Hour)
	require.Empty(t, x.faults(true, everybody))
	require.Equal(t, maxMissed-2, x.missed.Len())
}

// A text that was refused counts for an hour, a fault of the memory until the work succeeds.
func TestRefusedTextsCountForAnHour(t *testing.T) {
	now := clock.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	x := openConfig(t, filepath.Join(t.TempDir(), "memory.db"), &Config{Now: now.Now, NoBackground: true, Hooks: Hooks{OnError: func(string, error) {}}})
	x.fault(Scope{User: "ada"}, "memory", storeMessage, &InvalidError{Field: "text", Reason: "is longer than 1 MiB"})
	x.fault(Scope{User: "eve"}, "memory", storeMessage, errors.New("lost"))
	require.Len(t, x.faults(false, everybody), 2)
	now.Add(time.Hour)
	require.Len(t, x.faults(false, everybody), 1)
	require.Len(t, x.faults(true, everybody), 1)
}
