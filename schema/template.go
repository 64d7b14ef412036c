package schema

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/ncruces/go-sqlite3/ext/serdes"
	"github.com/ncruces/go-sqlite3/vfs"
)

// Making a file was mostly running the migrations, and what comes of them is the
// same in every file. So they run once in a process, in memory, and each new file
// is written with what came of them.

// template is what a new file holds, but for what is its own.
type template struct {
	file     []byte
	identity int   // where the memory's identity stands
	migrated []int // where it stands when the migrations ran
}

// process is the template of this process, once there is one.
var process struct {
	sync.Mutex
	template *template
}

// newTemplate gives the template, which the first call makes. What kept one
// from making it does not keep the next.
func newTemplate(ctx context.Context) (*template, error) {
	process.Lock()
	defer process.Unlock()
	if process.template == nil {
		t, err := makeTemplate(ctx)
		if err != nil {
			return nil, fmt.Errorf("make an empty database in memory: %w", err)
		}
		process.template = t
	}
	return process.template, nil
}

// standIn stands in the template for the time of a file's making.
const standIn = time.DateTime

func makeTemplate(ctx context.Context) (t *template, err error) {
	conn, err := OpenSQLite("file::memory:?_txlock=immediate", false, func(c *sqlite3.Conn) error {
		if err := c.Exec("PRAGMA secure_delete = on"); err != nil {
			return err
		}
		return fts5.Register(c)
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := migrateUp(ctx, conn); err != nil {
		return nil, err
	}
	migrations, err := conn.ExecContext(ctx, "UPDATE bun_migrations SET migrated_at = '"+standIn+"'")
	if err != nil {
		return nil, err
	}
	times, err := migrations.RowsAffected()
	if err != nil {
		return nil, err
	}
	var identity string
	if err := conn.QueryRowContext(ctx, "SELECT id FROM identity").Scan(&identity); err != nil {
		return nil, err
	}
	file, err := serialize(ctx, conn)
	if err != nil {
		return nil, err
	}
	t = &template{file: file, migrated: places(file, standIn)}
	found := places(file, identity)
	if len(found) != 1 || len(identity) != hex.EncodedLen(identitySize) || int64(len(t.migrated)) != times {
		return nil, fmt.Errorf("its identity stands there %d times, the time %d times", len(found), len(t.migrated))
	}
	t.identity = found[0]
	return t, nil
}

// serialize gives a database in memory as a file holds it.
func serialize(ctx context.Context, db *sql.DB) (file []byte, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	err = conn.Raw(func(c any) error {
		guarded, ok := c.(*guardedConn)
		if !ok {
			return fmt.Errorf("schema: a connection of type %T", c)
		}
		return guarded.call(func() error {
			file, err = serdes.Serialize(guarded.Raw(), "main")
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint16(file[16:]))
	for at := 0; at < len(file); at += size {
		page := file[at:][:size]
		from, to := leftovers(page, int64(at))
		clear(page[from:to])
	}
	// The file is to have a write-ahead log: what PRAGMA journal_mode = wal does.
	file[18], file[19] = 2, 2
	return file, nil
}

// places are where a text stands in a file.
func places(file []byte, text string) (at []int) {
	for from := 0; ; {
		i := bytes.Index(file[from:], []byte(text))
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + len(text)
	}
}

const identitySize = 16 // bytes; see the migration that makes the table

// own is the template as one file has it, made at a time.
func (t *template) own(now time.Time) []byte {
	file := bytes.Clone(t.file)
	var identity [identitySize]byte
	_, _ = rand.Read(identity[:]) // it never fails
	hex.Encode(file[t.identity:], identity[:])
	for _, at := range t.migrated {
		copy(file[at:], now.UTC().Format(standIn))
	}
	return file
}

// writeEmpty writes an up-to-date schema into an empty file and syncs it. It is
// for files that nobody knows by their name yet: what fails leaves a part.
func writeEmpty(ctx context.Context, path string, opts Options) (err error) {
	t, err := newTemplate(ctx)
	if err != nil {
		return err
	}
	// SQLite only opens it: by the right file system and with its key.
	conn, err := sqlite3.OpenContext(ctx, dsn(path, opts, false))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	file, err := fileOf(conn)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(t.own(time.Now()), 0)
	if err == nil {
		err = file.Sync(vfs.SYNC_FULL)
	}
	return unsaved("write the new file", err)
}
