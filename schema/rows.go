package schema

import (
	"context"
	"errors"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// RowsAtOnce is the number of rows that one statement inserts if there are as many. The
// fixed cost of a statement is a third of the cost of a row; more than 50 rows gain
// nothing. Erasing uses the same number.
//
// Such a statement gets a savepoint, which makes FTS5 flush its pending terms. There are
// mostly none, since the text comes last; see [DB.index].
const RowsAtOnce = 16

const passOver = " ON CONFLICT DO NOTHING"

// maxTogether limits the text of one statement for several rows, in bytes: SQLite holds
// all of it in memory.
const maxTogether = 1 << 20

// insertion is an INSERT of some columns of a table.
type insertion struct {
	columns  int
	one      string // statement for one row
	many     string // for RowsAtOnce; it fails if a key exists
	passOver bool   // whether one ignores a row with a key that exists

	table    string
	numbered string // on a server, for one row that has its number already
	user     int    // the column with the row's user, for numbered
}

func newInsertion(table string, columns ...string) insertion {
	row := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
	one := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + row
	return insertion{columns: len(columns), one: one, many: one + strings.Repeat(", "+row, RowsAtOnce-1), table: table}
}

// inOrder returns an insertion into a table whose rows a server numbers in order, in the
// column key.
func (into insertion) inOrder(key string, user int) insertion {
	into.numbered, into.user = strings.NewReplacer(" (", " ("+key+", ", "VALUES (", "VALUES (?, ").Replace(into.one), user
	return into
}

// insertNumbered stores a row that does not wait for its number, which it returns: on a
// server, and for a user whose lock the write has. An error comes later: at the commit at
// the latest.
func (tx *Tx) insertNumbered(ctx context.Context, into insertion, values []any) (number int64, ok bool, err error) {
	server, is := tx.Tx.(server)
	if !is || into.numbered == "" {
		return 0, false, nil
	}
	user, _ := values[into.user].(int64)
	if number, ok = server.Number(into.table, user); ok {
		err = tx.Later(ctx, into.numbered, append([]any{number}, values...)...)
	}
	return number, ok, err
}

// orPassOver returns an insertion that ignores rows with a key that exists.
func (into insertion) orPassOver() insertion {
	into.one += passOver
	into.passOver = true
	return into
}

// insert adds rows in order; values are their columns, row by row. It calls stored, if
// not nil, with each row's number and rowid, or 0 if the row was ignored. The rowids are
// right only if the table assigns them, since those of one statement are consecutive.
func (tx *Tx) insert(ctx context.Context, into insertion, values []any, stored func(row int, id int64)) error {
	alone := 0 // rows up to here go one by one
	for row := 0; len(values) > 0; {
		if number, ok, err := tx.insertNumbered(ctx, into, values[:into.columns]); err != nil {
			return err
		} else if ok {
			stored(row, number)
			row, values = row+1, values[into.columns:]
			continue
		}
		n, query := 1, into.one
		if row >= alone && into.fit(values) && (tx.file != nil || !into.passOver) {
			n, query = RowsAtOnce, into.many
		}
		last, err := tx.Insert(ctx, query, values[:n*into.columns]...)
		if n > 1 && into.passOver && errors.Is(err, sqlite3.CONSTRAINT_UNIQUE) {
			alone = row + n // one of them is to be passed over: the statement did nothing
			continue
		}
		if err != nil {
			return err
		}
		for i := range n {
			if stored != nil {
				stored(row+i, max(0, last-int64(n-1-i)))
			}
		}
		row, values = row+n, values[n*into.columns:]
	}
	return nil
}

// fit reports whether there are enough rows for one statement and their text is not too
// long.
func (into insertion) fit(values []any) bool {
	if len(values) < RowsAtOnce*into.columns {
		return false
	}
	size := 0
	for _, v := range values[:RowsAtOnce*into.columns] {
		if text, is := v.(string); is {
			size += len(text)
		}
	}
	return size <= maxTogether
}

// UnusedID returns the SQL of an id for a new row of entities, proposals, gaps or blocks
// that neither a row nor the audit contains. SQLite reuses the id of a deleted row, also
// for another user, and undoing a change of the first row would then change the second.
func (tx *Tx) UnusedID(table string) string {
	if tx.file == nil {
		return "nextval(pg_get_serial_sequence('" + table + "', 'id'))"
	}
	return "(SELECT 1 + max(coalesce((SELECT max(id) FROM " + table + "), 0), coalesce((SELECT max(record_id) FROM ops WHERE record = '" + table + "'), 0)))"
}
