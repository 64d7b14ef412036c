package recall

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ebbmem/ebb/recall/background"
	"github.com/ebbmem/ebb/recall/fluency"
	"github.com/ebbmem/ebb/recall/users"
	"github.com/ebbmem/ebb/recall/vector"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/pgvector"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// vectorSets caches the vectors of the users searched last.
type vectorSets struct {
	db         *schema.DB
	exact      int
	inline     int // the most vectors that a search reads itself
	most       int // that are read at all, if a server can do without
	background *background.Reads

	mu     sync.Mutex // of get
	byUser users.Cache[*sharedVectors]
	bytes  int64 // that the sets take together; those searched longest ago go
}

// sharedVectors is a set that searches read while new vectors are added.
type sharedVectors struct {
	of *vecstore.Generation

	mu sync.RWMutex
	*vectorSet
	held    atomic.Int64  // bytes of vectors
	seen    int64         // id of the user's last vector, of any generation, that was read
	loading atomic.Bool   // in the background, for a search
	failed  error         // of the last loading, nil if it succeeded
	reading chan struct{} // holds one value while a goroutine loads the set

	usual *vector.Distribution // of all vectors, if the set has only those near to a query
	judge fluency.Judge
}

// trust returns how far the set's embedder can be trusted with the user's claims, 0–1.
// Messages differ less than claims do.
func (set *sharedVectors) trust(ix *index) float64 {
	if set.usual != nil {
		return 1
	}
	return set.judge.Trust(set.of.ID, set.len(), func() fluency.Texts {
		t := fluency.Texts{Census: &ix.themes.Census}
		var places []int
		for doc := len(ix.docs) - 1; doc >= 0 && len(places) < fluency.Most; doc-- {
			if about := ix.themes.Of(uint32(doc)); !about.Empty() && !ix.meta[doc].said() {
				if i, ok := set.find(ix.memories.At(doc)); ok {
					t.Topics, places = append(t.Topics, about), append(places, set.place(i))
				}
			}
		}
		t.Cosine = func(a, b int) (float64, bool) { return float64(set.vectors.Cosine(places[a], places[b])), true }
		return t
	})
}

// loadInline is how many vectors a search reads itself; more are loaded in the
// background. It takes about 80 ms.
const loadInline = 20_000

// maxVectorBytes bounds the sets of all users. loadMost vectors of 1,536 numbers fit in.
const maxVectorBytes = 1 << 30

// loadMost vectors of 384 numbers take 250 MB as codes.
const loadMost = 1 << 20

func newVectorSets(db *schema.DB, exact int, bg *background.Reads) *vectorSets {
	return &vectorSets{db: db, exact: exact, inline: loadInline, most: loadMost, bytes: maxVectorBytes, background: bg, byUser: users.New[*sharedVectors](maxIndexes)}
}

// get returns the user's set of the generation, or creates an empty one.
func (c *vectorSets) get(userID int64, g *vecstore.Generation) *sharedVectors {
	c.mu.Lock()
	defer c.mu.Unlock()
	set, ok := c.byUser.Get(userID)
	if !ok || set.of.ID != g.ID {
		set = &sharedVectors{of: g, vectorSet: newVectorSet(g, c.exact), reading: make(chan struct{}, 1)}
		c.byUser.Add(userID, set)
	}
	return set
}

// current returns the user's set, brought up to date with the snapshot and
// locked for reading; the caller must unlock it. If there is much to load, it loads in
// the background and returns nil, or a set of those near to the query, unless wait is set.
func (c *vectorSets) current(ctx context.Context, s *schema.Snapshot, userID int64, g *vecstore.Generation, query []float32, wait bool) (*sharedVectors, error) {
	last, err := vecstore.LastVector(ctx, s, userID)
	if err != nil {
		return nil, err
	}
	set := c.get(userID, g)
	set.mu.RLock()
	if set.seen >= last {
		return set, nil
	}
	seen := set.seen
	set.mu.RUnlock()
	if !wait && set.loading.Load() {
		return c.nearest(ctx, s, userID, g, query) // no need to count what is missing again
	}
	missing, err := c.missing(ctx, s, userID, seen, last)
	if err != nil {
		return nil, err
	}
	if missing > c.inline && !wait {
		near, err := c.nearest(ctx, s, userID, g, query)
		if err != nil || near != nil && missing > c.most || c.load(userID, set) {
			return near, err
		}
		if near != nil {
			near.mu.RUnlock()
		}
	}
	switch {
	case missing > c.inline || seen == 0 && c.background.Idle() == nil: // the loading goroutine may be yielding to this search
		err = c.loadFrom(ctx, s, userID, set)
	default:
		err = set.catchUp(ctx, s, userID, last)
	}
	if err != nil {
		return nil, err
	}
	c.shrink()
	set.mu.RLock()
	return set, nil
}

// shrink keeps the sets within their bytes. Running searches keep theirs.
func (c *vectorSets) shrink() {
	c.byUser.Shrink(c.bytes, func(s *sharedVectors) int64 { return s.held.Load() })
}

// nearest returns a set of the vectors near to a query, locked for reading, from a server
// that can find them; nil without one.
func (c *vectorSets) nearest(ctx context.Context, s *schema.Snapshot, userID int64, g *vecstore.Generation, query []float32) (near *sharedVectors, err error) {
	if c.db.Capabilities().File {
		return nil, nil
	}
	near = &sharedVectors{of: g, vectorSet: newVectorSet(g, c.exact), usual: new(vector.Distribution)}
	near.usual.Mean, near.usual.Deviation, err = pgvector.Nearest(ctx, s, userID, g.ID, query, 4*armDepth, near.add)
	if err != nil || near.len() == 0 {
		return nil, err
	}
	near.mu.RLock()
	return near, nil
}

// missing is about how many vectors come after seen. It counts at most one more than a
// search reads itself, and estimates the number for an empty set.
func (c *vectorSets) missing(ctx context.Context, s *schema.Snapshot, userID, seen, last int64) (n int, err error) {
	if seen == 0 {
		return atMost(ctx, s, userID, last)
	}
	return vecstore.CountVectorsAfter(ctx, s, userID, seen, c.inline+1)
}

// atMost is an upper bound of the vectors of one generation that a user has up to the
// last. Counting 100,000 would take ten milliseconds.
func atMost(ctx context.Context, s *schema.Snapshot, userID, last int64) (int, error) {
	chunk, _, err := s.TextWatermark(ctx, userID)
	return min(schema.ChunksUpTo(userID, chunk), int(last)), err
}

// catchUp adds the vectors that the snapshot holds and the set does not.
func (set *sharedVectors) catchUp(ctx context.Context, s *schema.Snapshot, userID, last int64) error {
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.seen >= last {
		return nil
	}
	err := vecstore.VectorsAfter(ctx, s, userID, set.of.ID, set.seen, func(v vecstore.ChunkVector) error {
		if set.len()%64 == 0 {
			background.Yield(ctx)
		}
		err := set.add(v)
		if err == nil {
			set.seen = v.ID // after an error, the next call continues from here
		}
		return err
	})
	if err == nil {
		set.seen = last
	}
	set.held.Store(int64(set.vectors.Bytes()))
	return err
}

// load starts to bring a set up to date in the background. It reports false if the
// background was stopped.
func (c *vectorSets) load(userID int64, set *sharedVectors) bool {
	return c.background.Once(&set.loading, func(ctx context.Context) {
		// On an error, the next search reports it and tries again.
		_ = c.loadNow(ctx, userID, set)
	})
}

// loadNow builds a new set and then replaces the current one, which serves searches
// until then.
func (c *vectorSets) loadNow(ctx context.Context, userID int64, set *sharedVectors) error {
	defer c.shrink()
	return c.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error { return c.loadFrom(ctx, s, userID, set) })
}

func (c *vectorSets) loadFrom(ctx context.Context, s *schema.Snapshot, userID int64, set *sharedVectors) error {
	select { // a goroutine that waits uses the result of the other, often of Preload
	case set.reading <- struct{}{}:
		defer func() { <-set.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	last, err := vecstore.LastVector(ctx, s, userID)
	if err != nil || set.holds(last) {
		return err
	}
	n, err := atMost(ctx, s, userID, last)
	if err != nil {
		return err
	}
	fresh := &sharedVectors{of: set.of, vectorSet: newVectorSet(set.of, c.exact)}
	fresh.reserve(n)
	err = fresh.catchUp(ctx, s, userID, last)
	fresh.trim()
	set.mu.Lock()
	defer set.mu.Unlock()
	if fresh.seen > set.seen { // as far as it got
		set.vectorSet, set.seen = fresh.vectorSet, fresh.seen
		set.held.Store(fresh.held.Load())
	}
	if ctx.Err() == nil {
		set.failed = err
	}
	return err
}

// holds reports whether all vectors up to this one were read.
func (set *sharedVectors) holds(last int64) bool {
	set.mu.RLock()
	defer set.mu.RUnlock()
	return set.seen >= last
}

// forget drops a user's set. Running searches keep theirs.
func (c *vectorSets) forget(userID int64) { c.byUser.Remove(userID) }

// Preload starts to load the vectors of the newest users in the background, so that
// their first searches find them. Without an embedder it does nothing.
// [Searcher.Close] stops it.
func (s *Searcher) Preload() {
	if s.vectors == nil {
		return
	}
	s.background.Start(s.vectors.sets.preload)
}

// preloaded bounds what Preload loads, in bytes.
const preloaded = 256 << 20

func (c *vectorSets) preload(ctx context.Context) {
	var generation *vecstore.Generation
	var users []int64
	err := c.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		if generation, err = vecstore.ServingGeneration(ctx, s); err != nil || generation == nil {
			return err
		}
		last, err := vecstore.LastChunks(ctx, s)
		for user := range last {
			users = append(users, user)
		}
		return err
	})
	if err != nil || generation == nil {
		return // the next search reports the error
	}
	slices.Sort(users)
	loaded := int64(0)
	for _, user := range slices.Backward(users[max(0, len(users)-maxIndexes):]) {
		set := c.get(user, generation)
		if loaded > preloaded || c.loadNow(ctx, user, set) != nil {
			return
		}
		loaded += set.held.Load()
	}
}
