package extension

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// values checks that every column of every table holds what it is declared to:
// SQLite stores a text in an INTEGER column, and its own check passes over that.
func (e *examination) values(ctx context.Context) {
	const name = "values of every row"
	found, err := e.oddValues(ctx)
	switch {
	case err != nil:
		e.note(name, CheckDamaged, plain(err), fixPages)
	case len(found) > 0:
		e.note(name, CheckDamaged, "of the wrong type or form: "+strings.Join(found, ", "), fixRestore)
	default:
		e.note(name, CheckOK, "", "")
	}
}

// jsonColumns are those whose texts are JSON, or empty.
var jsonColumns = map[string][]string{
	"erasures": {"receipt"}, "events": {"payload"}, "gaps": {"memories"}, "injections": {"items"}, "losses": {"gone"},
	"memories": {"tags", "attributes"}, "ops": {"before", "after"}, "runs": {"stages"},
}

// theColumn stands for a column in the tests of oddValues.
var theColumn = regexp.MustCompile(`\bc\b`)

// oddValues lists the columns that hold values of a type they must not.
func (e *examination) oddValues(ctx context.Context) (found []string, err error) {
	tables, err := e.lines(ctx, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'bun_%'")
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		tests, err := e.lines(ctx, `SELECT iif("notnull" OR pk, 'sum(', 'sum(c IS NOT NULL AND ') || CASE type
				WHEN 'INTEGER' THEN 'typeof(c) <> ''integer'' OR c NOT BETWEEN -(1 << 61) AND 1 << 61)'
				WHEN 'TEXT' THEN 'typeof(c) <> ''text'')'
				WHEN 'REAL' THEN 'typeof(c) NOT IN (''real'', ''integer'') OR abs(c) > 1.7e308)'
				WHEN 'BLOB' THEN 'typeof(c) <> ''blob'')' END || '/' || name
			FROM pragma_table_info('`+table+`') WHERE type IN ('INTEGER', 'TEXT', 'REAL', 'BLOB')`)
		if err != nil || len(tests) == 0 {
			return nil, errors.Join(err, fmt.Errorf("%w: table %s has no columns", ErrCorrupt, table))
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
		if err := e.db.QueryRowContext(ctx, "SELECT "+strings.Join(tests, ", ")+` FROM "`+table+`"`).Scan(into...); err != nil {
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

// reading reads everything of every user through the calls that a host reads it
// by: whatever makes one of them fail is found, wherever it stands.
func (e *examination) reading(ctx context.Context, x *Extension) {
	const name = "reading as a program does"
	users, err := x.Users(ctx)
	if err != nil {
		e.note(name, CheckDamaged, plain(err), fixRestore)
		return
	}
	broken := make(map[string]int) // what fails, for how many users
	each := (len(users) + askedInFull - 1) / askedInFull
	for i, user := range users {
		for _, failed := range x.readAll(ctx, Scope{Tenant: user.Tenant, User: user.Name}, i%each == 0) {
			broken[failed]++
		}
		if ctx.Err() != nil {
			return
		}
	}
	if _, err := x.Health(ctx); err != nil {
		broken["health: "+plain(err)]++
	}
	if len(broken) == 0 {
		e.note(name, CheckOK, "", "")
		return
	}
	for failed, n := range broken {
		e.note(name, CheckDamaged, fmt.Sprintf("%s (users: %d)", failed, n), fixRestore)
	}
}

// askedInFull is for how many users every call that only reads is made, some 4 ms
// each. Of all others every row is read as a search reads it.
const askedInFull = 100

// readAll reads every row of a user's as a search does, in full makes every call
// that only reads, and says what fails.
func (x *Extension) readAll(ctx context.Context, scope Scope, full bool) (failed []string) {
	note := func(what string, call func() error) {
		var err error
		if broken := schema.Guard(func() { err = call() }); broken != nil {
			err = broken
		}
		if err != nil {
			failed = append(failed, what+": "+plain(err))
		}
	}
	if full {
		note("search", func() error {
			answer, err := x.Recall(ctx, scope, Query{Text: "What did I say?", Wait: true, Dormant: true})
			if err == nil && len(answer.Degraded) > 0 {
				return errors.New(answer.Degraded[0].Reason)
			}
			return err
		})
	}
	note("memories", func() error {
		return x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			userID, err := s.UserID(ctx, scope)
			if err != nil {
				return err
			}
			x.searcher.Forget(userID) // the next user's text takes its place
			return s.ReadMemories(ctx, userID)
		})
	})
	if !full {
		return failed
	}
	note("export", func() error { _, err := x.Export(ctx, io.Discard, scope); return err })
	note("stream", func() error { _, err := x.ExportStream(ctx, io.Discard, scope); return err })
	note("timeline", func() error { _, err := x.Timeline(ctx, scope, TimelineQuery{Limit: 1}); return err })
	note("statistics", func() error { _, err := x.Stats(ctx, scope); return err })
	note("profile", func() error { _, err := x.Profile(ctx, scope); return err })
	note("blocks", func() error { return x.readBlocks(ctx, scope) })
	note("runs", func() error { _, err := x.Runs(ctx, scope, 0); return err })
	note("proposals", func() error { _, err := x.Proposals(ctx, scope); return err })
	note("confirmations", func() error { _, err := x.Confirmations(ctx, scope); return err })
	note("quarantine", func() error { _, err := x.Quarantined(ctx, scope, 0); return err })
	note("erasures", func() error { _, err := x.Erasures(ctx, scope); return err })
	return failed
}

// readBlocks reads every version of a user's blocks.
func (x *Extension) readBlocks(ctx context.Context, scope Scope) error {
	blocks, err := x.AllBlocks(ctx, scope)
	for i := range blocks {
		scope.Agent = blocks[i].Agent
		_, read := x.BlockHistory(ctx, scope, blocks[i].Name)
		err = errors.Join(err, read)
	}
	return err
}
