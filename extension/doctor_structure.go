package extension

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// pages has SQLite look at every page and index.
func (e *examination) pages(ctx context.Context) {
	problems, err := e.lines(ctx, "PRAGMA integrity_check(20)")
	switch {
	case err != nil:
		e.note("pages and indexes", CheckDamaged, err.Error(), fixRestore)
	case len(problems) == 1 && problems[0] == "ok":
		e.note("pages and indexes", CheckOK, "", "")
	default:
		e.note("pages and indexes", CheckDamaged, strings.Join(problems, "; "), fixRestore)
	}
}

func (e *examination) foreignKeys(ctx context.Context) {
	const name = "references"
	found, err := e.lines(ctx, "SELECT \"table\" || ' row ' || coalesce(rowid, '?') || ' → ' || parent FROM pragma_foreign_key_check LIMIT 20")
	switch {
	case err != nil:
		e.note(name, CheckDamaged, err.Error(), fixRestore)
	case len(found) > 0:
		e.note(name, CheckDamaged, "rows that point nowhere: "+strings.Join(found, "; "), fixRestore)
	default:
		e.note(name, CheckOK, "", "")
	}
}

// textIndex has FTS5 compare its index with the chunks. The command for it is
// written as an insert, so it needs the write lock; it is rolled back.
func (e *examination) textIndex(ctx context.Context) {
	const name = "text index"
	db, err := openForExamination(e.name, false)
	if err != nil {
		e.note(name, CheckSkipped, "comparing it needs leave to write: "+err.Error(), "run ebb doctor as a user who may write the file")
		return
	}
	defer func() { _ = db.Close() }() // what was written is rolled back
	_, err = db.ExecContext(ctx, "BEGIN IMMEDIATE")
	if err == nil {
		_, err = db.ExecContext(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
		_, undo := db.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, undo)
	}
	switch {
	case err == nil:
		e.note(name, CheckOK, "", "")
	case errors.Is(err, sqlite3.BUSY):
		e.note(name, CheckSkipped, "another process is writing", "run ebb doctor again when it is done")
	case noLeave(err):
		e.note(name, CheckSkipped, "comparing it needs leave to write", "run ebb doctor as a user who may write the file")
	default:
		e.note(name, CheckDamaged, err.Error(), fixIndex)
	}
}

// noLeave reports an error that says nothing about the file, only about who
// looks at it and where.
func noLeave(err error) bool {
	return errors.Is(err, sqlite3.READONLY) || errors.Is(err, sqlite3.CANTOPEN) || errors.Is(err, sqlite3.PERM)
}

// countCheck is a query that counts what should not be.
type countCheck struct {
	name, query, found, fix string
}

var countChecks = []countCheck{
	{
		name:  "text of every memory",
		query: "SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id)",
		found: "memories that no search by text can find", fix: fixReport,
	},
	{
		name:  "scope of the text",
		query: "SELECT count(*) FROM chunks c JOIN memories m ON m.id = c.memory_id WHERE c.id >> 32 <> m.user_id",
		found: "pieces of text filed under another user", fix: fixReport,
	},
	{
		name: "episodes have their message",
		query: `SELECT count(*) FROM memories m LEFT JOIN events e ON e.seq = m.event_seq
			WHERE m.kind = 'episode' AND (e.seq IS NULL OR e.user_id <> m.user_id)`,
		found: "episodes whose message is not in the journal", fix: fixReport,
	},
	{
		name: "messages have their episode",
		query: `SELECT count(*) FROM events e WHERE e.topic IN ('user.message', 'agent.response', 'tool.result')
			AND e.seq NOT IN (SELECT event_seq FROM memories WHERE event_seq IS NOT NULL)`, // read once: there is no index
		found: "messages in the journal that were not remembered", fix: fixReport,
	},
	{
		name: "replaced claims",
		query: `SELECT count(*) FROM memories m LEFT JOIN memories n ON n.id = m.superseded_by
			WHERE (m.state = 'superseded') <> (m.superseded_by IS NOT NULL) OR n.user_id <> m.user_id`,
		found: "claims whose state and replacement disagree", fix: fixReport,
	},
}

func (e *examination) count(ctx context.Context, c countCheck) {
	var n int64
	err := e.db.QueryRowContext(ctx, c.query).Scan(&n)
	switch {
	case err != nil:
		e.note(c.name, CheckDamaged, err.Error(), fixRestore)
	case n > 0:
		e.note(c.name, CheckDamaged, fmt.Sprintf("%s: %d", c.found, n), c.fix)
	default:
		e.note(c.name, CheckOK, "", "")
	}
}
