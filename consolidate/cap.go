package consolidate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Cap is the stage that bounds how much of a user's memory takes part in
// searches (dual-memory.md, RetentionPolicy): of more active messages or
// reflections than that, those of least worth become dormant. Nothing is
// deleted: what is dormant is found when it is asked for, and wakes when it is
// used. Protected and pinned memories, and those of a protected entity, stay,
// but they count.
//
// Counts: observations and reflections, what was active of each; held, what
// should have gone but is protected.
type Cap struct {
	// Observations and Reflections are how many messages and reflections stay
	// active. Default 0: no bound.
	Observations, Reflections int
	// Worth decides who stays. Default [ByImportance] of [DefaultRecency].
	Worth Worth
}

// Worth says what a memory is worth keeping active, larger is better; of equal
// ones the older goes first. The memory comes without its text. What is not a
// number is worth least.
type Worth func(m *schema.Memory, now time.Time) float64

// DefaultRecency is τ of [Recency] where nobody says otherwise, a year.
// dual-memory.md names none. Generative Agents (Park et al. 2023), whose
// retrieval it takes over, lose 0.995 an hour, which is a τ of 200 h: right for
// days in a simulated town. People ask about anything in their past; of 200 h,
// 30, 90 and 365 days a year lost the least on real conversations
// (docs/PROFILES.md).
const DefaultRecency = 365 * 24 * time.Hour

// Recency is e^(−Δt/τ), 0–1, of the time since something happened; 1 for what is
// to come.
func Recency(since, tau time.Duration) float64 {
	return math.Exp(-float64(max(0, since)) / float64(tau))
}

// ByImportance keeps what is important and recent: 0.7·importance +
// 0.3·[Recency], both 0–1.
//
// The design adds an importance of 1–10 to a recency of 0–1, so that recency
// could not outweigh half a point of importance; here the scales are the same.
func ByImportance(tau time.Duration) Worth {
	return func(m *schema.Memory, now time.Time) float64 {
		return 0.7*m.Importance + 0.3*Recency(now.Sub(m.EventTime.Time), tau)
	}
}

// FIFO keeps what arrived last.
func FIFO(m *schema.Memory, _ time.Time) float64 { return float64(m.ID) }

// ByRecency keeps what happened or was used last.
func ByRecency(m *schema.Memory, _ time.Time) float64 {
	last := m.EventTime.Time
	if m.LastAccessed.After(last) {
		last = m.LastAccessed.Time
	}
	return float64(last.UnixMilli())
}

// Name implements [Stage].
func (Cap) Name() string { return "cap" }

// Propose implements [Stage].
func (c Cap) Propose(ctx context.Context, in *Input, apply Apply) error {
	if c.Worth == nil {
		c.Worth = ByImportance(DefaultRecency)
	}
	for _, bound := range [...]struct {
		name string
		kind schema.Kind
		most int
	}{{"observations", schema.KindEpisode, c.Observations}, {"reflections", schema.KindReflection, c.Reflections}} {
		if bound.most <= 0 {
			continue
		}
		active, err := c.active(ctx, in, bound.kind)
		if err != nil {
			return err
		}
		in.Count(bound.name, len(active))
		if len(active) <= bound.most {
			continue
		}
		proposals, err := c.beyond(ctx, in, active, bound.most)
		if err != nil {
			return err
		}
		const batch = 500 // a write must not keep others waiting
		for some := range slices.Chunk(proposals, batch) {
			if _, err := apply(ctx, some...); err != nil {
				return err
			}
		}
	}
	return nil
}

// active reads what is active of a kind, without texts.
func (Cap) active(ctx context.Context, in *Input, kind schema.Kind) (active []schema.Memory, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		return s.NewSelect().Model(&active).
			Column("id", "uid", "kind", "role", "event_time", "created_at", "last_accessed", "access_count", "decay_rate", "stability", "utility",
				"confidence", "importance", "origin", "trust", "protected", "pinned", "state", "attributes", "version").
			Where("user_id = ? AND kind = ? AND state = ?", in.UserID, kind, schema.StateActive).Order("id").Scan(ctx)
	})
	return active, err
}

// beyond proposes to put away what is worth least of too many.
func (c Cap) beyond(ctx context.Context, in *Input, active []schema.Memory, most int) (proposals []Proposal, err error) {
	var guarded map[int64]bool
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		guarded, err = guardedMemories(ctx, s, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	worth := make(map[int64]float64, len(active))
	for i := range active {
		worth[active[i].ID] = c.Worth(&active[i], in.Now)
	}
	slices.SortFunc(active, func(a, b schema.Memory) int {
		return cmp.Or(cmp.Compare(worth[a.ID], worth[b.ID]), cmp.Compare(a.ID, b.ID)) // what is not a number comes first
	})
	for _, m := range active[:len(active)-most] {
		if m.Protected || m.Pinned || guarded[m.ID] {
			in.Count("held", 1)
			continue
		}
		proposals = append(proposals, PutAway{UID: m.UID, Version: m.Version, Most: most})
	}
	return proposals, nil
}

// PutAway asks to make a message or a reflection dormant since there are more
// active ones than a cap allows.
type PutAway struct {
	UID     string
	Version int64 // the memory as the stage saw it
	Most    int   // how many of its kind may be active
}

// Kind implements [Proposal].
func (PutAway) Kind() string { return "put_away" }

// MemoryUID implements [Proposal].
func (p PutAway) MemoryUID() string { return p.UID }

func (p PutAway) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	m, err := tx.Memory(ctx, n.input.UserID, p.UID)
	if err != nil {
		return Outcome{}, err
	}
	switch {
	case m.Version != p.Version:
		return Outcome{}, fmt.Errorf("memory %s: %w", p.UID, schema.ErrConflict)
	case m.Kind != schema.KindEpisode && m.Kind != schema.KindReflection:
		return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "is neither a message nor a reflection; others fade by themselves"}
	case m.State != schema.StateActive:
		return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "is not active any more"}
	case m.Protected || m.Pinned:
		return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "is protected"}
	}
	guarded, err := tx.OfProtectedEntity(ctx, m.ID)
	if err != nil {
		return Outcome{}, err
	}
	if guarded {
		return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "mentions a protected entity"}
	}
	active, err := n.activeOf(ctx, tx, m.Kind)
	if err != nil {
		return Outcome{}, err
	}
	if active <= p.Most {
		return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "is not beyond the cap any more"}
	}
	n.active[m.Kind]--
	return applied(p), tx.SetState(ctx, m, schema.StateDormant, n.actor())
}

// activeOf is how many memories of a kind are active: counted once a batch, or a
// batch of many would take the square of it.
func (n *night) activeOf(ctx context.Context, tx *schema.Tx, kind schema.Kind) (active int, err error) {
	if active, counted := n.active[kind]; counted {
		return active, nil
	}
	err = tx.Row(ctx, "SELECT count(*) FROM memories WHERE user_id = ? AND kind = ? AND state = 'active'", []any{n.input.UserID, string(kind)}, &active)
	n.active[kind] = active
	return active, err
}
