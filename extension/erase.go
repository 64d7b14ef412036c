package extension

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
)

// Erasure selects what [Extension.Erase] erases of one user's memory.
type Erasure = erase.Erasure

// ErasureError means that an erasure has started and is not finished.
type ErasureError = erase.Error

// Receipt reports what an erasure did, store by store, and which copies it cannot
// reach. It contains nothing of what was erased.
type Receipt struct {
	erase.Receipt

	// OutOfReach lists where ebb cannot erase copies, with advice for each.
	OutOfReach []erase.Reach `json:"out_of_reach"`
	// Removed are copies left by killed backups that were removed since the file was opened.
	Removed []string `json:"removed_copies,omitempty"`
}

// outOfReach lists the places an erasure does not reach, starting with the copies
// found beside the file, by name.
func (x *Extension) outOfReach() []erase.Reach {
	copies, err := x.db.CopiesBeside()
	if err != nil {
		x.report("erase", err)
		copies = []string{"copies beside the file (its folder could not be read)"}
	}
	return erase.OutOfReach(copies)
}

// Erase permanently deletes the selected part of one user's memory: messages, what
// was derived from them alone, their text in every index, their vectors, the
// journal, and what nights, models and the audit recorded about them. If Erase
// returns no error, no file of the database and no index or cache of this process
// holds it; a [Session] drops what it last injected when it is next used.
//
// Memories that other messages also support stay, with what those messages say;
// [Receipt.Rederived] lists them. A fact that was stated directly stays, whatever words
// it shares with an erased message. A claim that an erased claim had replaced holds
// again, as if the erased one had never been stored; [Receipt.Revived] lists it.
// Erased ids do not return: publishing one again has no effect, and imports skip it.
//
// An [*ErasureError] comes with the receipt of what was done. The rest is finished
// in the background or when the file is next opened, and [Health] reports it until
// then. Meanwhile nothing of the selection is found.
//
// Errors: [*InvalidError]; [ErrNotFound] for an unknown user, memory, event or
// session (then nothing is erased); [ErrReadOnly]; [*ErasureError]; the database's
// errors; the context's error.
func (x *Extension) Erase(ctx context.Context, scope Scope, what Erasure) (*Receipt, error) {
	scope = x.db.Complete(scope)
	if x.cfg.ReadOnly {
		return nil, ErrReadOnly
	}
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	userID, err := schema.Get(ctx, x.db, func(ctx context.Context, s *schema.Snapshot) (int64, error) { return s.UserID(ctx, scope) })
	if err != nil {
		return nil, err
	}
	done, err := erase.Run(ctx, x.db, scope, what, memory.ByHost)
	if done == nil {
		return nil, err
	}
	x.forget(scope, userID)
	if what.Everything {
		x.mem.Cycles.Put(scope, 0)
		x.forgetFaults(scope)
	}
	if _, unfinished := errors.AsType[*ErasureError](err); unfinished {
		x.erasures.wake(x)
	}
	if err := x.db.SweepBackups(); err != nil { // they hold what was erased
		x.report("erase", err)
	}
	return &Receipt{Receipt: *done, OutOfReach: x.outOfReach(), Removed: x.db.SweptBackups()}, err
}

// PreviewErase reports what [Extension.Erase] would do, without doing it.
//
// Errors: those of [Extension.Erase] except [*ErasureError].
func (x *Extension) PreviewErase(ctx context.Context, scope Scope, what Erasure) (*Receipt, error) {
	scope = x.db.Complete(scope)
	if x.cfg.ReadOnly {
		return nil, ErrReadOnly
	}
	would, err := erase.Preview(ctx, x.db, scope, what)
	if err != nil {
		return nil, err
	}
	return &Receipt{Receipt: *would, OutOfReach: x.outOfReach(), Removed: x.db.SweptBackups()}, nil
}

// Erasures lists the receipts of one user's erasures, newest first. An empty scope
// lists the receipts of users who were erased entirely.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Erasures(ctx context.Context, scope Scope) (receipts []Receipt, err error) {
	scope = x.db.Complete(scope)
	if scope != (Scope{}) {
		if err := scope.Validate(); err != nil {
			return nil, err
		}
	}
	beyond := x.outOfReach()
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		receipts = nil
		var userID int64
		if scope != (Scope{}) {
			if userID, err = s.UserID(ctx, scope); err != nil || userID == 0 {
				return err
			}
		}
		all, err := erase.Receipts(ctx, s, userID)
		for _, r := range all {
			receipts = append(receipts, Receipt{Receipt: r, OutOfReach: beyond})
		}
		return err
	})
	return receipts, err
}

// forget drops what this process caches of a user. Another process's index notices
// the change at its next search.
func (x *Extension) forget(scope Scope, userID int64) {
	x.own.ForgetUser(userID)
	x.searcher.Forget(userID)
	if x.vectors != nil {
		x.vectors.ForgetQueries()
	}
	x.captures.forget(scope)
	x.mu.Lock()
	for _, key := range x.missed.Keys() {
		f, _ := x.missed.Peek(key)
		f.Error = "(its text was dropped when something was erased)"
		x.missed.Add(key, f)
	}
	x.mu.Unlock()
}

// forget drops the messages of a user's conversations that are too old to be
// reported again. Younger ones are kept, by hash: otherwise the end of a turn would
// store again what was erased during it. Talks end; sessions drop the texts that they
// hold themselves when they are next used.
func (c *captures) forget(scope Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	user := memory.Team(scope)
	c.erased[user]++
	for _, of := range c.conversations.Keys() {
		if of.Tenant != scope.Tenant || of.User != scope.User {
			continue
		}
		if t, ok := c.conversations.Peek(of); ok {
			t.talk.since(c.erased[user])
			if t.stale(c.now()) {
				c.conversations.Remove(of)
			}
		}
	}
}

// erasures returns how often something of a user's was erased since the file was opened.
func (c *captures) erasures(scope Scope) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.erased[memory.Team(scope)]
}

// stale drops reports that are too old to be repeated, and returns whether none are
// left.
func (t *conversation) stale(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.recent = slices.DeleteFunc(t.recent, func(c *captured) bool { return now.Sub(c.at) > turnLength })
	maps.DeleteFunc(t.begun, func(_ string, at time.Time) bool { return now.Sub(at) > turnLength })
	return len(t.recent)+len(t.begun) == 0
}

// erasureFinisher is the background worker that retries unfinished erasures.
type erasureFinisher struct {
	mu      sync.Mutex
	running bool
	ended   bool
	cancel  context.CancelFunc
	done    sync.WaitGroup
}

// finishPause is the first pause between two attempts. It doubles up to
// longestFinish.
const (
	finishPause   = time.Second
	longestFinish = time.Minute
)

// wake starts the worker unless it is running. The worker stops when no erasure is
// open.
func (f *erasureFinisher) wake(x *Extension) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running || f.ended {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.running, f.cancel = true, cancel
	f.done.Go(func() {
		defer cancel()
		for pause := finishPause; ; pause = min(2*pause, longestFinish) {
			err := x.finishErasures(ctx)
			if err == nil || ctx.Err() != nil {
				break
			}
			x.report("erase", err)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
		f.mu.Lock()
		f.running = false
		f.mu.Unlock()
	})
}

// stop stops the worker and waits for its current step until ctx ends. The next
// Open resumes the work.
func (f *erasureFinisher) stop(ctx context.Context) error {
	f.mu.Lock()
	f.ended = true
	if f.cancel != nil {
		f.cancel()
	}
	f.mu.Unlock()
	done := make(chan struct{})
	go func() {
		f.done.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	default:
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close: the rest of an erasure is still under way; it goes on when the file is next opened: %w", context.Cause(ctx))
	}
}

func (x *Extension) finishErasures(ctx context.Context) error {
	finished, err := erase.Finish(ctx, x.db)
	for _, userID := range finished {
		x.searcher.Forget(userID)
		x.own.ForgetUser(userID)
	}
	return err
}

// resumeErasures resumes erasures that an earlier process left unfinished.
func (x *Extension) resumeErasures(ctx context.Context) error {
	if x.cfg.ReadOnly {
		return nil
	}
	var open int64
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		open, _, err = erase.CountOpen(ctx, s)
		return err
	})
	if err == nil && open > 0 {
		x.erasures.wake(x)
	}
	return err
}
