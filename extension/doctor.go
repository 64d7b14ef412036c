package extension

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/ebbmem/ebb/schema"
)

// Diagnosis is what [Diagnose] found out about a file.
type Diagnosis struct {
	Path string `json:"path"`
	// Healthy means that nothing is damaged and [Open] takes the file. There
	// may be warnings.
	Healthy bool `json:"healthy"`
	// Refused is why [Open] does not take the file; empty when it does.
	Refused string `json:"refused,omitempty"`
	// Checks are all that was looked at, in order.
	Checks []Check `json:"checks"`
}

// Check is one thing a diagnosis looked at.
type Check struct {
	Name   string     `json:"name"`
	State  CheckState `json:"state"`
	Detail string     `json:"detail,omitempty"` // what was found
	Fix    string     `json:"fix,omitempty"`    // what to do about it
}

// CheckState is the outcome of a [Check].
type CheckState string

// The outcomes of a check.
const (
	CheckOK      CheckState = "ok"
	CheckWarning CheckState = "warning" // worth knowing; nothing is lost
	CheckDamaged CheckState = "damaged"
	CheckSkipped CheckState = "skipped" // could not be made; Detail says why
)

// What to do about what the checks find.
const (
	fixRestore = "stop every program that uses the file, copy it with its -wal and -shm files, then restore a backup; " +
		"without one, `sqlite3 FILE .recover | sqlite3 NEW` saves what can be read"
	fixIndex      = "`sqlite3 FILE \"INSERT INTO chunks_fts(chunks_fts) VALUES('rebuild')\"` writes the index again"
	fixPermission = "run ebb doctor as a user who may read and write the file and its folder, or on a copy of FILE (with FILE-wal, if it is there)"
	fixReport     = "export what is there with `ebb export`, and please report how the file came about"
)

// Diagnose examines a memory file without changing it, including files that
// [Open] refuses, and says what to do about what it finds. It reads all of the
// file: that takes seconds for each gigabyte.
//
// The error is about the examination, not the file: [ErrNotFound] when there
// is no file, [*InvalidError] for a directory or an empty path, the context's
// error.
func Diagnose(ctx context.Context, path string) (*Diagnosis, error) {
	return DiagnoseWithKey(ctx, path, Key{})
}

// DiagnoseWithKey is [Diagnose] for a file that may be encrypted. Without its
// key nothing can be said about one.
func DiagnoseWithKey(ctx context.Context, path string, key Key) (*Diagnosis, error) {
	if strings.TrimSpace(path) == "" {
		return nil, &InvalidError{Field: "path", Reason: "is empty; give the file that holds the memory"}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("no such file %s: %w", abs, ErrNotFound)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &InvalidError{Field: "path", Reason: "is not a regular file; give the file that holds the memory"}
	}
	e := &examination{path: abs, key: key, Diagnosis: Diagnosis{Path: abs}}
	e.examine(ctx, info)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e.Healthy = e.Refused == ""
	for _, c := range e.Checks {
		e.Healthy = e.Healthy && c.State != CheckDamaged
	}
	return &e.Diagnosis, nil
}

type examination struct {
	Diagnosis

	path string
	key  Key
	name string // under which SQLite reads the file
	db   *sql.DB
}

func (e *examination) note(name string, state CheckState, detail, fix string) {
	e.Checks = append(e.Checks, Check{name, state, detail, strings.ReplaceAll(fix, "FILE", filepath.Base(e.path))})
}

func (e *examination) examine(ctx context.Context, info os.FileInfo) {
	opened, err := schema.Open(ctx, e.path, &schema.Options{ReadOnly: true, Key: e.key})
	if err != nil {
		e.Refused = err.Error()
	} else {
		e.losses(ctx, opened)
		if err := opened.Close(); err != nil {
			e.note("close", CheckWarning, err.Error(), "")
		}
	}
	e.leftovers()
	release, ok := e.isSQLite(info)
	if !ok {
		return
	}
	defer release()
	e.db, err = openForExamination(e.name, true)
	if err != nil {
		e.note("open", CheckDamaged, err.Error(), fixRestore)
		return
	}
	defer func() { _ = e.db.Close() }() // nothing was written
	if !e.isMemory(ctx) {
		return
	}
	e.pages(ctx)
	e.foreignKeys(ctx)
	e.textIndex(ctx)
	for _, c := range countChecks {
		e.count(ctx, c)
	}
	e.watermarks(ctx)
	e.consumers(ctx)
	e.failures(ctx)
	e.nights(ctx)
}

// openForExamination opens one connection that leaves the file as it is: it
// moves nothing out of the write-ahead log, which may be evidence.
func openForExamination(name string, readOnly bool) (*sql.DB, error) {
	if readOnly {
		name += "&mode=ro"
	} else {
		name += "&mode=rw"
	}
	db, err := driver.Open(name, func(c *sqlite3.Conn) error {
		if _, err := c.Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, true); err != nil {
			return err
		}
		if err := c.Exec("PRAGMA busy_timeout = 1000; PRAGMA temp_store = memory; PRAGMA wal_autocheckpoint = 0"); err != nil {
			return err
		}
		return fts5.Register(c)
	})
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// leftovers looks for what a killed creation left beside the file.
func (e *examination) leftovers() {
	const name = "leftover files"
	dir, base := filepath.Split(e.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		e.note(name, CheckSkipped, err.Error(), "")
		return
	}
	var found []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "."+base+".new") || entry.Name() == base+"-journal" {
			found = append(found, entry.Name())
		}
	}
	if len(found) == 0 {
		e.note(name, CheckOK, "", "")
		return
	}
	e.note(name, CheckWarning, strings.Join(found, ", "), "a creation was cut short; the next command that opens the file for writing removes them")
}

func (e *examination) isSQLite(info os.FileInfo) (release func(), ok bool) {
	const name = "SQLite file"
	if info.Size() == 0 {
		e.note(name, CheckDamaged, "it has no bytes at all", "remove it to start a new memory, or restore a backup")
		return nil, false
	}
	f, err := os.Open(e.path)
	if errors.Is(err, os.ErrPermission) {
		e.note(name, CheckSkipped, err.Error(), fixPermission)
		return nil, false
	}
	if err != nil {
		e.note(name, CheckDamaged, err.Error(), fixRestore)
		return nil, false
	}
	defer f.Close()
	parameters, release, err := schema.Parameters(f, e.key)
	switch {
	case errors.Is(err, schema.ErrKey):
		e.note(name, CheckSkipped, err.Error(), "run ebb doctor with the key that belongs to FILE, if it has one: --key-file")
		return nil, false
	case err != nil:
		e.note(name, CheckDamaged, err.Error(), "if it was a memory, restore a backup; if not, give --db another name")
		return nil, false
	}
	e.name = "file:" + (&url.URL{Path: e.path}).EscapedPath() + "?" + parameters.Encode()
	e.note(name, CheckOK, "", "")
	return release, true
}

// isMemory tells ebb's own files from others, and says which version.
func (e *examination) isMemory(ctx context.Context) bool {
	const name = "ebb memory"
	var tables, version int
	var mode string
	err := e.db.QueryRowContext(ctx, `SELECT count(*), (SELECT user_version FROM pragma_user_version), (SELECT journal_mode FROM pragma_journal_mode)
		FROM sqlite_schema WHERE name IN ('users', 'events', 'memories', 'chunks', 'chunks_fts')`).Scan(&tables, &version, &mode)
	switch {
	case noLeave(err): // SQLite reads such a file only with a -shm file beside it
		e.note(name, CheckSkipped, "reading it needs leave to write its -wal and -shm files: "+err.Error(), fixPermission)
		return false
	case err != nil:
		e.note(name, CheckDamaged, err.Error(), fixRestore)
		return false
	case tables < 5 && tables > 0:
		e.note(name, CheckDamaged, fmt.Sprintf("only %d of 5 main tables are there", tables), fixRestore)
		return false
	case tables == 0:
		e.note(name, CheckDamaged, "it is another program's database", "give --db another name")
		return false
	case version > schema.Version:
		e.note(name, CheckWarning, fmt.Sprintf("schema version %d; this ebb knows up to %d", version, schema.Version), "use a newer ebb")
		e.pages(ctx)
		return false // its tables may mean something else
	case version < schema.Version:
		e.Refused = "" // only a look was refused: opening it for writing brings it up to date
		e.note(name, CheckWarning, fmt.Sprintf("schema version %d; this ebb writes version %d", version, schema.Version),
			"`ebb consolidate`, or whatever else opens FILE for writing, brings it up to date; run ebb doctor again then")
		e.pages(ctx)
		e.foreignKeys(ctx)
		return false // the other checks are about tables of today
	case mode != "wal":
		e.note(name, CheckWarning, fmt.Sprintf("journal mode is %q: another program changed it", mode), "`sqlite3 FILE 'PRAGMA journal_mode=wal'`")
	default:
		e.note(name, CheckOK, fmt.Sprintf("schema version %d", version), "")
	}
	return true
}

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

// watermarks checks that nobody claims to have read what does not exist: such
// a reader would skip what is written next.
func (e *examination) watermarks(ctx context.Context) {
	const name = "watermarks"
	found, err := e.lines(ctx, `
		SELECT 'consumer ' || name || ' is at ' || cursor || ', past the journal' FROM consumers
			WHERE cursor > (SELECT coalesce(max(seq), 0) FROM (SELECT max(seq) AS seq FROM events
				UNION ALL SELECT seq FROM sqlite_sequence WHERE name = 'events'))
		UNION ALL
		SELECT 'user ' || u.name || ' has ' || w.name || ' through ' || w.through || ', past the memories'
			FROM watermarks w JOIN users u ON u.id = w.user_id WHERE w.through > (SELECT coalesce(max(id), 0) FROM (SELECT max(id) AS id FROM memories
				UNION ALL SELECT seq FROM sqlite_sequence WHERE name = 'memories'))
		UNION ALL
		SELECT 'user ' || name || ' has nights through ' || nights_through || ', which is no day' FROM users
			WHERE nights_through <> '' AND date(nights_through) IS NOT nights_through
		LIMIT 20`)
	switch {
	case err != nil:
		e.note(name, CheckDamaged, err.Error(), fixRestore)
	case len(found) > 0:
		e.note(name, CheckDamaged, strings.Join(found, "; "), fixReport)
	default:
		e.note(name, CheckOK, "", "")
	}
}

func (e *examination) consumers(ctx context.Context) {
	const name = "consumers"
	found, err := e.lines(ctx, `
		SELECT consumer || ': ' || (count(*) - count(next_attempt_at)) || ' parked, ' || count(next_attempt_at) || ' retrying, last error: ' ||
			coalesce((SELECT last_error FROM deliveries l WHERE l.consumer = d.consumer AND last_error <> '' ORDER BY seq DESC LIMIT 1), 'none')
		FROM deliveries d GROUP BY consumer ORDER BY consumer`)
	switch {
	case err != nil:
		e.note(name, CheckDamaged, err.Error(), fixRestore)
	case len(found) > 0:
		e.note(name, CheckWarning, strings.Join(found, "; "), "mend the cause; what is parked is tried again with the bus's Retry or Replay")
	default:
		e.note(name, CheckOK, "", "")
	}
}

func (e *examination) failures(ctx context.Context) {
	const name = "background work"
	rows, err := e.db.QueryContext(ctx, "SELECT source, count, last_at, error FROM failures ORDER BY last_at DESC LIMIT 20")
	if err != nil {
		e.note(name, CheckDamaged, err.Error(), fixRestore)
		return
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var source, text string
		var count, last int64
		if err = rows.Scan(&source, &count, &last, &text); err != nil {
			break
		}
		found = append(found, fmt.Sprintf("%s failed %d times, last %s: %s", source, count, time.UnixMilli(last).UTC().Format(time.RFC3339), text))
	}
	switch err = errors.Join(err, rows.Err()); {
	case err != nil:
		e.note(name, CheckDamaged, err.Error(), fixRestore)
	case len(found) > 0:
		e.note(name, CheckWarning, strings.Join(found, "; "), "mend the cause; the work is tried again by itself")
	default:
		e.note(name, CheckOK, "", "")
	}
}

// lines reads a query of one text column.
func (e *examination) lines(ctx context.Context, query string) ([]string, error) {
	rows, err := e.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}
