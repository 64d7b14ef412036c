package postgres

import (
	"context"
	"database/sql"
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
	turn     *turn
	onCommit []func()

	entered map[int64]bool   // users
	first   int64            // number of a table's first row of this write
	given   map[string]int64 // how many numbers were given, by table

	committing bool // whether the outcome may be unknown
}

// run runs a write, on the connection of t, in a transaction that enters users first.
func (t *tx) run(ctx context.Context, users []int64, fn func(context.Context, engine.Tx) error) (err error) {
	if err := t.conn.Raw(func(raw any) error {
		t.raw = raw.(*conn)
		return nil
	}); err != nil {
		return err
	}
	t.IDB = t.conn
	t.raw.begin("BEGIN", "SELECT ebb_begin()")
	defer func() {
		if undo := t.raw.rollback(); err == nil { // unless it was committed; also after a panic
			err = undo
		}
	}()
	for _, user := range users {
		if _, err := t.Exec(ctx, "SELECT ebb_enter(?, ? = 1)", user, t.raw.asked == 0); err != nil {
			return err
		}
	}
	if len(users) > 0 {
		t.queued()
	}
	if err := fn(ctx, t); err != nil {
		if before := t.raw.flush(ctx); before != nil { // the first error
			return before
		}
		return err
	}
	t.committing = true
	if err := t.raw.commit(ctx); err != nil {
		if ctx.Err() != nil || unreachable(err) {
			return &namedError{engine.ErrIO, fmt.Sprintf("commit: the server did not answer, and whether it was stored is not known (%v)", err), err}
		}
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// again reports whether a write that failed can run once more. refusals is how often a
// row of it was refused: attempts that did not reach the server do not count.
func (t *tx) again(err error, refusals int) bool {
	switch code := codeOf(err); code {
	case codeMeanwhile, codeAsk, codePlan, codeDeadlock, "40001":
		return true
	case codeUnique, codeForeign: // another write may have stored or deleted the row meanwhile; the next attempt sees that
		return refusals <= 2
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
	res, err := t.conn.Conn.ExecContext(ctx, query, args...)
	return res, refused(err)
}

// Later implements [engine.Tx].
func (t *tx) Later(ctx context.Context, query string, args ...any) error {
	return t.raw.later(ctx, query, args...)
}

// Row implements [engine.Tx].
func (t *tx) Row(ctx context.Context, query string, args []any, dest ...any) error {
	return refused(t.conn.Conn.QueryRowContext(ctx, query, args...).Scan(dest...))
}

// Query implements [engine.Tx].
func (t *tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := t.conn.Conn.QueryContext(ctx, query, args...)
	return rows, refused(err)
}

var insertedTable = regexp.MustCompile(`^\s*INSERT INTO (\w+)`)

// Insert implements [engine.Tx].
func (t *tx) Insert(ctx context.Context, query string, args ...any) (id int64, err error) {
	key, table := "id", insertedTable.FindStringSubmatch(query)
	if table != nil && table[1] == "events" {
		key = "seq"
	}
	rows, err := t.Query(ctx, query+" RETURNING "+key, args...)
	if err != nil {
		return 0, err
	}
	if table != nil {
		t.numbered(table[1], ownNumbers) // the database's numbers are above those of Number
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&id); err != nil {
			return 0, err
		}
	}
	return id, rows.Err()
}

// User returns the row id of a user, who is entered: 0 if there is none, unless create is
// set.
func (t *tx) User(ctx context.Context, tenant, name string, create bool) (id int64, err error) {
	if !t.turn.take(tenant, name) {
		return 0, errNotInTurn
	}
	var now int64
	if create {
		now = t.db.Now().UnixMilli()
	}
	if t.raw.asked == 0 {
		t.raw.ahead = t.raw.ahead[:len(t.raw.ahead)-1] // ebb_user says itself what it has read
	}
	var first sql.NullString
	err = t.Row(ctx, "SELECT ebb_user(?, ?, ? = 1, ?, ? = 1), current_setting('ebb.number', true)", []any{tenant, name, create, now, t.raw.asked == 0}, &id, &first)
	if err != nil || id == 0 {
		return id, err
	}
	if t.first, err = strconv.ParseInt(first.String, 10, 64); err != nil {
		return 0, err
	}
	t.enter(id)
	t.queued()
	return id, nil
}

func (t *tx) enter(user int64) {
	if t.entered == nil {
		t.entered = make(map[int64]bool)
	}
	t.entered[user] = true
}

// ownNumbers is how many numbers of a table the engine gives in one write; the database
// has as many for rows without one.
const ownNumbers = 1 << 19

// Number returns the number of the next row of a table, so that the row can be stored and
// referred to without waiting for the database to number it. It returns false unless
// [tx.User] has entered the row's user, and once the database has numbered a row of the
// table in this write: the next one has a higher number.
func (t *tx) Number(table string, user int64) (number int64, ok bool) {
	if !t.entered[user] || t.given[table] == ownNumbers {
		return 0, false
	}
	number = t.first | t.given[table]
	t.numbered(table, t.given[table]+1)
	return number, true
}

func (t *tx) numbered(table string, given int64) {
	if t.given == nil {
		t.given = make(map[string]int64)
	}
	t.given[table] = given
}

// LeaseTime implements [engine.Tx].
func (t *tx) LeaseTime(ctx context.Context) (time.Time, error) {
	var ms int64
	err := t.Row(ctx, serverTime, nil, &ms)
	return time.UnixMilli(ms), err
}

const serverTime = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
