package cognitive

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// Bounds of the working set (Working Memory) and the hot tier.
const (
	WorkingItems = 9                // Miller's 7 ± 2
	WorkingIdle  = 30 * time.Minute // after which a working set is empty

	HotItems   = 15
	hotUtility = 0.8
	hotUses    = 10
	hotAge     = 30 * 24 * time.Hour // since the last use
)

// WorkingSet are the memories that a conversation is about: at most nine of those found
// in it. It is empty half an hour after the last one. The zero value is empty. It is not
// safe for concurrent use.
type WorkingSet struct {
	items []workingItem
	last  time.Time
}

type workingItem struct {
	id         int64
	importance float64
	uses       int
	used       time.Time
}

// WorkingWorth orders a working set: importance · e^(−minutes/30) · (1 + .1·uses), with
// the time since the last use. uses are those after the first.
func WorkingWorth(importance float64, since time.Duration, uses int) float64 {
	return importance * math.Exp(-max(0, since.Minutes())/30) * (1 + 0.1*float64(uses))
}

// Use adds a memory that was found at now, or counts one more use. Beyond nine the one of
// least worth goes.
func (w *WorkingSet) Use(now time.Time, id int64, importance float64) {
	w.idle(now)
	w.last = now
	if i := slices.IndexFunc(w.items, func(it workingItem) bool { return it.id == id }); i >= 0 {
		it := &w.items[i]
		it.importance, it.used = importance, now
		it.uses++
		return
	}
	w.items = append(w.items, workingItem{id: id, importance: importance, used: now})
	w.order(now)
	w.items = w.items[:min(len(w.items), WorkingItems)]
}

// Held returns the row ids of the set at now, the worthiest first.
func (w *WorkingSet) Held(now time.Time) (ids []int64) {
	w.idle(now)
	w.order(now)
	for _, it := range w.items {
		ids = append(ids, it.id)
	}
	return ids
}

func (w *WorkingSet) idle(now time.Time) {
	if now.Sub(w.last) > WorkingIdle {
		w.items = nil
	}
}

func (w *WorkingSet) order(now time.Time) {
	worth := func(it workingItem) float64 { return WorkingWorth(it.importance, now.Sub(it.used), it.uses) }
	slices.SortStableFunc(w.items, func(a, b workingItem) int {
		return cmp.Or(cmp.Compare(worth(b), worth(a)), b.used.Compare(a.used))
	})
}

// IsHot reports whether a memory is of the hot tier, which is shown whatever is asked: a
// semantic memory of utility .8 that was used ten times, last within 30 days.
func IsHot(m *schema.Memory, now time.Time) bool {
	return m.State == schema.StateActive && m.Kind != schema.KindEpisode && TierOf(m) == Semantic &&
		m.Utility >= hotUtility && m.AccessCount >= hotUses && now.Sub(retention.LastUse(m)) < hotAge
}
