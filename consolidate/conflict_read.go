package consolidate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ebbmem/ebb/consolidate/relation"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// claim is a claim with what it is compared by.
type claim struct {
	*schema.StatedClaim

	terms    map[string]bool // terms and entities, without those of the subject
	entities []int64
	about    int64 // the entity that is the subject; 0 for none
}

// holding indexes the claims of a user by what they are compared by.
type holding struct {
	claims   []*claim // current claims, in order of id
	byID     map[int64]*claim
	byKey    map[relation.ClaimKey][]*claim // with superseded ones
	inKey    map[relation.ClaimKey]int      // number of current claims
	byEntity map[int64][]*claim
	inClaims map[string]int             // number of claims with a term
	left     map[ContradictionPair]bool // to the host, in both orders
}

// holdingOf reads and indexes the claims of a user.
func holdingOf(ctx context.Context, in *Input) (*holding, error) {
	h := &holding{
		byID: make(map[int64]*claim), byKey: make(map[relation.ClaimKey][]*claim), inKey: make(map[relation.ClaimKey]int), byEntity: make(map[int64][]*claim), inClaims: make(map[string]int),
	}
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		all, err := s.Night().Claims(ctx, in.UserID)
		if err != nil {
			return err
		}
		for i := range all {
			h.add(&claim{StatedClaim: &all[i]})
		}
		if h.left, err = proposedPairs(ctx, s, in.UserID, ProposalContradiction, ContradictionPair.turned); err != nil {
			return err
		}
		return h.readMentions(ctx, s, in.UserID)
	})
	return h, err
}

func (h *holding) add(c *claim) {
	key, ok := relation.KeyOf(&c.Memory)
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
	return s.Night().ClaimMentions(ctx, userID, func(memory, entity int64, surface string) {
		c := h.byID[memory]
		if c == nil {
			return
		}
		c.entities = append(c.entities, entity)
		h.byEntity[entity] = append(h.byEntity[entity], c)
		if text.Fold(surface) == text.Fold(c.Subject) {
			c.about = entity
			return
		}
		if t := fmt.Sprint("entity ", entity); !c.terms[t] { // no term holds a space
			c.terms[t] = true
			h.inClaims[t]++
		}
	})
}

// Limits and thresholds of the selection of pairs, such that a thousand messages
// of everyday talk give some hundred pairs.
const (
	maxCandidates = 8   // for one claim
	maxOfEntity   = 200 // of the newest claims of one entity
	maxNearest    = 10  // results of a search
	closeMeaning  = 0.6 // cosine from which the nearest claim by vector needs no common words
	fewOfKey      = 4   // claims of one subject and predicate; with more of them, objects add up
)

// minLikeness returns the likeness from which two claims are compared, 0–1. A
// single event or plan rarely ends anything, while a denial often does.
func minLikeness(a, b *claim, byMeaning bool) float64 {
	if text.Fold(a.Subject) != text.Fold(b.Subject) {
		return 0.6
	}
	once := isOnce(&a.Memory) || isOnce(&b.Memory)
	switch {
	case relation.Negated(&a.Memory) != relation.Negated(&b.Memory):
		return 0.2
	case once:
		return 0.5
	case byMeaning:
		return 0
	}
	return 0.35
}

// minLikenessOfKey returns the likeness from which two claims of one subject and
// predicate are compared: 0, unless the predicate may have many objects.
func (h *holding) minLikenessOfKey(key relation.ClaimKey, a, b *claim) float64 {
	if relation.Functional[key.Predicate] != 0 {
		return 0
	}
	if relation.Additive[key.Predicate] || isOnce(&a.Memory) || isOnce(&b.Memory) || h.inKey[key] > fewOfKey {
		return minLikeness(a, b, false)
	}
	return 0
}

func isOnce(m *schema.Memory) bool {
	return m.Attributes[schema.AttrTemporal] == schema.TemporalEvent || relation.IsPlan(m)
}

// candidates returns the older claims that may conflict with c, the most alike
// first: claims of the same subject and predicate or of the same entity, and those
// that a search finds.
func (h *holding) candidates(ctx context.Context, in *Input, c *claim) ([]*claim, error) {
	likeness := make(map[*claim]float64)
	consider := func(other *claim, least float64) {
		if other.ID >= c.ID || other.State != schema.StateActive || !other.ValidUntil.IsZero() || h.byID[other.ID] == nil || c.Attributes[schema.AttrProject] != other.Attributes[schema.AttrProject] || claims.HappenedApart(&c.Memory, &other.Memory, in.Location) ||
			h.left[ContradictionPair{c.UID, other.UID}] {
			return
		}
		if l := h.likeness(c, other); l >= least {
			likeness[other] = l
		}
	}
	if key, ok := relation.KeyOf(&c.Memory); ok {
		for _, other := range h.byKey[key] {
			consider(other, h.minLikenessOfKey(key, c, other))
		}
	}
	for _, e := range c.entities {
		for _, other := range h.byEntity[e][:min(maxOfEntity, len(h.byEntity[e]))] {
			least := minLikeness(c, other, false)
			if key, ok := relation.KeyOf(&c.Memory); ok && c.about == e && other.about == e && key.Predicate == claims.Predicate(other.Predicate) {
				least = h.minLikenessOfKey(key, c, other) // the same subject by another name
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
	found := slices.SortedFunc(maps.Keys(likeness), func(a, b *claim) int {
		return cmp.Or(cmp.Compare(likeness[b], likeness[a]), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(maxCandidates, len(found))], nil
}

// nearest searches for the claims nearest to c and returns the likeness each must
// have, which is 0 for the nearest by vector. Without a searcher it returns none.
func (h *holding) nearest(ctx context.Context, in *Input, c *claim) (map[*claim]float64, error) {
	if in.Searcher == nil {
		return nil, nil
	}
	answer, err := in.Searcher.Search(ctx, in.Scope, recall.Query{Text: c.Content, Now: in.Now, Limit: maxNearest, Kinds: claimKinds, Unquarantined: true, Wait: true})
	if err != nil {
		return nil, err
	}
	near := make(map[*claim]float64)
	for _, r := range answer.Results {
		if other := h.byID[r.Memory.ID]; other != nil && other != c {
			byMeaning := slices.ContainsFunc(r.Arms, func(a recall.ArmRank) bool {
				return a.Arm == "vector" && a.Rank <= 2 && a.Score >= closeMeaning // rank 1 is the claim itself
			})
			near[other] = minLikeness(c, other, byMeaning)
		}
	}
	return near, nil
}

// likeness returns the cosine of two claims' terms, weighted by how rare each is
// among the user's claims, 0–1.
func (h *holding) likeness(a, b *claim) float64 {
	both, of := 0.0, [2]float64{}
	for i, c := range []*claim{a, b} {
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
