package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/proposed"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/check"
	"github.com/ebbmem/ebb/schema/erase"
	"github.com/ebbmem/ebb/schema/undo"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// listed is a check that lists faults.
type listed struct {
	name, found string
	fix, unread string // advice for findings, and for a failed read
	run         func(context.Context, schema.Querier) ([]string, error)
}

var (
	pages           = listed{"pages and indexes", "", fixPages, fixPages, check.Pages}
	references      = listed{"references", "rows that point nowhere: ", fixRestore, fixRestore, check.References}
	crossReferences = listed{"references between users", "rows that refer to another user's: ", fixRestore, fixRestore, check.CrossReferences}
	values          = listed{"values of every row", "of the wrong type or form: ", fixRestore, fixPages, check.Values}
	descriptions    = listed{"tables and indexes", "not described as in a new memory: ", fixRestore, fixPages, check.Descriptions}
	encoded         = listed{"encoded values", "cannot be decoded: ", fixRestore, fixPages, undecodable}
	watermarks      = listed{"watermarks", "", fixRestore, fixPages, check.Watermarks}
)

// counted is a check that counts faults. found is a format string.
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
		"`ebb blocks` shows them; `Extension.SetBlock` rewrites a block", check.MalformedBlocks,
	}
	badVectors = counted{"vectors", "%d cannot be compared, or belong to another user's text", Damaged, fixRepair, func(ctx context.Context, db schema.Querier) (int, error) {
		bad, err := vecstore.BadVectors(ctx, db)
		return len(bad), err
	}}
)

// rows checks every page and row of the file.
func (e *examination) rows(ctx context.Context) {
	e.list(ctx, pages)
	e.list(ctx, descriptions)
	e.list(ctx, references)
	e.list(ctx, crossReferences)
	e.textIndex(ctx)
	e.count(ctx, alteredTexts)
	e.list(ctx, values)
	e.list(ctx, encoded)
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

// undecodable looks at every value that some call decodes, with what decodes it.
func undecodable(ctx context.Context, q schema.Querier) ([]string, error) {
	return check.Undecodable(ctx, q, []check.Form{
		{Table: "erasures", Columns: "receipt", Decode: as[erase.Receipt]},
		{Table: "events", Columns: "topic, payload", Decode: func(v []string) error {
			return eventbus.Event{Topic: v[0], Payload: []byte(v[1])}.CheckPayload()
		}},
		{Table: "gaps", Columns: "memories", Decode: as[[]string]},
		{Table: "injections", Columns: "items", Decode: as[[]enrich.RecalledItem]},
		{Table: "losses", Columns: "gone", Decode: as[map[string]schema.Gone]},
		{Table: "memories", Columns: "tags", Decode: func(v []string) error { return new(schema.Strings).Scan(v[0]) }},
		{Table: "memories", Columns: "attributes", Decode: func(v []string) error { return new(schema.Attributes).Scan(v[0]) }},
		{Table: "ops", Columns: "operation, record, before, after", Decode: func(v []string) error {
			return undo.Check(&schema.Op{Operation: v[0], Record: v[1], Before: v[2], After: v[3]})
		}},
		{Table: "proposals", Columns: "kind, payload", Decode: func(v []string) error { return proposed.CheckPayload(v[0], v[1]) }},
		{Table: "runs", Columns: "stages", Decode: func(v []string) error {
			_, err := consolidate.Recorded(&schema.Run{Stages: []byte(v[0])})
			return err
		}},
	})
}

func as[T any](v []string) error { return schema.DecodeStored("it", v[0], new(T)) }

func (e *examination) count(ctx context.Context, c counted) {
	n, err := c.run(ctx, e.db)
	switch {
	case err != nil:
		e.unread(c.name, err, fixPages)
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
		e.unread(c.name, err, c.unread)
	case len(found) > 0:
		e.note(c.name, Damaged, c.found+strings.Join(found, "; "), c.fix)
	default:
		e.note(c.name, OK, "", "")
	}
}

// textIndex compares the text index with the text.
func (e *examination) textIndex(ctx context.Context) {
	const name = "text index"
	if e.inUse { // the comparison would keep its writes waiting
		e.note(name, Skipped, "another program has the file open", "run ebb doctor again when no program uses FILE")
		return
	}
	db, err := check.Open(e.name, false)
	if err != nil {
		e.note(name, Skipped, "comparing it needs leave to write: "+err.Error(), "run ebb doctor as a user who may write the file")
		return
	}
	defer func() { _ = db.Close() }() // rolls back what was written
	err = check.TextIndex(ctx, db)
	switch {
	case err == nil:
		e.note(name, OK, "", "")
	case isPermission(err):
		e.note(name, Skipped, "comparing it needs leave to write", "run ebb doctor as a user who may write the file")
	default:
		e.unread(name, err, fixRepair)
	}
}

// isPermission reports whether err is about the process's permissions, not the file's
// content.
func isPermission(err error) bool {
	return errors.Is(err, sqlite3.READONLY) || errors.Is(err, sqlite3.CANTOPEN) || errors.Is(err, sqlite3.PERM)
}
