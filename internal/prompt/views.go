package prompt

import (
	"context"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/ebbmem/ebb/recall/fluency"
	"github.com/ebbmem/ebb/schema"
)

// Views caches the lines of the most recently active users.
type Views struct {
	mu    sync.Mutex
	users *lru.Cache[int64, *view]
}

// maxCoreViews bounds the cached users.
const maxCoreViews = 1024

func NewViews() (*Views, error) {
	users, err := lru.New[int64, *view](maxCoreViews)
	return &Views{users: users}, err
}

// ForgetUser drops a user's lines.
func (c *Views) ForgetUser(userID int64) { c.users.Remove(userID) }

// Forget empties the cache.
func (c *Views) Forget() { c.users.Purge() }

func (c *Views) of(userID int64) *view {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, known := c.users.Get(userID)
	if !known {
		v = &view{}
		c.users.Add(userID, v)
	}
	return v
}

// view caches one user's current claims and the sentences that support them. It is
// updated on each use with all changes in the database, including those of other
// processes.
type view struct {
	mu      sync.Mutex // held while updating
	read    bool
	version schema.ClaimsVersion
	loc     *time.Location // the user's; what was read is dated in it
	claims  map[int64]*ownClaim
	some    bool // of the user's claims, some are superseded

	// replaced, never modified
	endings *Endings
	lines   *Lines        // nil until needed
	judge   fluency.Judge // of vectors of the lines
}

// Lines updates the user's view and returns its lines in display order. They are dated in the
// user's time zone, or in loc if the user has none.
func (c *Views) Lines(ctx context.Context, db *schema.DB, scope schema.Scope, loc *time.Location) (*Lines, error) {
	lines := &Lines{loc: loc}
	err := c.updated(ctx, db, scope, loc, func(v *view) {
		if now := db.Now(); v.lines == nil || !v.lines.until.IsZero() && !v.lines.until.After(now) {
			v.lines = linesOf(v.claims, v.loc, now)
			v.lines.allHold, v.lines.judge = !v.some && len(v.endings.all) == 0, &v.judge
		}
		lines = v.lines
	})
	return lines, err
}

// Endings updates the user's view and returns what its claims say that is over, without
// the cost of its lines.
func (c *Views) Endings(ctx context.Context, db *schema.DB, scope schema.Scope, loc *time.Location) (*Endings, error) {
	endings := &Endings{}
	err := c.updated(ctx, db, scope, loc, func(v *view) { endings = v.endings })
	return endings, err
}

// updated updates the user's view and calls use with it, unless the user is unknown.
func (c *Views) updated(ctx context.Context, db *schema.DB, scope schema.Scope, loc *time.Location, use func(*view)) error {
	return db.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		v := c.of(userID)
		v.mu.Lock()
		defer v.mu.Unlock()
		now, err := s.ClaimsVersion(ctx, userID)
		if err != nil {
			return err
		}
		if loc, err = schema.Zone(ctx, s, userID, loc); err != nil {
			return err
		}
		if v.loc == nil || v.loc.String() != loc.String() {
			v.loc, v.read = loc, false
		}
		if !v.read || v.version.Before(now) {
			if err := v.update(ctx, s, userID, scope.User, now); err != nil {
				return err
			}
		}
		use(v)
		return nil
	})
}

// update reads what has changed since the view's version.
func (v *view) update(ctx context.Context, s *schema.Snapshot, userID int64, owner string, now schema.ClaimsVersion) error {
	var changed []int64
	all := !v.read
	if !all {
		var err error
		if changed, all, err = s.ChangedClaims(ctx, userID, v.version); err != nil {
			return err
		}
	}
	current := make(map[int64]*ownClaim)
	if all {
		ids, err := s.CurrentClaims(ctx, userID)
		if err != nil {
			return err
		}
		changed = ids
	} else {
		moved := make(map[int64]bool, len(changed))
		for _, id := range changed {
			moved[id] = true
		}
		for id, c := range v.claims {
			switch {
			case moved[id]:
			case slices.ContainsFunc(c.needs, func(id int64) bool { return moved[id] }):
				changed = append(changed, id)
			default:
				current[id] = c
			}
		}
	}
	if len(changed) > 0 {
		r := &claimReader{s: s, userID: userID, owner: owner, loc: v.loc}
		read, err := r.read(ctx, changed)
		if err != nil {
			return err
		}
		for _, c := range read {
			current[c.claim.ID] = c
		}
	}
	v.claims, v.version, v.read = current, now, true
	if len(changed) > 0 || all {
		shown := shownClaims(current)
		v.endings, v.lines = &Endings{all: endingsOf(shown), claims: current, owner: owner, loc: v.loc, several: severalSpeakers(shown)}, nil
		some, err := s.HasSuperseded(ctx, userID)
		if err != nil {
			v.read = false
			return err
		}
		v.some = some
	}
	return nil
}
