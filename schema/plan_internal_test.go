package schema

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is done for every turn must not grow with the user's memory.
func TestWhatEachTurnAsksForIsFoundByItsIds(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	const byUID = " USING INDEX sqlite_autoindex_memories_1 (uid=?)"
	for statement, step := range map[string]string{
		dormantMemories: "SEARCH memories" + byUID, touchMemories: "SEARCH memories" + byUID, leastTrustedShown: "SEARCH m" + byUID,
		turnsOfClaims: "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
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
		require.Contains(t, plan, step, statement)
	}
}
