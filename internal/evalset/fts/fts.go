// Package fts searches texts with SQLite's FTS5 alone, as a baseline. It is a
// package of its own because a program that measures another SQLite must not link
// this one.
package fts

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/text"
)

// Index is an FTS5 table with one row per text and Porter stems. It ranks by bm25,
// for a question without its function words.
type Index struct{ db *sql.DB }

// New makes an empty index. Close it.
func New(ctx context.Context) (*Index, error) {
	db, err := driver.Open("file::memory:", fts5.Register)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection has a database of its own
	_, err = db.ExecContext(ctx, `CREATE VIRTUAL TABLE texts USING fts5 (text, id UNINDEXED, role UNINDEXED, cycle UNINDEXED, issues UNINDEXED, tokenize = 'porter unicode61')`)
	return &Index{db}, err
}

// Close frees the index.
func (ix *Index) Close() error { return ix.db.Close() }

// Add adds texts.
func (ix *Index) Add(ctx context.Context, texts ...evalset.PlainText) error {
	for _, t := range texts {
		var issues strings.Builder
		for _, n := range t.Issues {
			issues.WriteString("," + strconv.FormatInt(n, 10) + ",")
		}
		if _, err := ix.db.ExecContext(ctx, "INSERT INTO texts (text, id, role, cycle, issues) VALUES (?, ?, ?, ?, ?)", t.Text, t.ID, t.Role, t.Cycle, issues.String()); err != nil {
			return err
		}
	}
	return nil
}

// Search lists the ids of the best texts for a question, best first.
func (ix *Index) Search(ctx context.Context, question string, filter evalset.PlainFilter, limit int) (ids []string, err error) {
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
	rows, err := ix.db.QueryContext(ctx, "SELECT id FROM texts WHERE "+where+" ORDER BY bm25(texts), rowid LIMIT ?", append(args, limit)...)
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
