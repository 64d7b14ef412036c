package recall

import "github.com/ebbmem/ebb/recall/users"

// Degradation counts how often an arm failed or was incomplete since the searcher
// was created.
type Degradation = users.Degradation

// noteDegraded counts a search, except what lacks because vectors are being made, or no
// process makes any: their own counts say so.
func (s *Searcher) noteDegraded(userID int64, degraded []Degraded) {
	reasons := make(map[string]string, len(degraded))
	for _, d := range degraded {
		if d.Reason != errNoVectors.Error() {
			reasons[d.Arm] = d.Reason
		}
	}
	s.degraded.Note(userID, s.db.Now(), reasons)
}

// Degradations lists the arms that failed or were incomplete in a search since the
// searcher was created, by name.
func (s *Searcher) Degradations() []Degradation { return s.degraded.Of(users.Everybody) }

// DegradationsOf is [Searcher.Degradations] of one user's searches alone.
func (s *Searcher) DegradationsOf(userID int64) []Degradation { return s.degraded.Of(userID) }
