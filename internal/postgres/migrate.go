package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/ebbmem/ebb/internal/engine"
)

// lockMigration is the key of the advisory lock of migrations.
const lockMigration = 0x65626231 // "ebb1"

// migrate brings the tables to the version of this program, in one transaction. The lock
// ends with it, also when the process is killed.
func (db *DB) migrate(ctx context.Context, pool *sql.DB) (err error) {
	version, err := readVersion(ctx, pool)
	if err != nil {
		return err
	}
	if version > db.config.Version || 0 < version && version < db.config.Oldest {
		return &engine.VersionError{Found: version, Oldest: db.config.Oldest, Supported: db.config.Version}
	}
	if db.config.ReadOnly {
		if version < db.config.Version {
			return fmt.Errorf("%w: its tables have to be made or brought up to date first", engine.ErrReadOnly)
		}
		return nil
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if _, err = tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock("+strconv.Itoa(lockMigration)+")"); err != nil {
		return err
	}
	if version < db.config.Version {
		if err = db.migrateFrom(ctx, tx); err != nil {
			return err
		}
	}
	if _, err = tx.ExecContext(ctx, "SELECT ebb_restored()"); err != nil {
		return err
	}
	return tx.Commit()
}

func (db *DB) migrateFrom(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{db.schema}.Sanitize()); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS ebb_version (version bigint NOT NULL)"); err != nil {
		return err
	}
	// Another process may have migrated while this one waited for the lock.
	var version int
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM ebb_version").Scan(&version); err != nil {
		return err
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
		if _, err := tx.ExecContext(ctx, "INSERT INTO ebb_version (version) VALUES (?)", n); err != nil {
			return err
		}
	}
	return nil
}

// verbatim marks statements that are not translated.
const verbatim = "/* verbatim */"

func execVerbatim(ctx context.Context, tx *sql.Tx, statements string) error {
	_, err := tx.ExecContext(ctx, verbatim+statements)
	return err
}

// readVersion returns the version of the tables, 0 if there are none.
func readVersion(ctx context.Context, pool *sql.DB) (version int, err error) {
	var exists bool
	if err := pool.QueryRowContext(ctx, "SELECT to_regclass('ebb_version') IS NOT NULL").Scan(&exists); err != nil || !exists {
		return 0, err
	}
	err = pool.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM ebb_version").Scan(&version)
	return version, err
}
