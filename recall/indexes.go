package recall

import (
	"context"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/ebbmem/ebb/schema"
)

// indexes keeps the text indexes of the users searched last.
type indexes struct {
	mu     sync.Mutex
	byUser *lru.Cache[int64, *sharedIndex]
	// removed is told of a user of whose text something was removed, maybe by
	// another process. Nil without vectors.
	removed func(userID int64)
}

type sharedIndex struct {
	mu sync.RWMutex
	*index
}

// maxIndexes bounds how many users' indexes stay in memory.
const maxIndexes = 256

func newIndexes() *indexes {
	cache, err := lru.New[int64, *sharedIndex](maxIndexes)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &indexes{byUser: cache}
}

func (c *indexes) get(userID int64) *sharedIndex {
	c.mu.Lock()
	defer c.mu.Unlock()
	ix, ok := c.byUser.Get(userID)
	if !ok {
		ix = &sharedIndex{index: newIndex()}
		c.byUser.Add(userID, ix)
	}
	return ix
}

// Forget drops what is kept in memory of a user's text and vectors: for whoever
// has written it past the audit, as an import does, and when some of it was
// erased. The next search reads it anew.
func (s *Searcher) Forget(userID int64) {
	s.indexes.mu.Lock()
	s.indexes.byUser.Remove(userID)
	s.indexes.mu.Unlock()
	if s.vectors != nil {
		s.vectors.sets.forget(userID)
	}
}

// Remembered counts the users of whom text or vectors are kept in memory.
func (s *Searcher) Remembered() int {
	s.indexes.mu.Lock()
	users := make(map[int64]bool)
	for _, id := range s.indexes.byUser.Keys() {
		users[id] = true
	}
	s.indexes.mu.Unlock()
	if s.vectors != nil {
		for _, id := range s.vectors.sets.users() {
			users[id] = true
		}
	}
	return len(users)
}

// current returns the user's index, brought up to date with the snapshot and
// locked for reading. The caller must call RUnlock.
func (c *indexes) current(ctx context.Context, s *schema.Snapshot, userID int64) (*sharedIndex, error) {
	lastChunk, lastOp, err := s.TextWatermark(ctx, userID)
	if err != nil {
		return nil, err
	}
	ix := c.get(userID)
	ix.mu.RLock()
	if ix.lastChunk >= lastChunk && ix.lastOp >= lastOp && ix.learnt == uint32(len(ix.docs)) {
		return ix, nil
	}
	ix.mu.RUnlock()
	removed, err := ix.catchUp(ctx, s, userID, lastOp)
	if err != nil {
		return nil, err
	}
	if removed && c.removed != nil {
		c.removed(userID)
	}
	ix.mu.RLock()
	return ix, nil
}

// catchUp takes in what the snapshot holds and the index does not. removed says
// that the index held something that is gone.
func (ix *sharedIndex) catchUp(ctx context.Context, s *schema.Snapshot, userID, lastOp int64) (removed bool, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.lastOp < lastOp {
		if removed, err = s.RemovedSince(ctx, userID, ix.lastOp); err != nil {
			return false, err
		}
		if removed { // its words still count: begin anew
			ix.index = newIndex()
		}
	}
	if ix.lastOp < lastOp || ix.merged == nil {
		if err := ix.readMerged(ctx, s, userID); err != nil {
			return removed, err
		}
	}
	if err := ix.read(ctx, s, userID); err != nil {
		return removed, err
	}
	var claims []uint32 // new or changed
	for doc := ix.learnt; doc < uint32(len(ix.docs)); doc++ {
		if ix.docs[doc].keyed() {
			claims = append(claims, doc)
		}
	}
	if ix.lastOp < lastOp {
		changed, err := s.ChangedMemories(ctx, userID, ix.lastOp)
		if err != nil {
			return removed, err
		}
		ix.change(changed)
		for memory := range changed {
			if doc, ok := ix.find(memory); ok && ix.docs[doc].keyed() {
				claims = append(claims, doc)
			}
		}
	}
	if err := ix.relearn(ctx, s, userID, claims); err != nil {
		return removed, err
	}
	ix.learnt, ix.lastOp = uint32(len(ix.docs)), max(ix.lastOp, lastOp)
	return removed, nil
}

// read takes in the chunks after the last. SQLite reads while what it has read
// is taken in: of much text, each takes half of the time.
func (ix *index) read(ctx context.Context, s *schema.Snapshot, userID int64) error {
	const worth = 256 // chunks handed over at once
	var taken sync.WaitGroup
	var full chan []schema.IndexedChunk
	batch := make([]schema.IndexedChunk, 0, worth)
	err := s.ChunksAfter(ctx, userID, ix.lastChunk, func(c schema.IndexedChunk) {
		if batch = append(batch, c); len(batch) < worth {
			return
		}
		if full == nil {
			full = make(chan []schema.IndexedChunk, 4)
			taken.Go(func() {
				for b := range full {
					ix.addAll(b)
				}
			})
		}
		full <- batch
		batch = make([]schema.IndexedChunk, 0, worth)
	})
	if full != nil {
		close(full)
		taken.Wait()
	}
	ix.addAll(batch)
	return err
}

func (ix *index) addAll(chunks []schema.IndexedChunk) {
	for _, c := range chunks {
		ix.add(c)
	}
}
