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

// theColumn stands for a column in the tests of Values.
var theColumn = regexp.MustCompile(`\bc\b`)

// Values counts, by table and column, the values that are not of the declared type,
// and the confidences outside 0–1: SQLite stores a text in an INTEGER column, and its
// own check does not report that.
func Values(ctx context.Context, q schema.Querier) (found []string, err error) {
	tables, err := sqlite.Texts(ctx, q, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'bun_%'")
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		tests, err := sqlite.Texts(ctx, q, `SELECT iif("notnull" OR pk, 'sum(', 'sum(c IS NOT NULL AND ') || CASE type
				WHEN 'INTEGER' THEN 'typeof(c) <> ''integer'' OR c NOT BETWEEN -(1 << 61) AND 1 << 61)'
				WHEN 'TEXT' THEN 'typeof(c) <> ''text'')'
				WHEN 'REAL' THEN 'typeof(c) NOT IN (''real'', ''integer'') OR abs(c) > 1.7e308' || iif(name = 'confidence', ' OR c NOT BETWEEN 0 AND 1)', ')')
				WHEN 'BLOB' THEN 'typeof(c) <> ''blob'')' END || '/' || name
			FROM pragma_table_info('`+table+`') WHERE type IN ('INTEGER', 'TEXT', 'REAL', 'BLOB')`)
		if err != nil || len(tests) == 0 {
			return nil, errors.Join(err, fmt.Errorf("%w: table %s has no columns", schema.ErrCorrupt, table))
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

// Form is a table with encoded values, which Decode decodes as the package that
// reads them does.
type Form struct {
	Table   string
	Columns string // what Decode takes of a row, as in a SELECT
	Decode  func(values []string) error
}

// Undecodable counts, by form, the rows that cannot be decoded.
func Undecodable(ctx context.Context, q schema.Querier, forms []Form) (found []string, err error) {
	for _, f := range forms {
		n := 0
		if err := texts(ctx, q, "SELECT "+f.Columns+" FROM "+f.Table, func(values []string) {
			if f.Decode(values) != nil {
				n++
			}
		}); err != nil {
			return nil, err
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%s (%s): %d", f.Table, f.Columns, n))
		}
	}
	return found, nil
}

// AlteredTexts counts the memories whose text is not the one that was stored:
// SQLite has no checksums, and a text with a flipped bit is another text to it.
func AlteredTexts(ctx context.Context, q schema.Querier) (altered int, err error) {
	err = texts(ctx, q, "SELECT content, content_hash FROM memories", func(v []string) {
		if schema.HashContent(v[0]) != v[1] {
			altered++
		}
	})
	return altered, err
}

// MalformedBlocks counts the versions of blocks that are not of their block's form.
func MalformedBlocks(ctx context.Context, q schema.Querier) (malformed int, err error) {
	err = texts(ctx, q, "SELECT kind, content FROM blocks UNION ALL SELECT b.kind, h.content FROM blocks b JOIN block_history h ON h.block_id = b.id",
		func(v []string) {
			b := core.Block{Kind: core.BlockKind(v[0]), Content: v[1]}
			if b.Damaged() {
				malformed++
			}
		})
	return malformed, err
}

// texts reads a query with text columns. visit must not keep what it is given.
func texts(ctx context.Context, q schema.Querier, query string, visit func(values []string)) error {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]string, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		visit(values)
	}
	return rows.Err()
}
