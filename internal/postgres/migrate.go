package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/ebbmem/ebb/internal/engine"
)

// lockMigration is the key of the advisory lock of migrations.
const lockMigration = 0x65626231 // "ebb1"

// migrate brings the tables to the version of this program, in one transaction. The lock
// ends with it, also when the process is killed.
func (db *DB) migrate(ctx context.Context, pool *sql.DB) error {
	version, beside, err := db.readVersion(ctx, pool)
	if err != nil {
		return err
	}
	if beside > db.config.Version || 0 < version && version < db.config.Oldest {
		return &engine.VersionError{Found: version, Oldest: db.config.Oldest, Supported: db.config.Version}
	}
	if db.config.ReadOnly {
		if version < db.config.Version {
			return fmt.Errorf("%w: its tables have to be made or brought up to date first", engine.ErrReadOnly)
		}
		return nil
	}
	for attempt := 1; ; attempt++ {
		err := db.migrateOnce(ctx, pool, version)
		if code := codeOf(err); code != codeLocked && code != codeDeadlock || attempt == migrations {
			return err
		}
		pause(attempt)
	}
}

const (
	// migrations is how often a migration is tried that running hosts are in the way of.
	migrations = 500
	// yields is how long a migration waits for a table. Hosts that work meanwhile wait for
	// it; it gives up before the server would end one of them as part of a deadlock.
	yields = "SET LOCAL lock_timeout = '400ms'"
)

func (db *DB) migrateOnce(ctx context.Context, pool *sql.DB, version int) (err error) {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if _, err = tx.ExecContext(ctx, "SET LOCAL lock_timeout = 0"); err != nil { // another process may migrate for long
		return err
	}
	if _, err = tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock("+strconv.Itoa(lockMigration)+")"); err != nil {
		return err
	}
	if version < db.config.Version {
		if err = db.migrateFrom(ctx, tx); err != nil {
			return err
		}
	}
	// A role of one tenant does not see the rows that this is about.
	if _, err = tx.ExecContext(ctx, "SELECT CASE WHEN has_table_privilege('numbering', 'UPDATE') THEN ebb_restored() END"); err != nil {
		return err
	}
	return tx.Commit()
}

func (db *DB) migrateFrom(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, yields); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{db.schema}.Sanitize()); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS ebb_version (version bigint NOT NULL, beside bigint NOT NULL)"); err != nil {
		return err
	}
	// Another process may have migrated while this one waited for the lock.
	var version, beside int
	if err := tx.QueryRowContext(ctx, queryVersion).Scan(&version, &beside); err != nil {
		return err
	}
	if version > 0 && version < db.config.Version {
		// Transactions begin with this table, so those that have begun can end.
		if _, err := tx.ExecContext(ctx, "LOCK TABLE users IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
	}
	files, err := fs.Glob(db.config.Migrations, "*.sql")
	if err != nil {
		return err
	}
	for _, name := range files {
		number, _, _ := strings.Cut(name, "_")
		n, err := strconv.Atoi(number)
		if err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
		if n <= version {
			continue
		}
		statements, err := fs.ReadFile(db.config.Migrations, name)
		if err != nil {
			return err
		}
		if err := execVerbatim(ctx, tx, string(statements)); err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM ebb_version"); err != nil {
			return err
		}
		if !besideOld.Match(statements) {
			beside = n
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO ebb_version (version, beside) VALUES (?, ?)", n, beside); err != nil {
			return err
		}
	}
	return nil
}

// besideOld is in a migration after which hosts of the version before can go on: it adds
// tables, columns with a default or NULL, or indexes, and what rows mean is the same.
var besideOld = regexp.MustCompile(`(?m)^-- Hosts of the version before can go on\.$`)

// queryVersion reads the version of the tables, and the oldest version of hosts that can
// work with them.
const queryVersion = "SELECT coalesce(max(version), 0), coalesce(max(beside), 0) FROM ebb_version"

// verbatim marks statements that are not translated.
const verbatim = "/* verbatim */"

func execVerbatim(ctx context.Context, tx *sql.Tx, statements string) error {
	_, err := tx.ExecContext(ctx, verbatim+statements)
	return err
}

// readVersion returns the version of the tables, 0 if there are none, and the oldest version
// of hosts that can work with them.
func (db *DB) readVersion(ctx context.Context, pool *sql.DB) (version, beside int, err error) {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	var exists, found bool
	if err := tx.QueryRowContext(ctx, "SELECT to_regclass('ebb_version') IS NOT NULL, current_setting('search_path') = ?", db.searchPath).Scan(&exists, &found); err != nil {
		return 0, 0, err
	}
	if !found {
		return 0, 0, errPooled
	}
	if !exists {
		return 0, 0, nil
	}
	err = tx.QueryRowContext(ctx, queryVersion).Scan(&version, &beside)
	return version, beside, err
}
