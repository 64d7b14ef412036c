package prompt

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/cognitive"
	"github.com/ebbmem/ebb/schema"
)

// hotCached is how long what [Rule] chooses is not chosen again.
const hotCached = 5 * time.Minute

// Rule chooses memories that stand in contexts whatever is asked, such as the hot tier of
// cognitive-v9.md. When and Worth get memories without their texts.
type Rule struct {
	Where schema.Conditions
	// When reports whether an active memory is chosen. Default: it is.
	When func(m *schema.Memory, now time.Time) bool
	// Worth orders the memories, the highest first, of equal ones the older. Default: by id.
	Worth func(m *schema.Memory, now time.Time) float64
	// Most and Tokens bound their number and their texts. Default 0: unbounded.
	Most, Tokens int
}

// choose returns the row ids of the memories that the rule chooses.
func (r *Rule) choose(ctx context.Context, s *schema.Snapshot, userID int64, now time.Time) (ids []int64, err error) {
	met, err := s.Night().Meeting(ctx, userID, schema.StateActive, &r.Where)
	if err != nil {
		return nil, err
	}
	if met, err = r.order(met, now); err != nil {
		return nil, err
	}
	for i := range met {
		ids = append(ids, met[i].ID)
	}
	if r.Most > 0 {
		ids = ids[:min(len(ids), r.Most)]
	}
	if r.Tokens <= 0 {
		return ids, nil
	}
	memories, err := s.MemoriesByID(ctx, userID, ids)
	ids, tokens := nil, 0
	for i := range memories {
		if tokens += text.Tokens(memories[i].Content); tokens <= r.Tokens {
			ids = append(ids, memories[i].ID)
		}
	}
	return ids, err
}

// order asks the rule's functions, and returns a panic of theirs as an error.
func (r *Rule) order(met []schema.Memory, now time.Time) (chosen []schema.Memory, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = schema.ForeignPanic("a rule of what is always shown", p)
		}
	}()
	if r.When != nil {
		met = slices.DeleteFunc(met, func(m schema.Memory) bool { return !r.When(&m, now) })
	}
	if r.Worth != nil {
		slices.SortStableFunc(met, func(a, b schema.Memory) int { return cmp.Compare(r.Worth(&b, now), r.Worth(&a, now)) })
	}
	return met, nil
}

// Working is what a conversation keeps in its contexts beside what is found for a
// question. It holds row ids alone: what was forgotten or erased is not shown again. The
// zero value is empty.
type Working struct {
	mu    sync.Mutex
	set   cognitive.WorkingSet
	hot   []int64
	hotAt time.Time
}

// Used adds what a search found and a model was shown.
func (w *Working) Used(now time.Time, shown []recall.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range shown {
		if shown[i].Rank > 0 {
			w.set.Use(now, shown[i].Memory.ID, shown[i].Memory.Importance)
		}
	}
}

// Kept returns the active memories that rules choose and then those of the working set, as
// results without a rank, which are no uses.
func (w *Working) Kept(ctx context.Context, db *schema.DB, scope schema.Scope, now time.Time, rules []Rule) (kept []recall.Result, err error) {
	err = db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		kept = nil
		userID, err := s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		var failed error
		if since := now.Sub(w.hotAt); since < 0 || since >= hotCached {
			var hot []int64
			for i := range rules {
				chosen, err := rules[i].choose(ctx, s, userID, now)
				failed = errors.Join(failed, err)
				hot = append(hot, slices.DeleteFunc(chosen, func(id int64) bool { return slices.Contains(hot, id) })...)
			}
			if failed == nil { // else chosen again on the next turn
				w.hot, w.hotAt = hot, now
			}
		}
		ids := slices.Clone(w.hot)
		for _, id := range w.set.Held(now) {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		memories, err := s.MemoriesByID(ctx, userID, ids)
		for i := range memories {
			if memories[i].State == schema.StateActive {
				kept = append(kept, recall.Result{Memory: memories[i]})
			}
		}
		return errors.Join(err, failed)
	})
	return kept, err
}
