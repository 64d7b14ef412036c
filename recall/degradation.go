package recall

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Degradation says how often an arm did not give its full answer since the
// searcher was made.
type Degradation struct {
	Arm    string    `json:"arm"`
	Count  int64     `json:"count"`
	LastAt time.Time `json:"last_at"`
	Reason string    `json:"reason"` // of the last time
	// Whole is how many searches went without it since: 0 means that the last
	// one was degraded.
	Whole int64 `json:"whole"`
}

// degradations remembers them by arm.
type degradations struct {
	mu    sync.Mutex
	byArm map[string]*Degradation
}

func (d *degradations) note(now time.Time, degraded []Degraded) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, known := range d.byArm {
		known.Whole++
	}
	for _, arm := range degraded {
		if d.byArm == nil {
			d.byArm = make(map[string]*Degradation)
		}
		known := d.byArm[arm.Arm]
		if known == nil {
			known = &Degradation{Arm: arm.Arm}
			d.byArm[arm.Arm] = known
		}
		known.Count, known.LastAt, known.Reason, known.Whole = known.Count+1, now, arm.Reason, 0
	}
}

// Degradations lists the arms that did not give their full answer in a search
// since the searcher was made, by name.
func (s *Searcher) Degradations() []Degradation {
	s.degraded.mu.Lock()
	defer s.degraded.mu.Unlock()
	all := make([]Degradation, 0, len(s.degraded.byArm))
	for _, d := range s.degraded.byArm {
		all = append(all, *d)
	}
	slices.SortFunc(all, func(a, b Degradation) int { return cmp.Compare(a.Arm, b.Arm) })
	return all
}
