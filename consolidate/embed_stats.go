package consolidate

import (
	"context"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// VectorStats say how far the vectors are behind the texts, for the whole file.
type VectorStats struct {
	Model   string    `json:"model"`             // that vectors are made by
	Dims    int       `json:"dims,omitempty"`    // numbers in a vector; 0 before the first
	Chunks  int64     `json:"chunks"`            // pieces of text in all
	Pending int64     `json:"pending"`           // without a vector of Model
	Since   time.Time `json:"since,omitzero"`    // when the oldest memory that waits was stored
	Refused int64     `json:"refused,omitempty"` // of the pending: texts the embedder refuses; tried again at the next start
	// Serving is the model that searches use, empty for none. While it is
	// another than Model, the vectors of Model are being made beside it.
	Serving   string `json:"serving,omitempty"`
	LastError string `json:"last_error,omitempty"` // empty once it works again
}

// Stats counts what waits for its vector.
//
// Errors: those of the database.
func (v *Vectoriser) Stats(ctx context.Context) (*VectorStats, error) {
	stats := &VectorStats{Model: v.opts.Model, Dims: v.dims()}
	err := v.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		all, err := s.Generations(ctx)
		if err != nil {
			return err
		}
		var target int64
		for i := range all {
			if v.wanted(&all[i]) {
				target, stats.Dims = all[i].ID, all[i].Dims
			}
			if all[i].State == schema.GenerationServing {
				stats.Serving = all[i].Model
			}
		}
		progress, err := s.Embedded(ctx, target)
		stats.Chunks, stats.Pending, stats.Since = progress.Chunks, progress.Pending, progress.Since.Time
		return err
	})
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	stats.Refused = min(int64(len(v.aside)), stats.Pending)
	if v.lastErr != nil {
		stats.LastError = v.lastErr.Error()
	}
	return stats, nil
}

// UserVectorStats say how far the vectors are behind the texts of one user.
type UserVectorStats struct {
	Chunks  int64     `json:"chunks"`            // pieces of text
	Pending int64     `json:"pending"`           // without a vector
	Since   time.Time `json:"since,omitzero"`    // when the oldest memory that waits was stored
	Refused int64     `json:"refused,omitempty"` // of the pending: texts the embedder refuses
}

// StatsOf counts what of one user waits for its vector.
//
// Errors: those of the database.
func (v *Vectoriser) StatsOf(ctx context.Context, userID int64) (*UserVectorStats, error) {
	stats := new(UserVectorStats)
	err := v.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		all, err := s.Generations(ctx)
		if err != nil {
			return err
		}
		var target int64
		for i := range all {
			if v.wanted(&all[i]) {
				target = all[i].ID
			}
		}
		progress, err := s.EmbeddedOf(ctx, userID, target)
		stats.Chunks, stats.Pending, stats.Since = progress.Chunks, progress.Pending, progress.Since.Time
		return err
	})
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, user := range v.aside {
		if user == userID {
			stats.Refused++
		}
	}
	stats.Refused = min(stats.Refused, stats.Pending)
	return stats, err
}

// StoredVectors is [Vectoriser.Stats] for whoever has no embedder: it counts
// what waits for a vector of the model that came last. It is nil when no model
// has made any.
func StoredVectors(ctx context.Context, s *schema.Snapshot) (*VectorStats, error) {
	last, serving, err := lastGeneration(ctx, s)
	if err != nil || last == nil {
		return nil, err
	}
	progress, err := s.Embedded(ctx, last.ID)
	return &VectorStats{
		Model: last.Model, Dims: last.Dims, Serving: serving,
		Chunks: progress.Chunks, Pending: progress.Pending, Since: progress.Since.Time,
	}, err
}

// StoredVectorsOf is [StoredVectors] for the texts of one user.
func StoredVectorsOf(ctx context.Context, s *schema.Snapshot, userID int64) (*UserVectorStats, error) {
	last, _, err := lastGeneration(ctx, s)
	if err != nil || last == nil {
		return nil, err
	}
	progress, err := s.EmbeddedOf(ctx, userID, last.ID)
	return &UserVectorStats{Chunks: progress.Chunks, Pending: progress.Pending, Since: progress.Since.Time}, err
}

// lastGeneration is the newest one in use, and the model of the one that serves.
func lastGeneration(ctx context.Context, s *schema.Snapshot) (last *schema.Generation, serving string, err error) {
	all, err := s.Generations(ctx)
	for i := range all {
		switch all[i].State {
		case schema.GenerationServing:
			serving, last = all[i].Model, &all[i]
		case schema.GenerationBuilding:
			last = &all[i]
		}
	}
	return last, serving, err
}

func (v *Vectoriser) isAside(chunk int64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, aside := v.aside[chunk]
	return aside
}

// setAside keeps a text that the embedder refuses from being sent again before
// the next start.
func (v *Vectoriser) setAside(c schema.PendingChunk, err error) {
	v.mu.Lock()
	v.aside[c.ID] = c.UserID
	v.lastErr = err
	v.mu.Unlock()
	v.opts.OnError(err)
}

// report puts a round's failure on record, and takes it off when one succeeds.
// It returns err. What ends because the worker stops is no failure.
func (v *Vectoriser) report(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	v.mu.Lock()
	if err != nil || len(v.aside) == 0 {
		v.lastErr = err
	}
	v.mu.Unlock()
	if err == nil && v.wellKnown {
		return nil
	}
	record := v.record(ctx, err)
	v.wellKnown = err == nil && record == nil
	if err != nil {
		v.opts.OnError(err)
	} else if record != nil {
		v.opts.OnError(record)
	}
	return err
}

func (v *Vectoriser) record(ctx context.Context, failure error) error {
	var known []schema.Failure
	err := v.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		known, err = s.Failures(ctx)
		return err
	})
	if err != nil {
		return err
	}
	stays := map[int64]bool{0: failure != nil} // by user
	v.mu.Lock()
	for _, user := range v.aside {
		stays[user] = true
	}
	v.mu.Unlock()
	known = slices.DeleteFunc(known, func(f schema.Failure) bool { return f.Source != embedSource || stays[f.UserID] })
	if failure == nil && len(known) == 0 {
		return nil
	}
	return v.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		for _, f := range known {
			if failure == nil { // an earlier process failed at texts that have their vectors now
				if err := tx.ClearFailure(ctx, embedSource, f.UserID); err != nil {
					return err
				}
			}
		}
		return tx.RecordFailure(ctx, embedSource, 0, failure)
	})
}
