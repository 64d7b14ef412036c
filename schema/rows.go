package schema

import (
	"context"
	"errors"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// rowsAtOnce is how many rows one statement inserts where there are as many.
// What a statement costs by itself, to begin, to open the table and its indexes
// and to end, is a third of what a row costs; with 50 rows it is no less.
const rowsAtOnce = 16

// insertion inserts rows of some columns into a table.
type insertion struct {
	columns   int
	one, many string // statements, for one row and for rowsAtOnce
	passOver  bool   // rows whose key is there already
}

func newInsertion(table string, columns ...string) insertion {
	row := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
	one := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + row
	return insertion{columns: len(columns), one: one, many: one + strings.Repeat(", "+row, rowsAtOnce-1)}
}

// orPassOver is the insertion that leaves out rows whose key is there already.
func (into insertion) orPassOver() insertion {
	into.one += " ON CONFLICT DO NOTHING"
	into.passOver = true
	return into
}

// insert adds rows in order, given one after another as their columns, and calls
// stored for each with its place among them and its rowid, or 0 when it was
// passed over.
func (tx *Tx) insert(ctx context.Context, into insertion, values []any, stored func(row int, id int64)) error {
	alone := 0 // rows up to here go one by one
	for row := 0; len(values) > 0; {
		n, query := 1, into.one
		if row >= alone && len(values) >= rowsAtOnce*into.columns {
			n, query = rowsAtOnce, into.many
		}
		last, err := tx.Insert(ctx, query, values[:n*into.columns]...)
		if n > 1 && into.passOver && errors.Is(err, sqlite3.CONSTRAINT_UNIQUE) {
			alone = row + n // one of them is to be passed over: the statement did nothing
			continue
		}
		if err != nil {
			return err
		}
		// One statement gives its rows ids that follow each other.
		for i := range n {
			stored(row+i, max(0, last-int64(n-1-i)))
		}
		row, values = row+n, values[n*into.columns:]
	}
	return nil
}
