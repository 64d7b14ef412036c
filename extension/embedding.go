package extension

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Embedding is what the vectors that searches compare with were made by; the
// zero value while there are none.
//
// Errors: the database's, the context's.
func (x *Extension) Embedding(ctx context.Context) (e Embedding, err error) {
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		g, err := s.ServingGeneration(ctx)
		if g != nil {
			e = Embedding{Model: g.Model, Dims: g.Dims, Serving: true}
		}
		return err
	})
	return e, err
}
