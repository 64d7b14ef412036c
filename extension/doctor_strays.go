package extension

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// strays looks for rows of one user that refer to a row of another. A row without a
// user belongs to the user of the first row that it refers to.
func (e *examination) strays(ctx context.Context) {
	const name = "references between users"
	found, err := e.crossReferences(ctx)
	switch {
	case err != nil:
		e.note(name, CheckDamaged, plain(err), fixRestore)
	case len(found) > 0:
		e.note(name, CheckDamaged, "rows that refer to another user's: "+strings.Join(found, ", "), fixRestore)
	default:
		e.note(name, CheckOK, "", "")
	}
}

// crossReferences counts such rows, by table and column.
func (e *examination) crossReferences(ctx context.Context) (found []string, err error) {
	keys, err := e.lines(ctx, `SELECT m.name || '/' || f."from" || '/' || f."table" || '/' || coalesce(f."to", 'id')
		FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id`)
	if err != nil {
		return nil, err
	}
	owned, err := e.lines(ctx, "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) i WHERE m.type = 'table' AND i.name = 'user_id'")
	if err != nil {
		return nil, err
	}
	owners := make(map[string]string) // table → whose a row t of it is
	for _, table := range owned {
		owners[table] = "t.user_id"
	}
	for _, k := range keys {
		key := strings.Split(k, "/")
		table, column, parent, id := key[0], key[1], key[2], key[3]
		if !slices.Contains(owned, parent) {
			continue
		}
		if owners[table] == "" {
			owners[table] = fmt.Sprintf("(SELECT user_id FROM %s WHERE %s = t.%s)", parent, id, column)
			continue
		}
		var n int64
		if err := e.db.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM %s t JOIN %s p ON p.%s = t.%s WHERE p.user_id <> %s",
			table, parent, id, column, owners[table])).Scan(&n); err != nil {
			return nil, err
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%s.%s: %d", table, column, n))
		}
	}
	return found, nil
}
