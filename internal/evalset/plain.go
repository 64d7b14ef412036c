package evalset

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/ebbmem/ebb/internal/text"
)

// Plain is what SQLite alone finds: one FTS5 row a text, porter stems, best by
// bm25, for a question without its function words. It is the line that a memory
// has to be above.
type Plain struct{ db *sql.DB }

// PlainText is a text with what searches are filtered by.
type PlainText struct {
	ID, Text, Role string
	Cycle          int64
	Issues         []int64
}

// PlainFilter lets texts through; what is zero lets all.
type PlainFilter struct {
	Role         string
	Issue        int64
	First, Until int64 // cycles, both within
}

// NewPlain makes an empty index. Close it.
func NewPlain(ctx context.Context) (*Plain, error) {
	db, err := driver.Open("file::memory:", fts5.Register)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each has a database of its own
	_, err = db.ExecContext(ctx, `CREATE VIRTUAL TABLE texts USING fts5 (text, id UNINDEXED, role UNINDEXED, cycle UNINDEXED, issues UNINDEXED, tokenize = 'porter unicode61')`)
	return &Plain{db}, err
}

// Close frees the index.
func (p *Plain) Close() error { return p.db.Close() }

// Add takes texts in.
func (p *Plain) Add(ctx context.Context, texts ...PlainText) error {
	for _, t := range texts {
		var issues strings.Builder
		for _, n := range t.Issues {
			issues.WriteString("," + strconv.FormatInt(n, 10) + ",")
		}
		if _, err := p.db.ExecContext(ctx, "INSERT INTO texts (text, id, role, cycle, issues) VALUES (?, ?, ?, ?, ?)", t.Text, t.ID, t.Role, t.Cycle, issues.String()); err != nil {
			return err
		}
	}
	return nil
}

// Search lists the ids of the best texts for a question, best first.
func (p *Plain) Search(ctx context.Context, question string, filter PlainFilter, limit int) (ids []string, err error) {
	var terms []string
	for _, word := range strings.FieldsFunc(text.WithoutFunctionWords(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		terms = append(terms, `"`+word+`"`)
	}
	if len(terms) == 0 {
		return nil, nil
	}
	where, args := "texts MATCH ?", []any{strings.Join(terms, " OR ")}
	if filter.Role != "" {
		where, args = where+" AND role = ?", append(args, filter.Role)
	}
	if filter.Issue != 0 {
		where, args = where+" AND instr(issues, ?) > 0", append(args, ","+strconv.FormatInt(filter.Issue, 10)+",")
	}
	if filter.Until != 0 {
		where, args = where+" AND cycle BETWEEN ? AND ?", append(args, filter.First, filter.Until)
	}
	rows, err := p.db.QueryContext(ctx, "SELECT id FROM texts WHERE "+where+" ORDER BY bm25(texts), rowid LIMIT ?", append(args, limit)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
