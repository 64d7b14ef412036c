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

// A RetentionPolicy says which share of a memory's strength is left at now, 0–1.
// It must be fast, safe for concurrent use, and a function of its arguments
// alone: it is asked whenever the answer is needed, and nothing of it is stored.
// The memory comes without its text. What is not a number counts as 0.
type RetentionPolicy func(m *schema.Memory, now time.Time) float64

// Of applies the policy; nil is [RetentionOf].
func (p RetentionPolicy) Of(m *schema.Memory, now time.Time) float64 {
	if p == nil {
		return RetentionOf(m, now)
	}
	if left := p(m, now); left > 0 {
		return min(1, left)
	}
	return 0
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
