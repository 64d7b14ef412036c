package extension

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// A check that reads a whole table for each row of another takes minutes for a
// memory of a year.
func TestNoCheckIsQuadratic(t *testing.T) {
	x := openNew(t)
	for _, check := range countChecks {
		require.NoError(t, x.db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			rows, err := s.Query(ctx, "EXPLAIN QUERY PLAN "+check.query)
			if err != nil {
				return err
			}
			defer rows.Close()
			nested := map[int]bool{} // steps that are done for each row
			for rows.Next() {
				var id, parent, unused int
				var step string
				if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
					return err
				}
				nested[id] = nested[parent] || strings.HasPrefix(step, "CORRELATED")
				require.False(t, nested[parent] && strings.HasPrefix(step, "SCAN"), "%s: %s", check.name, step)
			}
			return rows.Err()
		}))
	}
}
