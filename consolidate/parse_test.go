package consolidate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
)

func TestParseName(t *testing.T) {
	for _, c := range []struct {
		surface, title, bare string
		words                []string
		person               float64
	}{
		{"Karim Haddad", "", "Karim Haddad", []string{"karim", "haddad"}, 0.6},
		{"Dr. Hansen", "dr.", "Hansen", []string{"hansen"}, 1},
		{"Aunt Rosa", "aunt", "Rosa", []string{"rosa"}, 1},
		{"Vitaly", "", "Vitaly", []string{"vitaly"}, 0.9},
		{"Kestrel", "", "Kestrel", []string{"kestrel"}, 0},
		{"Volta Ferries", "", "Volta Ferries", []string{"volta", "ferries"}, 0},
		{"JR Pass", "", "JR Pass", []string{"jr", "pass"}, 0},
		{"Vincent van Gogh", "", "Vincent van Gogh", []string{"vincent", "van", "gogh"}, 0.9},
		{"Dr.", "", "Dr.", []string{"dr."}, 0},
	} {
		n := parseName(c.surface)
		require.Equal(t, c.title, n.title, c.surface)
		require.Equal(t, c.bare, n.bare, c.surface)
		require.Equal(t, c.words, n.words, c.surface)
		require.Equal(t, c.person, n.personhood(), c.surface)
	}
}

func TestLatinForms(t *testing.T) {
	require.Contains(t, latinForms("лены"), "lena")
	require.Contains(t, latinForms("кариму"), "karim")
	require.Contains(t, latinForms("витя"), "vitya")
	require.Empty(t, latinForms("karim"))
}

func TestNicknamesAreMutual(t *testing.T) {
	require.Contains(t, otherForms("vitya"), "vitaly")
	for name, forms := range nicknames() {
		require.Equal(t, text.Fold(name), name)
		for _, form := range forms {
			require.Contains(t, otherForms(form), name)
		}
	}
}

func FuzzParsersOfNames(f *testing.F) {
	for _, seed := range []string{
		"my boss is Karim", "Dr. ", "my sister, Noor.", "@a_b", "p.krueger@x.example", "мой брат Витя", "my boss\xff", "Dr. \u0301", "X, aka Y", "unsere mutter",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := parseName(s)
		require.NotEmpty(t, n.words)
		_, _, _ = n.given(), n.family(), n.personhood()
		found := mentionsOf(s)
		for _, role := range rolesIn(s, found) {
			require.NotEmpty(t, role.role)
			require.Contains(t, s, role.text)
		}
		for word, surface := range casualWords(s, found) {
			require.Equal(t, text.Fold(surface), word)
			require.Contains(t, s, surface)
		}
		for _, g := range spellings(s) {
			require.False(t, strings.ContainsAny(g.alias, "@._+"))
		}
		_ = latinForms(text.Fold(s))
	})
}
