package schema

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Repaired is one thing that a repair changed.
type Repaired struct {
	Name    string `json:"name"`
	Changed int64  `json:"changed"` // rows
	Detail  string `json:"detail"`
}

// RepairStep mends one kind of damage, in one write.
type RepairStep struct {
	Name string
	// Run mends it and says what it changed: nothing, when there was nothing to
	// mend. An error undoes the step.
	Run func(ctx context.Context, tx *Tx) (changed int64, detail string, err error)
}

// repairer is the actor of what a repair changes, in the audit.
var repairer = Actor{Name: "ebb doctor"}

// RepairIndexes has SQLite make its indexes anew when it finds fault with them,
// and the text index with them. It comes first: the other steps read by them.
//
// Its error is [ErrCorrupt] when pages are damaged that hold rows: they cannot
// be mended, only salvaged.
func RepairIndexes() RepairStep {
	return RepairStep{"indexes", func(ctx context.Context, tx *Tx) (int64, string, error) {
		before, err := integrity(ctx, tx)
		if err != nil || len(before) == 0 {
			return 0, "", err
		}
		if err := rebuildText(ctx, tx); err != nil {
			return 0, "", err
		}
		if _, err := tx.ExecContext(ctx, "REINDEX"); err != nil {
			return 0, "", err
		}
		after, err := integrity(ctx, tx)
		if err != nil {
			return 0, "", err
		}
		if len(after) > 0 {
			return 0, "", fmt.Errorf("%w: pages that hold rows: %s", ErrCorrupt, strings.Join(after, "; "))
		}
		return int64(len(before)), "made anew, for: " + strings.Join(before, "; "), nil
	}}
}

func integrity(ctx context.Context, tx *Tx) ([]string, error) {
	problems, err := texts(ctx, tx, "PRAGMA integrity_check(20)")
	if slices.Equal(problems, []string{"ok"}) {
		problems = nil
	}
	return problems, err
}

func rebuildText(ctx context.Context, tx *Tx) error {
	tx.db.unindexed = nil // it is among the text
	_, err := tx.ExecContext(ctx, "INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')")
	return err
}

// RepairRows mends what rows say of each other, in the order in which one step
// can leave work for the next. References of episodes to the journal are left
// to whoever can write it.
func RepairRows() []RepairStep {
	return []RepairStep{
		{"references", repairReferences},
		{"replaced claims", repairClaims},
		{"vectors", repairVectors},
		{"entities", repairEntities},
		{"positions", repairPositions},
	}
}

// RepairText prepares the text anew of memories that have none, or have it under
// another user, and makes the text index anew when it disagrees with the text.
func RepairText() []RepairStep {
	return []RepairStep{{"text of memories", repairChunks}, {"text index", repairTextIndex}}
}

// RepairUsers gives a name to users whose row is lost: what is theirs can be
// read again under it.
func RepairUsers() RepairStep {
	return RepairStep{"users", func(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
		references, err := foreignKeys(ctx, tx)
		if err != nil {
			return 0, "", err
		}
		for _, r := range references {
			if r.parent != "users" {
				continue
			}
			n, err := tx.changes(ctx, fmt.Sprintf(`INSERT INTO users (id, tenant, name, created_at) SELECT DISTINCT t.%[1]s, '', 'recovered-' || t.%[1]s, ?
				FROM %[2]s t WHERE t.%[1]s NOT IN (SELECT id FROM users) ON CONFLICT DO NOTHING`, r.column, r.table), tx.Now.UnixMilli())
			if err != nil {
				return 0, "", err
			}
			changed += n
		}
		return changed, "whose names are lost are called recovered-N", nil
	}}
}

type foreignKey struct {
	table, column, parent, key string
	optional                   bool
}

func foreignKeys(ctx context.Context, tx *Tx) (found []foreignKey, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT m.name, f."from", f."table", coalesce(f."to", 'id'),
			(SELECT "notnull" = 0 AND pk = 0 FROM pragma_table_info(m.name) i WHERE i.name = f."from")
		FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var k foreignKey
		if err := rows.Scan(&k.table, &k.column, &k.parent, &k.key, &k.optional); err != nil {
			return nil, err
		}
		found = append(found, k)
	}
	return found, rows.Err()
}

// changes runs a statement and counts the rows it changed.
func (tx *Tx) changes(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := tx.IDB.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// repairReferences clears references to what is not there where a row can do
// without, and removes the row where it cannot: a link, a source, a vector
// without one of its ends means nothing.
func repairReferences(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	references, err := foreignKeys(ctx, tx)
	if err != nil {
		return 0, "", err
	}
	done := make(map[string]int64)
	for again := true; again; { // a removed row can leave others
		again = false
		for _, r := range references {
			what, statement := "removed from "+r.table, "DELETE FROM "+r.table
			if r.optional {
				what, statement = "cleared in "+r.table+"."+r.column, "UPDATE "+r.table+" SET "+r.column+" = NULL"
			}
			n, err := tx.changes(ctx, statement+fmt.Sprintf(" WHERE %[1]s IS NOT NULL AND %[1]s NOT IN (SELECT %[2]s FROM %[3]s)", r.column, r.key, r.parent))
			if err != nil {
				return 0, "", err
			}
			if n > 0 {
				done[what] += n
				changed += n
				again = true
			}
		}
	}
	return changed, tally(done), nil
}

// tally lists counts in a fixed order.
func tally(counts map[string]int64) string {
	var parts []string
	for what, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
