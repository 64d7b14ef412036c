package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/migrate"
)

// prepareSchema refuses files of another format and damaged ones, and migrates the
// others unless they are opened read-only.
func (db *DB) prepareSchema(ctx context.Context, conn *sql.DB) error {
	if err := db.checkIdentity(ctx, conn); err != nil {
		return err
	}
	if !db.opts.ReadOnly {
		if err := db.opts.Format.migrate(ctx, conn); err != nil {
			return err
		}
	}
	if check := db.opts.Format.Check; check != nil {
		return check(ctx, conn)
	}
	return nil
}

// checkIdentity refuses the databases of other programs and unsupported versions.
func (db *DB) checkIdentity(ctx context.Context, conn *sql.DB) error {
	format := db.opts.Format
	var id, version int
	if err := conn.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if id != format.ApplicationID {
		return fmt.Errorf("%w: it is another program's SQLite database", ErrNotDatabase)
	}
	if err := format.supports(version); err != nil {
		return err
	}
	if version < format.Version && db.opts.ReadOnly {
		return fmt.Errorf("%w: its schema has to be brought up to date first", ErrReadOnly)
	}
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" && !db.Immutable() { // journal_mode of an immutable file is not "wal"
		return fmt.Errorf("write-ahead logging is off (journal_mode is %q): another program changed this file", mode)
	}
	return nil
}

// supports returns a [*VersionError] for a version of the schema that cannot be opened.
func (f *Format) supports(version int) error {
	if version > f.Version || 0 < version && version < f.Oldest {
		return &VersionError{Found: version, Oldest: f.Oldest, Supported: f.Version}
	}
	return nil
}

// migrate runs the pending migrations in one transaction on one connection.
//
// SQLite's write lock serves as the migration lock: it ends with the process, and a
// killed migration leaves nothing. bun's own lock row would outlive the process,
// and its bookkeeping is committed separately from the migration.
func (f *Format) migrate(ctx context.Context, conn *sql.DB) (err error) {
	conn.SetMaxOpenConns(1) // every statement below shares the transaction
	current := func() (bool, error) {
		var version int
		err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
		if err == nil {
			err = f.supports(version)
		}
		return version == f.Version, err
	}
	if done, err := current(); done || err != nil {
		return err
	}
	migrations := migrate.NewMigrations()
	if err := migrations.Discover(f.Migrations); err != nil {
		return err
	}
	db := bun.NewDB(conn, sqlitedialect.New())
	migrator := migrate.NewMigrator(db, migrations, migrate.WithMarkAppliedOnSuccess(true))
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, undo := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			err = errors.Join(err, undo)
		}
	}()
	// Another process, possibly of a later version, may have migrated the file meanwhile.
	done, err := current()
	if done && err == nil {
		_, err = conn.ExecContext(ctx, "ROLLBACK")
		return err
	}
	if err != nil {
		return err
	}
	if err := migrator.Init(ctx); err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", f.ApplicationID, f.Version)); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}
