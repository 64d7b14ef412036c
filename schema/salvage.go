package schema

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
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

// Salvaged says what of one table could be read from a damaged file.
type Salvaged struct {
	Table string `json:"table"`
	Read  int64  `json:"read"`
	// Refused were read and make no sense: they break the table's rules.
	Refused int64 `json:"refused,omitempty"`
	// Expected is how many rows an index counts, -1 where none can be asked.
	Expected int64 `json:"expected"`
	// Unreadable are the spans of row numbers in which something could not be
	// read: what was there, if anything was, is lost.
	Unreadable []Gone `json:"unreadable,omitempty"`
	// Incomplete says that rows without numbers could not all be read.
	Incomplete bool `json:"incomplete,omitempty"`
}

// unsalvaged are the tables that belong to a file and not to what it holds.
var unsalvaged = []string{"identity", "leases", "bun_migrations", "bun_migration_locks"}

// Salvage reads what can be read of a damaged file, table by table and around
// what cannot, into a new file with a schema of its own, and has finish mend
// it: path is where the new file is then. It appears under target when finish
// succeeds and it was read back. The damaged file is not touched: what is read
// is a copy.
//
// Errors: those of [Backup]; [ErrCorrupt] when not even the list of its tables
// can be read.
func Salvage(ctx context.Context, source, target string, options *Options, finish func(path string) error) (tables []Salvaged, err error) {
	db := &DB{path: source, opts: options.withDefaults()}
	db.opts.ReadOnly = true
	if err := db.prepareFile(ctx); err != nil {
		return nil, fmt.Errorf("salvage %s: %w", source, db.classify(err))
	}
	defer func() { dropKey(db.opts.sealNumber) }()
	if target, err = newFile(target); err != nil {
		return nil, err
	}
	if used, err := inUse(db.path); err == nil && used {
		return nil, fmt.Errorf("%w: stop every program that has %s open", ErrBusy, db.path)
	}
	folder, err := os.MkdirTemp(filepath.Dir(target), ".salvage-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	damaged := filepath.Join(folder, "damaged")
	for _, log := range [...]string{"", "-wal"} {
		if err := copyBytes(ctx, db.path+log, damaged+log); err != nil && (log == "" || !errors.Is(err, os.ErrNotExist)) {
			return nil, db.classify(err)
		}
	}
	err = underTemporaryName(target, func(name string) (err error) {
		opts, err := db.opts.sealingFile(name, db.opts.Key)
		defer func() { dropKey(opts.sealNumber) }()
		if err != nil {
			return err
		}
		opts.ReadOnly = false
		if err := writeEmpty(ctx, name, opts); err != nil {
			return err
		}
		if tables, err = salvageInto(ctx, damaged, db.opts, name, opts); err != nil {
			return err
		}
		if err := finish(name); err != nil {
			return err
		}
		_, err = checkCopy(ctx, name, opts, nil)
		return err
	})
	if err != nil {
		err = fmt.Errorf("salvage %s: %w", source, db.readError(ctx, err))
	}
	return tables, err
}

func salvageInto(ctx context.Context, damaged string, from Options, path string, to Options) (tables []Salvaged, err error) {
	from.ReadOnly = false // it is a copy; its log is to be read
	in, err := OpenSQLite(dsn(damaged, from, true), true, func(c *sqlite3.Conn) error {
		if err := c.Exec("PRAGMA temp_store = memory; PRAGMA writable_schema = on"); err != nil {
			return err
		}
		return fts5.Register(c)
	})
	if err != nil {
		return nil, err
	}
	in.SetMaxOpenConns(1)
	defer func() { _ = in.Close() }() // it is damaged and thrown away
	out, err := openSQL(path, to, false)
	if err != nil {
		return nil, err
	}
	out.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := out.ExecContext(ctx, "PRAGMA foreign_keys = off"); err != nil { // mended when all is there
		return nil, err
	}
	found, err := texts(ctx, out, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'chunks_fts%' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	readable := 0
	for _, table := range found {
		if slices.Contains(unsalvaged, table) {
			continue
		}
		s := &salvage{in: in, out: out, Salvaged: Salvaged{Table: table, Expected: -1}}
		known, err := s.table(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		if known {
			readable++
			tables = append(tables, s.Salvaged)
		}
	}
	if readable == 0 {
		return nil, fmt.Errorf("%w: not even the list of its tables can be read", ErrCorrupt)
	}
	return tables, cleanSalvaged(ctx, in, out)
}

// cleanSalvaged removes what SQLite's rules allow and ebb could not read, and
// keeps numbers from being given again.
func cleanSalvaged(ctx context.Context, in, out *sql.DB) error {
	for _, statement := range []string{
		"DELETE FROM events WHERE NOT json_valid(payload)",
		"UPDATE memories SET tags = '[]' WHERE NOT json_valid(tags)",
		"UPDATE memories SET attributes = '{}' WHERE NOT json_valid(attributes)",
		"UPDATE runs SET stages = '[]' WHERE NOT json_valid(stages)",
		"DELETE FROM memories WHERE typeof(event_time) <> 'integer' OR typeof(created_at) <> 'integer' OR typeof(valid_from) <> 'integer' OR typeof(content) <> 'text' OR typeof(trust) <> 'integer'",
		"DELETE FROM events WHERE typeof(occurred_at) <> 'integer' OR typeof(recorded_at) <> 'integer' OR typeof(trust) <> 'integer'",
	} {
		if _, err := out.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	rows, err := in.QueryContext(ctx, "SELECT name, seq FROM sqlite_sequence")
	if err != nil {
		return nil //nolint:nilerr // it is damaged too; the highest row then decides
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var seq int64
		if rows.Scan(&name, &seq) != nil {
			break
		}
		if _, err := out.ExecContext(ctx, "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", seq, name); err != nil {
			return err
		}
	}
	return nil
}

func quoted(names []string) string {
	return `"` + strings.Join(names, `", "`) + `"`
}
