package lexicon

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/text"
)

func TestRoots(t *testing.T) {
	for _, family := range [][]string{
		{"paint", "painter", "paintings", "painted"},
		{"teach", "teacher", "teaching"},
		{"run", "running"},
		{"organise", "organisation"},
		{"friend", "friends", "friendship"},
	} {
		want := Roots(text.Terms(family[0])[0])
		for _, word := range family {
			require.Equal(t, want, Roots(text.Terms(word)[0]), word)
		}
	}
	require.NotEqual(t, Roots("art"), Roots("arm"))
	require.Equal(t, []string{"猫", "咪"}, Roots("猫咪"))
	require.Equal(t, []string{"猫"}, Roots("猫"))
	rapid.Check(t, func(t *rapid.T) {
		for _, term := range text.Terms(rapid.String().Draw(t, "text")) {
			require.NotContains(t, Roots(term), "")
		}
	})
}

func TestWeightIsWhatOneWeighs(t *testing.T) {
	require.Contains(t, Relatives("weigh"), "weight")
}
