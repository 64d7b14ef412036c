package recall

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Degradation counts how often an arm failed or was incomplete since the searcher
// was created.
type Degradation struct {
	Arm    string    `json:"arm"`
	Count  int64     `json:"count"`
	LastAt time.Time `json:"last_at"`
	Reason string    `json:"reason"` // of the last time
	// Whole is the number of searches since without degradation: 0 means that the
	// last one was degraded.
	Whole int64 `json:"whole"`
}

// degradations counts by arm, for each user and for all users together.
type degradations struct {
	mu     sync.Mutex
	byUser map[int64]map[string]*Degradation
}

// everybody stands for all users together; no user has this id.
const everybody = -1

func (d *degradations) note(userID int64, now time.Time, degraded []Degraded) {
	if userID == 0 {
		return // no arm runs for an unknown user
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, of := range [...]int64{everybody, userID} {
		for _, known := range d.byUser[of] {
			known.Whole++
		}
		for _, arm := range degraded {
			if d.byUser == nil {
				d.byUser = make(map[int64]map[string]*Degradation)
			}
			if d.byUser[of] == nil {
				d.byUser[of] = make(map[string]*Degradation)
			}
			known := d.byUser[of][arm.Arm]
			if known == nil {
				known = &Degradation{Arm: arm.Arm}
				d.byUser[of][arm.Arm] = known
			}
			known.Count, known.LastAt, known.Reason, known.Whole = known.Count+1, now, arm.Reason, 0
		}
	}
}

// Degradations lists the arms that failed or were incomplete in a search since the
// searcher was created, by name.
func (s *Searcher) Degradations() []Degradation { return s.DegradationsOf(everybody) }

// DegradationsOf is [Searcher.Degradations] of one user's searches alone.
func (s *Searcher) DegradationsOf(userID int64) []Degradation {
	s.degraded.mu.Lock()
	defer s.degraded.mu.Unlock()
	known := s.degraded.byUser[userID]
	all := make([]Degradation, 0, len(known))
	for _, d := range known {
		all = append(all, *d)
	}
	slices.SortFunc(all, func(a, b Degradation) int { return cmp.Compare(a.Arm, b.Arm) })
	return all
}
