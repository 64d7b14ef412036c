package names

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
)

func TestParse(t *testing.T) {
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
		n := Parse(c.surface)
		require.Equal(t, c.title, n.Title, c.surface)
		require.Equal(t, c.bare, n.Bare, c.surface)
		require.Equal(t, c.words, n.Words, c.surface)
		require.Equal(t, c.person, n.Person(), c.surface)
	}
}

func TestLatinForms(t *testing.T) {
	require.Contains(t, LatinForms("лены"), "lena")
	require.Contains(t, LatinForms("кариму"), "karim")
	require.Contains(t, LatinForms("витя"), "vitya")
	require.Empty(t, LatinForms("karim"))
}

func TestNicknamesAreSymmetric(t *testing.T) {
	require.Contains(t, OtherForms("vitya"), "vitaly")
	for name, forms := range nicknames() {
		require.Equal(t, text.Fold(name), name)
		for _, form := range forms {
			require.Contains(t, OtherForms(form), name)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, seed := range []string{"Karim Haddad", "Dr. ", "@a_b", "p.krueger@x.example", "Витя", "boss\xff", "Dr. \u0301", "aunt"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := Parse(s)
		require.NotEmpty(t, n.Words)
		_, _, _ = n.Given(), n.Family(), n.Person()
		for _, spelling := range Spellings(s) {
			require.False(t, strings.ContainsAny(spelling.Alias, "@._+"))
		}
		_ = LatinForms(text.Fold(s))
	})
}
