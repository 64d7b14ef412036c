package enrich

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Options configure an [Enricher]. The zero value is the default.
type Options struct {
	// Rate returns the importance of a memory, 1–10. Values outside are clamped;
	// NaN means the default, [Importance] of its content.
	Rate func(*schema.Memory) float64
	// Appraise, if set, rates messages instead of Rate, 0–1, beside what is remembered,
	// and labels them. It is called outside any transaction. NaN means Rate's.
	Appraise func(ctx context.Context, scope schema.Scope, m *schema.Memory) (importance float64, labels map[string]string, err error)
}

// Enricher finds what stored memories mention and rates them. It is safe for
// concurrent use.
type Enricher struct {
	db   *schema.DB
	rate func(*schema.Memory) float64
	full bool // the host's Rate may read any field of a memory

	appraise func(context.Context, schema.Scope, *schema.Memory) (float64, map[string]string, error)

	contended atomic.Bool // other writers waited for the last write
}

// New returns an enricher for db.
func New(db *schema.DB, opts Options) *Enricher {
	e := &Enricher{db: db, rate: opts.Rate, full: opts.Rate != nil || opts.Appraise != nil, appraise: opts.Appraise}
	if e.rate == nil {
		e.rate = func(m *schema.Memory) float64 { return Importance(m.Content) }
	}
	return e
}

// Enrich links the entities that memories mention and rates their importance.
// Names, addresses, handles, hashtags and URLs are entities; dates are not. In a
// very long text the first 200 different names and the first 200 roles ("my
// boss") are linked, so that a write does not keep others waiting. Quarantined
// memories are left as they are.
//
// Enriching again changes nothing. Links are keyed by memory and entity, and an
// episode that has links is not read again, because later memories may have
// taught other names. (Derived memories may have been linked by their author, so
// links say nothing there.) Only an importance of 0, which means "not rated
// yet" and which no rating returns, is set.
//
// Memories are enriched in the order given, many in one write. After an error
// some of them may be done.
//
// Errors: [*schema.InvalidError] for the scope, [schema.ErrNotFound] for a
// memory that does not exist or is another user's, the database's errors.
func (e *Enricher) Enrich(ctx context.Context, scope schema.Scope, memoryUIDs ...string) error {
	for len(memoryUIDs) > 0 {
		batch, read, err := e.read(ctx, scope, memoryUIDs)
		if err != nil {
			return err
		}
		for i := range batch {
			batch[i].analyse()
			if err := e.look(ctx, scope, batch[i]); err != nil {
				return err
			}
		}
		if err := e.write(ctx, batch); err != nil {
			return err
		}
		memoryUIDs = memoryUIDs[read:]
	}
	return nil
}

// analysis is a memory with what is found in its text.
type analysis struct {
	memory    *schema.Memory
	linked    bool // before
	mentions  []text.Mention
	roles     []roleMention
	lowercase map[string]string // see casualWords

	appraised  bool
	importance float64           // 0–1, if appraised
	labels     map[string]string // if appraised
}

const readBytes = 1 << 20 // of text, about, are read at once

// read returns the first of the memories that need work, and how many of uids
// it has read.
func (e *Enricher) read(ctx context.Context, scope schema.Scope, uids []string) (batch []*analysis, read int, err error) {
	err = e.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		for bytes := 0; read < len(uids) && bytes < readBytes; read++ {
			a := &analysis{}
			if a.memory, err = e.memory(ctx, s, userID, uids[read]); err != nil {
				return err
			}
			if a.memory.State == schema.StateQuarantined {
				continue
			}
			if a.memory.Kind == schema.KindEpisode {
				if a.linked, err = s.IsLinked(ctx, a.memory.ID); err != nil {
					return err
				}
			}
			if !a.linked || a.memory.Importance == 0 {
				batch = append(batch, a)
				bytes += len(a.memory.Content)
			}
		}
		return nil
	})
	return batch, read, err
}

func (e *Enricher) memory(ctx context.Context, s *schema.Snapshot, userID int64, uid string) (*schema.Memory, error) {
	if e.full {
		return s.Memory(ctx, userID, uid)
	}
	return s.Said(ctx, userID, uid)
}

// analyse finds what the text mentions. It takes most of the time, so it runs
// before the write.
func (a *analysis) analyse() {
	if a.linked {
		return
	}
	all := Mentions(a.memory.Content)
	a.lowercase = casualWords(a.memory.Content, all)
	a.mentions = firstDistinct(all, maxNames)
	a.roles = rolesIn(a.memory.Content, a.mentions)
}

// look appraises a message that has no rating. One that cannot be appraised is rated
// by its words: a search that fails must not hold back the links.
func (e *Enricher) look(ctx context.Context, scope schema.Scope, a *analysis) error {
	if e.appraise == nil || a.memory.Kind != schema.KindEpisode || a.memory.Importance != 0 {
		return nil
	}
	importance, labels, err := e.appraise(ctx, scope, a.memory)
	if err != nil {
		return ctx.Err()
	}
	a.importance, a.labels, a.appraised = importance, labels, !math.IsNaN(importance)
	return nil
}

// write stores the results in as many transactions as it takes. It yields to
// other writers, since stored messages are more urgent.
func (e *Enricher) write(ctx context.Context, batch []*analysis) error {
	for len(batch) > 0 {
		if e.contended.Load() {
			if err := e.db.YieldToWriters(ctx); err != nil {
				return err
			}
		}
		var done int
		err := e.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			began := time.Now()
			for done = 0; done < len(batch) && (done == 0 || tx.GoesOn(began)); done++ {
				a := batch[done]
				if !a.linked {
					r := &resolver{tx: tx, memory: a.memory}
					if err := r.link(ctx, a); err != nil {
						return err
					}
				}
				if err := e.storeRating(ctx, tx, a); err != nil {
					return err
				}
			}
			e.contended.Store(tx.Contended())
			return nil
		})
		if err != nil {
			return err
		}
		batch = batch[done:]
	}
	return nil
}

// storeRating sets the importance of a memory that has none, and adds an
// episode's importance, 0–1, to the user's sum since the last reflection. Parts
// of documents add nothing: a document is not an event. Both follow from the
// text alone, so like access counts they are neither audited nor do they change
// the version.
func (e *Enricher) storeRating(ctx context.Context, tx *schema.Tx, a *analysis) error {
	m, importance := a.memory, a.importance
	if !a.appraised {
		if importance = e.rate(m) / 10; math.IsNaN(importance) {
			importance = Importance(m.Content) / 10
		}
	}
	importance = min(1, max(0.1, importance))
	rated, err := tx.RateUnrated(ctx, m.ID, importance)
	if err != nil || !rated || m.Kind != schema.KindEpisode {
		return err
	}
	if err := tx.Label(ctx, m.ID, a.labels); err != nil {
		return err
	}
	if m.Role == "tool" { // only tool messages can be parts of documents
		document, err := tx.IsPartOfDocument(ctx, m.ID)
		if err != nil || document {
			return err
		}
	}
	return tx.GatherImportance(ctx, m.UserID, importance)
}
