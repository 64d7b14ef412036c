package enrich

import (
	"context"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Sure is the confidence from which a link needs no second look. The night
// shows those below to a model, when there is one.
const Sure = 0.7

// Ambiguous is the confidence of a link to one of several entities that fit.
const Ambiguous = 0.4

// The confidence that a name means an entity, by how it was resolved.
const (
	byFullName  = 0.95 // the full name of one entity
	byPart      = 0.75 // a given or family name that one entity has
	byShortForm = 0.7  // a short form of the given name
	byAddress   = 0.75 // an e-mail address or handle that spells the name
	byLikeness  = 0.65 // a transliteration, or a name that may not be a person's

	// newEntity is the confidence from which a mention creates an entity. A single
	// unknown word at the start of a sentence has less.
	newEntity = 0.65
)

// resolver finds which entity a name means, for one memory and in one write. It
// never merges two entities; the night proposes that.
type resolver struct {
	tx     *schema.Tx
	memory *schema.Memory
	above  map[int64]bool // see namedAbove
}

// namedAbove reports whether a more trusted memory mentions the entity. If so,
// this memory may link to it but not give it names.
func (r *resolver) namedAbove(ctx context.Context, e *schema.Entity) (above bool, err error) {
	if r.memory.Trust >= schema.MaxTrust {
		return false, nil
	}
	if above, known := r.above[e.ID]; known {
		return above, nil
	}
	above, err = r.tx.MentionedAbove(ctx, e.ID, r.memory.Trust)
	if r.above == nil {
		r.above = make(map[int64]bool)
	}
	r.above[e.ID] = above
	return above, err
}

// match is the entity that a name resolves to. entity is nil when too little is
// known.
type match struct {
	entity     *schema.Entity
	confidence float64
	own        bool // the entity has the name as an alias of this confidence
}

func (r *resolver) resolve(ctx context.Context, m text.Mention) (match, error) {
	switch m.Type {
	case text.MentionName:
		return r.name(ctx, m)
	case text.MentionEmail, text.MentionHandle:
		return r.address(ctx, m)
	}
	e, _, err := r.tx.ResolveEntity(ctx, r.memory.UserID, string(m.Type), m.Text, 1)
	return match{entity: e, confidence: 1}, err
}

// name resolves a proper name: as an alias, as a form of a known name, or by
// creating an entity.
func (r *resolver) name(ctx context.Context, m text.Mention) (match, error) {
	n := names.Parse(m.Text)
	place := r.afterPlacePreposition(m) && n.Title == "" && !names.IsGiven(n.Given())
	known, err := r.known(ctx, n.Surface)
	if err != nil {
		return match{}, err
	}
	if len(known) == 0 && n.Title != "" {
		known, err = r.known(ctx, n.Bare)
		if err != nil {
			return match{}, err
		}
		for i := range known {
			known[i].own = false // the alias lacks the title
		}
	}
	if place { // "in Bergen" does not mean Lars Bergen
		known = slices.DeleteFunc(known, func(k match) bool {
			return k.confidence < byFullName && n.PartOf(names.Parse(k.entity.Name))
		})
	}
	if len(known) > 0 {
		best := known[0]
		if len(known) > 1 && !standsOut(known) {
			best.confidence = Ambiguous
		}
		if best.own {
			return best, nil
		}
		return best, r.alias(ctx, best.entity, n.Surface, best.confidence)
	}
	if found, err := r.similar(ctx, n); err != nil || found.entity != nil {
		return found, err
	}
	if m.Confidence < newEntity && n.Person() == 0 {
		return match{}, nil // wait until the name occurs inside a sentence
	}
	return r.create(ctx, n, m.Confidence, place)
}

// standsOut reports whether the first of several entities has the name itself
// while the others have it as a part of theirs. People never stand out.
func standsOut(known []match) bool {
	return known[0].confidence >= byFullName && known[1].confidence < byFullName && known[0].entity.Type != schema.EntityPerson
}

// known lists the entities that have the alias.
func (r *resolver) known(ctx context.Context, alias string) ([]match, error) {
	found, err := r.tx.EntitiesByName(ctx, r.memory.UserID, alias)
	known := make([]match, 0, len(found))
	for i := range found {
		known = append(known, match{&found[i].Entity, found[i].Surest, found[i].Own})
	}
	return known, err
}

// similar finds the one entity that a new name is a form of.
func (r *resolver) similar(ctx context.Context, n names.Name) (match, error) {
	if forms := names.LatinForms(n.Full()); n.Single() && len(forms) > 0 {
		for i := range forms {
			forms = append(forms, names.OtherForms(forms[i])...)
		}
		return r.onlyOne(ctx, n.Surface, forms, byLikeness, func(*schema.Entity) bool { return true })
	}
	if n.Single() {
		return r.onlyOne(ctx, n.Surface, names.OtherForms(n.Given()), byShortForm, isPerson)
	}
	person := n.Person()
	if person == 0 {
		return match{}, nil
	}
	// A full name: an entity known by its given name alone, or else by a title and
	// the family name.
	found, err := r.onlyOne(ctx, n.Surface, names.WithForms(n.Given()), byPart, func(e *schema.Entity) bool {
		have := names.Parse(e.Name)
		return e.Type != schema.EntityPlace && have.Single() && (person > names.FullNamed || e.MentionCount > 0) && (have.Title == "" || have.Kinship)
	})
	if err != nil || found.entity == nil {
		found, err = r.onlyOne(ctx, n.Surface, []string{n.Family()}, byPart, func(e *schema.Entity) bool {
			have := names.Parse(e.Name)
			return have.Single() && have.Title != "" && !have.Kinship
		})
	}
	if err != nil || found.entity == nil {
		return found, err
	}
	return found, r.rename(ctx, found.entity, n)
}

func isPerson(e *schema.Entity) bool { return e.Type == schema.EntityPerson }

// onlyOne finds the entity that has one of the forms as an alias and fits, if
// there is exactly one, and adds the surface to its aliases.
func (r *resolver) onlyOne(ctx context.Context, surface string, forms []string, confidence float64, fits func(*schema.Entity) bool) (match, error) {
	var only *schema.Entity
	hasAlias := false
	for _, form := range forms {
		found, err := r.tx.EntitiesByName(ctx, r.memory.UserID, form)
		if err != nil {
			return match{}, err
		}
		for i := range found {
			e := &found[i].Entity
			if !fits(e) {
				continue
			}
			hasAlias = hasAlias || found[i].Own && found[i].Surest >= confidence && text.Fold(form) == text.Fold(surface)
			if only != nil && only.ID == e.ID {
				continue
			}
			if only != nil {
				return match{}, nil
			}
			only = e
		}
	}
	if only == nil {
		return match{}, nil
	}
	if hasAlias {
		return match{entity: only, confidence: confidence}, nil
	}
	return match{entity: only, confidence: confidence}, r.alias(ctx, only, surface, confidence)
}

// rename gives an entity known by a part of its name the full name.
func (r *resolver) rename(ctx context.Context, e *schema.Entity, n names.Name) error {
	if above, err := r.namedAbove(ctx, e); above || err != nil {
		return err
	}
	if err := r.tx.RenameEntity(ctx, e, n.Bare, schema.EntityPerson); err != nil {
		return err
	}
	return r.parts(ctx, e, n)
}

// create makes an entity, with the parts of a person's name as aliases.
func (r *resolver) create(ctx context.Context, n names.Name, confidence float64, place bool) (match, error) {
	typ, name := schema.EntityName, n.Bare
	switch person := n.Person(); {
	case place:
		typ = schema.EntityPlace
	case person > names.FullNamed || n.Given() == text.Fold(r.memory.Speaker):
		typ = schema.EntityPerson
	}
	if n.Title != "" && !n.Kinship && n.Single() {
		name = n.Surface // a family name alone does not identify anybody
	}
	e, err := r.tx.CreateEntity(ctx, r.memory.UserID, typ, name, byFullName)
	if err != nil {
		return match{}, err
	}
	if err := r.alias(ctx, e, n.Surface, byFullName); err != nil {
		return match{}, err
	}
	if !place {
		err = r.parts(ctx, e, n)
	}
	return match{entity: e, confidence: confidence}, err
}

// parts adds the given and family name of a person as aliases.
func (r *resolver) parts(ctx context.Context, e *schema.Entity, n names.Name) error {
	person := n.Person()
	if person == 0 {
		return nil
	}
	confidence := byPart
	if person <= names.FullNamed {
		confidence = byLikeness
	}
	aliases := []string{n.Bare}
	if fields := strings.Fields(n.Bare); len(fields) > 1 {
		aliases = []string{fields[0], fields[len(fields)-1]}
	}
	if n.Title != "" {
		aliases = append(aliases, n.Bare)
	}
	for _, alias := range aliases {
		if err := r.alias(ctx, e, alias, confidence); err != nil {
			return err
		}
	}
	return nil
}

func (r *resolver) alias(ctx context.Context, e *schema.Entity, surface string, confidence float64) error {
	if confidence <= Ambiguous {
		return nil
	}
	if above, err := r.namedAbove(ctx, e); above || err != nil {
		return err
	}
	return r.tx.AddAlias(ctx, e, surface, confidence)
}

// afterPlacePreposition reports whether a preposition of place precedes a
// mention.
func (r *resolver) afterPlacePreposition(m text.Mention) bool {
	before := strings.Fields(text.Fold(r.memory.Content[max(0, m.Start-24):m.Start]))
	return len(before) > 0 && slices.Contains(placePrepositions, before[len(before)-1])
}

var placePrepositions = []string{"in", "near", "nach", "aus", "в"}
