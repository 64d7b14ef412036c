package consolidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// embedSource is the name in the failures table, and of the lease.
const embedSource = "embed"

// lookAgain is how often the worker looks for what other processes stored.
const lookAgain = 30 * time.Second

// dropBatch is how many vectors of a retired generation one transaction deletes.
const dropBatch = 500

func (v *Vectoriser) run(ctx context.Context) {
	pauses := v.pauses()
	var waiting []chan error
	for {
		err := v.round(ctx)
		if ctx.Err() != nil {
			return
		}
		for _, answer := range waiting {
			answer <- err
		}
		waiting = waiting[:0]
		wake, wait := v.wake, lookAgain
		if err == nil {
			pauses.Reset()
		} else { // new messages do not make a broken embedder work
			wake, wait = nil, pauses.NextBackOff()
		}
		timer := time.NewTimer(wait)
		select {
		case <-wake:
		case <-timer.C:
		case answer := <-v.asks:
			waiting = append(waiting, answer)
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// round makes every vector that is missing.
func (v *Vectoriser) round(ctx context.Context) error {
	todo, err := v.look(ctx)
	for tries := 0; err == nil && todo && tries < 3; tries++ {
		err = v.work(ctx)
		if !errors.Is(err, schema.ErrNotFound) && !errors.Is(err, schema.ErrConflict) {
			break
		}
		// Another process took the lease, or chose another model: look again.
		v.retarget(nil)
		todo, err = v.look(ctx)
	}
	return v.report(ctx, err)
}

// work is a round under the lease: two processes must not pay for the same
// texts.
func (v *Vectoriser) work(ctx context.Context) error {
	lease, err := v.acquire(ctx)
	if err != nil {
		return err
	}
	stop := keep(ctx, lease)
	defer func() {
		stop()
		_ = lease.Release(context.WithoutCancel(ctx)) // it runs out by itself
	}()
	for more := true; more; {
		if more, err = v.step(ctx, lease); err != nil {
			return err
		}
	}
	return v.finish(ctx, lease)
}

func (v *Vectoriser) acquire(ctx context.Context) (*schema.Lease, error) {
	for {
		lease, err := v.db.AcquireLease(ctx, embedSource, v.holder, leaseTTL)
		if !errors.Is(err, schema.ErrConflict) {
			return lease, err
		}
		select {
		case <-time.After(heartbeat):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look reports whether there is something to do, without taking the lease.
func (v *Vectoriser) look(ctx context.Context) (todo bool, err error) {
	err = v.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		all, err := s.Generations(ctx)
		if err != nil {
			return err
		}
		v.findTarget(all)
		last, err := s.LastChunks(ctx)
		if err != nil {
			return err
		}
		for user, chunk := range last {
			todo = todo || v.handled[user] < chunk
		}
		for _, g := range all {
			todo = todo || g.State == schema.GenerationRetired || g.State == schema.GenerationBuilding
		}
		return nil
	})
	return todo, err
}

// dims is the size of the vectors to make, 0 while nobody knows.
func (v *Vectoriser) dims() int {
	if v.opts.Dims > 0 {
		return v.opts.Dims
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.size
}

// wanted reports whether a generation is of the model and size to make.
func (v *Vectoriser) wanted(g *schema.Generation) bool {
	dims := v.dims()
	return g.State != schema.GenerationRetired && g.Model == v.opts.Model && (dims == 0 || g.Dims == dims)
}

// findTarget takes the newest generation that is wanted; until the first
// answer, the model's name decides alone.
func (v *Vectoriser) findTarget(all []schema.Generation) {
	for _, g := range slices.Backward(all) {
		if v.wanted(&g) {
			if v.target == nil || v.target.ID != g.ID {
				v.retarget(&g)
			}
			return
		}
	}
	if v.target != nil {
		v.retarget(nil)
	}
}

// retarget starts from the first chunk again.
func (v *Vectoriser) retarget(g *schema.Generation) {
	v.target = g
	clear(v.handled)
}

// step embeds one batch. It reports whether there may be more.
func (v *Vectoriser) step(ctx context.Context, lease *schema.Lease) (more bool, err error) {
	batch, reached, err := v.next(ctx)
	if err != nil {
		return false, err
	}
	if len(batch) > 0 {
		restart, err := v.embedBatch(ctx, lease, batch)
		if err != nil || restart {
			return restart, err
		}
	}
	for user, chunk := range reached {
		v.handled[user] = chunk
	}
	return len(reached) > 0, nil
}

// next reads the next chunks without vectors, in order of users and arrival,
// and says how far that reaches.
func (v *Vectoriser) next(ctx context.Context) (batch []schema.PendingChunk, reached map[int64]int64, err error) {
	var generation int64
	if v.target != nil {
		generation = v.target.ID
	}
	reached = make(map[int64]int64)
	err = v.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		last, err := s.LastChunks(ctx)
		if err != nil {
			return err
		}
		users := make([]int64, 0, len(last))
		for user, chunk := range last {
			if v.handled[user] < chunk {
				users = append(users, user)
			}
		}
		slices.Sort(users)
		for _, user := range users {
			room := v.opts.BatchSize - len(batch)
			found, err := s.PendingChunks(ctx, user, generation, v.handled[user], room)
			if err != nil {
				return err
			}
			if reached[user] = last[user]; len(found) == room {
				reached[user] = found[room-1].ID
			}
			if batch = append(batch, found...); len(batch) == v.opts.BatchSize {
				return nil
			}
		}
		return nil
	})
	batch = slices.DeleteFunc(batch, func(c schema.PendingChunk) bool { return v.isAside(c.ID) })
	return batch, reached, err
}

// embedBatch embeds chunks and stores what came of it. It reports true when
// the vectors turned out to belong to another generation, and all starts again.
func (v *Vectoriser) embedBatch(ctx context.Context, lease *schema.Lease, batch []schema.PendingChunk) (restart bool, err error) {
	texts := make([]string, len(batch))
	for i, c := range batch {
		texts[i] = c.Text
	}
	found, err := v.embed(ctx, texts)
	if err != nil {
		return false, err
	}
	var vectors []schema.ChunkVector
	for i, e := range found {
		if e.err == nil {
			vectors = append(vectors, schema.ChunkVector{ChunkID: batch[i].ID, MemoryID: batch[i].MemoryID, Vector: e.vector})
		}
	}
	if len(vectors) > 0 && (v.target == nil || !v.wanted(v.target)) {
		if err := v.open(ctx, lease, v.dims()); err != nil {
			return false, err
		}
		restart = true
	}
	err = v.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		if err := tx.CheckLease(ctx, lease); err != nil {
			return err
		}
		if len(vectors) > 0 {
			if _, err := tx.InsertVectors(ctx, v.target.ID, vectors); err != nil {
				return err
			}
		}
		for i, e := range found {
			if err := tx.RecordFailure(ctx, embedSource, batch[i].UserID, refused(batch[i], e.err)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	for i, e := range found {
		if err := refused(batch[i], e.err); err != nil {
			v.setAside(batch[i], err)
		}
	}
	return restart, nil
}

func refused(c schema.PendingChunk, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("chunk %d of memory %d: %w", c.ID, c.MemoryID, err)
}

// open finds or starts the generation of the model at this size.
func (v *Vectoriser) open(ctx context.Context, lease *schema.Lease, dims int) error {
	var g *schema.Generation
	err := v.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
		if err := tx.CheckLease(ctx, lease); err != nil {
			return err
		}
		g, err = tx.OpenGeneration(ctx, v.opts.Model, dims)
		return err
	})
	if err != nil {
		return err
	}
	if v.target == nil || v.target.ID != g.ID {
		v.retarget(g)
	}
	return nil
}

// finish lets a generation that is complete serve, and drops what retired.
func (v *Vectoriser) finish(ctx context.Context, lease *schema.Lease) error {
	if v.target != nil && !v.wanted(v.target) { // a query's answer was of another size
		v.retarget(nil)
		v.Wake()
	}
	if v.target != nil {
		if err := v.open(ctx, lease, v.target.Dims); err != nil { // retires what was being built of other models
			return err
		}
	}
	for more := true; more; {
		err := v.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
			if err := tx.CheckLease(ctx, lease); err != nil {
				return err
			}
			if v.target != nil {
				if err := tx.ActivateGeneration(ctx, v.target.ID); err != nil {
					return err
				}
			}
			more, err = tx.DropRetired(ctx, dropBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
