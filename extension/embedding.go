package extension

import (
	"context"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// Embedding describes the model whose vectors searches compare. It is the zero
// value if there are no vectors.
//
// Errors: the database's, the context's.
func (x *Extension) Embedding(ctx context.Context) (e inspect.Embedding, err error) {
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		g, err := s.ServingGeneration(ctx)
		if g != nil {
			e = inspect.Embedding{Model: g.Model, Dims: g.Dims, Serving: true}
		}
		return err
	})
	return e, err
}
