package consolidate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// EnrichOptions say how memories are enriched. The zero value is the default.
type EnrichOptions struct {
	// Rate gives the importance of a memory, 1–10. What lies outside is taken for
	// the nearer end, and what is not a number for the default: [Importance] of
	// its content.
	Rate func(*schema.Memory) float64
}

// Enricher finds what stored memories mention and rates them. It is safe for
// concurrent use.
type Enricher struct {
	db    *schema.DB
	opts  EnrichOptions
	whole bool // a host's Rate may look at anything of a memory

	contended atomic.Bool // others waited for the last write
}

// NewEnricher makes an enricher over db.
func NewEnricher(db *schema.DB, opts EnrichOptions) *Enricher {
	e := &Enricher{db: db, opts: opts, whole: opts.Rate != nil}
	if opts.Rate == nil {
		e.opts.Rate = func(m *schema.Memory) float64 { return Importance(m.Content) }
	}
	return e
}

// Enrich links the entities that memories mention and rates their importance.
// Names, addresses, handles, hashtags and URLs are entities; dates are not.
//
// Of a very long text the first 200 different names are linked, and the first
// 200 roles ("my boss"): a write must not keep others waiting.
//
// What is quarantined is left as it is: it names nobody and weighs nothing.
//
// Doing it again changes nothing. Links are keyed by memory and entity, and an
// episode that has links is not looked through again: it would be read by what
// was learnt after it. (Whoever derives a memory may have linked it already, so
// that is no sign there.) Only a memory of importance 0, which means "not rated
// yet" and which no rating gives, is rated; importance that somebody gave stays.
//
// Several memories are done in the order given, many of them in one write. On an
// error some of them may be done.
//
// Errors: [*schema.InvalidError] for the scope, [schema.ErrNotFound] for a
// memory that is gone or another user's, the database's errors.
func (e *Enricher) Enrich(ctx context.Context, scope schema.Scope, memoryUIDs ...string) error {
	for len(memoryUIDs) > 0 {
		batch, read, err := e.read(ctx, scope, memoryUIDs)
		if err != nil {
			return err
		}
		for i := range batch {
			batch[i].look()
		}
		if err := e.write(ctx, batch); err != nil {
			return err
		}
		memoryUIDs = memoryUIDs[read:]
	}
	return nil
}

// enriched is a memory with what is found in its text.
type enriched struct {
	memory   *schema.Memory
	linked   bool // before
	found    []text.Mention
	roles    []roleMention
	careless map[string]string
}

const (
	enrichBytes   = 1 << 20               // of text, about, are read at once
	enrichQuietly = 20 * time.Millisecond // a write of several memories goes on when nobody waits
	enrichSpell   = time.Millisecond      // it goes on before others have their turn
)

// read reads the first of the memories, and says how many. Those that need
// nothing are left out.
func (e *Enricher) read(ctx context.Context, scope schema.Scope, uids []string) (batch []*enriched, read int, err error) {
	err = e.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		for bytes := 0; read < len(uids) && bytes < enrichBytes; read++ {
			m := &enriched{}
			if m.memory, err = e.memory(ctx, s, userID, uids[read]); err != nil {
				return err
			}
			if m.memory.State == schema.StateQuarantined {
				continue
			}
			if m.memory.Kind == schema.KindEpisode {
				if err := s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM memory_entities WHERE memory_id = ?)", []any{m.memory.ID}, &m.linked); err != nil {
					return err
				}
			}
			if !m.linked || m.memory.Importance == 0 {
				batch = append(batch, m)
				bytes += len(m.memory.Content)
			}
		}
		return nil
	})
	return batch, read, err
}

func (e *Enricher) memory(ctx context.Context, s *schema.Snapshot, userID int64, uid string) (*schema.Memory, error) {
	if e.whole {
		return s.Memory(ctx, userID, uid)
	}
	return s.Said(ctx, userID, uid)
}

// look looks through the text, which is the work; it happens before the write.
func (m *enriched) look() {
	if m.linked {
		return
	}
	all := mentionsOf(m.memory.Content)
	m.careless = casualWords(m.memory.Content, all)
	m.found = firstDistinct(all, maxNames)
	m.roles = rolesIn(m.memory.Content, m.found)
}

// write stores what was found, in as many writes as it takes, once nobody else
// writes: nothing here is as urgent as what is said.
func (e *Enricher) write(ctx context.Context, batch []*enriched) error {
	for len(batch) > 0 {
		if e.contended.Load() {
			if err := e.db.GiveWay(ctx); err != nil {
				return err
			}
		}
		var done int
		err := e.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			began := time.Now()
			more := func() bool {
				spent := time.Since(began)
				return spent < enrichSpell || spent < enrichQuietly && !tx.Contended()
			}
			for done = 0; done < len(batch) && (done == 0 || more()); done++ {
				m := batch[done]
				if !m.linked {
					r := &resolver{tx: tx, memory: m.memory}
					if err := r.link(ctx, m.found, m.roles, m.careless); err != nil {
						return err
					}
				}
				if err := e.rate(ctx, tx, m.memory); err != nil {
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

// rate stores the importance of a memory that has none and adds what an
// episode weighs, 0–1, to the user's sum since the last reflection; a document is
// nothing that happened, and adds nothing. Both are bookkeeping that the text
// itself decides, like access counts: they are not audited and keep the version.
func (e *Enricher) rate(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
	importance := e.opts.Rate(m) / 10
	if math.IsNaN(importance) {
		importance = Importance(m.Content) / 10
	}
	importance = min(1, max(0.1, importance))
	res, err := tx.Exec(ctx, "UPDATE memories SET importance = ? WHERE id = ? AND importance = 0", importance, m.ID)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 || m.Kind != schema.KindEpisode {
		return err
	}
	if m.Role == "tool" { // messages of others are none, and need not be read again
		var document bool
		err := tx.Row(ctx, "SELECT "+schema.PartOfDocument+" FROM memories WHERE id = ?", []any{m.ID}, &document)
		if err != nil || document {
			return err
		}
	}
	return tx.GatherImportance(ctx, m.UserID, importance)
}

// mentionsOf finds what can be an entity, the longest names first, so that
// "Karim Haddad" says who "Karim" is wherever it stands. What no entity can be
// called, such as a tracking link of a thousand bytes, is left out: the message
// keeps its other entities.
func mentionsOf(content string) []text.Mention {
	found := slices.DeleteFunc(text.Mentions(content), func(m text.Mention) bool {
		return m.Type == text.MentionDate || schema.ValidEntityName("mention", m.Text) != nil
	})
	slices.SortStableFunc(found, func(a, b text.Mention) int {
		return cmp.Compare(len(parseName(b.Text).words), len(parseName(a.Text).words))
	})
	return found
}

// What one memory may link. The lookups are more than the names because the
// same name may be met in several ways, and again while it is unknown.
const (
	maxNames   = 200
	maxLookups = 2 * maxNames
	maxRoles   = 200
)

// firstDistinct keeps the mentions of the n different texts that come first,
// in the order given.
func firstDistinct(found []text.Mention, n int) []text.Mention {
	if len(found) <= n {
		return found
	}
	keep := make(map[string]bool, n)
	for _, m := range byPosition(found) {
		if len(keep) == n {
			break
		}
		keep[m.Text] = true
	}
	return slices.DeleteFunc(slices.Clone(found), func(m text.Mention) bool { return !keep[m.Text] })
}

func byPosition(found []text.Mention) []text.Mention {
	return slices.SortedFunc(slices.Values(found), func(a, b text.Mention) int { return cmp.Compare(a.Start, b.Start) })
}

// sameMention holds all that decides what a mention resolves to.
type sameMention struct {
	typ        text.MentionType
	text       string
	confidence float64
	placed     bool
}

// link resolves what was found, each mention once, and links the memory to it.
func (r *resolver) link(ctx context.Context, found []text.Mention, roles []roleMention, careless map[string]string) error {
	if err := r.learnAliases(ctx, found); err != nil {
		return err
	}
	byStart := make(map[int]*schema.Entity, len(found))
	met := make(map[sameMention]*schema.Entity)
	lookups := 0
	for _, m := range found {
		key := sameMention{m.Type, m.Text, m.Confidence, r.placed(m)}
		if e := met[key]; e != nil {
			byStart[m.Start] = e
			continue
		}
		if lookups == maxLookups {
			continue
		}
		lookups++
		resolved, err := r.resolve(ctx, m)
		if err != nil {
			return err
		}
		if resolved.entity == nil {
			continue // too little to go by
		}
		met[key], byStart[m.Start] = resolved.entity, resolved.entity
		if err := r.tx.LinkEntity(ctx, r.memory.ID, resolved.entity.ID, m.Text, min(m.Confidence, resolved.confidence)); err != nil {
			return err
		}
	}
	for _, role := range roles {
		if err := r.role(ctx, role, byStart); err != nil {
			return err
		}
	}
	return r.casual(ctx, careless)
}
