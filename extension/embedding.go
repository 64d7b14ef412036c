package extension

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Embedding is what vectors were made by. Those of two embeddings are never
// compared: a model that changes makes new vectors of everything beside the old
// ones, which serve until the new are complete.
type Embedding struct {
	Model string `json:"model"` // [Config].Embedding.Model when they were made
	Dims  int    `json:"dims"`  // numbers in a vector
	// Serving says that searches compare with these vectors just now.
	Serving bool `json:"serving,omitempty"`
}

// Compatible reports whether vectors of the two may be compared: they are of
// one model and one size.
func (e Embedding) Compatible(other Embedding) bool {
	return e.Model == other.Model && e.Dims == other.Dims
}

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

// readEmbeddings reads what the vectors of a memory were made by.
func (d *Detail) readEmbeddings(ctx context.Context, s *schema.Snapshot, m *Record) error {
	generations, err := s.GenerationsOf(ctx, m.ID)
	for _, g := range generations {
		d.Embeddings = append(d.Embeddings, Embedding{Model: g.Model, Dims: g.Dims, Serving: g.State == schema.GenerationServing})
	}
	return err
}
