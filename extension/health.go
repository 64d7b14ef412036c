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

// UserHealth is the state of background work for one user.
type UserHealth struct {
	Background bool `json:"background"` // this process does background work
	// Waiting is how many events of the user the memory's own consumers have not
	// handled yet. Retrying and Parked count the failed ones: those that will be
	// retried, and those that wait for the host.
	Waiting  int64            `json:"waiting"`
	Since    time.Time        `json:"since,omitzero"` // when the oldest waiting event was stored
	Retrying int64            `json:"retrying"`
	Parked   int64            `json:"parked"`
	Failures []schema.Failure `json:"failures,omitempty"` // of the user's nights, texts and turns
	Overcome []schema.Failure `json:"overcome,omitempty"` // see [Health]
	Vectors  *embed.UserStats `json:"vectors,omitempty"`  // nil if no embedder ever made one
	// NightFailed is set if the user's last run failed, GivenUp if nights have
	// given up on a batch of messages.
	NightFailed bool `json:"night_failed,omitempty"`
	GivenUp     bool `json:"given_up,omitempty"`
	// NightsOverdue counts the past local days without their consolidation.
	NightsOverdue int64 `json:"nights_overdue,omitempty"`
	// Degraded lists the arms of the user's searches that returned less than their
	// full answer since this process opened the file.
	Degraded  []recall.Degradation `json:"degraded,omitempty"`
	Integrity schema.Integrity     `json:"integrity"` // of the user's rows
	// Incomplete is set if the file lost rows; it is not known whose. See
	// [Health.Losses].
	Incomplete bool `json:"incomplete,omitempty"`
}

// Healthy reports whether nothing of the user's failed, is parked, awaits a retry,
// was given up or lost.
func (h UserHealth) Healthy() bool {
	refused := h.Vectors != nil && h.Vectors.Refused > 0
	return h.Parked+h.Retrying == 0 && len(h.Failures) == 0 && !h.NightFailed && !h.GivenUp && !refused &&
		!h.Incomplete && h.Integrity.Whole() && !degradedNow(h.Degraded)
}

// degradedNow reports whether the last search went without one of the arms.
func degradedNow(arms []recall.Degradation) bool {
	return slices.ContainsFunc(arms, func(d recall.Degradation) bool { return d.Whole == 0 })
}

// Health is the state of the file and of background work for all users.
type Health struct {
	Background bool                     `json:"background"` // this process does background work
	Consumers  []eventbus.ConsumerStats `json:"consumers"`
	Failures   []schema.Failure         `json:"failures,omitempty"` // of background work and of the file now, and of turns since this process opened the file
	// Overcome lists failures of turns in the last day after which the same source,
	// tool or hook has succeeded, and messages refused for their text, such as ones
	// above a megabyte, more than an hour ago. A refused message stays refused.
	Overcome  []schema.Failure `json:"overcome,omitempty"`
	Vectors   *embed.Stats     `json:"vectors,omitempty"` // nil if no embedder ever made one
	FileBytes int64            `json:"file_bytes"`
	WALBytes  int64            `json:"wal_bytes"`
	// NightFailed is set if the last run of some user failed.
	NightFailed bool `json:"night_failed,omitempty"`
	// GivenUp is set if nights have given up on a batch of messages after
	// [consolidate.MaxAttempts] attempts.
	GivenUp bool `json:"given_up,omitempty"`
	// NightsOverdue counts the past local days without their consolidation, for the
	// user with the most. Users who never had a night count only if this process
	// runs the schedule.
	NightsOverdue int64 `json:"nights_overdue,omitempty"`
	// Quarantined counts the memories quarantined because they read like
	// instructions.
	Quarantined int64 `json:"quarantined,omitempty"`
	// LogHeld is how many pages of the write-ahead log a reader keeps from being
	// checkpointed; the log grows while it is above 0. With Config.ReadOnly it is
	// known on Linux only, and measuring it takes a second.
	LogHeld int64 `json:"log_held,omitempty"`
	// Degraded lists the arms of searches that returned less than their full answer
	// since this process opened the file.
	Degraded []recall.Degradation `json:"degraded,omitempty"`
	// OpenErasures counts unfinished erasures: unreadable rows, or old pages in the
	// write-ahead log, are left to be removed.
	OpenErasures int64 `json:"open_erasures,omitempty"`
	// Losses lists data that the file once held and lacked when it was opened. They
	// stay listed until [Extension.AcknowledgeLosses].
	Losses []Loss `json:"losses,omitempty"`
	// Integrity is that of all users' rows.
	Integrity schema.Integrity `json:"integrity"`
}

// Healthy reports whether nothing failed, is parked, awaits a retry, was given up
// or lost. A failure of a turn counts until the same work has succeeded, a message
// refused for its text at most an hour ([Health.Overcome]). Errors of a model in a night
// that completed do not count.
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

// read counts the user's waiting and failed events.
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

// Health reports on the file and on background work. It reads something of every
// memory, so do not call it on every turn.
func (x *Extension) Health(ctx context.Context) (*Health, error) {
	h := &Health{Background: x.background != nil, FileBytes: size(x.db.Path()), WALBytes: size(x.db.Path() + "-wal"), Degraded: x.searcher.Degradations()}
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
		err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error { return h.readAllUsers(ctx, s, x.nightClock()) })
	}
	h.Failures = append(append(h.Failures, x.db.Faults()...), x.faults(false, everybody)...)
	h.Overcome = x.faults(true, everybody)
	return h, err
}

// readAllUsers fills in what needs all users' rows: quarantine, integrity and overdue
// nights.
func (h *Health) readAllUsers(ctx context.Context, s *schema.Snapshot, nights memory.NightClock) (err error) {
	if h.Quarantined, err = inspect.Quarantined(ctx, s); err != nil {
		return err
	}
	if h.Integrity, err = s.Integrity(ctx, 0); err != nil {
		return err
	}
	h.NightsOverdue, _, err = nights.MostOverdue(ctx, s)
	return err
}

// vectorStats counts memories that wait for a vector, even without an embedder.
func (x *Extension) vectorStats(ctx context.Context) (*embed.Stats, error) {
	if x.vectors != nil {
		return x.vectors.Stats(ctx)
	}
	return schema.Get(ctx, x.db, embed.StoredStats)
}

func (x *Extension) vectorStatsOf(ctx context.Context, userID int64) (*embed.UserStats, error) {
	if x.vectors != nil {
		return x.vectors.StatsOf(ctx, userID)
	}
	return schema.Get(ctx, x.db, func(ctx context.Context, s *schema.Snapshot) (*embed.UserStats, error) {
		return embed.StoredStatsOf(ctx, s, userID)
	})
}

// AcknowledgeLosses marks all recorded losses as acknowledged, so that they are no
// longer reported, and returns how many there were. Call it after restoring a
// backup, or to accept the loss.
//
// Errors: [ErrReadOnly], the database's errors, the context's error.
func (x *Extension) AcknowledgeLosses(ctx context.Context) (int64, error) {
	return x.db.AcknowledgeLosses(ctx)
}

// reportLosses reports the file's losses to the host's hook at every open.
func (x *Extension) reportLosses(ctx context.Context) error {
	losses, err := x.db.Losses(ctx)
	for i := range losses {
		x.report("file", &losses[i])
	}
	return err
}
