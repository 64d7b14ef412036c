package consolidate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
)

// interrupted is a stage during which somebody erases a memory, the first time.
type interrupted struct {
	erase func() error
	seen  *[]int // how many memories each turn of it read
}

func (interrupted) Name() string { return "interrupted" }

func (s interrupted) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	var read int
	if err := in.DB.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) error {
		return snap.Row(ctx, "SELECT count(*) FROM memories WHERE user_id = ? AND kind <> 'episode'", []any{in.UserID}, &read)
	}); err != nil {
		return err
	}
	*s.seen = append(*s.seen, read)
	if len(*s.seen) == 1 {
		if err := s.erase(); err != nil {
			return err
		}
	}
	_, err := apply(ctx, consolidate.Advance{Stage: "interrupted", Through: 1})
	return err
}

func TestNightSkipsErased(t *testing.T) {
	for _, everything := range []bool{false, true} {
		t.Run(fmt.Sprint("everything ", everything), func(t *testing.T) {
			db, _ := aged(t)
			derived(t, db, "Ada keeps bees")
			gone := derived(t, db, "Ada keeps wasps")
			var seen []int
			stage := interrupted{seen: &seen, erase: func() error {
				what := erase.Erasure{Memories: []string{gone.UID}}
				if everything {
					what = erase.Erasure{Everything: true}
				}
				receipt, err := erase.Run(t.Context(), db, ada, what, schema.Actor{Name: "host"})
				if err == nil && receipt.State != erase.Done {
					err = errors.New(string(receipt.State))
				}
				return err
			}}
			r := runner(t, db, stages(stage, consolidate.Prune{}))
			report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Equal(t, "done", report.State)
			if everything {
				require.Equal(t, []int{2}, seen)
				return
			}
			require.Equal(t, []int{2, 1}, seen, "it reads anew")
			require.Len(t, report.Stages, 2)
			for _, s := range report.Stages {
				require.True(t, s.Done)
				require.Empty(t, s.Error)
			}
			require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
				runs, err := s.Runs(ctx, gone.UserID, 0)
				require.Len(t, runs, 1, "it is one run")
				require.Equal(t, "done", runs[0].State)
				return err
			}))
		})
	}
}
