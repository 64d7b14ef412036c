package consolidate

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// address resolves an e-mail address or handle: somebody whose name it spells,
// or an entity of its own.
func (r *resolver) address(ctx context.Context, m text.Mention) (resolved, error) {
	known, err := r.known(ctx, m.Text)
	if err != nil {
		return resolved{}, err
	}
	if len(known) > 0 {
		return known[0], nil
	}
	for _, g := range spellings(m.Text) {
		forms := append([]string{g.alias}, otherForms(g.alias)...)
		match, err := r.only(ctx, m.Text, forms, byAddress, func(e *schema.Entity) bool { return g.fits(e) && isNamed(e) })
		if err != nil || match.entity != nil {
			return match, err
		}
	}
	e, _, err := r.tx.ResolveEntity(ctx, r.memory.UserID, string(m.Type), m.Text, 1)
	return resolved{entity: e, confidence: 1}, err
}

func isNamed(e *schema.Entity) bool {
	return e.Type == schema.EntityPerson || e.Type == schema.EntityName
}

// spelling is a name that an address can stand for, and a letter that another
// part of the full name has to begin with.
type spelling struct {
	alias   string
	initial string // "" for none
}

// fits compares the initial with the words of a name.
func (g spelling) fits(e *schema.Entity) bool {
	if g.initial == "" {
		return true
	}
	for _, w := range parseName(e.Name).words {
		if strings.HasPrefix(w, g.initial) && w != g.alias {
			return true
		}
	}
	return false
}

// spellings reads names from the local part of an address:
// mei.tanaka, vitya_o, p.krueger, tokafor.
func spellings(address string) []spelling {
	local, _, _ := strings.Cut(strings.TrimPrefix(address, "@"), "@")
	parts := strings.FieldsFunc(text.Fold(local), func(r rune) bool {
		return strings.ContainsRune("._-+", r) || r >= '0' && r <= '9'
	})
	var out []spelling
	add := func(alias, initial string) {
		if utf8.RuneCountInString(alias) < 3 {
			return
		}
		out = append(out, spelling{alias, initial})
		if plain := umlauts.Replace(alias); plain != alias {
			out = append(out, spelling{plain, initial})
		}
	}
	switch len(parts) {
	case 1:
		add(parts[0], "")
		_, n := utf8.DecodeRuneInString(parts[0])
		add(parts[0][n:], parts[0][:n])
	case 2:
		first, last := parts[0], parts[1]
		switch {
		case utf8.RuneCountInString(first) == 1:
			add(last, first)
		case utf8.RuneCountInString(last) == 1:
			add(first, last)
		default:
			add(first+" "+last, "")
		}
	default:
		add(strings.Join(parts, " "), "")
	}
	return out
}

// umlauts writes the vowels as folding leaves them: krueger is kruger.
var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")
