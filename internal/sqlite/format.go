package sqlite

import (
	"context"
	"database/sql"
	"io/fs"
	"sync"
)

// Format describes the database files of a program.
//
// The migrations must create three tables that the engine uses: identity (id, one
// row of 32 hexadecimal digits), losses (noticed_at, marked_at and gone) and leases
// (name, holder, term and expires_at).
type Format struct {
	// ApplicationID is the application id in SQLite's header.
	ApplicationID int
	// Version is the newest version of the schema, Oldest the oldest that the
	// migrations can start from. [Open] refuses files outside that range. A file
	// without a schema has version 0.
	Version, Oldest int
	// Migrations holds numbered .up.sql files.
	Migrations fs.FS
	// Check, if set, returns an error for a file that must not be used although
	// SQLite can read it.
	Check func(ctx context.Context, conn *sql.DB) error
	// TextIndex is the FTS5 table whose segments the writer merges.
	TextIndex string
	// Counted are tables with AUTOINCREMENT keys, which are not reused. Every
	// commit that matters inserts into one of them: the mark beside a file holds
	// their highest keys.
	Counted []string

	mu       sync.Mutex
	template *template // of a new file; nil until the first one
}
