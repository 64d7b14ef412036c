package recall

import (
	"math"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Retention is the share of a memory's strength that is left, 0–1, after days
// (≥ 0) without use: exp(−rate·days^0.8), after Ebbinghaus as in
// simplified-memory.md §3. A rate of 0 never fades.
func Retention(rate, days float64) float64 {
	if rate <= 0 || days <= 0 {
		return 1
	}
	return math.Exp(-rate * math.Pow(days, 0.8))
}

// RetentionOf is a memory's [Retention] at now. Forgetting counts from the
// last use, or from when it was learnt; what happened long ago but was learnt
// today is fresh.
func RetentionOf(m *schema.Memory, now time.Time) float64 {
	since := m.CreatedAt.Time
	if m.LastAccessed.After(since) {
		since = m.LastAccessed.Time
	}
	return Retention(m.DecayRate, now.Sub(since).Hours()/24)
}
