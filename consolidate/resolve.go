package consolidate

import (
	"context"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Sure is the confidence from which a link stands. The night looks at those
// below with a model, when there is one.
const Sure = 0.7

// How sure different grounds are that a name means an entity.
const (
	byFullName  = 0.95 // its only full name
	byPart      = 0.75 // its given name or surname, which nobody else has
	byShortForm = 0.7  // a short form of its given name
	byAddress   = 0.75 // an e-mail address or handle spelt like its name
	byLikeness  = 0.65 // another script, or a name that may not be a person's
	ambiguous   = 0.4  // one of several

	// newName is what a mention needs to make a new entity: a single unknown
	// word at the start of a sentence has less.
	newName = 0.65
)

// resolver decides which entity a name means, within one user's memory and
// one write. It never joins two entities: that is the night's to propose.
type resolver struct {
	tx     *schema.Tx
	memory *schema.Memory
	above  map[int64]bool // see namedAbove
}

// namedAbove reports that a memory which is trusted more mentions the entity:
// then this one may mention it too, and gives it no name.
func (r *resolver) namedAbove(ctx context.Context, e *schema.Entity) (above bool, err error) {
	if r.memory.Trust >= schema.MaxTrust {
		return false, nil
	}
	if above, known := r.above[e.ID]; known {
		return above, nil
	}
	err = r.tx.Row(ctx, `SELECT EXISTS (SELECT 1 FROM memory_entities me JOIN memories m ON m.id = me.memory_id WHERE me.entity_id = ? AND m.trust > ?)`,
		[]any{e.ID, int64(r.memory.Trust)}, &above)
	if r.above == nil {
		r.above = make(map[int64]bool)
	}
	r.above[e.ID] = above
	return above, err
}

// resolved is an entity and how sure it is that the name means it.
type resolved struct {
	entity     *schema.Entity
	confidence float64
	own        bool // the name is an alias of this confidence already
}

func (r *resolver) resolve(ctx context.Context, m text.Mention) (resolved, error) {
	switch m.Type {
	case text.MentionName:
		return r.name(ctx, m)
	case text.MentionEmail, text.MentionHandle:
		return r.address(ctx, m)
	}
	e, _, err := r.tx.ResolveEntity(ctx, r.memory.UserID, string(m.Type), m.Text, 1)
	return resolved{entity: e, confidence: 1}, err
}

// name resolves a proper name: as it was written before, by its parts, or as
// somebody new.
func (r *resolver) name(ctx context.Context, m text.Mention) (resolved, error) {
	n := parseName(m.Text)
	place := r.placed(m) && n.title == "" && !isGivenName(n.given())
	known, err := r.known(ctx, n.surface)
	if err != nil {
		return resolved{}, err
	}
	if len(known) == 0 && n.title != "" {
		known, err = r.known(ctx, n.bare)
		if err != nil {
			return resolved{}, err
		}
		for i := range known {
			known[i].own = false // not by its surface
		}
	}
	if place { // "in Bergen" does not mean Lars Bergen
		known = slices.DeleteFunc(known, func(k resolved) bool { return k.confidence < byFullName && n.partOf(k.entity) })
	}
	if len(known) > 0 {
		best := known[0]
		if len(known) > 1 && !surest(known) {
			best.confidence = ambiguous
		}
		if best.own {
			return best, nil
		}
		return best, r.alias(ctx, best.entity, n.surface, best.confidence)
	}
	if match, err := r.likely(ctx, n); err != nil || match.entity != nil {
		return match, err
	}
	if m.Confidence < newName && n.personhood() == 0 {
		return resolved{}, nil // wait until it is met inside a sentence
	}
	return r.create(ctx, n, m.Confidence, place)
}

// surest reports that the first of several stands out: it is known by the name
// itself, the others by a part of theirs.
func surest(known []resolved) bool {
	return known[0].confidence >= byFullName && known[1].confidence < byFullName && known[0].entity.Type != schema.EntityPerson
}

// known lists the entities that have the alias, with the alias's confidence.
func (r *resolver) known(ctx context.Context, alias string) ([]resolved, error) {
	found, err := r.tx.EntitiesByName(ctx, r.memory.UserID, alias)
	known := make([]resolved, 0, len(found))
	for i := range found {
		known = append(known, resolved{&found[i].Entity, found[i].Surest, found[i].Own})
	}
	return known, err
}

// likely finds the one entity that a name, never written before, is a form of.
func (r *resolver) likely(ctx context.Context, n personName) (resolved, error) {
	if forms := latinForms(n.full()); n.single() && len(forms) > 0 {
		for i := range forms {
			forms = append(forms, otherForms(forms[i])...)
		}
		return r.only(ctx, n.surface, forms, byLikeness, func(*schema.Entity) bool { return true })
	}
	if n.single() {
		return r.only(ctx, n.surface, otherForms(n.given()), byShortForm, isPerson)
	}
	sure := n.personhood()
	if sure == 0 {
		return resolved{}, nil
	}
	// A full name: somebody so far known by a part of it, and by no other.
	match, err := r.only(ctx, n.surface, append(slices.Clone(otherForms(n.given())), n.given()), byPart, func(e *schema.Entity) bool {
		have := parseName(e.Name)
		return e.Type != schema.EntityPlace && have.single() && (sure > 0.6 || e.MentionCount > 0) && (have.title == "" || have.kin)
	})
	if err != nil || match.entity == nil {
		match, err = r.only(ctx, n.surface, []string{n.family()}, byPart, func(e *schema.Entity) bool {
			have := parseName(e.Name)
			return have.single() && have.title != "" && !have.kin
		})
	}
	if err != nil || match.entity == nil {
		return match, err
	}
	return match, r.rename(ctx, match.entity, n)
}

func isPerson(e *schema.Entity) bool { return e.Type == schema.EntityPerson }

// only finds the entity that one of the forms names, when it is a single one
// that fits.
func (r *resolver) only(ctx context.Context, surface string, forms []string, confidence float64, fits func(*schema.Entity) bool) (resolved, error) {
	var match *schema.Entity
	named := false // so already
	for _, form := range forms {
		found, err := r.tx.EntitiesByName(ctx, r.memory.UserID, form)
		if err != nil {
			return resolved{}, err
		}
		for i := range found {
			e := &found[i].Entity
			if !fits(e) {
				continue
			}
			named = named || found[i].Own && found[i].Surest >= confidence && text.Fold(form) == text.Fold(surface)
			if match != nil && match.ID == e.ID {
				continue
			}
			if match != nil {
				return resolved{}, nil
			}
			match = e
		}
	}
	if match == nil {
		return resolved{}, nil
	}
	if named {
		return resolved{entity: match, confidence: confidence}, nil
	}
	return resolved{entity: match, confidence: confidence}, r.alias(ctx, match, surface, confidence)
}

// rename gives an entity known by a part of its name the fullest one.
func (r *resolver) rename(ctx context.Context, e *schema.Entity, n personName) error {
	if above, err := r.namedAbove(ctx, e); above || err != nil {
		return err
	}
	if _, err := r.tx.Exec(ctx, "UPDATE entities SET name = ?, type = ? WHERE id = ?", n.bare, schema.EntityPerson, e.ID); err != nil {
		return err
	}
	e.Name, e.Type = n.bare, schema.EntityPerson
	return r.parts(ctx, e, n)
}

// create makes an entity, with the parts of a person's name as aliases.
func (r *resolver) create(ctx context.Context, n personName, confidence float64, place bool) (resolved, error) {
	typ, name := schema.EntityName, n.bare
	switch sure := n.personhood(); {
	case place:
		typ = schema.EntityPlace
	case sure > 0.6 || n.given() == text.Fold(r.memory.Speaker):
		typ = schema.EntityPerson
	}
	if n.title != "" && !n.kin && n.single() {
		name = n.surface // a surname alone is no name to be known by
	}
	e, err := r.tx.CreateEntity(ctx, r.memory.UserID, typ, name, byFullName)
	if err != nil {
		return resolved{}, err
	}
	if err := r.alias(ctx, e, n.surface, byFullName); err != nil {
		return resolved{}, err
	}
	if !place {
		err = r.parts(ctx, e, n)
	}
	return resolved{entity: e, confidence: confidence}, err
}

// parts records under what else a person can be mentioned.
func (r *resolver) parts(ctx context.Context, e *schema.Entity, n personName) error {
	sure := n.personhood()
	if sure == 0 {
		return nil
	}
	confidence := byPart
	if sure <= 0.6 {
		confidence = byLikeness
	}
	aliases := []string{n.bare}
	if fields := strings.Fields(n.bare); len(fields) > 1 {
		aliases = []string{fields[0], fields[len(fields)-1]}
	}
	if n.title != "" {
		aliases = append(aliases, n.bare)
	}
	for _, alias := range aliases {
		if err := r.alias(ctx, e, alias, confidence); err != nil {
			return err
		}
	}
	return nil
}

func (r *resolver) alias(ctx context.Context, e *schema.Entity, surface string, confidence float64) error {
	if confidence <= ambiguous {
		return nil
	}
	if above, err := r.namedAbove(ctx, e); above || err != nil {
		return err
	}
	return r.tx.AddAlias(ctx, e, surface, confidence)
}

// placed reports that a preposition of place stands before a mention.
func (r *resolver) placed(m text.Mention) bool {
	before := strings.Fields(text.Fold(r.memory.Content[max(0, m.Start-24):m.Start]))
	return len(before) > 0 && placePrepositions[before[len(before)-1]]
}

var placePrepositions = words("in near nach aus в")
