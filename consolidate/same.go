package consolidate

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// alike is the share of words, 0–1, that two claims have in common (Jaccard)
// from which they say the same.
const alike = 0.85

var (
	negation  = grounding.Denial
	anyNumber = regexp.MustCompile(`\d+(?:[.,:]\d+)*`)
)

// SameClaim reports whether two claims say the same: subject, predicate and
// object are equal, or nearly all words are, and the numbers and negations too.
// What happened on two days happened twice.
// It errs on the side of two claims: what it overlooks, the conflict stage sees.
func SameClaim(a, b *schema.Memory) bool {
	if negation.MatchString(a.Content) != negation.MatchString(b.Content) ||
		!slices.Equal(anyNumber.FindAllString(a.Content, -1), anyNumber.FindAllString(b.Content, -1)) {
		return false
	}
	if a.Attributes[schema.AttrTemporal] == string(Event) && b.Attributes[schema.AttrTemporal] == string(Event) &&
		a.ValidFrom.Sub(b.ValidFrom.Time).Abs() >= 24*time.Hour {
		return false
	}
	if a.Subject != "" && a.Predicate != "" && a.Object != "" &&
		text.Fold(a.Subject) == text.Fold(b.Subject) && text.Fold(a.Predicate) == text.Fold(b.Predicate) && text.Fold(a.Object) == text.Fold(b.Object) {
		return true
	}
	return jaccard(text.Terms(a.Content), text.Terms(b.Content)) >= alike
}

// jaccard is the size of the intersection of two sets of terms over that of
// their union, 0–1; 0 for two empty ones.
func jaccard(a, b []string) float64 {
	in := make(map[string]int)
	for _, t := range a {
		in[t] |= 1
	}
	for _, t := range b {
		in[t] |= 2
	}
	both := 0
	for _, sets := range in {
		if sets == 3 {
			both++
		}
	}
	return float64(both) / float64(max(1, len(in)))
}

// comparedClaims bounds how many claims about one subject a new one is
// compared with: the newest.
const comparedClaims = 200

// knownClaim finds a claim that says what m says and holds in the present, the
// most trusted first; nil when there is none.
func knownClaim(ctx context.Context, tx *schema.Tx, m *schema.Memory) (*schema.Memory, error) {
	var known []schema.Memory
	err := tx.NewSelect().Model(&known).
		Where("user_id = ? AND kind <> 'episode' AND kind IN (?, ?) AND state IN (?, ?, ?) AND valid_until IS NULL", m.UserID, schema.KindFact, schema.KindPreference,
			schema.StateActive, schema.StateDormant, schema.StateQuarantined).
		Where("content_hash = ? OR (? <> '' AND subject = ?)", schema.HashContent(m.Content), m.Subject, m.Subject).
		Order("id DESC").Limit(comparedClaims).Scan(ctx)
	if err != nil {
		return nil, err
	}
	hash := schema.HashContent(m.Content)
	var best *schema.Memory
	for i := range known {
		k := &known[i]
		if k.ContentHash != hash && !SameClaim(k, m) {
			continue
		}
		if best == nil || better(k, best) {
			best = k
		}
	}
	if best == nil {
		return nil, nil
	}
	return tx.Memory(ctx, m.UserID, best.UID)
}

// better prefers what is not quarantined, then trust, then age.
func better(a, b *schema.Memory) bool {
	if aside := a.State == schema.StateQuarantined; aside != (b.State == schema.StateQuarantined) {
		return !aside
	}
	if a.Trust != b.Trust {
		return a.Trust > b.Trust
	}
	return a.ID < b.ID
}

// sureOfName is the confidence of a link by a name that only one entity bears.
const sureOfName = 0.9

// linkKnown links a claim to the entities that it names and that are known
// already, from its sources or by a name that only one bears. It makes none:
// what a claim names stands in its sources, which were enriched.
func linkKnown(ctx context.Context, tx *schema.Tx, m *schema.Memory, sources []source) error {
	linked := make(map[int64]bool) // to a source
	for _, s := range sources {
		var ids []int64
		if err := tx.NewSelect().Table("memory_entities").Column("entity_id").Where("memory_id = ?", s.memory.ID).Scan(ctx, &ids); err != nil {
			return err
		}
		for _, id := range ids {
			linked[id] = true
		}
	}
	names := []string{m.Subject, m.Object}
	for _, mention := range mentionsOf(m.Content) {
		names = append(names, mention.Text)
	}
	folded := text.Fold(m.Content)
	for _, name := range names {
		if !grounding.HoldsWord(folded, text.Fold(name)) {
			continue
		}
		entities, err := tx.EntitiesByName(ctx, m.UserID, name)
		if err != nil {
			return err
		}
		if of := slices.IndexFunc(entities, func(e schema.NamedEntity) bool { return linked[e.ID] }); of > 0 {
			entities = entities[of:]
		} else if of < 0 && len(entities) != 1 {
			continue
		}
		if err := tx.LinkEntity(ctx, m.ID, entities[0].ID, name, sureOfName); err != nil {
			return err
		}
	}
	return nil
}
