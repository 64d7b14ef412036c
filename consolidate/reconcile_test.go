package consolidate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/schema"
)

// A night asks the policy as remember_fact does, and undoing it takes all back.
func TestNightReconcilesClaims(t *testing.T) {
	const hens = "The user keeps 11 hens behind the old barn"
	for _, decide := range []reconcile.Func{nil, reconcile.Cognitive} {
		db, _ := aged(t)
		own := func(m *schema.Memory) { m.Origin, m.Trust = schema.OriginUser, 4 }
		remember(t, db, schema.Scope{User: "bob"}, schema.Memory{Kind: schema.KindFact, Content: hens, Origin: schema.OriginUser, Trust: 4})
		said := remember(t, db, ada, schema.Memory{Role: "user", Content: "Fed the birds.", Origin: schema.OriginUser, Trust: 4})
		known := derived(t, db, hens, own)
		searcher := recall.New(db, recall.Options{})
		defer searcher.Close()
		adding := stage{"adding", func(context.Context, *consolidate.Input) (all []consolidate.Proposal, err error) {
			for _, content := range []string{"Ada keeps 11 hens, behind the old barn", "Ada keeps 11 noisy brown hens behind the old barn"} {
				all = append(all, consolidate.AddClaim{Claim: consolidate.Claim{Content: content, Kind: schema.KindFact, Sources: []consolidate.Citation{{UID: said.UID}}}})
			}
			return all, nil
		}}
		r, err := consolidate.NewRunner(db, searcher, consolidate.RunnerOptions{Stages: []consolidate.Stage{adding}, Reconcile: decide})
		require.NoError(t, err)
		stored := func() (facts int, to []string) {
			require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
				active, err := s.Night().Meeting(ctx, known.UserID, schema.StateActive, &schema.Conditions{Kind: schema.KindFact})
				if err != nil {
					return err
				}
				links, err := s.Night().Links(ctx, known.UserID, schema.LinkElaborates)
				for _, l := range links {
					to = append(to, l.To.UID)
				}
				facts = len(active)
				return err
			}))
			return facts, to
		}
		report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		facts, to := stored()
		if decide == nil {
			require.Equal(t, 3, facts)
			require.Empty(t, to)
		} else {
			require.Equal(t, 2, facts, report.Summary())
			require.Equal(t, []string{known.UID}, to)
		}
		_, err = r.Rollback(t.Context(), ada, report.RunID)
		require.NoError(t, err)
		facts, to = stored()
		require.Equal(t, 1, facts)
		require.Empty(t, to)
	}
}

// A claim is not stored as a new one because the search for those like it failed.
func TestNightFailsIfItCannotReconcile(t *testing.T) {
	db, _ := aged(t)
	said := remember(t, db, ada, schema.Memory{Role: "user", Content: "Poured tea.", Origin: schema.OriginUser, Trust: 4})
	closed := open(t)
	searcher := recall.New(closed, recall.Options{})
	searcher.Close()
	require.NoError(t, closed.Close())
	adding := stage{"adding", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) {
		return []consolidate.Proposal{consolidate.AddClaim{Claim: consolidate.Claim{
			Content: "The user likes tea.", Kind: schema.KindFact, Sources: []consolidate.Citation{{UID: said.UID}},
		}}}, nil
	}}
	r, err := consolidate.NewRunner(db, searcher, consolidate.RunnerOptions{Stages: []consolidate.Stage{adding}, Reconcile: reconcile.Cognitive})
	require.NoError(t, err)
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.ErrorIs(t, err, schema.ErrClosed)
	require.Empty(t, statuses(report, "adding"))
	require.Empty(t, derivedOf(t, db))
}

// What is said of somebody else does not elaborate what is known of the user.
func TestNoUpdateOfSomebodyElse(t *testing.T) {
	db, _ := aged(t)
	said := remember(t, db, ada, schema.Memory{Role: "user", Content: "Poured tea.", Origin: schema.OriginUser, Trust: 4})
	known := derived(t, db, "The user likes tea with milk.", func(m *schema.Memory) { m.Origin, m.Trust, m.Subject = schema.OriginUser, 4, "the user" })
	searcher := recall.New(db, recall.Options{})
	defer searcher.Close()
	adding := stage{"adding", func(context.Context, *consolidate.Input) (all []consolidate.Proposal, err error) {
		return []consolidate.Proposal{consolidate.AddClaim{Claim: consolidate.Claim{
			Content: "The user's brother likes tea with milk.", Kind: schema.KindFact, Subject: "the user's brother", Sources: []consolidate.Citation{{UID: said.UID}},
		}}}, nil
	}}
	r, err := consolidate.NewRunner(db, searcher, consolidate.RunnerOptions{Stages: []consolidate.Stage{adding}, Reconcile: reconcile.Cognitive})
	require.NoError(t, err)
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, []string{"add_fact applied"}, statuses(report, "adding"))
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		links, err := s.Night().Links(ctx, known.UserID, schema.LinkElaborates)
		require.Empty(t, links)
		return err
	}))
}
