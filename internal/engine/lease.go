package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Writer runs a write.
type Writer interface {
	WriteQueued(ctx context.Context, queued func(), fn func(context.Context, Tx) error) error
}

// Lease is the exclusive right to do a named job; at most one holder in all
// processes has it at a time. It expires, by the clock of the machine that holds the
// database, unless it is renewed. A name is always used with the same ttl.
//
// A holder that was suspended may go on working without noticing that its lease
// expired. Term is the fencing token against that: it grows with every change of
// holder, and [CheckLease] compares it in the writing transaction.
type Lease struct {
	Name   string
	Holder string
	Term   int64

	db      Writer
	ttl     time.Duration
	expires atomic.Int64 // Unix milliseconds, by this machine's clock
}

// AcquireLease takes the lease, or extends it when holder already has it. holder is
// a random id of the caller.
//
// Errors: [ErrLeaseHeld] while another holder has it; those of writes.
func AcquireLease(ctx context.Context, db Writer, name, holder string, ttl time.Duration) (*Lease, error) {
	l := &Lease{Name: name, Holder: holder, db: db, ttl: ttl}
	err := db.WriteQueued(ctx, nil, func(ctx context.Context, tx Tx) error {
		here := time.Now() // before the question, so that this machine gives the lease up first
		now, err := tx.LeaseTime(ctx)
		if err != nil {
			return err
		}
		// An expiry further away than the ttl was written before the clock was set
		// back, and none at all by a damaged file. It must not block the job.
		err = tx.Row(ctx, `INSERT INTO leases (name, holder, term, expires_at) VALUES (?, ?, 1, ?)
			ON CONFLICT (name) DO UPDATE SET
				term = leases.term + CASE WHEN leases.holder <> excluded.holder THEN 1 ELSE 0 END,
				holder = excluded.holder, expires_at = excluded.expires_at
			WHERE leases.holder = excluded.holder OR coalesce(leases.expires_at, 0) NOT BETWEEN ? AND ?
			RETURNING term`,
			[]any{name, holder, now.Add(ttl).UnixMilli(), now.UnixMilli() + 1, now.Add(2 * ttl).UnixMilli()}, &l.Term)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("the lease %s %w", name, ErrLeaseHeld)
		}
		l.expires.Store(here.Add(ttl).UnixMilli())
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// LeaseHeld reports whether a lease has a holder and has not expired.
func LeaseHeld(ctx context.Context, s Snapshot, name string) (held bool, err error) {
	now, err := s.LeaseTime(ctx)
	if err != nil {
		return false, err
	}
	err = s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM leases WHERE name = ? AND expires_at > ?)", []any{name, now.UnixMilli()}, &held)
	return held, err
}

// Held reports whether the lease has not expired yet, as far as the holder can know
// without a query.
func (l *Lease) Held() bool { return l != nil && time.Now().UnixMilli() < l.expires.Load() }

// Renew extends the lease by its ttl from now. An expired lease can still be
// renewed if no other holder has taken it.
//
// Errors: [ErrConflict] when another holder has taken it; those of writes.
func (l *Lease) Renew(ctx context.Context) error {
	return l.db.WriteQueued(ctx, nil, func(ctx context.Context, tx Tx) error { return RenewLease(ctx, tx, l) })
}

// KeepAlive renews the lease four times per ttl in the background, until ctx
// ends or stop is called. When another holder has taken the lease, it calls lost
// and ends. stop waits for a renewal that is in progress.
func (l *Lease) KeepAlive(ctx context.Context, lost context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(l.ttl / 4)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := l.Renew(ctx); errors.Is(err, ErrConflict) {
					lost(err)
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
	return l.db.WriteQueued(ctx, nil, func(ctx context.Context, tx Tx) error {
		_, err := tx.Exec(ctx, "UPDATE leases SET expires_at = 0 WHERE name = ? AND holder = ? AND term = ?", l.Name, l.Holder, l.Term)
		return err
	})
}

// RenewLease is [Lease.Renew] as part of a write.
func RenewLease(ctx context.Context, tx Tx, l *Lease) error {
	here := time.Now()
	now, err := tx.LeaseTime(ctx)
	if err != nil {
		return err
	}
	n, err := Affected(tx.Exec(ctx, "UPDATE leases SET expires_at = ? WHERE name = ? AND holder = ? AND term = ?", now.Add(l.ttl).UnixMilli(), l.Name, l.Holder, l.Term))
	if err != nil {
		return err
	}
	if n == 0 {
		l.expires.Store(0)
		return fmt.Errorf("the lease %s was lost: %w", l.Name, ErrConflict)
	}
	expires := here.Add(l.ttl).UnixMilli()
	tx.OnCommit(func() { l.expires.Store(expires) })
	return nil
}

// CheckLease returns [ErrConflict] when another holder has taken the lease, so that
// a transaction of the former holder changes nothing. Until the transaction ends,
// no other holder can take it.
func CheckLease(ctx context.Context, tx Tx, l *Lease) error {
	// The row is written, not read: that locks it where writes do not run one by one.
	if n, err := Affected(tx.Exec(ctx, "UPDATE leases SET term = term WHERE name = ? AND holder = ? AND term = ?", l.Name, l.Holder, l.Term)); n > 0 || err != nil {
		return err
	}
	l.expires.Store(0)
	return fmt.Errorf("the lease %s was lost: %w", l.Name, ErrConflict)
}
