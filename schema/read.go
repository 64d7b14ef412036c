package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
	"github.com/uptrace/bun"
)

// Snapshot is a consistent view of the database for one read. It embeds bun's
// query builders.
type Snapshot struct {
	bun.Tx

	db   *DB
	conn bun.Conn
}

// Read runs fn on one consistent state of the database. Nothing can be
// written through it.
//
// Errors: what fn returned, [ErrClosed], [ErrBusy], [ErrIO], [ErrCorrupt], or the
// context's error.
func (db *DB) Read(ctx context.Context, fn func(context.Context, *Snapshot) error) (err error) {
	if db.isClosed() {
		return ErrClosed
	}
	select {
	case db.reading <- struct{}{}:
		defer func() { <-db.reading }()
	case <-ctx.Done():
		return ctx.Err()
	case <-db.stop:
		return ErrClosed
	}
	conn, err := db.readers.Conn(ctx)
	if err != nil {
		return db.readError(ctx, err)
	}
	defer conn.Close() // back to the others
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return db.readError(ctx, err)
	}
	defer func() {
		if undo := tx.Rollback(); undo != nil && !errors.Is(undo, sql.ErrTxDone) && err == nil {
			// SQLite ended the transaction by itself, as it does when the disk
			// fails: what was read after that is of another state.
			err = &namedError{ErrIO, fmt.Errorf("the read was cut short: %w", undo)}
		}
	}()
	if err := db.readError(ctx, fn(ctx, &Snapshot{Tx: tx, db: db, conn: conn})); err != nil {
		return err
	}
	return db.unmoved()
}

func (db *DB) isClosed() bool {
	select {
	case <-db.stop:
		return true
	default:
		return false
	}
}

// readError prefers the context's own error to SQLite's word for it.
func (db *DB) readError(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && db.isClosed() {
		return errors.Join(ErrClosed, db.classify(err))
	}
	return db.classify(err)
}

// Query runs a statement that is prepared once for each connection.
func (s *Snapshot) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.Tx.Tx.QueryContext(keep(ctx), query, args...)
}

// Row reads one row with a statement that is prepared once for each connection.
func (s *Snapshot) Row(ctx context.Context, query string, args []any, dest ...any) error {
	return s.Tx.Tx.QueryRowContext(keep(ctx), query, args...).Scan(dest...)
}

// direct lends the connection without database/sql in between, for what reads
// hundreds of rows one by one.
func (s *Snapshot) direct(ctx context.Context, f func(*sqlite3.Conn) error) error {
	return s.lend(ctx, func(c *guardedConn) error { return f(c.Raw()) })
}

func (s *Snapshot) lend(ctx context.Context, f func(*guardedConn) error) error {
	return s.conn.Raw(func(conn any) error {
		guarded, ok := conn.(*guardedConn)
		if !ok {
			return fmt.Errorf("schema: a connection of type %T", conn)
		}
		return guarded.call(func() error {
			raw := guarded.Raw()
			defer raw.SetInterrupt(raw.SetInterrupt(ctx))
			return f(guarded)
		})
	})
}
