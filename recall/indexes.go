package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ebbmem/ebb/recall/background"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/recall/users"
	"github.com/ebbmem/ebb/schema"
)

// indexes caches the text indexes of the users searched last.
type indexes struct {
	db         *schema.DB
	background *background.Reads
	// A search reads up to inline chunks itself. If there are more, it reads the
	// newest, as many as first says, and the background reads all of them.
	inline, first int

	mu     sync.Mutex // of get
	byUser users.Cache[*sharedIndex]
	// removed is called after text of a user was removed, perhaps by another process.
	// Nil without vectors.
	removed func(userID int64)
}

type sharedIndex struct {
	mu sync.RWMutex
	*index

	completing atomic.Bool   // in the background
	reading    chan struct{} // holds one value while a goroutine completes the index

	damaged   error    // why it could not be completed
	damagedAt [2]int64 // the watermark then, until whose change it is not tried again
}

// maxIndexes bounds how many users' indexes, and sets of vectors, stay in memory.
const maxIndexes = 256

const (
	readInline = 20_000 // takes about 0.2 s
	readFirst  = 2_000
)

func newIndexes(db *schema.DB, bg *background.Reads) *indexes {
	return &indexes{db: db, background: bg, inline: readInline, first: readFirst, byUser: users.New[*sharedIndex](maxIndexes)}
}

func (c *indexes) get(userID int64) *sharedIndex {
	c.mu.Lock()
	defer c.mu.Unlock()
	ix, ok := c.byUser.Get(userID)
	if !ok {
		ix = &sharedIndex{index: newIndex(), reading: make(chan struct{}, 1)}
		c.byUser.Add(userID, ix)
	}
	return ix
}

// startsPartly reports whether no text of a user is in memory, and there is more
// than a search reads itself.
func (c *indexes) startsPartly(ctx context.Context, s *schema.Snapshot, userID int64) (bool, error) {
	if c.byUser.Contains(userID) {
		return false, nil
	}
	lastChunk, _, err := s.TextWatermark(ctx, userID)
	return schema.ChunksUpTo(userID, lastChunk) > c.inline, err
}

// Forget drops the cached text and vectors of a user. Callers that write without an
// audit entry, as an import does, or that erase must call it. The next search reads
// the text again.
func (s *Searcher) Forget(userID int64) {
	s.indexes.byUser.Remove(userID)
	if s.vectors != nil {
		s.vectors.sets.forget(userID)
	}
}

// Remembered counts the users with cached text or vectors.
func (s *Searcher) Remembered() int {
	ids := s.indexes.byUser.Keys()
	if s.vectors != nil {
		ids = append(ids, s.vectors.sets.byUser.Keys()...)
	}
	slices.Sort(ids)
	return len(slices.Compact(ids))
}

// current returns the user's index, brought up to date with the snapshot and
// locked for reading. The caller must call RUnlock. While the background reads a
// large memory for the first time, the index holds the newest text only; with
// whole, current waits for all of it.
func (c *indexes) current(ctx context.Context, s *schema.Snapshot, userID int64, whole bool) (*sharedIndex, error) {
	lastChunk, lastOp, err := s.TextWatermark(ctx, userID)
	if err != nil {
		return nil, err
	}
	ix := c.get(userID)
	ix.mu.RLock()
	if ix.lastChunk >= lastChunk && ix.lastOp >= lastOp && ix.keyedDocs == uint32(len(ix.docs)) && ix.skipped == 0 {
		return ix, nil
	}
	ix.mu.RUnlock()
	removed, partly, err := c.catchUp(ctx, s, ix, userID, lastChunk, lastOp)
	if err != nil {
		return nil, err
	}
	if removed && c.removed != nil {
		c.removed(userID)
	}
	if partly && (whole || !c.complete(userID, ix, [2]int64{lastChunk, lastOp})) {
		if err := ix.complete(ctx, s, userID); err != nil {
			return nil, err
		}
	}
	ix.mu.RLock()
	return ix, nil
}

// catchUp adds what the snapshot holds and the index does not. removed says that
// the index held text that is gone, partly that it skips text older than its first
// chunk.
func (c *indexes) catchUp(ctx context.Context, s *schema.Snapshot, ix *sharedIndex, userID, lastChunk, lastOp int64) (removed, partly bool, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.lastOp < lastOp {
		if removed, err = s.RemovedSince(ctx, userID, ix.lastOp); err != nil {
			return false, false, err
		}
		if removed { // its words are still counted: start over
			ix.index = newIndex()
		}
	}
	if ix.lastChunk == 0 {
		if chunks := schema.ChunksUpTo(userID, lastChunk); chunks > c.inline {
			ix.skipped = lastChunk - int64(c.first)
			ix.lastChunk = ix.skipped
		} else {
			ix.expect(chunks)
		}
	}
	err = ix.index.catchUp(ctx, s, userID, lastOp)
	if errors.Is(err, schema.ErrCorrupt) {
		ix.index = newIndex() // it may hold part of a text
	}
	return removed, ix.skipped > 0, err
}

// complete starts to read all of a user's text in the background, unless damage kept it from
// that at this watermark. It reports false if the background was stopped.
func (c *indexes) complete(userID int64, ix *sharedIndex, at [2]int64) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.damaged != nil && ix.damagedAt == at || c.background.Once(&ix.completing, func(ctx context.Context) {
		err := c.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error { return ix.complete(ctx, s, userID) })
		if errors.Is(err, schema.ErrCorrupt) { // after another error the next search tries again
			ix.mu.Lock()
			defer ix.mu.Unlock()
			ix.damaged, ix.damagedAt = err, at
		}
	})
}

// unread says what is not searched of an index that skips older text, and why.
func (ix *sharedIndex) unread() string {
	why := "are still being read"
	if ix.damaged != nil {
		why = "cannot be read: " + ix.damaged.Error()
	}
	return fmt.Sprintf("only the newest %d memories were searched: the others %s", len(ix.docs), why)
}

// complete reads all of a user's text into a new index and then replaces the current
// one, which serves searches until then.
func (ix *sharedIndex) complete(ctx context.Context, s *schema.Snapshot, userID int64) error {
	select { // a goroutine that waits uses the result of the other
	case ix.reading <- struct{}{}:
		defer func() { <-ix.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ix.mu.RLock()
	partly := ix.skipped > 0
	ix.mu.RUnlock()
	if !partly {
		return nil
	}
	lastChunk, lastOp, err := s.TextWatermark(ctx, userID)
	if err != nil {
		return err
	}
	fresh := newIndex()
	fresh.expect(schema.ChunksUpTo(userID, lastChunk))
	if err := fresh.catchUp(ctx, s, userID, lastOp); err != nil {
		return err
	}
	fresh.fit()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.index, ix.damaged = fresh, nil
	return nil
}

// catchUp adds the chunks and changes since the last call.
func (ix *index) catchUp(ctx context.Context, s *schema.Snapshot, userID, lastOp int64) error {
	if ix.lastOp < lastOp || ix.merged == nil {
		if err := ix.readMerged(ctx, s, userID); err != nil {
			return err
		}
	}
	held := len(ix.docs)
	themes, err := ix.read(ctx, s, userID)
	defer func() { _ = themes() }() // also after a panic
	var changed map[int64]schema.State
	if err == nil && ix.lastOp < lastOp && held > 0 {
		changed, err = s.ChangedMemories(ctx, userID, ix.lastOp)
	}
	if err == nil {
		err = ix.readKeys(ctx, s, userID, ix.claims(changed))
	}
	if err := cmp.Or(err, themes()); err != nil {
		return err
	}
	ix.change(changed)
	ix.keyedDocs, ix.lastOp = uint32(len(ix.docs)), max(ix.lastOp, lastOp)
	return nil
}

// claims returns the claims that are new or changed.
func (ix *index) claims(changed map[int64]schema.State) (claims []uint32) {
	for doc := ix.keyedDocs; doc < uint32(len(ix.docs)); doc++ {
		if ix.meta[doc].keyed() {
			claims = append(claims, doc)
		}
	}
	for memory := range changed {
		if doc, ok := ix.find(memory); ok && ix.meta[doc].keyed() {
			claims = append(claims, doc)
		}
	}
	return claims
}

// read adds the chunks after the last. For large memories, SQLite reads while a second
// goroutine indexes the texts and a third their themes. When read returns, only themes
// may be missing: the caller must call themes, which waits for them.
func (ix *index) read(ctx context.Context, s *schema.Snapshot, userID int64) (themes func() error, err error) {
	const worth, underway = 256, 4 // chunks handed over at once, batches
	var texts, topics sync.WaitGroup
	var brokenTexts, brokenThemes error
	var full, empty chan *chunkBatch
	batch := new(chunkBatch)
	var forms lexicon.Forms
	err = s.ChunksAfter(ctx, userID, ix.lastChunk, func(c schema.IndexedChunk) {
		if batch.add(c, forms.Of(c.MemoryID, c.Content)); len(batch.chunks) < worth {
			return
		}
		if full == nil {
			full, empty = make(chan *chunkBatch, underway), make(chan *chunkBatch, underway+1)
			indexed := make(chan *chunkBatch, underway)
			for range underway {
				empty <- new(chunkBatch)
			}
			texts.Go(func() {
				pass(full, indexed, &brokenTexts, ix.addTexts)
				close(indexed)
			})
			topics.Go(func() { pass(indexed, empty, &brokenThemes, ix.addThemes) })
		}
		full <- batch
		background.Yield(ctx)
		batch = <-empty
		batch.empty()
	})
	if full == nil {
		brokenTexts = schema.Guard(func() {
			ix.addTexts(batch)
			ix.addThemes(batch)
		})
	} else {
		full <- batch
		close(full)
		texts.Wait()
	}
	return func() error {
		topics.Wait()
		return brokenThemes
	}, cmp.Or(err, brokenTexts)
}

// pass applies do to the batches from one channel until it fails, and hands all of them
// on.
func pass(from <-chan *chunkBatch, to chan<- *chunkBatch, broken *error, do func(*chunkBatch)) {
	for b := range from {
		if *broken == nil {
			*broken = schema.Guard(func() { do(b) })
		}
		to <- b
	}
}

// chunkBatch holds chunks on their way from SQLite into an index. It is reused:
// allocating every text takes longer than reading it.
type chunkBatch struct {
	chunks []schema.IndexedChunk
	forms  []lexicon.Form // of each
	text   []byte         // of all, one after another
	themed []lexicon.Text
	terms  []uint32 // of themed, one after another
}

func (b *chunkBatch) add(c schema.IndexedChunk, form lexicon.Form) {
	b.forms = append(b.forms, form)
	from := len(b.text)
	b.text = append(b.text, c.Text...)
	c.Text, c.Content = b.text[from:], nil
	b.chunks = append(b.chunks, c)
}

// addTexts indexes the texts of a batch.
func (ix *index) addTexts(b *chunkBatch) {
	for i, c := range b.chunks {
		if t, ok := ix.addText(c, b.forms[i]); ok {
			from := len(b.terms)
			b.terms = append(b.terms, t.Terms...)
			t.Terms = b.terms[from:]
			b.themed = append(b.themed, t)
		}
	}
}

// addThemes indexes the themes of a batch after its texts.
func (ix *index) addThemes(b *chunkBatch) {
	for _, t := range b.themed {
		ix.themes.Add(t)
	}
}

func (b *chunkBatch) empty() {
	b.chunks, b.forms, b.text = b.chunks[:0], b.forms[:0], b.text[:0]
	b.themed, b.terms = b.themed[:0], b.terms[:0]
}
