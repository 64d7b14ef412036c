package schema

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/pgtest"
)

// What is done for every turn must not grow with the user's memory.
func TestTurnQueriesUseIndexes(t *testing.T) {
	pgtest.FileOnly(t, "query plans of SQLite")
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	const byUID = " USING INDEX sqlite_autoindex_memories_1 (uid=?)"
	var quarantined, meeting string
	require.NoError(t, db.Read(t.Context(), func(_ context.Context, s *Snapshot) error {
		quarantined = selectQuarantined(s, new([]Memory), 1, 50).String()
		meeting = selectMeeting(s, new([]Memory), 1, StateActive, &Conditions{Kind: KindEpisode}, []int64{1}).String()
		return nil
	}))
	for statement, step := range map[string]string{
		quarantined:     "SEARCH m USING INDEX memories_quarantined (user_id=?)", // asked for by each view of a page
		meeting:         "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",          // asked for by each change of a rule
		dormantMemories: "SEARCH memories" + byUID, touchMemories: "SEARCH memories" + byUID, leastTrustedShown: "SEARCH m" + byUID,
		turnsOfClaims: "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", memoryByID: "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
		memoryByUID:   "SEARCH m" + byUID,
		injectionsOf:  "SEARCH injections USING INDEX injections_by_session (user_id=? AND session=? AND shown_at>? AND shown_at<?)",
		claimsVersion: "SEARCH memories USING INDEX memories_claims (user_id=?)",
		endedClaims:   "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
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

// SQLite looks a value up in a list of more than two in a table that it makes for
// each statement: it was a third of what a memory's row cost.
func TestInsertUsesNoTemporaryTable(t *testing.T) {
	pgtest.FileOnly(t, "query plans of SQLite")
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for _, statement := range []string{insertMemories.one, insertMemories.many} {
		var steps []string
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
			rows, err := s.QueryContext(ctx, "EXPLAIN "+statement, make([]any, strings.Count(statement, "?"))...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var step string
				var rest [7]any
				if err := rows.Scan(&rest[0], &step, &rest[1], &rest[2], &rest[3], &rest[4], &rest[5], &rest[6]); err != nil {
					return err
				}
				steps = append(steps, step)
			}
			return rows.Err()
		}))
		require.Contains(t, steps, "Insert")
		require.NotContains(t, steps, "OpenEphemeral")
	}
}

func TestDatabaseRefusesUnknownKindAndState(t *testing.T) {
	pgtest.FileOnly(t, "query plans of SQLite")
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	set := func(column string, value any) error {
		return db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			userID, err := tx.UserID(ctx, Scope{User: "ada"})
			if err != nil {
				return err
			}
			m := &Memory{UserID: userID, Kind: KindEpisode, Content: "Good morning.", Confidence: 1, Origin: OriginUser, Trust: 4}
			if err := tx.InsertMemory(ctx, m, nil); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, "UPDATE memories SET "+column+" = ? WHERE id = ?", value, m.ID)
			return err
		})
	}
	for _, kind := range Kinds {
		require.NoError(t, set("kind", string(kind)))
	}
	for _, state := range States {
		require.NoError(t, set("state", string(state)))
	}
	for column, value := range map[string]any{"kind": "song", "state": "asleep"} {
		require.ErrorIs(t, set(column, value), sqlite3.CONSTRAINT_CHECK, column)
	}
}
