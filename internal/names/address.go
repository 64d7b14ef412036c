package names

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// Spelling is a name that an e-mail address or handle may stand for.
type Spelling struct {
	Alias   string // folded
	Initial string // that another word of the full name begins with; "" for any name
}

// Fits reports whether the initial agrees with a full name.
func (s Spelling) Fits(full Name) bool {
	return s.Initial == "" || slices.ContainsFunc(full.Words, func(w string) bool {
		return strings.HasPrefix(w, s.Initial) && w != s.Alias
	})
}

// Spellings reads names from the local part of an e-mail address or handle such
// as mei.tanaka, vitya_o, p.krueger or tokafor.
func Spellings(address string) []Spelling {
	local, _, _ := strings.Cut(strings.TrimPrefix(address, "@"), "@")
	parts := strings.FieldsFunc(text.Fold(local), func(r rune) bool {
		return strings.ContainsRune("._-+", r) || r >= '0' && r <= '9'
	})
	var out []Spelling
	add := func(alias, initial string) {
		if utf8.RuneCountInString(alias) < 3 {
			return
		}
		out = append(out, Spelling{alias, initial})
		if plain := umlauts.Replace(alias); plain != alias {
			out = append(out, Spelling{plain, initial})
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

// umlauts writes vowels as folding leaves them: kruger for krueger.
var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")
