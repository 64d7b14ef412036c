package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
)

// Snapshot is a read transaction. It embeds bun's query builders.
type Snapshot struct {
	bun.Tx

	db   *DB
	conn bun.Conn
}

// Read runs fn in a read transaction, which cannot write.
//
// Errors: what fn returned, [ErrClosed], [ErrBusy], [ErrIO], [ErrCorrupt], or the
// context's error.
func (db *DB) Read(ctx context.Context, fn func(context.Context, *Snapshot) error) (err error) {
	if db.isClosed() {
		return ErrClosed
	}
	select {
	case db.readSlots <- struct{}{}:
		defer func() { <-db.readSlots }()
	case <-ctx.Done():
		return ctx.Err()
	case <-db.stop:
		return ErrClosed
	}
	conn, err := db.readers.Conn(ctx)
	if err != nil {
		return db.readError(ctx, err)
	}
	defer conn.Close() // return it to the pool
	// If the context of a transaction ends, database/sql closes the connection while fn
	// uses it. Each statement has ctx.
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return db.readError(ctx, err)
	}
	defer func() {
		if undo := tx.Rollback(); undo != nil && !errors.Is(undo, sql.ErrTxDone) && err == nil {
			// SQLite ended the transaction itself, as after a failure of the disk:
			// later reads were of another snapshot.
			err = &namedError{ErrIO, fmt.Errorf("the read was cut short: %w", undo)}
		}
	}()
	if err := db.readError(ctx, fn(ctx, &Snapshot{Tx: tx, db: db, conn: conn})); err != nil {
		return err
	}
	return db.checkUnmodified()
}

func (db *DB) isClosed() bool {
	select {
	case <-db.stop:
		return true
	default:
		return false
	}
}

// readError returns the context's own error rather than SQLite's INTERRUPT.
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
	return s.Tx.Tx.QueryContext(keepPrepared(ctx), query, args...)
}

// Row reads one row with a statement that is prepared once for each connection.
func (s *Snapshot) Row(ctx context.Context, query string, args []any, dest ...any) error {
	return s.Tx.Tx.QueryRowContext(keepPrepared(ctx), query, args...).Scan(dest...)
}
