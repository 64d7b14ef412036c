package schema

import (
	"context"
	"database/sql"
)

// Reads runs a query: [Snapshot.Query], [Tx.Query] or [Querier].QueryContext.
type Reads func(ctx context.Context, query string, args ...any) (*sql.Rows, error)

// Each calls row after each row of a query has been read into dest. An error of row ends
// the query and is returned.
func Each(ctx context.Context, run Reads, dest []any, row func() error, query string, args ...any) error {
	rows, err := run(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		if err := row(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// List returns the rows of a query; fields lists where the columns of one go.
func List[T any](ctx context.Context, run Reads, fields func(v *T) []any, query string, args ...any) (list []T, err error) {
	var v T
	err = Each(ctx, run, fields(&v), func() error {
		var none T
		list, v = append(list, v), none
		return nil
	}, query, args...)
	return list, err
}

// Column returns the values of a query's only column.
func Column[T any](ctx context.Context, run Reads, query string, args ...any) ([]T, error) {
	return List(ctx, run, func(v *T) []any { return []any{v} }, query, args...)
}

// OpWithPublicIDs returns the SQL of a column of ops, aliased o, either before or after,
// with public ids in place of row ids.
func OpWithPublicIDs(column string) string {
	return `CASE WHEN json_valid(o.` + column + `) AND json_type(o.` + column + `, '$.superseded_by') = 'integer'
		THEN json_set(o.` + column + `, '$.superseded_by', (SELECT uid FROM memories WHERE id = CAST(json_extract(o.` + column + `, '$.superseded_by') AS BIGINT)))
		ELSE o.` + column + ` END`
}
