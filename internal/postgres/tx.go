package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/engine"
)

// tx is one attempt of a write.
type tx struct {
	bun.IDB

	db       *DB
	conn     bun.Conn
	raw      *conn
	queued   func()
	onCommit []func()

	committing bool // whether the outcome may be unknown
}

// run runs a write in a transaction that enters users first.
func (t *tx) run(ctx context.Context, users []int64, fn func(context.Context, engine.Tx) error) (err error) {
	if t.conn, err = t.db.writers.Conn(ctx); err != nil {
		return err
	}
	defer t.conn.Close() // return it to the pool
	if err := t.conn.Raw(func(raw any) error {
		t.raw = raw.(*conn)
		return nil
	}); err != nil {
		return err
	}
	t.IDB = t.conn
	patience := strconv.FormatInt(t.db.config.BusyTimeout.Milliseconds(), 10) + "ms"
	if _, err := t.conn.Conn.ExecContext(ctx, "BEGIN; SELECT ebb_begin('"+patience+"')"); err != nil {
		_, undo := t.conn.Conn.ExecContext(ctx, "ROLLBACK")
		return errors.Join(err, undo)
	}
	ended := false
	defer func() {
		if !ended { // also after a panic
			_, undo := t.conn.Conn.ExecContext(ctx, "ROLLBACK")
			if undo != nil && err == nil {
				err = undo
			}
		}
	}()
	t.raw.asked = 0
	for _, user := range users {
		if _, err := t.Exec(ctx, "SELECT ebb_enter(?, ? = 1)", user, t.raw.asked == 0); err != nil {
			return err
		}
	}
	if len(users) > 0 {
		t.queued()
	}
	if err := fn(ctx, t); err != nil {
		return err
	}
	ended, t.committing = true, true
	if _, err := t.conn.Conn.ExecContext(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// again reports whether a write that failed can run once more.
func (t *tx) again(err error, attempt int) bool {
	switch code := codeOf(err); code {
	case codeMeanwhile, "40001", "40P01":
		return true
	case codeUnique: // another write may have stored the row meanwhile; the next attempt sees it
		return attempt <= 2
	}
	// After a lost commit it is not known whether it was kept.
	return !t.committing && unreachable(err)
}

// OnCommit implements [engine.Tx].
func (t *tx) OnCommit(f func()) { t.onCommit = append(t.onCommit, f) }

// Contended implements [engine.Tx]: writes of other users do not wait for this one.
func (t *tx) Contended() bool { return t.db.waiting.Load() > 0 }

// Exec implements [engine.Tx].
func (t *tx) Exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return t.conn.Conn.ExecContext(ctx, query, args...)
}

// Row implements [engine.Tx].
func (t *tx) Row(ctx context.Context, query string, args []any, dest ...any) error {
	return t.conn.Conn.QueryRowContext(ctx, query, args...).Scan(dest...)
}

// Query implements [engine.Tx].
func (t *tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.conn.Conn.QueryContext(ctx, query, args...)
}

var insertedTable = regexp.MustCompile(`^\s*INSERT INTO (\w+)`)

// Insert implements [engine.Tx].
func (t *tx) Insert(ctx context.Context, query string, args ...any) (id int64, err error) {
	key := "id"
	if table := insertedTable.FindStringSubmatch(query); table != nil && table[1] == "events" {
		key = "seq"
	}
	rows, err := t.Query(ctx, query+" RETURNING "+key, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&id); err != nil {
			return 0, err
		}
	}
	return id, rows.Err()
}

// User returns the row id of a user, who is entered: 0 if there is none, unless make is
// set.
func (t *tx) User(ctx context.Context, tenant, name string, make bool) (id int64, err error) {
	err = t.Row(ctx, "SELECT ebb_user(?, ?, ? = 1, ?, ? = 1)", []any{tenant, name, make, t.db.Now().UnixMilli(), t.raw.asked == 0}, &id)
	if err == nil && id != 0 {
		t.queued()
	}
	return id, err
}

// LeaseTime implements [engine.Tx].
func (t *tx) LeaseTime(ctx context.Context) (time.Time, error) {
	var ms int64
	err := t.Row(ctx, serverTime, nil, &ms)
	return time.UnixMilli(ms), err
}

const serverTime = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
