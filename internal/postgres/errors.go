package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ebbmem/ebb/internal/engine"
)

// Codes of PostgreSQL.
const (
	codeMeanwhile = "EB001" // of ebb_enter
	codeAsk       = "EB002" // of ebb_again
	codeUnique    = "23505"
	codeForeign   = "23503"
	codeReadOnly  = "25006"
	codeLocked    = "55P03"
	codeDeadlock  = "40P01"
	codeDiskFull  = "53100"
	codeCrowded   = "53300" // too many connections
	codePlan      = "0A000" // a table has changed since the statement was prepared; it is prepared again
)

func codeOf(err error) string {
	if pg, is := errors.AsType[*pgconn.PgError](err); is {
		return pg.Code
	}
	return ""
}

// unreachable reports whether an error is that of a connection, not of a statement.
func unreachable(err error) bool {
	if code := codeOf(err); code != "" {
		return strings.HasPrefix(code, "57P") || strings.HasPrefix(code, "08") || code == codeCrowded
	}
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "driver: bad connection")
}

// namedError is one of the errors of [engine] with its cause.
type namedError struct {
	kind  error
	text  string
	cause error
}

func (e *namedError) Error() string { return e.text }

func (e *namedError) Unwrap() []error { return []error{e.kind, e.cause} }

// refused wraps the error of a row that breaks a rule of the schema, other than that keys
// are unique, in a [*engine.ConstraintError].
func refused(err error) error {
	pg, is := errors.AsType[*pgconn.PgError](err)
	if _, known := errors.AsType[*engine.ConstraintError](err); known || !is || !strings.HasPrefix(pg.Code, "23") || pg.Code == codeUnique {
		return err
	}
	rule := pg.ConstraintName
	if pg.ColumnName != "" {
		rule = pg.TableName + "." + pg.ColumnName
	}
	return &engine.ConstraintError{Rule: rule, Cause: err}
}

var named = []error{
	engine.ErrBusy, engine.ErrReadOnly, engine.ErrCorrupt, engine.ErrNotDatabase, engine.ErrDiskFull, engine.ErrIO, engine.ErrClosed,
	engine.ErrNotFound, engine.ErrConflict,
}

// classify wraps the server's errors in those of [engine].
func classify(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	for _, kind := range named {
		if errors.Is(err, kind) {
			return err
		}
	}
	code := codeOf(err)
	wrap := func(kind error, what string) error { return &namedError{kind, fmt.Sprintf("%s (%v)", what, err), err} }
	switch {
	case ctx.Err() != nil && (code == "57014" || code == "" && unreachable(err)):
		return ctx.Err()
	case code == "57014":
		return &namedError{context.Canceled, "the statement was cancelled", err}
	case code == codeLocked:
		return wrap(engine.ErrBusy, "another write of the same user took too long")
	case code == codeMeanwhile, code == codeAsk, strings.HasPrefix(code, "40"):
		return wrap(engine.ErrBusy, "writes of the same user got in each other's way too often")
	case code == codePlan:
		return wrap(engine.ErrBusy, "the tables changed meanwhile")
	case code == "26000", code == "42P05": // a prepared statement of another connection
		return errors.Join(errPooled, err)
	case code == codeReadOnly, code == "42501":
		return wrap(engine.ErrReadOnly, "the server does not allow this")
	case code == codeDiskFull:
		return wrap(engine.ErrDiskFull, "the server has no room")
	case strings.HasPrefix(code, "53"):
		return wrap(engine.ErrBusy, "the server has too few connections or too little memory")
	case code == codeUnique:
		return wrap(engine.ErrCorrupt, "a row exists that should not")
	case strings.HasPrefix(code, "23"):
		return refused(err)
	case unreachable(err):
		return wrap(engine.ErrIO, "the server cannot be reached")
	}
	return err
}
