package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Lease is the exclusive right to do a named job; at most one holder in all
// processes has it at a time. It expires, by the machine's clock, unless it is
// renewed. A name is always used with the same ttl.
//
// A holder that was suspended may go on working without noticing that its lease
// expired. Term is the fencing token against that: it grows with every change of
// holder, and [Tx.CheckLease] compares it in the writing transaction.
type Lease struct {
	Name   string
	Holder string
	Term   int64

	db      *DB
	ttl     time.Duration
	expires atomic.Int64 // Unix milliseconds
}

// AcquireLease takes the lease, or extends it when holder already has it. holder is
// a random id of the caller.
//
// Errors: [ErrConflict] while another holder has it; those of [DB.Write].
func (db *DB) AcquireLease(ctx context.Context, name, holder string, ttl time.Duration) (*Lease, error) {
	l := &Lease{Name: name, Holder: holder, db: db, ttl: ttl}
	err := db.Write(ctx, func(ctx context.Context, tx *Tx) error {
		now := time.Now()
		expires := now.Add(ttl).UnixMilli()
		// An expiry further away than the ttl was written before the clock was set
		// back, and none at all by a damaged file. It must not block the job.
		err := tx.Row(ctx, `INSERT INTO leases (name, holder, term, expires_at) VALUES (?, ?, 1, ?)
			ON CONFLICT (name) DO UPDATE SET
				term = term + (holder <> excluded.holder), holder = excluded.holder, expires_at = excluded.expires_at
			WHERE holder = excluded.holder OR coalesce(expires_at, 0) NOT BETWEEN ? AND ?
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

// LeaseHeld reports whether a lease has a holder and has not expired.
func (s *Snapshot) LeaseHeld(ctx context.Context, name string) (held bool, err error) {
	err = s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM leases WHERE name = ? AND expires_at > ?)", []any{name, time.Now().UnixMilli()}, &held)
	return held, err
}

// Held reports whether the lease has not expired yet, as far as the holder can know
// without a query.
func (l *Lease) Held() bool { return l != nil && time.Now().UnixMilli() < l.expires.Load() }

// Renew extends the lease by its ttl from now. An expired lease can still be
// renewed if no other holder has taken it.
//
// Errors: [ErrConflict] when another holder has taken it; those of [DB.Write].
func (l *Lease) Renew(ctx context.Context) error {
	return l.db.Write(ctx, func(ctx context.Context, tx *Tx) error { return tx.RenewLease(ctx, l) })
}

// KeepAlive renews the lease four times per ttl in the background, until ctx
// ends or stop is called. When another holder has taken the lease, it ends
// silently: the next [Tx.CheckLease] reports that. stop waits for a renewal that
// is in progress.
func (l *Lease) KeepAlive(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(l.ttl / 4)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if errors.Is(l.Renew(ctx), ErrConflict) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

// Release gives the lease up. It is no error if another holder has it already.
func (l *Lease) Release(ctx context.Context) error {
	l.expires.Store(0)
	return l.db.Write(ctx, func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, "UPDATE leases SET expires_at = 0 WHERE name = ? AND holder = ? AND term = ?", l.Name, l.Holder, l.Term)
		return err
	})
}

// RenewLease is [Lease.Renew] as part of a write.
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

// CheckLease returns [ErrConflict] when another holder has taken the lease, so that
// a transaction of the former holder changes nothing.
func (tx *Tx) CheckLease(ctx context.Context, l *Lease) error {
	var n int
	err := tx.Row(ctx, "SELECT count(*) FROM leases WHERE name = ? AND holder = ? AND term = ?", []any{l.Name, l.Holder, l.Term}, &n)
	if err == nil && n == 0 {
		l.expires.Store(0)
		err = fmt.Errorf("the lease %s was lost: %w", l.Name, ErrConflict)
	}
	return err
}
