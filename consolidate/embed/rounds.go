package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

const (
	// source is the name of the worker's failures and of its lease.
	source = "embed"
	// leaseTTL is short so that another process can take over soon after a crash.
	leaseTTL = time.Second
	// acquireInterval is the wait between attempts to get the lease.
	acquireInterval = leaseTTL / 4
	// pollInterval is how often the worker looks for texts of other processes.
	pollInterval = 30 * time.Second
	// dropBatch is how many vectors of a retired generation one transaction
	// deletes.
	dropBatch = 500
	// refusedFor is how long a refused text, and a batch of refused size, are not
	// tried again.
	refusedFor = time.Hour
)

func (w *Worker) run(ctx context.Context) {
	pauses := w.pauses()
	var waiting []chan error
	for {
		err := w.round(ctx)
		if ctx.Err() != nil {
			return
		}
		for _, answer := range waiting {
			answer <- err
		}
		waiting = waiting[:0]
		wake, wait := w.wake, pollInterval
		if err == nil {
			pauses.Reset()
		} else { // new texts do not repair the embedder
			wake, wait = nil, pauses.NextBackOff()
		}
		timer := time.NewTimer(wait)
		select {
		case <-wake:
		case <-timer.C:
		case answer := <-w.asks:
			waiting = append(waiting, answer)
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// round makes all missing vectors.
func (w *Worker) round(ctx context.Context) error {
	w.mu.Lock()
	doubted := w.doubted
	w.doubted = 0
	w.mu.Unlock()
	w.resize(ctx, doubted)
	todo, err := w.look(ctx)
	for tries := 0; err == nil && todo && tries < 3; tries++ {
		err = w.work(ctx)
		if !errors.Is(err, schema.ErrNotFound) && !errors.Is(err, schema.ErrConflict) {
			break
		}
		// Another process took the lease or changed the model: look again.
		w.retarget(nil)
		todo, err = w.look(ctx)
	}
	return w.report(ctx, err)
}

// work makes all missing vectors under the lease, so that two processes do not
// embed the same texts.
func (w *Worker) work(ctx context.Context) error {
	lease, err := w.acquire(ctx)
	if err != nil {
		return err
	}
	stop := lease.KeepAlive(ctx, func(error) {})
	defer func() {
		stop()
		_ = lease.Release(context.WithoutCancel(ctx)) // it also expires
	}()
	if _, err := w.look(ctx); err != nil { // another process may have held it
		return err
	}
	if time.Since(w.shrunk) > refusedFor {
		w.batch = w.opts.BatchSize
	}
	for more := true; more; {
		if more, err = w.step(ctx, lease); err != nil {
			return err
		}
	}
	return w.finish(ctx, lease)
}

func (w *Worker) acquire(ctx context.Context) (*schema.Lease, error) {
	for {
		lease, err := w.db.AcquireLease(ctx, source, w.holder, leaseTTL)
		if !errors.Is(err, schema.ErrConflict) {
			return lease, err
		}
		select {
		case <-time.After(acquireInterval):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look reports whether there is work, without taking the lease.
//
// Errors: [*schema.InvalidError] if another process has replaced this worker's
// generation. Making it again would never end.
func (w *Worker) look(ctx context.Context) (todo bool, err error) {
	err = w.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		all, err := vecstore.Generations(ctx, s)
		if err != nil {
			return err
		}
		if err := w.findTarget(all); err != nil {
			return err
		}
		if err := w.forgive(ctx, s); err != nil {
			return err
		}
		last, err := vecstore.LastChunks(ctx, s)
		if err != nil {
			return err
		}
		for user, chunk := range last {
			todo = todo || w.handled[user] < chunk
		}
		for _, g := range all {
			todo = todo || g.State == vecstore.GenerationRetired || g.State == vecstore.GenerationBuilding
		}
		return nil
	})
	return todo, err
}

// dims returns the size of the vectors to make, 0 while it is not known.
func (w *Worker) dims() int {
	if w.opts.Dims > 0 {
		return w.opts.Dims
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.size
}

// wanted reports whether a generation is of this worker's model and size.
func (w *Worker) wanted(g *vecstore.Generation) bool {
	dims := w.dims()
	return g.State != vecstore.GenerationRetired && g.Model == w.opts.Model && (dims == 0 || g.Dims == dims)
}

// findTarget selects the newest wanted generation. Until the first answer of the
// embedder the model's name decides alone.
func (w *Worker) findTarget(all []vecstore.Generation) error {
	var target *vecstore.Generation
	var taken error
	for i := range all {
		g := &all[i]
		if w.wanted(g) {
			target = g
		}
		switch {
		case g.State != vecstore.GenerationServing:
		case w.wanted(g):
			w.served = g.ID
		case w.served != 0 && g.ID != w.served:
			taken = &schema.InvalidError{Field: "Config.Embedding.Model", Reason: fmt.Sprintf(
				"is %q, but another process has replaced its vectors by those of %q (%d numbers): give all processes the same model and start this one again",
				w.opts.Model, g.Model, g.Dims)}
			if g.Model == w.opts.Model {
				w.doubt(g.Dims)
			}
		}
	}
	w.mu.Lock()
	w.taken = taken
	w.mu.Unlock()
	if target == nil && w.target != nil || target != nil && target.ID != w.generation() {
		w.retarget(target)
	}
	return taken
}

// retarget changes the generation to make vectors for and starts again from the
// first chunk.
func (w *Worker) retarget(g *vecstore.Generation) {
	w.target = g
	clear(w.handled)
}

// generation returns the id of the target, 0 for none.
func (w *Worker) generation() int64 {
	if w.target == nil {
		return 0
	}
	return w.target.ID
}

// step embeds one batch and reports whether there may be more.
func (w *Worker) step(ctx context.Context, lease *schema.Lease) (more bool, err error) {
	batch, reached, err := w.next(ctx)
	if err != nil {
		return false, err
	}
	if len(batch) > 0 {
		restart, err := w.embedBatch(ctx, lease, batch)
		if err != nil || restart {
			return restart, err
		}
	}
	for user, chunk := range reached {
		w.handled[user] = chunk
	}
	return len(reached) > 0, nil
}

// next reads the next chunks without vectors, in order of user and arrival. It
// returns the last chunk it has read of each user.
func (w *Worker) next(ctx context.Context) (batch []vecstore.PendingChunk, reached map[int64]int64, err error) {
	generation := w.generation()
	reached = make(map[int64]int64)
	err = w.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		last, err := vecstore.LastChunks(ctx, s)
		if err != nil {
			return err
		}
		users := make([]int64, 0, len(last))
		for user, chunk := range last {
			if w.handled[user] < chunk {
				users = append(users, user)
			}
		}
		slices.Sort(users)
		for _, user := range users {
			room := w.batch - len(batch)
			found, err := vecstore.PendingChunks(ctx, s, user, generation, w.handled[user], room)
			if err != nil {
				return err
			}
			if reached[user] = last[user]; len(found) == room {
				reached[user] = found[room-1].ID
			}
			if batch = append(batch, found...); len(batch) == w.batch {
				return nil
			}
		}
		return nil
	})
	batch = slices.DeleteFunc(batch, func(c vecstore.PendingChunk) bool { return w.isRefused(c.ID) })
	return batch, reached, err
}

// embedBatch embeds chunks and stores the vectors and failures. It returns true
// when the vectors' size starts another generation, for which all chunks must be
// read again.
func (w *Worker) embedBatch(ctx context.Context, lease *schema.Lease, batch []vecstore.PendingChunk) (restart bool, err error) {
	texts := make([]string, len(batch))
	for i, c := range batch {
		texts[i] = c.Text
	}
	found, err := w.embed(ctx, texts)
	if err != nil {
		return false, err
	}
	var vectors []vecstore.ChunkVector
	for i, e := range found {
		if e.err == nil {
			vectors = append(vectors, vecstore.ChunkVector{ChunkID: batch[i].ID, MemoryID: batch[i].MemoryID, Vector: e.vector})
		}
	}
	if len(vectors) > 0 && (w.target == nil || !w.wanted(w.target)) {
		if err := w.open(ctx, lease, w.dims()); err != nil {
			return false, err
		}
		restart = true
	}
	err = w.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		if err := tx.CheckLease(ctx, lease); err != nil {
			return err
		}
		if len(vectors) > 0 {
			if _, err := vecstore.InsertVectors(ctx, tx, w.target.ID, vectors); err != nil {
				return err
			}
		}
		for i, e := range found {
			if err := tx.RecordFailure(ctx, source, batch[i].UserID, refusal(batch[i], e.err)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	for i, e := range found {
		if err := refusal(batch[i], e.err); err != nil {
			w.refuse(batch[i], err)
		}
	}
	return restart, nil
}

func refusal(c vecstore.PendingChunk, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("chunk %d of memory %d: %w", c.ID, c.MemoryID, err)
}

// open finds or creates the generation of the model with this size.
func (w *Worker) open(ctx context.Context, lease *schema.Lease, dims int) error {
	var g *vecstore.Generation
	err := w.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
		if err := tx.CheckLease(ctx, lease); err != nil {
			return err
		}
		g, err = vecstore.OpenGeneration(ctx, tx, w.opts.Model, dims)
		return err
	})
	if err != nil {
		return err
	}
	if w.target == nil || w.target.ID != g.ID {
		w.retarget(g)
	}
	return nil
}

// finish makes a complete generation serve and deletes retired ones.
func (w *Worker) finish(ctx context.Context, lease *schema.Lease) error {
	if w.target != nil && !w.wanted(w.target) { // the last answers had another size
		w.retarget(nil)
		w.Wake()
	}
	if w.target != nil {
		if err := w.open(ctx, lease, w.target.Dims); err != nil { // retires unfinished generations of other models
			return err
		}
	}
	for more := true; more; {
		err := w.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
			if err := tx.CheckLease(ctx, lease); err != nil {
				return err
			}
			if w.target != nil {
				if err := vecstore.ActivateGeneration(ctx, tx, w.target.ID); err != nil {
					return err
				}
			}
			more, err = vecstore.DropRetired(ctx, tx, dropBatch)
			return err
		})
		if err != nil {
			return err
		}
		if w.target != nil {
			w.served = w.target.ID
		}
	}
	return nil
}
