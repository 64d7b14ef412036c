package extension

import (
	"context"
	"slices"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
	"github.com/ebbmem/ebb/schema/inspect"
)

// UserHealth is the state of what works behind the turns of one user.
type UserHealth struct {
	Background bool `json:"background"` // whether this process does that work
	// Waiting is how many events of the user the memory's own consumers have
	// not handled yet; Retrying and Parked are those that failed, and are tried
	// again or wait for the host.
	Waiting  int64            `json:"waiting"`
	Since    time.Time        `json:"since,omitzero"` // when the oldest of these was stored
	Retrying int64            `json:"retrying"`
	Parked   int64            `json:"parked"`
	Failures []schema.Failure `json:"failures,omitempty"` // of the user's nights, texts and turns
	Overcome []schema.Failure `json:"overcome,omitempty"` // see [Health]
	Vectors  *embed.UserStats `json:"vectors,omitempty"`  // nil when no embedder ever made one
	// NightFailed says that the user's last run failed, GivenUp that nights have
	// given up on something that was said.
	NightFailed bool `json:"night_failed,omitempty"`
	GivenUp     bool `json:"given_up,omitempty"`
	// NightsOverdue is how many local days no night has consolidated that should
	// have been.
	NightsOverdue int64 `json:"nights_overdue,omitempty"`
	// Degraded are the arms of the user's searches that did not give their full
	// answer since this process opened the file.
	Degraded  []recall.Degradation `json:"degraded,omitempty"`
	Integrity schema.Integrity     `json:"integrity"` // of the user's rows
	// Incomplete says that the file was found to hold less than it once did;
	// whose messages are gone nobody can tell. See [Health.Losses].
	Incomplete bool `json:"incomplete,omitempty"`
}

// Healthy reports whether nothing of the user's failed, is parked, waits for a
// retry, was given up, or is lost.
func (h UserHealth) Healthy() bool {
	refused := h.Vectors != nil && h.Vectors.Refused > 0
	return h.Parked+h.Retrying == 0 && len(h.Failures) == 0 && !h.NightFailed && !h.GivenUp && !refused &&
		!h.Incomplete && h.Integrity.Whole() && !degradedNow(h.Degraded)
}

// degradedNow reports an arm that the last search went without.
func degradedNow(arms []recall.Degradation) bool {
	return slices.ContainsFunc(arms, func(d recall.Degradation) bool { return d.Whole == 0 })
}

// Health is the state of what works behind the turn, for the whole file.
type Health struct {
	Background bool                     `json:"background"` // whether this process does that work
	Consumers  []eventbus.ConsumerStats `json:"consumers"`
	Failures   []schema.Failure         `json:"failures,omitempty"` // of background work, of the file at present, and of turns since this process opened the file
	// Overcome are failures of turns since this process opened the file after
	// which the same door, tool or hook has done the same work again. A message
	// that was refused was not stored, and is not for that.
	Overcome  []schema.Failure `json:"overcome,omitempty"`
	Vectors   *embed.Stats     `json:"vectors,omitempty"` // nil when no embedder ever made one
	FileBytes int64            `json:"file_bytes"`
	WALBytes  int64            `json:"wal_bytes"`
	// NightFailed says that some user's last run failed.
	NightFailed bool `json:"night_failed,omitempty"`
	// GivenUp says that nights have given up on something that was said: they
	// tried it [consolidate.MaxAttempts] times.
	GivenUp bool `json:"given_up,omitempty"`
	// NightsOverdue is how many local days no night has consolidated that
	// should have been, for the user furthest behind of those who had one.
	NightsOverdue int64 `json:"nights_overdue,omitempty"`
	// Quarantined counts the memories set aside as instructions in disguise.
	Quarantined int64 `json:"quarantined,omitempty"`
	// LogHeld is how many pages of the write-ahead log a reader keeps from being
	// moved into the file: the log grows while it stays above 0. With
	// Config.ReadOnly it is told on Linux alone, and takes a second to tell.
	LogHeld int64 `json:"log_held,omitempty"`
	// Degraded are the arms of searches that did not give their full answer
	// since this process opened the file.
	Degraded []recall.Degradation `json:"degraded,omitempty"`
	// OpenErasures counts the erasures that are not finished: rows are left that
	// nobody can read any more, or old pages in the write-ahead log.
	OpenErasures int64 `json:"open_erasures,omitempty"`
	// Losses are what the file was found to lack when it was opened, although
	// it once held it. They stay until [Extension.AcknowledgeLosses].
	Losses []Loss `json:"losses,omitempty"`
	// Integrity is of everybody's rows.
	Integrity schema.Integrity `json:"integrity"`
}

// Healthy reports whether nothing failed, is parked, waits for a retry, was
// given up, or is lost. A failure of a turn counts until the same work has
// succeeded ([Health.Overcome]). What a model did wrong in a night that went well is no fault of
// the memory's health.
func (h Health) Healthy() bool {
	for _, c := range h.Consumers {
		if c.Parked > 0 || c.Retrying > 0 || c.Fault != "" {
			return false
		}
	}
	if h.Vectors != nil && h.Vectors.LastError != "" {
		return false
	}
	return len(h.Failures) == 0 && !h.NightFailed && !h.GivenUp && h.OpenErasures == 0 && len(h.Losses) == 0 &&
		h.Integrity.Whole() && !degradedNow(h.Degraded)
}

// read counts what of the user's waits or failed.
func (h *UserHealth) read(ctx context.Context, s *schema.Snapshot, userID int64) error {
	backlog, err := eventbus.ReadBacklog(ctx, s, memory.Consumers, userID)
	if err != nil {
		return err
	}
	h.Waiting, h.Since, h.Retrying, h.Parked = backlog.Waiting, backlog.Since, backlog.Retrying, backlog.Parked
	failures, err := schema.Failures(ctx, s)
	if err != nil {
		return err
	}
	h.Failures = slices.DeleteFunc(failures, func(f schema.Failure) bool { return f.UserID != userID })
	h.Integrity, err = s.Integrity(ctx, userID)
	return err
}

// Health reports on the file and on what works behind the turn. It reads
// something of every memory, and so is for looking, not for every turn.
func (x *Extension) Health(ctx context.Context) (*Health, error) {
	h := &Health{Background: x.behind != nil, FileBytes: size(x.db.Path()), WALBytes: size(x.db.Path() + "-wal"), Degraded: x.searcher.Degradations()}
	var err error
	if h.LogHeld, err = x.db.LogHeld(ctx); err != nil {
		return nil, err
	}
	if h.Consumers, err = x.bus.Stats(ctx); err != nil {
		return nil, err
	}
	if h.Vectors, err = x.vectorStats(ctx); err != nil {
		return nil, err
	}
	if h.Losses, err = x.db.Losses(ctx); err != nil {
		return nil, err
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		if h.Failures, err = schema.Failures(ctx, s); err != nil {
			return err
		}
		if h.OpenErasures, _, err = erase.CountOpen(ctx, s); err != nil {
			return err
		}
		nights, err := inspect.ReadNights(ctx, s, consolidate.MaxAttempts)
		h.NightFailed, h.GivenUp = nights.Failed > 0, nights.GivenUp > 0
		return err
	})
	if err == nil {
		err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error { return h.readBehind(ctx, s, x.nightClock()) })
	}
	h.Failures = append(append(h.Failures, x.db.Faults()...), x.faults(false, everybody)...)
	h.Overcome = x.faults(true, everybody)
	return h, err
}

// readBehind looks at everybody's rows: what is set aside, what is not whole,
// and the nights that are due.
func (h *Health) readBehind(ctx context.Context, s *schema.Snapshot, nights memory.NightClock) (err error) {
	if h.Quarantined, err = inspect.Quarantined(ctx, s); err != nil {
		return err
	}
	if h.Integrity, err = s.Integrity(ctx, 0); err != nil {
		return err
	}
	h.NightsOverdue, _, err = nights.MostOverdue(ctx, s)
	return err
}

// vectorStats counts what waits for its vector, with an embedder or without.
func (x *Extension) vectorStats(ctx context.Context) (stats *embed.Stats, err error) {
	if x.vectors != nil {
		return x.vectors.Stats(ctx)
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		stats, err = embed.StoredStats(ctx, s)
		return err
	})
	return stats, err
}

func (x *Extension) vectorStatsOf(ctx context.Context, userID int64) (stats *embed.UserStats, err error) {
	if x.vectors != nil {
		return x.vectors.StatsOf(ctx, userID)
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		stats, err = embed.StoredStatsOf(ctx, s, userID)
		return err
	})
	return stats, err
}

// AcknowledgeLosses takes note of every [Loss] the memory speaks of, so that it
// is said no more, and returns how many there were. That is for a host, or its
// operator, who has restored a backup, or can live without what is gone.
//
// Errors: [ErrReadOnly], the database's errors, the context's error.
func (x *Extension) AcknowledgeLosses(ctx context.Context) (int64, error) {
	return x.db.AcknowledgeLosses(ctx)
}

// tellLosses reports what the file lacks to the host's hook, at every open.
func (x *Extension) tellLosses(ctx context.Context) error {
	losses, err := x.db.Losses(ctx)
	for i := range losses {
		x.report("file", &losses[i])
	}
	return err
}
