// Package pgvector finds a user's nearest vectors by the extension pgvector, on a server
// where docs/postgres/pgvector.sql was run. It is for users whose vectors are not in
// memory.
package pgvector

import (
	"context"
	"strconv"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// Nearest calls visit with the n vectors of a user that are nearest to a query, in order of
// id, until visit returns an error. It returns the mean and the standard deviation of the
// query's cosines with all of them. Without pgvector, or the right to use it, it calls nothing.
func Nearest(ctx context.Context, s *schema.Snapshot, userID, generation int64, query []float32, n int, visit func(vecstore.ChunkVector) error) (mean, deviation float64, err error) {
	var there bool
	if err := s.Row(ctx, "SELECT coalesce(has_table_privilege(to_regclass('embeddings'), 'SELECT'), false)", nil, &there); err != nil || !there {
		return 0, 0, err
	}
	literal := []byte{'['}
	for i, x := range query {
		if i > 0 {
			literal = append(literal, ',')
		}
		literal = strconv.AppendFloat(literal, float64(x), 'g', -1, 32)
	}
	var v vecstore.ChunkVector
	err = schema.Each(ctx, s.Query, []any{&v.ID, &v.ChunkID, &v.MemoryID, &v.Vector, &mean, &deviation}, func() error { return visit(v) },
		`SELECT v.id, v.chunk_id, c.memory_id, v.vector, n.mean, n.deviation FROM ebb_nearest(?, ?, ?, ?) n
			JOIN vectors v ON v.id = n.id JOIN chunks c ON c.id = v.chunk_id ORDER BY v.id`, userID, generation, string(append(literal, ']')), n)
	return mean, deviation, err
}
