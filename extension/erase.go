package extension

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
)

// Erasure says what of one user's memory [Extension.Erase] erases.
type Erasure = erase.Erasure

// ErasureError means that an erasure is under way and not finished.
type ErasureError = erase.Error

// Receipt is what an erasure did, store by store, and what it cannot reach. It
// holds nothing of what was erased.
type Receipt struct {
	erase.Receipt

	// OutOfReach is where copies may be that ebb cannot erase, and what to do
	// about each.
	OutOfReach []Reach `json:"out_of_reach"`
}

// Reach is a place that an erasure does not reach.
type Reach struct {
	Place  string `json:"place"`
	Advice string `json:"advice"`
}

// everywhereOutOfReach is the same for every erasure.
var everywhereOutOfReach = []Reach{
	{"backups and copies of the file", "erase them, or restore them only into a file where the erasure is asked for again: a copy from before it knows no tombstone"},
	{"exports", "delete the files; this memory does not take erased ids from them again, another one would"},
	{"file system snapshots and the cells of SSDs and SD cards", "a drive keeps overwritten blocks for a while: encrypt the file (adiantum) or the disk, and destroy the key with the drive"},
	{"models and embedders", "what was sent to a provider is kept as its terms say; ask it to delete it"},
	{"the host", "its logs, its own stores, the messages that a running conversation still has in its prompt (langchaingo's memory: Clear)"},
	{"main memory and swap", "what the process had in memory is freed, not overwritten; restart it where that matters"},
}

// outOfReach is what no erasure reaches, the copies that lie beside the file now
// first, by name.
func (x *Extension) outOfReach() []Reach {
	copies, err := x.db.CopiesBeside()
	if err != nil {
		x.report("erase", err)
		copies = []string{"copies beside the file (its folder could not be read)"}
	}
	return OutOfReach(copies)
}

// OutOfReach is what no erasure reaches of a memory with these copies beside its
// file, the copies first.
func OutOfReach(copies []string) []Reach {
	var found []Reach
	for _, path := range copies {
		found = append(found, Reach{path, "a copy of the memory as it was before: delete it, if it is not needed any more"})
	}
	return append(found, everywhereOutOfReach...)
}

// Erase erases what of one user's memory was named, for good: the messages, what
// was derived from them alone, their text in every index, their vectors, the
// journal, and what nights, models and the audit wrote down of it. When Erase
// returns without an error no file of the database holds it, and neither do this
// process's indexes and caches.
//
// What other messages bear too stays, with what these say; [Receipt.Rederived]
// lists it. What an erased claim had taken the place of holds again, as if the
// erased one had never been told; [Receipt.Revived] lists it. An erased id does
// not come back: publishing it again has no effect, and an import passes over
// it, see [transfer.ImportOptions].Resurrect.
//
// An [*ErasureError] comes with the receipt of what was done. The rest is
// finished in the background, or when the file is next opened; [Health] says so
// until then. Nothing of what was named is found in the meantime.
//
// Errors: [*InvalidError]; [ErrNotFound] for a user, a memory, an event or a
// session that is not there (then nothing is erased); [ErrReadOnly];
// [*ErasureError]; the database's errors; the context's error.
func (x *Extension) Erase(ctx context.Context, scope Scope, what Erasure) (*Receipt, error) {
	if x.cfg.ReadOnly {
		return nil, ErrReadOnly
	}
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	var userID int64
	if err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		userID, err = s.UserID(ctx, scope)
		return err
	}); err != nil {
		return nil, err
	}
	done, err := erase.Run(ctx, x.db, scope, what, memory.ByHost)
	if done == nil {
		return nil, err
	}
	x.forget(scope, userID)
	if what.Everything {
		x.mem.Cycles.Put(scope, 0)
	}
	if _, unfinished := errors.AsType[*ErasureError](err); unfinished {
		x.erasures.wake(x)
	}
	if err := x.db.SweepBackups(); err != nil { // which hold what was erased
		x.report("erase", err)
	}
	return &Receipt{Receipt: *done, OutOfReach: x.outOfReach()}, err
}

// PreviewErase says what [Extension.Erase] would do, and does nothing.
//
// Errors: those of [Extension.Erase], but for [*ErasureError].
func (x *Extension) PreviewErase(ctx context.Context, scope Scope, what Erasure) (*Receipt, error) {
	if x.cfg.ReadOnly {
		return nil, ErrReadOnly
	}
	would, err := erase.Preview(ctx, x.db, scope, what)
	if err != nil {
		return nil, err
	}
	return &Receipt{Receipt: *would, OutOfReach: x.outOfReach()}, nil
}

// Erasures lists the receipts of one user's erasures, newest first. Those of
// users who were erased whole belong to nobody any more: they are listed for a
// scope that is empty.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Erasures(ctx context.Context, scope Scope) (receipts []Receipt, err error) {
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

// forget drops what this process keeps in memory of a user. The index of
// another process notices by itself, at its next search.
func (x *Extension) forget(scope Scope, userID int64) {
	x.searcher.Forget(userID)
	if x.vectors != nil {
		x.vectors.ForgetQueries()
	}
	x.captures.forget(scope)
	x.mu.Lock()
	for source, f := range x.missed {
		f.Error = "(its text was dropped when something was erased)"
		x.missed[source] = f
	}
	x.mu.Unlock()
}

// forget drops what was heard in a user's conversations too long ago to be
// reported again. What is younger is kept, by hash: or what was erased in the
// middle of a turn would be stored by the end of it.
func (c *captures) forget(scope Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range c.turns.Keys() {
		if of.Tenant != scope.Tenant || of.User != scope.User {
			continue
		}
		if t, ok := c.turns.Peek(of); ok && t.stale(c.now()) {
			c.turns.Remove(of)
		}
	}
}

// stale drops what a turn heard too long ago, and reports whether that was all.
func (t *turn) stale(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	young := t.recent[:0]
	for _, c := range t.recent {
		if now.Sub(c.at) <= turnLength {
			young = append(young, c)
		}
	}
	clear(t.recent[len(young):])
	t.recent = young
	for hash, at := range t.heard {
		if now.Sub(at) > turnLength {
			delete(t.heard, hash)
		}
	}
	return len(t.recent)+len(t.heard) == 0
}

// finishing goes on with erasures that could not be finished at once.
type finishing struct {
	mu      sync.Mutex
	running bool
	ended   bool
	cancel  context.CancelFunc
	done    sync.WaitGroup
}

// finishPause is how long it waits between two tries, at first; then longer.
const (
	finishPause   = time.Second
	longestFinish = time.Minute
)

// wake starts the work unless it is running. It ends when nothing is open.
func (f *finishing) wake(x *Extension) {
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

// stop ends the work; what is left goes on at the next open. It waits for the
// step under way no longer than ctx.
func (f *finishing) stop(ctx context.Context) error {
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
	}
	return err
}

// resumeErasures goes on with what an earlier process left.
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
