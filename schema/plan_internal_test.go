package schema

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is done for every turn must not grow with the user's memory.
func TestWhatIsShownIsFoundByItsIds(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for statement, by := range map[string]string{
		dormantMemories: "memories", touchMemories: "memories", leastTrustedShown: "m",
	} {
		var plan []string
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
			rows, err := s.QueryContext(ctx, "EXPLAIN QUERY PLAN "+statement, make([]any, strings.Count(statement, "?"))...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id, parent, unused int
				var detail string
				if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
					return err
				}
				plan = append(plan, detail)
			}
			return rows.Err()
		}))
		require.Contains(t, plan, "SEARCH "+by+" USING INDEX sqlite_autoindex_memories_1 (uid=?)", statement)
	}
}
