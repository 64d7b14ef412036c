package consolidate

import (
	"context"
	"fmt"
	"slices"

	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/schema"
)

// Entities is the stage that deduplicates, resolves and summarises entities.
//
// Code merges two entities of one full name, or of one address and matching names.
// Likely pairs such as "Vitya Orlov" and "Viktor Orlov" wait for the host
// ([ProposalMergeEntities]), and so does a merge that was undone before. The model
// then resolves new mentions below [enrich.Sure] that fit several entities, and
// summarises in two sentences the entities mentioned often. Protected entities do
// not change. Without a model, code does its part and the rest waits.
//
// Counts: asked, mentions shown to the model; waiting, mentions left for the next
// night; summarised, entities shown to the model; unusable answers; dropped,
// summaries that say more than the memories.
type Entities struct{}

const entitiesStage = "entities"

// Name implements [Stage].
func (Entities) Name() string { return entitiesStage }

// Propose implements [Stage].
func (Entities) Propose(ctx context.Context, in *Input, apply Apply) error {
	if err := mergeNames(ctx, in, apply); err != nil || in.Model == nil {
		return err
	}
	if err := resolveMentions(ctx, in, apply); err != nil {
		return err
	}
	return summarise(ctx, in, apply)
}

// mergeNames merges entities by their names until no merge enables another, and
// proposes likely pairs to the host.
func mergeNames(ctx context.Context, in *Input, apply Apply) error {
	for {
		var sure, likely []Proposal
		err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			all, err := namedEntities(ctx, s.Night(), in.UserID)
			if err != nil {
				return err
			}
			apart, err := proposedPairs(ctx, s, in.UserID, ProposalMergeEntities, EntityPair.turned)
			if err != nil {
				return err
			}
			sure, likely = pairNames(all, apart)
			likely, err = notTogether(ctx, s, in.UserID, likely)
			return err
		})
		if err != nil {
			return err
		}
		outcomes, err := apply.InBatches(ctx, sure)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Status == Applied }) {
			continue
		}
		_, err = apply.InBatches(ctx, likely)
		return err
	}
}

// ProposalMergeEntities is the kind of the rows of proposals that hold an
// [EntityPair].
const ProposalMergeEntities = "merge_entities"

// EntityPair are two entities that may be the same, by public id.
type EntityPair struct {
	From string `json:"from"` // becomes another name of the other
	Into string `json:"into"`
}

// proposedPairs returns the pairs that were left to the host, in both directions and
// whatever the host decided.
func proposedPairs[P comparable](ctx context.Context, s *schema.Snapshot, userID int64, kind string, turned func(P) P) (map[P]bool, error) {
	payloads, err := s.Night().ProposalPayloads(ctx, userID, kind)
	if err != nil {
		return nil, err
	}
	pairs := make(map[P]bool)
	for _, payload := range payloads {
		var p P
		if err := schema.DecodeStored("the payload of a proposal", payload, &p); err != nil {
			return nil, err
		}
		pairs[p], pairs[turned(p)] = true, true
	}
	return pairs, nil
}

func (p EntityPair) turned() EntityPair { return EntityPair{p.Into, p.From} }

// notTogether drops the pairs that one memory mentions together, since it means
// two.
func notTogether(ctx context.Context, s *schema.Snapshot, userID int64, likely []Proposal) (kept []Proposal, err error) {
	for _, p := range likely {
		pair, _ := p.(MergeEntities)
		together, err := s.Night().MentionedTogether(ctx, userID, pair.From, pair.Into)
		if err != nil {
			return nil, err
		}
		if !together {
			kept = append(kept, p)
		}
	}
	return kept, nil
}

// MergeEntities merges an entity into another. It is applied if their names leave
// no doubt then; otherwise the host is asked, once.
type MergeEntities struct {
	From, Into string // public ids
	Why        string // for the host
}

func (MergeEntities) of() (kind, memory string) { return ProposalMergeEntities, "" }

func (p MergeEntities) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	from, err := namedEntityOf(ctx, tx, n.input.UserID, p.From)
	if err != nil {
		return Outcome{}, err
	}
	into, err := namedEntityOf(ctx, tx, n.input.UserID, p.Into)
	if err != nil {
		return Outcome{}, err
	}
	for _, e := range []*namedEntity{from, into} {
		switch {
		case e.MergedInto != 0:
			return Outcome{}, fmt.Errorf("entity %s was merged: %w", e.UID, schema.ErrConflict)
		case e.Protected:
			return Outcome{}, &schema.InvalidError{Field: "entity", Reason: "is protected"}
		}
	}
	outcome := Outcome{Kind: ProposalMergeEntities, Status: Applied, Reason: p.Why, Text: fmt.Sprintf("%s is %s", from.Name, into.Name)}
	pair := EntityPair{p.From, p.Into}
	asked, err := tx.Night().IsPairProposed(ctx, n.input.UserID, ProposalMergeEntities, [2]string{"from", "into"}, p.From, p.Into)
	if err != nil {
		return Outcome{}, err
	}
	apart, err := keptApart(ctx, tx, from.Entity, into.Entity)
	if err != nil {
		return Outcome{}, err
	}
	alike, err := sameLevel(ctx, tx, from.ID, into.ID)
	if err != nil {
		return Outcome{}, err
	}
	by := likeness(from, into)
	switch {
	case asked:
		outcome.Status, outcome.Reason = Known, "it was left to the host before"
	case by.sure && (!apart || by.address) && alike:
		err = tx.MergeEntities(ctx, from.Entity, into.Entity, n.actor())
	default:
		outcome.Status = Waiting
		_, _, err = tx.Propose(ctx, n.input.UserID, ProposalMergeEntities, pair, p.Why, n.actor())
	}
	return outcome, err
}

// keptApart reports whether a merge of two entities was undone, or one memory
// names both.
func keptApart(ctx context.Context, tx *schema.Tx, a, b *schema.Entity) (bool, error) {
	undone, err := tx.Night().MergeUndone(ctx, a, b)
	if err != nil || undone {
		return undone, err
	}
	return tx.Night().MentionedTogether(ctx, a.UserID, a.UID, b.UID)
}

// sameLevel reports whether the most trusted memories that mention two entities
// are of the same trust, or none mentions one of them. Otherwise the less trusted
// would give its names to the other.
func sameLevel(ctx context.Context, tx *schema.Tx, a, b int64) (bool, error) {
	x, mentioned, err := tx.Night().MentionTrust(ctx, a)
	if err != nil || !mentioned {
		return !mentioned, err
	}
	y, mentioned, err := tx.Night().MentionTrust(ctx, b)
	return !mentioned || x == y, err
}

// namedEntity is an entity with its names.
type namedEntity struct {
	*schema.Entity

	name    names.Name
	aliases map[string]knownAs // by folded alias, with those of entities merged into it
}

// knownAs is an alias as written and its confidence.
type knownAs struct {
	surface string
	sure    float64
}

// namedEntities reads the unmerged entities of a user.
func namedEntities(ctx context.Context, reads schema.NightReads, userID int64) ([]*namedEntity, error) {
	entities, err := reads.UnmergedEntities(ctx, userID)
	if err != nil {
		return nil, err
	}
	return withAliases(ctx, reads, userID, 0, entities)
}

func namedEntityOf(ctx context.Context, tx *schema.Tx, userID int64, uid string) (*namedEntity, error) {
	e, err := tx.Entity(ctx, userID, uid)
	if err != nil {
		return nil, err
	}
	named, err := withAliases(ctx, tx.Night(), userID, e.ID, []*schema.Entity{e})
	if err != nil {
		return nil, err
	}
	return named[0], nil
}

func withAliases(ctx context.Context, reads schema.NightReads, userID, only int64, entities []*schema.Entity) ([]*namedEntity, error) {
	byID := make(map[int64]*namedEntity, len(entities))
	named := make([]*namedEntity, len(entities))
	for i, e := range entities {
		named[i] = &namedEntity{Entity: e, name: names.Parse(e.Name), aliases: make(map[string]knownAs)}
		byID[e.ID] = named[i]
	}
	aliases, err := reads.AliasesWithMerged(ctx, userID, only)
	if err != nil {
		return nil, err
	}
	for _, a := range aliases {
		if e := byID[a.EntityID]; e != nil {
			e.aliases[a.Alias] = knownAs{a.Surface, a.Confidence}
		}
	}
	return named, nil
}
