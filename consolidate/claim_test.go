package consolidate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

// What a stage wrote from memories is rejected if the user asked to forget one of them while it
// wrote, and stored otherwise.
func TestForgottenWhileStageWrites(t *testing.T) {
	for _, forgotten := range []bool{false, true} {
		db, _ := aged(t)
		ann := people(t, db, person("Ann", 3))[0]
		secret := mentioning(t, db, "Ann is ill", 1, ann)
		plain := mentioning(t, db, "Ann has a dog", 1, ann)
		writing := stage{"writing", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) {
			if forgotten {
				require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
					return tx.Forget(ctx, secret, start, schema.Actor{Name: "host"})
				}))
			}
			both := []string{secret.UID, plain.UID}
			return []consolidate.Proposal{
				consolidate.SummariseEntity{Entity: ann.UID, Summary: "Ann is ill and has a dog.", Sources: both},
				consolidate.AddClaim{Claim: consolidate.Claim{Content: "Ann is at home", Kind: schema.KindFact, Sources: []consolidate.Citation{{UID: secret.UID}, {UID: plain.UID}}}},
				consolidate.AddReflection{Content: "Ann needs care", Sources: append(both, mentioning(t, db, "Ann sleeps", 1, ann).UID), Importance: .9, Trust: schema.MaxTrust},
			}, nil
		}}
		report, err := runner(t, db, stages(writing)).Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		require.Len(t, report.Stages[0].Outcomes, 3)
		for _, o := range report.Stages[0].Outcomes {
			require.Equal(t, forgotten, o.Status == consolidate.Rejected, "%+v", o)
		}
	}
}
