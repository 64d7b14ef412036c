package schema

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
)

// salvage reads one table of a damaged file into a new one.
type salvage struct {
	Salvaged

	in, out *sql.DB
	insert  string
	columns []string
	key     string // what numbers its rows; empty when only their order is known
	order   []string
}

// maxProbes bounds how often a table is asked for what lies between two
// unreadable places: each time one page is read in vain.
const maxProbes = 4096

func (s *salvage) table(ctx context.Context) (known bool, err error) {
	ours, err := texts(ctx, s.out, "SELECT name FROM pragma_table_info('"+s.Table+"')")
	if err != nil {
		return false, err
	}
	theirs, err := texts(ctx, s.in, "SELECT name FROM pragma_table_info('"+s.Table+"')")
	if err != nil || len(theirs) == 0 {
		return false, nil //nolint:nilerr // it is not there, or its description is lost
	}
	for _, c := range ours {
		if slices.Contains(theirs, c) {
			s.columns = append(s.columns, c)
		}
	}
	if s.order, err = texts(ctx, s.out, "SELECT name FROM pragma_table_info('"+s.Table+"') WHERE pk > 0 ORDER BY pk"); err != nil {
		return false, err
	}
	var numbered bool
	if err := s.out.QueryRowContext(ctx, "SELECT wr = 0 FROM pragma_table_list WHERE schema = 'main' AND name = ?", s.Table).Scan(&numbered); err != nil {
		return false, err
	}
	if numbered {
		s.key, s.order = "rowid", []string{"rowid"}
	}
	s.insert = "INSERT OR IGNORE INTO \"" + s.Table + "\" (" + quoted(s.columns) + ") VALUES (?" + strings.Repeat(", ?", len(s.columns)-1) + ")"
	if s.in.QueryRowContext(ctx, `SELECT count(*) FROM "`+s.Table+`"`).Scan(&s.Expected) != nil {
		s.Expected = -1
	}
	if _, err := s.out.ExecContext(ctx, "BEGIN"); err != nil {
		return false, err
	}
	if s.key == "" {
		err = s.bothWays(ctx)
	} else {
		err = s.around(ctx)
	}
	if err != nil {
		return false, err
	}
	_, err = s.out.ExecContext(ctx, "COMMIT")
	return true, err
}

// span is a range of row numbers, both ends within.
type span struct{ first, last int64 }

// around reads a table whose rows have numbers: from both ends to what cannot
// be read, then from the middle of what is between, the widest spans first.
func (s *salvage) around(ctx context.Context) error {
	// All of it first; then only where rows can be.
	everything := span{1, math.MaxInt64}
	todo, probes := []span{everything}, 0
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if probes++; probes > maxProbes {
			s.Unreadable = append(s.Unreadable, Gone{After: at.first - 1, Through: at.last})
			continue
		}
		low, failed, err := s.walk(ctx, at, "")
		if err != nil || !failed {
			if err != nil {
				return err
			}
			continue
		}
		if low != nil {
			at.first = *low + 1
		}
		high, failed, err := s.walk(ctx, at, " DESC")
		if err != nil {
			return err
		}
		if high != nil {
			at.last = *high - 1
		}
		if failed && probes == 1 {
			bounds := s.bounds(ctx)
			at = span{max(at.first, bounds.first), min(at.last, bounds.last)}
		}
		if !failed || at.first > at.last {
			continue
		}
		if at.first == at.last {
			s.Unreadable = append(s.Unreadable, Gone{After: at.first - 1, Through: at.last})
			continue
		}
		middle := at.first/2 + at.last/2 // without overflow
		todo = append(todo, span{at.first, middle}, span{middle + 1, at.last})
	}
	s.Unreadable = joined(s.Unreadable)
	return nil
}

// bounds are the numbers between which the table's rows lie, as its indexes and
// the counter of numbers know it, as far as they can be read.
func (s *salvage) bounds(ctx context.Context) span {
	found := span{math.MaxInt64, 0}
	indexes, err := texts(ctx, s.in, "SELECT name FROM pragma_index_list('"+s.Table+"') WHERE partial = 0")
	if err != nil {
		indexes = nil
	}
	for _, index := range indexes {
		var low, high sql.NullInt64
		err := s.in.QueryRowContext(ctx, `SELECT min(rowid), max(rowid) FROM "`+s.Table+`" INDEXED BY "`+index+`"`).Scan(&low, &high)
		if err == nil && low.Valid {
			found = span{min(found.first, low.Int64), max(found.last, high.Int64)}
		}
	}
	var given sql.NullInt64
	if s.in.QueryRowContext(ctx, "SELECT seq FROM sqlite_sequence WHERE name = ?", s.Table).Scan(&given) == nil && given.Valid {
		found = span{1, max(found.last, given.Int64)}
	}
	if found.last == 0 {
		return span{1, math.MaxInt64} // nobody knows
	}
	return found
}

// joined makes one of spans that meet.
func joined(spans []Gone) []Gone {
	slices.SortFunc(spans, func(a, b Gone) int {
		if a.After < b.After {
			return -1
		}
		return 1
	})
	var out []Gone
	for _, g := range spans {
		if n := len(out); n > 0 && out[n-1].Through >= g.After {
			out[n-1].Through = max(out[n-1].Through, g.Through)
			continue
		}
		out = append(out, g)
	}
	return out
}

// walk reads rows from one end of a span. last is the number of the last one it
// got; failed says that there is something it could not read.
func (s *salvage) walk(ctx context.Context, at span, direction string) (last *int64, failed bool, err error) {
	rows, err := s.in.QueryContext(ctx, `SELECT rowid, `+quoted(s.columns)+` FROM "`+s.Table+`" NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid`+direction, at.first, at.last)
	if err != nil {
		return nil, true, ctx.Err()
	}
	defer rows.Close()
	values, into := s.row(1)
	for rows.Next() {
		if rows.Scan(into...) != nil {
			return last, true, nil
		}
		id, ok := values[0].(int64)
		if !ok {
			return last, true, nil
		}
		if err := s.store(ctx, values[1:]); err != nil {
			return last, false, err
		}
		last = &id
	}
	return last, rows.Err() != nil, ctx.Err()
}

// bothWays reads a table without row numbers, from either end.
func (s *salvage) bothWays(ctx context.Context) error {
	for _, direction := range [...]string{"", " DESC"} {
		failed, err := s.inOrder(ctx, direction)
		if err != nil || !failed {
			return err
		}
		s.Incomplete = true
	}
	return nil
}

func (s *salvage) inOrder(ctx context.Context, direction string) (failed bool, err error) {
	rows, err := s.in.QueryContext(ctx, "SELECT "+quoted(s.columns)+` FROM "`+s.Table+`" ORDER BY `+quoted(s.order)+direction)
	if err != nil {
		return true, ctx.Err()
	}
	defer rows.Close()
	values, into := s.row(0)
	for rows.Next() {
		if rows.Scan(into...) != nil {
			return true, nil
		}
		if err := s.store(ctx, values); err != nil {
			return false, err
		}
	}
	return rows.Err() != nil, ctx.Err()
}

func (s *salvage) row(more int) (values, into []any) {
	values = make([]any, len(s.columns)+more)
	into = make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	return values, into
}

func (s *salvage) store(ctx context.Context, values []any) error {
	res, err := s.out.ExecContext(ctx, s.insert, values...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	s.Read += n
	if n == 0 && !s.Incomplete { // read from the other end before
		s.Refused++
	}
	return err
}
