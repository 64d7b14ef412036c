package sqlite

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/ncruces/go-sqlite3/ext/serdes"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/ebbmem/ebb/internal/engine"
)

// Most of the time to create a file goes to the migrations, and their result is
// always the same. So they run once per process, in memory, and each new file
// starts as a copy of the result.

// template is the content of a new file, with places for its own values.
type template struct {
	file     []byte
	identity int   // offset of the database's identity
	migrated []int // offsets of the time of each migration
}

// newTemplate returns the template. The first call makes it; after a failure the
// next call tries again.
func (f *Format) newTemplate(ctx context.Context) (*template, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.template == nil {
		t, err := f.makeTemplate(ctx)
		if err != nil {
			return nil, fmt.Errorf("make an empty database in memory: %w", err)
		}
		f.template = t
	}
	return f.template, nil
}

// placeholderTime stands for the creation time in the template.
const placeholderTime = time.DateTime

// InMemory returns a new, empty database that no file holds.
func (f *Format) InMemory(ctx context.Context) (*sql.DB, error) {
	conn, err := OpenSQLite("file::memory:?_txlock=immediate", false, func(c *sqlite3.Conn) error {
		if err := c.Exec("PRAGMA secure_delete = on"); err != nil {
			return err
		}
		return fts5.Register(c)
	})
	if err != nil {
		return nil, err
	}
	conn.SetMaxOpenConns(1) // each would have a database of its own
	if err := f.migrate(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func (f *Format) makeTemplate(ctx context.Context) (t *template, err error) {
	conn, err := f.InMemory(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	times, err := engine.Affected(conn.ExecContext(ctx, "UPDATE bun_migrations SET migrated_at = '"+placeholderTime+"'"))
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
	t = &template{file: file, migrated: places(file, placeholderTime)}
	found := places(file, identity)
	if len(found) != 1 || len(identity) != hex.EncodedLen(identitySize) || int64(len(t.migrated)) != times {
		return nil, fmt.Errorf("its identity stands there %d times, the time %d times", len(found), len(t.migrated))
	}
	t.identity = found[0]
	return t, nil
}

// serialize returns an in-memory database as the content of a file.
func serialize(ctx context.Context, db *sql.DB) (file []byte, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	err = conn.Raw(func(c any) error {
		guarded, ok := c.(*guardedConn)
		if !ok {
			return fmt.Errorf("sqlite: a connection of type %T", c)
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
	// Enable write-ahead logging, as PRAGMA journal_mode = wal does.
	file[18], file[19] = 2, 2
	return file, nil
}

// places returns the offsets of a text in a file.
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

// instantiate returns the content of a new file with its own identity and time.
func (t *template) instantiate(now time.Time) []byte {
	file := bytes.Clone(t.file)
	var identity [identitySize]byte
	_, _ = rand.Read(identity[:]) // it never fails
	hex.Encode(file[t.identity:], identity[:])
	for _, at := range t.migrated {
		copy(file[at:], now.UTC().Format(placeholderTime))
	}
	return file
}

// writeEmpty writes the current schema into an empty file and syncs it. The file
// must still have a temporary name: a failure leaves an incomplete file.
func writeEmpty(ctx context.Context, path string, opts Config) (err error) {
	t, err := opts.Format.newTemplate(ctx)
	if err != nil {
		return err
	}
	// SQLite only opens the file, with the right file system and key.
	conn, err := sqlite3.OpenContext(ctx, dsn(path, opts, false))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	file, err := fileOf(conn)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(t.instantiate(time.Now()), 0)
	if err == nil {
		err = file.Sync(vfs.SYNC_FULL)
	}
	return unsaved("write the new file", err)
}
