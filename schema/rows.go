package schema

import (
	"context"
	"errors"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// RowsAtOnce is how many rows one statement inserts where as many come together.
// What a statement costs by itself, to begin, to open the table and its indexes
// and to end, is a third of what a row costs; with 50 rows it is no less.
// Erasing goes by it in files that are there: with fewer it takes longer in them.
//
// Such a statement gets a savepoint, which makes FTS5 write out what it has
// gathered: nothing, most times, as the text comes last; see [DB.index].
const RowsAtOnce = 16

// maxTogether is the most text that one statement is given for several rows, in
// bytes: all of it is in SQLite's memory at once.
const maxTogether = 1 << 20

// insertion inserts rows of some columns into a table.
type insertion struct {
	columns  int
	one      string // statement for one row
	many     string // for RowsAtOnce; it fails when a key is there already
	passOver bool   // what one does when a key is there already
}

func newInsertion(table string, columns ...string) insertion {
	row := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
	one := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + row
	return insertion{columns: len(columns), one: one, many: one + strings.Repeat(", "+row, RowsAtOnce-1)}
}

// orPassOver is the insertion that leaves out rows whose key is there already.
func (into insertion) orPassOver() insertion {
	into.one += " ON CONFLICT DO NOTHING"
	into.passOver = true
	return into
}

// insert adds rows in order, given one after another as their columns, and calls
// stored, unless that is nil, for each with its place among them and its rowid,
// or 0 when it was passed over. Rowids it can tell only when the table gives
// them: those of one statement follow each other.
func (tx *Tx) insert(ctx context.Context, into insertion, values []any, stored func(row int, id int64)) error {
	alone := 0 // rows up to here go one by one
	for row := 0; len(values) > 0; {
		n, query := 1, into.one
		if row >= alone && into.fit(values) {
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

// fit reports whether there are rows for one statement, and they are not too long
// for one.
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

// UnusedID is the SQL of an id for a new row of entities, proposals, gaps or blocks:
// one that neither a row has nor the audit speaks of. SQLite gives the number of
// a deleted row to the next one, which may be another user's, and undoing what
// was done to the first would then be done to the second.
func UnusedID(table string) string {
	return "(SELECT 1 + max(coalesce((SELECT max(id) FROM " + table + "), 0), coalesce((SELECT max(record_id) FROM ops WHERE record = '" + table + "'), 0)))"
}
