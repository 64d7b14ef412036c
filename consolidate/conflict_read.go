package consolidate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// contender is a claim that others are compared with.
type contender struct {
	schema.Memory

	Said  schema.Time // when it was last said
	Voice string      // who said so; "" when no message does

	terms    map[string]bool // index terms and entities, without those of the subject
	entities []int64
	about    int64 // the entity that is the subject; 0 when none is
}

// holding are the claims of a user, by what makes two of them worth comparing.
type holding struct {
	claims   []*contender // current ones, by id
	byID     map[int64]*contender
	byKey    map[claimKey][]*contender // superseded ones too, without Said
	inKey    map[claimKey]int          // current ones
	byEntity map[int64][]*contender
	inClaims map[string]int // in how many claims a term is
	left     map[ContradictionPair]bool
}

const (
	allClaims = `SELECT m.*, coalesce(
			(SELECT max(s.event_time) FROM memory_sources ms JOIN memories s ON s.id = ms.source_id WHERE ms.memory_id = m.id AND s.trust >= m.trust),
			m.event_time) AS said,
		coalesce((SELECT CASE s.speaker WHEN '' THEN s.role ELSE s.speaker END FROM memory_sources ms JOIN memories s ON s.id = ms.source_id
			WHERE ms.memory_id = m.id ORDER BY s.event_time DESC, s.id LIMIT 1), '') AS voice
		FROM memories m WHERE m.user_id = ? AND m.kind IN ('fact', 'preference') AND m.state IN ('active', 'dormant', 'superseded') ORDER BY m.id`
	allMentions = `SELECT me.memory_id, coalesce(e.merged_into, e.id), me.surface FROM memory_entities me JOIN entities e ON e.id = me.entity_id
		JOIN memories m ON m.id = me.memory_id
		WHERE m.user_id = ? AND m.kind IN ('fact', 'preference') AND m.state = 'active' ORDER BY me.memory_id DESC`
)

// holdingOf reads all claims of a user.
func holdingOf(ctx context.Context, in *Input) (*holding, error) {
	h := &holding{
		byID: make(map[int64]*contender), byKey: make(map[claimKey][]*contender), inKey: make(map[claimKey]int), byEntity: make(map[int64][]*contender), inClaims: make(map[string]int),
	}
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		var all []contender
		if err := s.NewRaw(allClaims, in.UserID).Scan(ctx, &all); err != nil {
			return err
		}
		for i := range all {
			h.add(&all[i])
		}
		if h.left, err = hostPairs(ctx, s, in.UserID); err != nil {
			return err
		}
		return h.readMentions(ctx, s, in.UserID)
	})
	return h, err
}

func (h *holding) add(c *contender) {
	key, ok := keyOf(&c.Memory)
	if ok {
		h.byKey[key] = append(h.byKey[key], c)
	}
	if c.State != schema.StateActive || !c.ValidUntil.IsZero() {
		return
	}
	if ok {
		h.inKey[key]++
	}
	h.claims = append(h.claims, c)
	h.byID[c.ID] = c
	c.terms = make(map[string]bool)
	for _, t := range text.QueryTerms(c.Content, 0) {
		c.terms[t] = true
	}
	for _, t := range text.Terms(c.Subject) {
		delete(c.terms, t)
	}
	for t := range c.terms {
		h.inClaims[t]++
	}
}

func (h *holding) readMentions(ctx context.Context, s *schema.Snapshot, userID int64) error {
	rows, err := s.Query(ctx, allMentions, userID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var memory, entity int64
		var surface string
		if err := rows.Scan(&memory, &entity, &surface); err != nil {
			return err
		}
		c := h.byID[memory]
		if c == nil {
			continue
		}
		c.entities = append(c.entities, entity)
		h.byEntity[entity] = append(h.byEntity[entity], c)
		if text.Fold(surface) == text.Fold(c.Subject) {
			c.about = entity
			continue
		}
		if t := fmt.Sprint("entity ", entity); !c.terms[t] { // no term holds a space
			c.terms[t] = true
			h.inClaims[t]++
		}
	}
	return rows.Err()
}

// How a new claim finds those it is compared with. The bars are set so that a
// thousand messages of ordinary talk give some hundred pairs.
const (
	maxCandidates = 8   // of one claim
	maxOfEntity   = 200 // claims of one entity that are looked at, the newest
	maxNearest    = 10  // that a search is asked for
	closeMeaning  = 0.6 // cosine from which the nearest by meaning needs no words in common
	fewOfKey      = 4   // current claims of one subject and predicate; of which there are more, there can be many
)

// bar is how alike two claims must be, 0–1, to be compared. What happened or
// is planned once seldom ends anything; what is said and denied often does.
func bar(a, b *contender, byMeaning bool) float64 {
	if text.Fold(a.Subject) != text.Fold(b.Subject) {
		return 0.6
	}
	once := isOnce(&a.Memory) || isOnce(&b.Memory)
	switch {
	case negated(&a.Memory) != negated(&b.Memory):
		return 0.2
	case once:
		return 0.5
	case byMeaning:
		return 0
	}
	return 0.35
}

// barOfKey is the bar of two claims of one subject and predicate: none, unless
// the predicate is one of which somebody has many objects.
func (h *holding) barOfKey(key claimKey, a, b *contender) float64 {
	if functional[key.predicate] != 0 {
		return 0
	}
	if additive[key.predicate] || isOnce(&a.Memory) || isOnce(&b.Memory) || h.inKey[key] > fewOfKey {
		return bar(a, b, false)
	}
	return 0
}

func isOnce(m *schema.Memory) bool {
	return m.Attributes[schema.AttrTemporal] == string(Event) || isPlan(m)
}

// candidates are the claims known before c that may conflict with it, the
// likeliest first: claims of the same subject and predicate, of the same
// entity, and those a search finds nearest.
func (h *holding) candidates(ctx context.Context, in *Input, c *contender) ([]*contender, error) {
	likeness := make(map[*contender]float64)
	consider := func(other *contender, least float64) {
		if other.ID >= c.ID || other.State != schema.StateActive || !other.ValidUntil.IsZero() || h.byID[other.ID] == nil || happenedApart(&c.Memory, &other.Memory) ||
			h.left[ContradictionPair{c.UID, other.UID}] {
			return
		}
		if l := h.likeness(c, other); l >= least {
			likeness[other] = l
		}
	}
	if key, ok := keyOf(&c.Memory); ok {
		for _, other := range h.byKey[key] {
			consider(other, h.barOfKey(key, c, other))
		}
	}
	for _, e := range c.entities {
		for _, other := range h.byEntity[e][:min(maxOfEntity, len(h.byEntity[e]))] {
			least := bar(c, other, false)
			if key, ok := keyOf(&c.Memory); ok && c.about == e && other.about == e && key.predicate == claims.Predicate(other.Predicate) {
				least = h.barOfKey(key, c, other) // one subject under two names
			}
			consider(other, least)
		}
	}
	near, err := h.nearest(ctx, in, c)
	if err != nil {
		return nil, err
	}
	for other, least := range near {
		consider(other, least)
	}
	found := make([]*contender, 0, len(likeness))
	for other := range likeness {
		found = append(found, other)
	}
	slices.SortFunc(found, func(a, b *contender) int {
		return cmp.Or(cmp.Compare(likeness[b], likeness[a]), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(maxCandidates, len(found))], nil
}

// nearest asks the search, if there is one, for the claims nearest to c and
// says how alike each must be: the nearest by meaning may be all different words.
func (h *holding) nearest(ctx context.Context, in *Input, c *contender) (map[*contender]float64, error) {
	if in.Searcher == nil {
		return nil, nil
	}
	answer, err := in.Searcher.Search(ctx, in.Scope, recall.Query{Text: c.Content, Now: in.Now, Limit: maxNearest, Kinds: claimKinds, Unquarantined: true, Wait: true})
	if err != nil {
		return nil, err
	}
	near := make(map[*contender]float64)
	for _, r := range answer.Results {
		if other := h.byID[r.Memory.ID]; other != nil && other != c {
			byMeaning := slices.ContainsFunc(r.Arms, func(a recall.ArmRank) bool {
				return a.Arm == "vector" && a.Rank <= 2 && a.Score >= closeMeaning // the first is the claim itself
			})
			near[other] = bar(c, other, byMeaning)
		}
	}
	return near, nil
}

// likeness is the cosine of two claims' terms, each weighed by how rare it is
// among the user's claims, 0–1.
func (h *holding) likeness(a, b *contender) float64 {
	both, of := 0.0, [2]float64{}
	for i, c := range []*contender{a, b} {
		for t := range c.terms {
			w := math.Log(1 + float64(len(h.claims))/float64(h.inClaims[t]))
			of[i] += w * w
			if i == 0 && b.terms[t] {
				both += w * w
			}
		}
	}
	if both == 0 {
		return 0
	}
	return both / math.Sqrt(of[0]*of[1])
}
