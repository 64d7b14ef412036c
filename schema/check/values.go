package check

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/ebbmem/ebb/internal/sqlite"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// jsonColumns are those whose texts are JSON, or empty.
var jsonColumns = map[string][]string{
	"erasures": {"receipt"}, "events": {"payload"}, "gaps": {"memories"}, "injections": {"items"}, "losses": {"gone"},
	"memories": {"tags", "attributes"}, "ops": {"before", "after"}, "runs": {"stages"},
}

// theColumn stands for a column in the tests of Values.
var theColumn = regexp.MustCompile(`\bc\b`)

// Values counts, by table and column, the values that are not of the declared type
// or form: SQLite stores a text in an INTEGER column, and its own check does not
// report that.
func Values(ctx context.Context, q schema.Querier) (found []string, err error) {
	tables, err := sqlite.Texts(ctx, q, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'bun_%'")
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		tests, err := sqlite.Texts(ctx, q, `SELECT iif("notnull" OR pk, 'sum(', 'sum(c IS NOT NULL AND ') || CASE type
				WHEN 'INTEGER' THEN 'typeof(c) <> ''integer'' OR c NOT BETWEEN -(1 << 61) AND 1 << 61)'
				WHEN 'TEXT' THEN 'typeof(c) <> ''text'')'
				WHEN 'REAL' THEN 'typeof(c) NOT IN (''real'', ''integer'') OR abs(c) > 1.7e308)'
				WHEN 'BLOB' THEN 'typeof(c) <> ''blob'')' END || '/' || name
			FROM pragma_table_info('`+table+`') WHERE type IN ('INTEGER', 'TEXT', 'REAL', 'BLOB')`)
		if err != nil || len(tests) == 0 {
			return nil, errors.Join(err, fmt.Errorf("%w: table %s has no columns", schema.ErrCorrupt, table))
		}
		for _, column := range jsonColumns[table] {
			tests = append(tests, "sum(c <> '' AND NOT json_valid(c))/"+column)
		}
		columns, counts, into := make([]string, len(tests)), make([]int64, len(tests)), make([]any, len(tests))
		for i, test := range tests {
			test, column, _ := strings.Cut(test, "/")
			columns[i] = column
			tests[i] = "coalesce(" + theColumn.ReplaceAllString(test, `"`+column+`"`) + ", 0)"
			into[i] = &counts[i]
		}
		if err := q.QueryRowContext(ctx, "SELECT "+strings.Join(tests, ", ")+` FROM "`+table+`"`).Scan(into...); err != nil {
			return nil, err
		}
		for i, n := range counts {
			if n > 0 {
				found = append(found, fmt.Sprintf("%s.%s: %d", table, columns[i], n))
			}
		}
	}
	return found, nil
}

// AlteredTexts counts the memories whose text is not the one that was stored:
// SQLite has no checksums, and a text with a flipped bit is another text to it.
func AlteredTexts(ctx context.Context, q schema.Querier) (altered int, err error) {
	err = pairs(ctx, q, "SELECT content, content_hash FROM memories", func(content, hash string) {
		if schema.HashContent(content) != hash {
			altered++
		}
	})
	return altered, err
}

// MalformedBlocks counts the versions of blocks that are not of their block's form.
func MalformedBlocks(ctx context.Context, q schema.Querier) (malformed int, err error) {
	err = pairs(ctx, q, "SELECT kind, content FROM blocks UNION ALL SELECT b.kind, h.content FROM blocks b JOIN block_history h ON h.block_id = b.id",
		func(kind, content string) {
			b := core.Block{Kind: core.BlockKind(kind), Content: content}
			if b.Damaged() {
				malformed++
			}
		})
	return malformed, err
}

// pairs reads a query with two text columns.
func pairs(ctx context.Context, q schema.Querier, query string, visit func(a, b string)) error {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var a, b string
		if err := rows.Scan(&a, &b); err != nil {
			return err
		}
		visit(a, b)
	}
	return rows.Err()
}
