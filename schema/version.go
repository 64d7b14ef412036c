package schema

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed migrations/postgres/*.sql
var serverMigrations embed.FS

// Version is the schema version that this package writes, the user_version of a file. It
// is incremented with every migration.
const Version = 10

// oldest is the version of the first migration. Earlier versions were never released.
const oldest = 10

// format describes the files of a memory to the engine.
var format = &sqlite.Format{
	ApplicationID: 0x65626231, // "ebb1"
	Version:       Version, Oldest: oldest, Migrations: migrations, Check: checkUsers,
	TextIndex: "chunks_fts", Counted: []string{"events", "memories", "ops", "erasures"},
}

// InMemory returns an empty memory that no file holds.
func InMemory(ctx context.Context) (*sql.DB, error) { return format.InMemory(ctx) }

// checkUsers checks the table of users. A user missing from its index would look like a
// new one, with an empty memory.
func checkUsers(ctx context.Context, conn *sql.DB) error {
	problems, err := sqlite.Texts(ctx, conn, "PRAGMA integrity_check(users)")
	if err != nil {
		return err
	}
	if !slices.Equal(problems, []string{"ok"}) {
		return fmt.Errorf("%w: its list of users: %s", sqlite.IntegrityError(problems), strings.Join(problems, "; "))
	}
	return nil
}
