package extension_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/relation"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
)

// telling is a stage of a host's that proposes what it must not keep, in every
// field that takes a text, and does not care what becomes of it.
type telling struct{}

func (telling) Name() string { return "telling" }

func (telling) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	var uids []string
	var noor string
	if err := in.DB.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) error {
		return errors.Join(snap.NewRaw("SELECT uid FROM memories WHERE user_id = ? AND kind = 'episode'", in.UserID).Scan(ctx, &uids),
			snap.NewRaw("SELECT uid FROM entities WHERE user_id = ? ORDER BY id LIMIT 1", in.UserID).Scan(ctx, &noor))
	}); err != nil {
		return err
	}
	cited := []consolidate.Citation{{UID: uids[0], Quote: told, Holds: true}}
	for _, p := range []consolidate.Proposal{
		consolidate.AddClaim{Claim: consolidate.Claim{Content: told, Kind: schema.KindFact, Subject: told, Predicate: told, Object: told, Sources: cited,
			Attributes: schema.Attributes{"password": secretCore, told: told}}},
		&consolidate.AddClaim{Claim: consolidate.Claim{Content: "Once more: " + told, Kind: schema.KindFact, Sources: cited, Doubt: told}},
		consolidate.AddClaim{Claim: consolidate.Claim{Content: "Of no kind", Kind: schema.Kind(told), Sources: cited}},
		consolidate.AddReflection{Content: told, Sources: uids, Doubt: told, Trust: 4},
		consolidate.Skip{Stage: told, Memories: []string{told}, Reason: told},
		consolidate.Skip{Stage: "x", Reason: told, Batch: told},
		consolidate.MergeEntities{From: told, Into: told, Why: told},
		consolidate.SummariseEntity{Entity: noor, Summary: told},
		consolidate.ResolveMention{Memory: told, From: told, To: told},
		consolidate.Relate{A: told, B: told, Relation: relation.Kind(told), Why: told},
		consolidate.Retire{UID: told}, consolidate.MakeDormant{UID: told}, consolidate.Retried{Batch: told}, consolidate.Advance{Stage: told, Through: 1},
	} {
		_, _ = apply(ctx, p)
	}
	return nil
}

// nightOf runs a night that ends with the stage, and returns its error and what
// is on disk then.
func nightOf(t *testing.T, hook func(context.Context, string, string) (string, error)) (disk []byte, night error) {
	t.Helper()
	path := fresh(t)
	x, err := extension.Open(t.Context(), path, &extension.Config{
		Night: extension.NightConfig{NoSchedule: true, Stages: func([]extension.Stage) []extension.Stage { return []extension.Stage{telling{}} }}, Location: time.UTC, Redaction: extension.Redaction{Hook: hook},
	})
	require.NoError(t, err)
	heard(t, x, "My sister Noor waters the garden.", "I think my sister Noor likes it there.")
	require.NoError(t, x.WaitIdle(t.Context()))
	_, night = x.Consolidate(t.Context(), ada)
	require.NoError(t, x.WaitIdle(t.Context()))
	require.NoError(t, x.Close(context.Background()))
	return onDisk(t, filepath.Dir(path)), night
}

func TestHostStageOutputIsRedacted(t *testing.T) {
	disk, err := nightOf(t, keepOut)
	require.NoError(t, err)
	assert.False(t, bytes.Contains(disk, []byte(secretCore)), "the secret is on disk")
	assert.False(t, bytes.Contains(bytes.ToLower(disk), []byte(private)), "what the hook keeps out is on disk")
	for _, text := range []string{kept, "Once more: " + kept} {
		assert.True(t, bytes.Contains(disk, []byte(text)), text)
	}
}

func TestFailingRedactionHookFailsHostStage(t *testing.T) {
	disk, err := nightOf(t, func(_ context.Context, _, text string) (string, error) {
		if strings.Contains(text, marker) {
			return "", errors.New("cannot check " + text)
		}
		return text, nil
	})
	var refused *extension.RedactionError
	require.ErrorAs(t, err, &refused, "although the stage says nothing of it")
	assert.NotContains(t, err.Error(), marker)
	assert.False(t, bytes.Contains(disk, []byte(marker)))
}
