package schema

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/migrate"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Version is the schema version this package writes; it is the file's
// user_version and grows with every migration.
const Version = 9

// applicationID marks our files in SQLite's header: "ebb1".
const applicationID = 0x65626231

// checkIdentity refuses other programs' databases and newer versions.
func (db *DB) checkIdentity(ctx context.Context, conn *sql.DB) error {
	var id, version int
	if err := conn.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if id != applicationID {
		return fmt.Errorf("%w: it is another program's SQLite database", ErrNotDatabase)
	}
	if version > Version {
		return &VersionError{Found: version, Supported: Version}
	}
	if version < Version && db.opts.ReadOnly {
		return fmt.Errorf("%w: its schema has to be brought up to date first", ErrReadOnly)
	}
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" && !db.Still() { // without a log it says so
		return fmt.Errorf("write-ahead logging is off (journal_mode is %q): another program changed this file", mode)
	}
	return checkUsers(ctx, conn)
}

// checkUsers looks whether everybody is found by name. It is a small table, and
// the one whose damage would show as an empty memory: whoever is missing from
// its index would begin anew as somebody unknown.
func checkUsers(ctx context.Context, conn *sql.DB) error {
	problems, err := texts(ctx, conn, "PRAGMA integrity_check(users)")
	if err != nil {
		return err
	}
	if !slices.Equal(problems, []string{"ok"}) {
		return fmt.Errorf("%w: its list of users: %s", damage(problems), strings.Join(problems, "; "))
	}
	return nil
}

// migrateUp runs what is missing inside one transaction on one connection.
//
// The write lock of SQLite is the migration lock: it dies with its process,
// and a killed migration leaves nothing behind. bun's own lock row would stay
// for ever, and its bookkeeping commits apart from the migration.
func migrateUp(ctx context.Context, conn *sql.DB) (err error) {
	conn.SetMaxOpenConns(1) // every statement below shares the transaction
	var version int
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version == Version {
		return nil
	}
	migrations := migrate.NewMigrations()
	if err := migrations.Discover(migrationFiles); err != nil {
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
	if err := migrator.Init(ctx); err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, Version)); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}
