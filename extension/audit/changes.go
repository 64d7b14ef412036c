package audit

import (
	"cmp"
	"context"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// ChangeFilter selects changes by actor and time. Since is by default
// [DefaultWindow] before now, Limit [DefaultChanges].
type ChangeFilter = inspect.AuditQuery

// Change is who changed what and when, without texts.
type Change = inspect.AuditEntry

// Defaults of [ChangeFilter].
const (
	DefaultWindow  = 90 * 24 * time.Hour
	DefaultChanges = 200
)

// Changes lists the changes of a user's memory, oldest first: from the audit, which is
// never shortened. Changes of blocks with [extension.BlockSpec].Critical are marked.
//
// Errors: [*extension.InvalidError] for the scope and a negative limit, the database's
// errors.
func Changes(ctx context.Context, x *extension.Extension, scope extension.Scope, f ChangeFilter) (all []Change, err error) {
	if f.Limit < 0 {
		return nil, &extension.InvalidError{Field: "limit", Reason: "must not be negative (0 means 200)"}
	}
	parts := x.Parts()
	f.Limit = cmp.Or(f.Limit, DefaultChanges)
	if f.Since.IsZero() {
		f.Since = parts.Now().Add(-DefaultWindow)
	}
	err = parts.DB.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) (err error) {
		all, err = inspect.Audit(ctx, s, userID, f)
		return err
	})
	for i := range all {
		if b := parts.Block(all[i].ID); all[i].Record == "blocks" && b != nil {
			all[i].Critical = b.Critical
		}
	}
	return all, err
}
