package consolidate

import (
	"context"
	"math"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Cap is the stage that limits the number of active messages and reflections
// (dual-memory.md, RetentionPolicy). Beyond the limit, those of least worth become
// dormant. Nothing is deleted: search finds dormant memories on request, and using one
// reactivates it. Protected and pinned memories, and those of a protected entity, stay
// active but count towards the limit.
//
// Counts: observations and reflections, the number that was active; held, the number
// beyond the limit that is protected.
type Cap struct {
	// Observations and Reflections are the maximum numbers of active messages and
	// reflections. Default 0: no limit.
	Observations, Reflections int
	// Worth decides which stay. Default [ByImportance] with [DefaultRecency].
	Worth Worth
}

// Worth rates a memory. Memories with the highest worth stay active, of equal ones the
// newer. The memory is passed without its text. NaN is the lowest worth.
type Worth func(m *schema.Memory, now time.Time) float64

// DefaultRecency is the default τ of [Recency]: one year. dual-memory.md specifies
// none. Generative Agents (Park et al. 2023), the source of its retrieval formula,
// decays by 0.995 an hour, a τ of 200 h. That suits a few simulated days, while people
// ask about all of their past: of 200 h, 30, 90 and 365 days, a year lost least on
// real conversations (docs/profiles/DUAL.md).
const DefaultRecency = 365 * 24 * time.Hour

// Recency returns e^(−since/tau), 0–1; 1 if since is negative.
func Recency(since, tau time.Duration) float64 {
	return math.Exp(-float64(max(0, since)) / float64(tau))
}

// ByImportance returns the worth 0.7·importance + 0.3·[Recency], both 0–1.
//
// dual-memory.md uses the same weights with an importance of 1–10 and a recency of
// 0–1, so that recency could not outweigh half a point of importance. Here both have
// the same scale.
func ByImportance(tau time.Duration) Worth {
	return func(m *schema.Memory, now time.Time) float64 {
		return 0.7*m.Importance + 0.3*Recency(now.Sub(m.EventTime.Time), tau)
	}
}

// FIFO is a [Worth] that keeps the memories stored last.
func FIFO(m *schema.Memory, _ time.Time) float64 { return float64(m.ID) }

// ByRecency is a [Worth] that keeps the memories that happened or were used last.
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
	stage := Rules{Stage: c.Name()}
	if c.Worth == nil {
		c.Worth = ByImportance(DefaultRecency)
	}
	for _, bound := range [...]Rule{
		{Name: "observations", Where: schema.Conditions{Kind: schema.KindEpisode}, Above: c.Observations},
		{Name: "reflections", Where: schema.Conditions{Kind: schema.KindReflection}, Above: c.Reflections},
	} {
		if bound.Worth = c.Worth; bound.Above > 0 {
			stage.List = append(stage.List, bound)
		}
	}
	return stage.Propose(ctx, in, apply)
}
