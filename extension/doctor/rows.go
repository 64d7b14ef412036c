package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/check"
)

// listed is a check that lists what is wrong.
type listed struct {
	name, found string
	fix, unread string // what to do about what is found, and when it cannot be read
	run         func(context.Context, schema.Querier) ([]string, error)
}

var (
	pages           = listed{"pages and indexes", "", fixPages, fixPages, check.Pages}
	references      = listed{"references", "rows that point nowhere: ", fixRestore, fixRestore, check.References}
	crossReferences = listed{"references between users", "rows that refer to another user's: ", fixRestore, fixRestore, check.CrossReferences}
	values          = listed{"values of every row", "of the wrong type or form: ", fixRestore, fixPages, check.Values}
	watermarks      = listed{"watermarks", "", fixRestore, fixPages, check.Watermarks}
)

// counted is a check that counts what is wrong; found is a format.
type counted struct {
	name, found string
	state       State
	fix         string
	run         func(context.Context, schema.Querier) (int, error)
}

var (
	alteredTexts    = counted{"words of every memory", "%d do not say what they said when they were stored", Warning, "a backup may have them", check.AlteredTexts}
	malformedBlocks = counted{
		"forms of blocks", "%d versions are not of their block's form: damaged, or of a form that it had before", Warning,
		"`ebb blocks` shows them; `Extension.SetBlock` writes a block anew", check.MalformedBlocks,
	}
	badVectors = counted{"vectors", "%d cannot be compared, or belong to another user's text", Damaged, fixRepair, schema.BadVectors}
)

// rows looks at every page and row of the file.
func (e *examination) rows(ctx context.Context) {
	e.list(ctx, pages)
	e.list(ctx, references)
	e.list(ctx, crossReferences)
	e.textIndex(ctx)
	e.count(ctx, alteredTexts)
	e.list(ctx, values)
	for _, i := range check.Invariants {
		c := counted{i.Name, i.Found + ": %d", Damaged, fixRestore, i.Count}
		if i.Derived {
			c.fix = fixRepair
		}
		e.count(ctx, c)
	}
	e.count(ctx, malformedBlocks)
	e.count(ctx, badVectors)
}

func (e *examination) count(ctx context.Context, c counted) {
	n, err := c.run(ctx, e.db)
	switch {
	case err != nil:
		e.note(c.name, Damaged, plain(err), fixPages)
	case n > 0:
		e.note(c.name, c.state, fmt.Sprintf(c.found, n), c.fix)
	default:
		e.note(c.name, OK, "", "")
	}
}

func (e *examination) list(ctx context.Context, c listed) {
	found, err := c.run(ctx, e.db)
	switch {
	case err != nil:
		e.note(c.name, Damaged, plain(err), c.unread)
	case len(found) > 0:
		e.note(c.name, Damaged, c.found+strings.Join(found, "; "), c.fix)
	default:
		e.note(c.name, OK, "", "")
	}
}

// textIndex compares the text index with the text.
func (e *examination) textIndex(ctx context.Context) {
	const name = "text index"
	db, err := check.Open(e.name, false)
	if err != nil {
		e.note(name, Skipped, "comparing it needs leave to write: "+err.Error(), "run ebb doctor as a user who may write the file")
		return
	}
	defer func() { _ = db.Close() }() // what was written is rolled back
	err = check.TextIndex(ctx, db)
	switch {
	case err == nil:
		e.note(name, OK, "", "")
	case errors.Is(err, sqlite3.BUSY):
		e.note(name, Skipped, "another process is writing", "run ebb doctor again when it is done")
	case noLeave(err):
		e.note(name, Skipped, "comparing it needs leave to write", "run ebb doctor as a user who may write the file")
	default:
		e.note(name, Damaged, err.Error(), fixRepair)
	}
}

// noLeave reports an error that says nothing about the file, only about the rights
// of the process on it.
func noLeave(err error) bool {
	return errors.Is(err, sqlite3.READONLY) || errors.Is(err, sqlite3.CANTOPEN) || errors.Is(err, sqlite3.PERM)
}
