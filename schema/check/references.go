package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/sqlite"
	"github.com/ebbmem/ebb/schema"
)

// References describes the first rows that refer to a row that is not there.
func References(ctx context.Context, q schema.Querier) ([]string, error) {
	return sqlite.Texts(ctx, q, "SELECT \"table\" || ' row ' || coalesce(rowid, '?') || ' → ' || parent FROM pragma_foreign_key_check LIMIT 20")
}

// CrossReferences counts, by table and column, the rows of one user that refer to a
// row of another. A row without a user belongs to the user of the first row that it
// refers to.
func CrossReferences(ctx context.Context, q schema.Querier) (found []string, err error) {
	keys, err := sqlite.Texts(ctx, q, `SELECT m.name || '/' || f."from" || '/' || f."table" || '/' || coalesce(f."to", 'id')
		FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id`)
	if err != nil {
		return nil, err
	}
	owned, err := sqlite.Texts(ctx, q, "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) i WHERE m.type = 'table' AND i.name = 'user_id'")
	if err != nil {
		return nil, err
	}
	owners := make(map[string]string) // table → the user of a row t of it
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
		if err := q.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM %s t JOIN %s p ON p.%s = t.%s WHERE p.user_id <> %s",
			table, parent, id, column, owners[table])).Scan(&n); err != nil {
			return nil, err
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%s.%s: %d", table, column, n))
		}
	}
	return found, nil
}

// Watermarks describes the first positions of consumers and of nights that lie past
// what there is.
func Watermarks(ctx context.Context, q schema.Querier) ([]string, error) {
	return sqlite.Texts(ctx, q, `
		SELECT 'consumer ' || name || ' is at ' || cursor || ', past the journal' FROM consumers
			WHERE cursor > (SELECT coalesce(max(seq), 0) FROM (SELECT max(seq) AS seq FROM events
				UNION ALL SELECT seq FROM sqlite_sequence WHERE name = 'events'))
		UNION ALL
		SELECT 'user ' || u.name || ' has ' || w.name || ' through ' || w.through || ', past the memories'
			FROM watermarks w JOIN users u ON u.id = w.user_id WHERE w.through > (SELECT coalesce(max(id), 0) FROM (SELECT max(id) AS id FROM memories
				UNION ALL SELECT seq FROM sqlite_sequence WHERE name = 'memories'))
		UNION ALL
		SELECT 'user ' || name || ' has nights through ' || nights_through || ', which is no day' FROM users
			WHERE nights_through <> '' AND date(nights_through) IS NOT nights_through
		LIMIT 20`)
}
