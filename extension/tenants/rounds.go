package tenants

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// rounds open all files of a folder in turn, including closed ones, to finish
// pending background work and run due nights.
type rounds struct {
	cancel context.CancelFunc // nil if there are no rounds
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

// untilRound returns the time until the next minute-of-the-hour of nightTime. A
// round at that minute of every hour runs nights when they are due in each time
// zone.
func untilRound(now time.Time, nightTime string) time.Duration {
	at, _ := time.Parse("15:04", nightTime) // validated with the config
	next := now.Truncate(time.Hour).Add(time.Duration(at.Minute()) * time.Minute)
	if !next.After(now) {
		next = next.Add(time.Hour)
	}
	return next.Sub(now)
}

// stop ends the rounds. A running night is interrupted and resumed later.
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

// roundPatience is how long a round waits for the pending work of one file.
const roundPatience = time.Minute

// round handles every file once. A failing file does not stop the others.
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
	d.mu.Lock()
	erasing := d.erasing[name] > 0
	d.mu.Unlock()
	if erasing {
		return nil // the other files do not wait for a caller that holds this one
	}
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
