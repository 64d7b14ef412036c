package consolidate

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// EnrichOptions say how memories are enriched. The zero value is the default.
type EnrichOptions struct {
	// Rate gives the importance of a text, 1–10. Default [Importance].
	Rate func(content string) float64
}

// Enricher finds what stored memories mention and rates them. It is safe for
// concurrent use.
type Enricher struct {
	db   *schema.DB
	opts EnrichOptions
}

// NewEnricher makes an enricher over db.
func NewEnricher(db *schema.DB, opts EnrichOptions) *Enricher {
	if opts.Rate == nil {
		opts.Rate = Importance
	}
	return &Enricher{db: db, opts: opts}
}

// Enrich links the entities that a memory mentions and rates its importance.
// Doing it again changes nothing: links are keyed by memory and entity, and
// only a memory of importance 0, which no rating gives, is rated.
//
// Errors: [*schema.InvalidError] for the scope, [schema.ErrNotFound] for a
// memory that is gone or another user's, the database's errors.
func (e *Enricher) Enrich(ctx context.Context, scope schema.Scope, memoryUID string) error {
	if err := scope.Validate(); err != nil {
		return err
	}
	return e.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		m, err := tx.Memory(ctx, userID, memoryUID)
		if err != nil {
			return err
		}
		return e.rate(ctx, tx, m)
	})
}

// rate stores the importance of a memory that has none and adds what an
// episode weighs to the user's sum since the last reflection. Both are
// bookkeeping that the text itself decides, like access counts: they are not
// audited and keep the version.
func (e *Enricher) rate(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
	importance := min(1, max(0.1, e.opts.Rate(m.Content)/10))
	res, err := tx.Exec(ctx, "UPDATE memories SET importance = ? WHERE id = ? AND importance = 0", importance, m.ID)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 || m.Kind != schema.KindEpisode {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE users SET importance_since = importance_since + ? WHERE id = ?", importance, m.UserID)
	return err
}
