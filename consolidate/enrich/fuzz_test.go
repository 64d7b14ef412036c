package enrich

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
)

func FuzzMentions(f *testing.F) {
	for _, seed := range []string{
		"my boss is Karim", "Dr. ", "my sister, Noor.", "@a_b", "p.krueger@x.example", "мой брат Витя", "my boss\xff", "Dr. \u0301", "X, aka Y", "unsere mutter",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		found := Mentions(s)
		for _, role := range rolesIn(s, found) {
			require.NotEmpty(t, role.role)
			require.Contains(t, s, role.text)
		}
		for word, surface := range casualWords(s, found) {
			require.Equal(t, text.Fold(surface), word)
			require.Contains(t, s, surface)
		}
	})
}
