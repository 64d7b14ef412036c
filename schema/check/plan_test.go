package check_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/check"
)

func TestNoInvariantIsQuadratic(t *testing.T) {
	db := memtest.Open(t)
	for _, i := range check.Invariants {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			rows, err := s.Query(ctx, "EXPLAIN QUERY PLAN "+i.Query)
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
				require.False(t, nested[parent] && strings.HasPrefix(step, "SCAN"), "%s: %s", i.Name, step)
			}
			return rows.Err()
		}))
	}
}
