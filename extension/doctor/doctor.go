package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/check"
)

// Diagnosis is the result of [Diagnose].
type Diagnosis struct {
	Path string `json:"path"` // absolute, without symbolic links
	// Healthy means that nothing is damaged and [extension.Open] accepts the file.
	// There may be warnings.
	Healthy bool `json:"healthy"`
	// Refused is the reason why [extension.Open] refuses the file, or empty.
	Refused string `json:"refused,omitempty"`
	// Checks lists everything that was checked, in order.
	Checks []Check `json:"checks"`

	refusal error
}

// Damaged reports whether a check found damage. What is neither healthy nor damaged was not
// examined.
func (d *Diagnosis) Damaged() bool {
	return slices.ContainsFunc(d.Checks, func(c Check) bool { return c.State == Damaged })
}

// OtherVersion reports whether it was not examined because of its version, which this ebb
// does not know.
func (d *Diagnosis) OtherVersion() bool {
	return errors.As(d.refusal, new(*schema.VersionError))
}

// Check is one check of a diagnosis.
type Check struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail,omitempty"` // what was found
	Fix    string `json:"fix,omitempty"`    // what to do about it

	repairable bool // Repair may repair it
}

// State is the outcome of a [Check].
type State string

// The outcomes of a check.
const (
	OK      State = "ok"
	Warning State = "warning" // worth knowing; nothing is lost
	Damaged State = "damaged"
	Skipped State = "skipped" // could not run; Detail says why
)

// Advice for the findings.
const (
	fixRestore = "stop every program that uses the file, then restore a backup: `ebb restore BACKUP --db FILE --force`; " +
		"without one, `sqlite3 FILE .recover` prints the rows that SQLite can still read, as SQL"
	fixPages = "stop every program that uses the file, then `ebb doctor --repair FILE`; if pages are lost that it cannot rebuild, " +
		"`ebb restore BACKUP --db FILE --force` restores a backup, and without one `sqlite3 FILE .recover` prints the rows that SQLite can still read, as SQL"
	fixRepair     = "stop every program that uses the file, then `ebb doctor --repair FILE`, which copies it first"
	fixForeign    = "if it was a memory, restore a backup; if not, give --db another name"
	fixPermission = "run ebb doctor as a user who may read and write the file and its folder, or on a copy of FILE (with FILE-wal, if it is there)"
)

// Diagnose examines a memory file without changing it, including files that
// [extension.Open] refuses, and advises what to do about its findings. An encrypted
// file cannot be examined without its key. Diagnose reads the whole file, which
// takes seconds for each gigabyte.
//
// Errors concern the examination, not the file: [schema.ErrNotFound] if there is no
// file, [*schema.InvalidError] for a directory, an empty path, a malformed name of a
// server or a key for one, the context's error.
func Diagnose(ctx context.Context, path string, key schema.Key) (*Diagnosis, error) {
	if strings.TrimSpace(path) == "" {
		return nil, &schema.InvalidError{Field: "path", Reason: "is empty; give the file that holds the memory"}
	}
	if schema.IsServer(path) {
		return diagnoseServer(ctx, path, key)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("no such file %s: %w", abs, schema.ErrNotFound)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &schema.InvalidError{Field: "path", Reason: "is not a regular file; give the file that holds the memory"}
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil { // the log is beside the file itself
		return nil, err
	}
	e := &examination{path: abs, key: key, Diagnosis: Diagnosis{Path: abs}}
	e.examine(ctx, info)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	switch {
	case e.Damaged():
	case errors.Is(e.refusal, schema.ErrCorrupt):
		e.note("open", Damaged, plain(e.refusal), fixRestore)
	case errors.Is(e.refusal, schema.ErrNotDatabase):
		e.note("open", Damaged, plain(e.refusal), fixForeign)
	}
	e.Healthy = e.Refused == "" && !e.Damaged()
	return &e.Diagnosis, nil
}

type examination struct {
	Diagnosis

	path string
	key  schema.Key
	name string // under which SQLite reads the file
	db   *sql.DB

	inUse     bool // by another program
	immutable bool // read without log and locks, since their files cannot be created
}

func (e *examination) note(name string, state State, detail, fix string) {
	e.Checks = append(e.Checks, Check{
		Name: name, State: state, Detail: detail, Fix: strings.ReplaceAll(fix, "FILE", filepath.Base(e.path)),
		repairable: fix == fixRepair || fix == fixPages,
	})
}

func (e *examination) examine(ctx context.Context, info os.FileInfo) {
	before := e.besides()
	e.inUse = check.InUse(e.path)
	x, err := extension.Open(ctx, e.path, &extension.Config{ReadOnly: true, Key: e.key})
	var opened *schema.DB
	if err != nil {
		e.Refused, e.refusal = err.Error(), err
		defer e.sweep(before)
	} else {
		opened = x.Parts().DB
		e.immutable = opened.Immutable()
		e.losses(ctx, opened)
		e.log(ctx, opened)
		defer func() { // runs last: it removes what reading leaves beside the file
			if err := x.Close(context.WithoutCancel(ctx)); err != nil {
				e.note("close", Warning, err.Error(), "")
			}
		}()
	}
	e.leftovers()
	release, ok := e.isSQLite(info)
	if !ok {
		return
	}
	defer release()
	e.db, err = check.Open(e.name, true)
	if err != nil {
		e.unread("open", err, fixRestore)
		return
	}
	defer func() { _ = e.db.Close() }() // nothing was written
	if !e.isMemory(ctx) {
		return
	}
	e.rows(ctx)
	if opened != nil {
		e.embedding(ctx, opened)
	}
	e.list(ctx, watermarks)
	e.background(ctx, e.db)
	if x != nil {
		e.reading(ctx, x)
	}
}

// besides lists the existing files that SQLite keeps beside this one.
func (e *examination) besides() map[string]bool {
	there := make(map[string]bool)
	for _, suffix := range [...]string{"-wal", "-shm"} {
		_, err := os.Lstat(e.path + suffix)
		there[suffix] = err == nil
	}
	return there
}

// sweep removes the files that SQLite created beside a file that cannot be opened.
func (e *examination) sweep(before map[string]bool) {
	if log, err := os.Stat(e.path + "-wal"); before["-wal"] || before["-shm"] || err == nil && log.Size() > 0 {
		return
	}
	_, _ = os.Remove(e.path+"-wal"), os.Remove(e.path+"-shm") // both are empty
}

// size returns a file's size, or 0 if there is none.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// unread notes that a check could not read the file.
func (e *examination) unread(name string, err error, fix string) {
	state, detail, advice := outside(err)
	if state == "" {
		state, detail, advice = Damaged, plain(err), fix
	}
	e.note(name, state, detail, advice)
}

// outside describes an error that is not about what is in the file: another program holds
// it, its disk fails, or it may not be read. The state of other errors is "".
func outside(err error) (state State, detail, fix string) {
	switch {
	case errors.Is(err, schema.ErrBusy), errors.Is(err, sqlite3.BUSY), errors.Is(err, sqlite3.LOCKED):
		return Skipped, "another program holds it", "run ebb doctor again when that program is done"
	case errors.Is(err, schema.ErrReadOnly), isPermission(err):
		return Skipped, "reading it needs leave to write its -wal and -shm files: " + err.Error(), fixPermission
	case errors.Is(err, schema.ErrIO), errors.Is(err, sqlite3.IOERR):
		return Damaged, "the disk failed: " + plain(err), "run ebb doctor on a copy of FILE on another disk (with FILE-wal, if it is there)"
	}
	return "", "", ""
}

// plain returns an error's text without values from rows, which may be user data.
func plain(err error) string {
	if strings.Contains(err.Error(), "sql: Scan error") {
		return "a row holds a value of the wrong type"
	}
	return err.Error()
}
