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

// Cap is the stage that limits how many messages and reflections take part in
// searches (dual-memory.md, RetentionPolicy). Beyond the limit, those of least
// worth become dormant. Nothing is deleted: search finds dormant memories on
// request, and using one makes it active again. Protected and pinned memories,
// and those of a protected entity, stay active but count.
//
// Counts: observations and reflections, how many were active; held, how many
// beyond the limit are protected.
type Cap struct {
	// Observations and Reflections are how many messages and reflections stay
	// active. Default 0: no limit.
	Observations, Reflections int
	// Worth decides which stay. Default [ByImportance] with [DefaultRecency].
	Worth Worth
}

// Worth rates a memory: the largest stay active, and of equal ones the newer. The
// memory comes without its text. NaN is the smallest.
type Worth func(m *schema.Memory, now time.Time) float64

// DefaultRecency is the default τ of [Recency], a year. dual-memory.md gives
// none. Generative Agents (Park et al. 2023), whose retrieval it adopts, decay by
// 0.995 an hour, a τ of 200 h, which fits some days in a simulated town. People
// ask about all of their past: of 200 h, 30, 90 and 365 days, a year lost least
// on real conversations (docs/PROFILES.md).
const DefaultRecency = 365 * 24 * time.Hour

// Recency returns e^(−since/tau), 0–1; 1 for the future.
func Recency(since, tau time.Duration) float64 {
	return math.Exp(-float64(max(0, since)) / float64(tau))
}

// ByImportance is 0.7·importance + 0.3·[Recency], both 0–1.
//
// dual-memory.md adds an importance of 1–10 to a recency of 0–1, so that recency
// could not outweigh half a point of importance. Here both have one scale.
func ByImportance(tau time.Duration) Worth {
	return func(m *schema.Memory, now time.Time) float64 {
		return 0.7*m.Importance + 0.3*Recency(now.Sub(m.EventTime.Time), tau)
	}
}

// FIFO keeps what was stored last.
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

// active reads the active memories of a kind, without texts.
func (Cap) active(ctx context.Context, in *Input, kind schema.Kind) (active []schema.Memory, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		active, err = s.Night().ActiveOfKind(ctx, in.UserID, kind)
		return err
	})
	return active, err
}

// beyond proposes to deactivate the memories of least worth above the limit.
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
		return cmp.Or(cmp.Compare(worth[a.ID], worth[b.ID]), cmp.Compare(a.ID, b.ID)) // NaN comes first
	})
	for _, m := range active[:len(active)-most] {
		if m.Protected || m.Pinned || guarded[m.ID] {
			in.Count("held", 1)
			continue
		}
		proposals = append(proposals, Deactivate{UID: m.UID, Version: m.Version, Limit: most})
	}
	return proposals, nil
}

// Deactivate makes a message or a reflection dormant because more are active than
// a cap allows.
type Deactivate struct {
	UID     string
	Version int64 // the memory as the stage saw it
	Limit   int   // of active memories of its kind
}

// Kind implements [Proposal].
func (Deactivate) Kind() string { return "deactivate" }

// MemoryUID implements [Proposal].
func (p Deactivate) MemoryUID() string { return p.UID }

func (p Deactivate) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
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
	guarded, err := tx.Night().IsGuarded(ctx, m.ID, false)
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
	if active <= p.Limit {
		return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "is not beyond the cap any more"}
	}
	n.active[m.Kind]--
	return applied(p), tx.SetState(ctx, m, schema.StateDormant, n.actor())
}

// activeOf returns how many memories of a kind are active. It counts once a
// batch, not for each proposal.
func (n *night) activeOf(ctx context.Context, tx *schema.Tx, kind schema.Kind) (active int, err error) {
	if active, counted := n.active[kind]; counted {
		return active, nil
	}
	active, err = tx.Night().CountActive(ctx, n.input.UserID, kind)
	n.active[kind] = active
	return active, err
}
