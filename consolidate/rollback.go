package consolidate

import (
	"context"
	"errors"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
	"github.com/ebbmem/ebb/schema/undo"
)

// Rollback undoes a run and returns what had to stay because later changes rest on
// it. The local day stays consolidated: the next night continues from where the
// run began. What a message or the host changed is undone at once; to undo a night it
// waits for a night that this process runs, until ctx ends.
//
// Errors: [*schema.InvalidError] for the scope, [schema.ErrNotFound] for a run
// that is not this user's, [schema.ErrConflict] for one that is already undone,
// while the user has an erasure that has not ended and, for a night, while another
// process runs one; the context's error.
func (r *Runner) Rollback(ctx context.Context, scope schema.Scope, runUID string) (undone *undo.Result, err error) {
	var run *schema.Run
	err = r.db.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) (err error) {
		run, err = inspect.Run(ctx, s, userID, runUID)
		return err
	})
	if err == nil && run == nil { // nothing is known of the user
		err = schema.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	reverse := func(lease *schema.Lease) error {
		return r.db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) (err error) {
			if lease != nil {
				if err := checked(ctx, tx, lease); err != nil {
					return err
				}
			}
			undone, err = undo.Run(ctx, tx, userID, runUID, schema.Actor{Name: undoActor})
			return err
		})
	}
	if run.Cause == schema.CauseSaid || run.Cause == schema.CauseHost {
		err = reverse(nil)
		return undone, err
	}
	err = r.alone(ctx, scope, reverse)
	return undone, err
}

const undoActor = "undo"

// DryRun runs a night for one user on a copy, see [schema.DB.Scratch], and reports every
// proposal and its outcome. The model is asked as in a real run.
//
// Errors: those of [Runner.Run] and of [schema.DB.Scratch].
func (r *Runner) DryRun(ctx context.Context, scope schema.Scope) (report *Report, err error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	db, release, err := r.db.Scratch(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	opts := r.opts
	share := r.share
	opts.RetirementCap = &share
	copied, err := NewRunner(db, r.searcher.Over(db), opts)
	if err != nil {
		return nil, err
	}
	report, err = copied.Run(ctx, scope, CauseManual)
	if report != nil {
		report.Dry, report.RunID = true, ""
	}
	return report, err
}
