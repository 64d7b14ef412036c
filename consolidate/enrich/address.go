package enrich

import (
	"context"

	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// address resolves an e-mail address or handle to the person whose name it
// spells, or to an entity of its own.
func (r *resolver) address(ctx context.Context, m text.Mention) (match, error) {
	known, err := r.known(ctx, m.Text)
	if err != nil {
		return match{}, err
	}
	if len(known) > 0 {
		return known[0], nil
	}
	for _, spelling := range names.Spellings(m.Text) {
		found, err := r.onlyOne(ctx, m.Text, names.WithForms(spelling.Alias), byAddress, func(e *schema.Entity) bool {
			return spelling.Fits(names.Parse(e.Name)) && IsNamed(e)
		})
		if err != nil || found.entity != nil {
			return found, err
		}
	}
	e, _, err := r.tx.ResolveEntity(ctx, r.memory.UserID, string(m.Type), m.Text, 1)
	return match{entity: e, confidence: 1}, err
}

// IsNamed reports whether an entity is a person, or a proper name whose type is
// not known.
func IsNamed(e *schema.Entity) bool {
	return e.Type == schema.EntityPerson || e.Type == schema.EntityName
}
