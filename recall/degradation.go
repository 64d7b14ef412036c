package recall

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/ebbmem/ebb/recall/users"
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
	byUser users.Cache[map[string]*Degradation] // searched last of those with any
}

const (
	everybody   = -1   // stands for all users together; no user has this id
	maxDegraded = 4096 // users
)

func (d *degradations) note(userID int64, now time.Time, degraded []Degraded) {
	if userID == 0 {
		return // no arm runs for an unknown user
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, of := range [...]int64{everybody, userID} {
		arms, _ := d.byUser.Get(of)
		for _, known := range arms {
			known.Whole++
		}
		for _, arm := range degraded {
			if arm.Reason == errNoVectors.Error() {
				continue // they are being made, or no process makes any: its counts say so
			}
			if arms == nil {
				arms = make(map[string]*Degradation)
				d.byUser.Add(of, arms)
			}
			known := arms[arm.Arm]
			if known == nil {
				known = &Degradation{Arm: arm.Arm}
				arms[arm.Arm] = known
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
	known, _ := s.degraded.byUser.Peek(userID)
	all := make([]Degradation, 0, len(known))
	for _, d := range known {
		all = append(all, *d)
	}
	slices.SortFunc(all, func(a, b Degradation) int { return cmp.Compare(a.Arm, b.Arm) })
	return all
}
