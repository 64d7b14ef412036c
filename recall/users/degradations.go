package users

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Degradation counts how often an arm of searches failed or was incomplete since the
// searcher was created.
type Degradation struct {
	Arm    string    `json:"arm"`
	Count  int64     `json:"count"`
	LastAt time.Time `json:"last_at"`
	Reason string    `json:"reason"` // of the last time
	// Whole is the number of searches since without degradation: 0 means that the
	// last one was degraded.
	Whole int64 `json:"whole"`
}

// Degradations counts by arm, for each user and for all users together. It is safe for
// concurrent use; [NewDegradations] makes one.
type Degradations struct {
	mu     sync.Mutex
	byUser Cache[map[string]*Degradation] // searched last of those with any
}

const (
	// Everybody stands for all users together; no user has this id.
	Everybody   = -1
	maxDegraded = 4096 // users
)

// NewDegradations returns counts of no search yet, of at most 4,096 users.
func NewDegradations() *Degradations {
	return &Degradations{byUser: New[map[string]*Degradation](maxDegraded)}
}

// Note counts a search of a user and what its arms lacked, by their names.
func (d *Degradations) Note(userID int64, now time.Time, reasons map[string]string) {
	if userID == 0 {
		return // no arm runs for an unknown user
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, of := range [...]int64{Everybody, userID} {
		arms, _ := d.byUser.Get(of)
		for _, known := range arms {
			known.Whole++
		}
		for arm, reason := range reasons {
			if arms == nil {
				arms = make(map[string]*Degradation)
				d.byUser.Add(of, arms)
			}
			known := arms[arm]
			if known == nil {
				known = &Degradation{Arm: arm}
				arms[arm] = known
			}
			known.Count, known.LastAt, known.Reason, known.Whole = known.Count+1, now, reason, 0
		}
	}
}

// Of lists the arms that failed or were incomplete in a user's searches, by name.
func (d *Degradations) Of(userID int64) []Degradation {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, _ := d.byUser.Peek(userID)
	all := make([]Degradation, 0, len(known))
	for _, d := range known {
		all = append(all, *d)
	}
	slices.SortFunc(all, func(a, b Degradation) int { return cmp.Compare(a.Arm, b.Arm) })
	return all
}
