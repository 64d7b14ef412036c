package dream

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/cognitive"
	"github.com/ebbmem/ebb/schema"
)

// Relations is the stage that relates derived memories to older ones: by a model, and
// without one, or when its budget is used up, by the document's heuristics. A memory is
// looked at once, when it is new, and gets at most ten relations.
//
// An entity that more than ten memories and a tenth of all mention is a hub: sharing it
// says nothing about two memories, and the search finds what mentions it without
// relations.
//
// When a user has more than Most relations that can be pruned, the least of them are
// removed until Kept are left: related_to before same_entity before elaborates, the least
// sure first. Others are never pruned.
//
// Counts: examined, the new memories; hubs; compared, the pairs that the model was asked
// about; unusable answers, in place of which the heuristics decide.
type Relations struct {
	Most, Kept int // default 1,000 and 900
	Batch      int // new memories a night; default 500
}

const (
	relationsStage = "relations"
	relationsEach  = 10 // of a new memory
	hubMentions    = 10
	hubShare       = 10 // of the memories, the denominator
)

// Name implements [consolidate.Stage].
func (Relations) Name() string { return relationsStage }

func (r Relations) withDefaults() Relations {
	if r.Most <= 0 {
		r.Most = 1000
	}
	if r.Kept <= 0 || r.Kept > r.Most {
		r.Kept = r.Most * 9 / 10
	}
	if r.Batch <= 0 {
		r.Batch = 500
	}
	return r
}

// related returns the relation of two memories by heuristics: the entities that they
// share, without and with hubs, the overlap of their words, and whether they are of one
// category. typ is "" for none.
func related(shared, withHubs int, overlap float64, sameCategory bool) (typ string, confidence float64) {
	switch {
	case shared >= 2:
		return schema.LinkSameEntity, 0.7
	case overlap > 0.30 && withHubs >= 1:
		return schema.LinkElaborates, 0.5
	case sameCategory && overlap > 0.15:
		return schema.LinkRelated, 0.4
	}
	return "", 0
}

// relating is what the stage compares.
type relating struct {
	memories []schema.Memory // active and derived, by id
	words    []text.TermSet
	entities []map[int64]bool
	hubs     map[int64]bool
	known    map[[2]int64]bool // pairs with a relation, the smaller id first
	fresh    []int             // places in memories
}

// pair is a new memory and an older one that may be related, by place.
type pair struct {
	fresh, older int
	typ          string // by heuristics
	confidence   float64
	overlap      float64
}

// Propose implements [consolidate.Stage].
func (r Relations) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	r = r.withDefaults()
	x, err := r.read(ctx, in)
	if err != nil {
		return err
	}
	in.Count("examined", len(x.fresh))
	in.Count("hubs", len(x.hubs))
	model := in.Model
	var stopped error // by the budget
	for len(x.fresh) > 0 {
		var pairs []pair
		n := 0
		for ; n < len(x.fresh) && len(pairs) < pairsPerCall; n++ {
			pairs = append(pairs, x.pairs(x.fresh[n])...)
		}
		if model != nil {
			err := x.ask(ctx, in, pairs)
			switch {
			case ask.Unusable(err):
				in.Count("unusable", 1)
			case errors.Is(err, ask.ErrBudget):
				model, stopped = nil, err
			case err != nil:
				return err
			}
		}
		if _, err := apply(ctx, append(x.proposals(pairs), consolidate.Advance{Stage: relationsStage, Through: x.memories[x.fresh[n-1]].ID})...); err != nil {
			return err
		}
		x.fresh = x.fresh[n:]
	}
	return errors.Join(stopped, r.prune(ctx, in, apply))
}

func (r *Relations) read(ctx context.Context, in *consolidate.Input) (*relating, error) {
	x := &relating{hubs: make(map[int64]bool), known: make(map[[2]int64]bool)}
	after, err := in.Watermark(ctx, relationsStage)
	if err != nil {
		return nil, err
	}
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		where := Derived()
		met, err := s.Night().Meeting(ctx, in.UserID, schema.StateActive, &where)
		if err != nil || len(met) == 0 || met[len(met)-1].ID <= after {
			return err
		}
		if x.memories, err = WithTexts(ctx, s, in.UserID, met); err != nil {
			return err
		}
		links, err := s.Night().Links(ctx, in.UserID, append([]string{schema.LinkCauses, schema.LinkContradicts, schema.LinkSupersedes}, schema.PrunableLinks...)...)
		for _, l := range links {
			x.known[key(l.From.ID, l.To.ID)] = true
		}
		if err != nil {
			return err
		}
		return x.readEntities(ctx, s, in.UserID)
	})
	texts := make([]string, len(x.memories))
	for i := range x.memories {
		texts[i] = strings.Join(text.QueryTerms(x.memories[i].Content, 64), " ")
		if x.memories[i].ID > after && len(x.fresh) < r.Batch {
			x.fresh = append(x.fresh, i)
		}
	}
	x.words = text.TermSets(texts)
	return x, err
}

// key is a pair in either order.
func key(a, b int64) [2]int64 { return [2]int64{min(a, b), max(a, b)} }

func (x *relating) readEntities(ctx context.Context, s *schema.Snapshot, userID int64) error {
	place := make(map[int64]int, len(x.memories))
	x.entities = make([]map[int64]bool, len(x.memories))
	for i := range x.memories {
		place[x.memories[i].ID], x.entities[i] = i, make(map[int64]bool)
	}
	mentions := make(map[int64]int) // by entity
	err := s.Night().ClaimMentions(ctx, userID, func(memory, entity int64, _ string) {
		if i, active := place[memory]; active && !x.entities[i][entity] {
			x.entities[i][entity] = true
			mentions[entity]++
		}
	})
	for entity, n := range mentions {
		if n > max(hubMentions, len(x.memories)/hubShare) {
			x.hubs[entity] = true
		}
	}
	return err
}

// pairs returns the older memories that may be related to a new one, the likeliest first.
func (x *relating) pairs(fresh int) (pairs []pair) {
	for older := range fresh {
		if x.known[key(x.memories[fresh].ID, x.memories[older].ID)] {
			continue
		}
		shared, withHubs := 0, 0
		for e := range x.entities[fresh] {
			if x.entities[older][e] {
				withHubs++
				if !x.hubs[e] {
					shared++
				}
			}
		}
		p := pair{fresh: fresh, older: older, overlap: x.words[fresh].Jaccard(x.words[older])}
		p.typ, p.confidence = related(shared, withHubs, p.overlap, cognitive.CategoryOf(&x.memories[fresh]) == cognitive.CategoryOf(&x.memories[older]))
		if p.typ != "" || shared > 0 {
			pairs = append(pairs, p)
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.confidence, a.confidence), cmp.Compare(b.overlap, a.overlap), cmp.Compare(b.older, a.older))
	})
	return pairs[:min(len(pairs), relationsEach)]
}

func (x *relating) proposals(pairs []pair) (proposals []consolidate.Proposal) {
	for _, p := range pairs {
		from, to := &x.memories[p.fresh], &x.memories[p.older]
		switch p.typ {
		case "":
			continue
		case causedBy:
			from, to, p.typ = to, from, schema.LinkCauses
		}
		proposals = append(proposals, consolidate.AddRelation{From: from.UID, To: to.UID, Type: p.typ, Confidence: p.confidence})
	}
	return proposals
}

// prune removes the least relations if there are too many.
func (r *Relations) prune(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	links, err := schema.Get(ctx, in.DB, func(ctx context.Context, s *schema.Snapshot) ([]schema.Link, error) {
		return s.Night().Links(ctx, in.UserID, schema.PrunableLinks...)
	})
	if err != nil || len(links) <= r.Most {
		return err
	}
	slices.SortFunc(links, func(a, b schema.Link) int {
		return cmp.Or(cmp.Compare(slices.Index(schema.PrunableLinks, a.Type), slices.Index(schema.PrunableLinks, b.Type)),
			cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.From.ID, b.From.ID), cmp.Compare(a.To.ID, b.To.ID))
	})
	var proposals []consolidate.Proposal
	for _, l := range links[:len(links)-r.Kept] {
		proposals = append(proposals, consolidate.RemoveRelation{From: l.From.UID, To: l.To.UID, Type: l.Type, Above: r.Kept})
	}
	_, err = apply.InBatches(ctx, proposals)
	return err
}
