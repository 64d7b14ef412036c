package embed

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// Stats count the texts and missing vectors of a database.
type Stats struct {
	Model   string    `json:"model"`             // that makes the vectors
	Dims    int       `json:"dims,omitempty"`    // numbers in a vector; 0 before the first
	Chunks  int64     `json:"chunks"`            // of text, in all
	Pending int64     `json:"pending"`           // chunks without a vector of Model
	Since   time.Time `json:"since,omitzero"`    // when the oldest memory with a pending chunk was stored
	Refused int64     `json:"refused,omitempty"` // pending chunks that the embedder refuses; tried again after an hour
	// Serving is the model whose vectors searches use, "" for none. If it is not
	// Model, the vectors of Model are still being made.
	Serving   string `json:"serving,omitempty"`
	LastError string `json:"last_error,omitempty"` // "" after a round without an error
}

// Stats counts the texts and missing vectors of the database.
//
// Errors: those of the database.
func (w *Worker) Stats(ctx context.Context) (*Stats, error) {
	stats := &Stats{Model: w.opts.Model, Dims: w.dims()}
	err := w.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		all, err := vecstore.Generations(ctx, s)
		if err != nil {
			return err
		}
		var target int64
		for i := range all {
			if w.wanted(&all[i]) {
				target, stats.Dims = all[i].ID, all[i].Dims
			}
			if all[i].State == vecstore.GenerationServing {
				stats.Serving = all[i].Model
			}
		}
		progress, err := vecstore.EmbeddedInAll(ctx, s, target)
		stats.Chunks, stats.Pending, stats.Since = progress.Chunks, progress.Pending, progress.Since.Time
		return err
	})
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	stats.Refused = min(int64(len(w.refused)), stats.Pending)
	if w.lastErr != nil {
		stats.LastError = w.lastErr.Error()
	}
	return stats, nil
}

// UserStats count the texts and missing vectors of one user.
type UserStats struct {
	Chunks  int64     `json:"chunks"`            // of text
	Pending int64     `json:"pending"`           // chunks without a vector
	Since   time.Time `json:"since,omitzero"`    // when the oldest memory with a pending chunk was stored
	Refused int64     `json:"refused,omitempty"` // pending chunks that the embedder refuses
}

// StatsOf counts the texts and missing vectors of one user.
//
// Errors: those of the database.
func (w *Worker) StatsOf(ctx context.Context, userID int64) (*UserStats, error) {
	stats := new(UserStats)
	err := w.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		all, err := vecstore.Generations(ctx, s)
		if err != nil {
			return err
		}
		var target int64
		for i := range all {
			if w.wanted(&all[i]) {
				target = all[i].ID
			}
		}
		progress, err := vecstore.EmbeddedOf(ctx, s, userID, target)
		stats.Chunks, stats.Pending, stats.Since = progress.Chunks, progress.Pending, progress.Since.Time
		return err
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.refused {
		if r.user == userID {
			stats.Refused++
		}
	}
	stats.Refused = min(stats.Refused, stats.Pending)
	return stats, err
}

// StoredStats is [Worker.Stats] without a worker: it counts the vectors of the
// newest model. It returns nil when the database has no vectors.
func StoredStats(ctx context.Context, s *schema.Snapshot) (*Stats, error) {
	last, serving, err := lastGeneration(ctx, s)
	if err != nil || last == nil {
		return nil, err
	}
	progress, err := vecstore.EmbeddedInAll(ctx, s, last.ID)
	return &Stats{
		Model: last.Model, Dims: last.Dims, Serving: serving,
		Chunks: progress.Chunks, Pending: progress.Pending, Since: progress.Since.Time,
	}, err
}

// StoredStatsOf is [StoredStats] for one user.
func StoredStatsOf(ctx context.Context, s *schema.Snapshot, userID int64) (*UserStats, error) {
	last, _, err := lastGeneration(ctx, s)
	if err != nil || last == nil {
		return nil, err
	}
	progress, err := vecstore.EmbeddedOf(ctx, s, userID, last.ID)
	return &UserStats{Chunks: progress.Chunks, Pending: progress.Pending, Since: progress.Since.Time}, err
}

// lastGeneration returns the newest generation in use, nil for none, and the
// model of the one that serves.
func lastGeneration(ctx context.Context, s *schema.Snapshot) (last *vecstore.Generation, serving string, err error) {
	all, err := vecstore.Generations(ctx, s)
	for i := range all {
		switch all[i].State {
		case vecstore.GenerationServing:
			serving, last = all[i].Model, &all[i]
		case vecstore.GenerationBuilding:
			last = &all[i]
		}
	}
	return last, serving, err
}

func (w *Worker) isRefused(chunk int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, refused := w.refused[chunk]
	return refused
}

// refusedChunk is a chunk that the embedder refuses.
type refusedChunk struct {
	user  int64
	since time.Time
}

// refuse skips a chunk for an hour.
func (w *Worker) refuse(c vecstore.PendingChunk, err error) {
	w.mu.Lock()
	w.refused[c.ID] = refusedChunk{c.UserID, time.Now()}
	w.lastErr = err
	w.mu.Unlock()
	w.opts.OnError(err)
}

// forgive has refused chunks tried again after an hour, and drops those that no longer
// exist.
func (w *Worker) forgive(ctx context.Context, s *schema.Snapshot) error {
	w.mu.Lock()
	refused := maps.Clone(w.refused)
	w.mu.Unlock()
	for chunk, r := range refused {
		if time.Since(r.since) >= refusedFor {
			w.handled[r.user] = min(w.handled[r.user], chunk-1)
		} else if found, err := vecstore.PendingChunks(ctx, s, r.user, w.generation(), chunk-1, 1); err != nil {
			return err
		} else if len(found) > 0 && found[0].ID == chunk {
			continue
		}
		w.okRecorded = false // its failure may be recorded
		w.mu.Lock()
		delete(w.refused, chunk)
		w.mu.Unlock()
	}
	return nil
}

// report records the failure of a round in the database, or removes it after a
// round that succeeds. It returns err. A round that ends because the worker stops
// is no failure.
func (w *Worker) report(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	w.mu.Lock()
	if err != nil || len(w.refused) == 0 {
		w.lastErr = err
	}
	w.mu.Unlock()
	if err == nil && w.okRecorded {
		return nil
	}
	recording := w.record(ctx, err)
	w.okRecorded = err == nil && recording == nil
	if err != nil {
		w.opts.OnError(err)
	} else if recording != nil {
		w.opts.OnError(recording)
	}
	return err
}

func (w *Worker) record(ctx context.Context, failure error) error {
	known, err := schema.Get(ctx, w.db, func(ctx context.Context, s *schema.Snapshot) ([]schema.Failure, error) {
		return schema.Failures(ctx, s)
	})
	if err != nil {
		return err
	}
	keep := map[int64]bool{0: failure != nil} // by user
	w.mu.Lock()
	for _, r := range w.refused {
		keep[r.user] = true
	}
	w.mu.Unlock()
	known = slices.DeleteFunc(known, func(f schema.Failure) bool { return f.Source != source || keep[f.UserID] })
	if failure == nil && len(known) == 0 {
		return nil
	}
	return w.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		for _, f := range known {
			if failure == nil { // of an earlier process, at texts that have their vectors now
				if err := tx.ClearFailure(ctx, source, f.UserID); err != nil {
					return err
				}
			}
		}
		return tx.RecordFailure(ctx, source, 0, failure)
	})
}
