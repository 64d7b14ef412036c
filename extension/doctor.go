package extension

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"
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

	refusal error
}

// Check is one thing a diagnosis looked at.
type Check struct {
	Name   string     `json:"name"`
	State  CheckState `json:"state"`
	Detail string     `json:"detail,omitempty"` // what was found
	Fix    string     `json:"fix,omitempty"`    // what to do about it

	repairable bool // Repair may mend it
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
	fixRestore = "stop every program that uses the file, then restore a backup: `ebb restore BACKUP --db FILE --force`; " +
		"without one, `sqlite3 FILE .recover` prints the rows that SQLite can still read, as SQL"
	fixPages = "stop every program that uses the file, then `ebb doctor --repair FILE`; if pages are lost that it cannot make anew, " +
		"`ebb restore BACKUP --db FILE --force` restores a backup, and without one `sqlite3 FILE .recover` prints the rows that SQLite can still read, as SQL"
	fixRepair     = "stop every program that uses the file, then `ebb doctor --repair FILE`, which copies it first"
	fixPermission = "run ebb doctor as a user who may read and write the file and its folder, or on a copy of FILE (with FILE-wal, if it is there)"
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

	still bool // it is read without log and locks, since none may stand beside it
}

func (e *examination) note(name string, state CheckState, detail, fix string) {
	e.Checks = append(e.Checks, Check{
		Name: name, State: state, Detail: detail, Fix: strings.ReplaceAll(fix, "FILE", filepath.Base(e.path)),
		repairable: fix == fixRepair || fix == fixPages,
	})
}

func (e *examination) examine(ctx context.Context, info os.FileInfo) {
	before := e.besides()
	x, err := Open(ctx, e.path, &Config{ReadOnly: true, Key: e.key})
	var opened *schema.DB
	if err != nil {
		e.Refused, e.refusal = err.Error(), err
		defer e.sweep(before)
	} else {
		opened = x.db
		e.still = opened.Immutable()
		e.losses(ctx, opened)
		e.log(ctx, opened)
		defer func() { // last: it takes away what looking leaves beside the file
			if err := x.Close(context.WithoutCancel(ctx)); err != nil {
				e.note("close", CheckWarning, err.Error(), "")
			}
		}()
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
	e.strays(ctx)
	e.textIndex(ctx)
	e.texts(ctx)
	e.values(ctx)
	for _, c := range countChecks {
		e.count(ctx, c)
	}
	e.blocks(ctx)
	e.vectors(ctx)
	if opened != nil {
		e.embedding(ctx, opened)
	}
	e.watermarks(ctx)
	e.journal(ctx)
	e.consumers(ctx)
	e.failures(ctx)
	e.nights(ctx)
	e.quarantine(ctx)
	e.openErasures(ctx)
	if x != nil {
		e.reading(ctx, x)
	}
}

// besides lists the files that SQLite keeps beside this one, if they are there.
func (e *examination) besides() map[string]bool {
	there := make(map[string]bool)
	for _, suffix := range [...]string{"-wal", "-shm"} {
		_, err := os.Lstat(e.path + suffix)
		there[suffix] = err == nil
	}
	return there
}

// sweep takes away what SQLite made beside a file that cannot be opened.
func (e *examination) sweep(before map[string]bool) {
	if log, err := os.Stat(e.path + "-wal"); before["-wal"] || before["-shm"] || err == nil && log.Size() > 0 {
		return
	}
	_, _ = os.Remove(e.path+"-wal"), os.Remove(e.path+"-shm") // nothing is in them
}

// openForExamination opens one connection that leaves the file as it is: it
// moves nothing out of the write-ahead log, which may be evidence. One that only
// reads is opened for writing too, as far as the file allows that: with mode=ro
// SQLite leaves the CHECK constraints out of its integrity_check.
func openForExamination(name string, readOnly bool) (*sql.DB, error) {
	name += "&mode=rw"
	db, err := schema.OpenSQLite(name, readOnly, func(c *sqlite3.Conn) error {
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
