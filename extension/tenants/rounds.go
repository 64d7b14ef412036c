package tenants

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// rounds go through all files of a folder, also the closed ones: what waits
// there is done, and nights that are due are run.
type rounds struct {
	cancel context.CancelFunc // nil when there are none
	done   sync.WaitGroup
}

func (r *rounds) start(d *Dir) {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.done.Go(func() {
		for {
			d.round(ctx)
			timer := time.NewTimer(untilRound(time.Now(), d.cfg.Night.Time))
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
		}
	})
}

// untilRound is the time to the next full hour and the minute of the nights:
// wherever users live, a round comes when their night is due.
func untilRound(now time.Time, nightTime string) time.Duration {
	at, _ := time.Parse("15:04", nightTime) // the config was checked
	next := now.Truncate(time.Hour).Add(time.Duration(at.Minute()) * time.Minute)
	if !next.After(now) {
		next = next.Add(time.Hour)
	}
	return next.Sub(now)
}

// stop ends the rounds: a night that goes on is cut off, and taken up later.
func (r *rounds) stop(ctx context.Context) error {
	if r.cancel == nil {
		return nil
	}
	r.cancel()
	stopped := make(chan struct{})
	go func() {
		r.done.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// roundPatience is how long a round waits for what is left to do in one file.
const roundPatience = time.Minute

// round looks after every file once. One that fails does not keep the others
// from their turn.
func (d *Dir) round(ctx context.Context) {
	names, err := d.files()
	if err != nil {
		d.report(err)
	}
	for _, name := range names {
		if err := d.tend(ctx, name); err != nil && ctx.Err() == nil {
			d.report(fmt.Errorf("%s: %w", name, err))
		}
		if ctx.Err() != nil {
			return
		}
	}
}

func (d *Dir) tend(ctx context.Context, name string) error {
	f, err := d.acquire(ctx, name, false)
	if errors.Is(err, schema.ErrNotFound) {
		return nil // erased since the round began
	}
	if err != nil {
		return err
	}
	defer d.releaseCold(f)
	patience, cancel := context.WithTimeout(ctx, roundPatience)
	defer cancel()
	if err := f.x.WaitIdle(patience); err != nil && ctx.Err() == nil {
		d.report(fmt.Errorf("%s: what waits there: %w", name, err))
	}
	return f.x.RunDueNights(ctx)
}
