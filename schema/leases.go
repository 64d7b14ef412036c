package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Lease is the right to do one named job, which at most one holder has at a
// time, across processes. It runs out by itself unless it is renewed, by the
// machine's clock; a name is always used with one ttl.
//
// A holder that was suspended may go on working without knowing that its
// lease ran out. Term is the fence against that: it grows with every change
// of holder, and [Tx.CheckLease] in the writing transaction compares it.
type Lease struct {
	Name   string
	Holder string
	Term   int64

	db      *DB
	ttl     time.Duration
	expires atomic.Int64 // Unix milliseconds
}

// AcquireLease takes the lease, or extends it when holder has it already.
// holder is a random id of whoever asks.
//
// Errors: [ErrConflict] while somebody else has it; those of [DB.Write].
func (db *DB) AcquireLease(ctx context.Context, name, holder string, ttl time.Duration) (*Lease, error) {
	l := &Lease{Name: name, Holder: holder, db: db, ttl: ttl}
	err := db.Write(ctx, func(ctx context.Context, tx *Tx) error {
		now := time.Now()
		expires := now.Add(ttl).UnixMilli()
		// An expiry that no lease of this ttl can have was written before the
		// clock was set back; it must not block the job until then.
		err := tx.Row(ctx, `INSERT INTO leases (name, holder, term, expires_at) VALUES (?, ?, 1, ?)
			ON CONFLICT (name) DO UPDATE SET
				term = term + (holder <> excluded.holder), holder = excluded.holder, expires_at = excluded.expires_at
			WHERE holder = excluded.holder OR expires_at NOT BETWEEN ? AND ?
			RETURNING term`,
			[]any{name, holder, expires, now.UnixMilli() + 1, now.Add(2 * ttl).UnixMilli()}, &l.Term)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("the lease %s is held by another: %w", name, ErrConflict)
		}
		l.expires.Store(expires)
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// LeaseHeld reports whether a lease has a holder that renews it.
func (s *Snapshot) LeaseHeld(ctx context.Context, name string) (held bool, err error) {
	err = s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM leases WHERE name = ? AND expires_at > ?)", []any{name, time.Now().UnixMilli()}, &held)
	return held, err
}

// Held reports whether the lease has not run out yet, as far as the holder
// can know without asking the database.
func (l *Lease) Held() bool { return l != nil && time.Now().UnixMilli() < l.expires.Load() }

// Renew extends the lease by its ttl from now. A lease that ran out can still
// be renewed if nobody took it.
//
// Errors: [ErrConflict] when somebody did; those of [DB.Write].
func (l *Lease) Renew(ctx context.Context) error {
	return l.db.Write(ctx, func(ctx context.Context, tx *Tx) error { return tx.RenewLease(ctx, l) })
}

// Release gives the lease up. Somebody else may hold it already; that is no
// error.
func (l *Lease) Release(ctx context.Context) error {
	l.expires.Store(0)
	return l.db.Write(ctx, func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, "UPDATE leases SET expires_at = 0 WHERE name = ? AND holder = ? AND term = ?", l.Name, l.Holder, l.Term)
		return err
	})
}

// RenewLease is [Lease.Renew] as part of a write: it checks and extends.
func (tx *Tx) RenewLease(ctx context.Context, l *Lease) error {
	expires := time.Now().Add(l.ttl).UnixMilli()
	res, err := tx.Exec(ctx, "UPDATE leases SET expires_at = ? WHERE name = ? AND holder = ? AND term = ?", expires, l.Name, l.Holder, l.Term)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		l.expires.Store(0)
		return fmt.Errorf("the lease %s was lost: %w", l.Name, ErrConflict)
	}
	tx.OnCommit(func() { l.expires.Store(expires) })
	return nil
}

// CheckLease returns [ErrConflict] when somebody took the lease since, so that
// a transaction of a holder of old changes nothing.
func (tx *Tx) CheckLease(ctx context.Context, l *Lease) error {
	var n int
	err := tx.Row(ctx, "SELECT count(*) FROM leases WHERE name = ? AND holder = ? AND term = ?", []any{l.Name, l.Holder, l.Term}, &n)
	if err == nil && n == 0 {
		l.expires.Store(0)
		err = fmt.Errorf("the lease %s was lost: %w", l.Name, ErrConflict)
	}
	return err
}
