package lexicon

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
)

func TestTextFlags(t *testing.T) {
	for said, want := range map[string]Flags{
		"I moved to Ghent":              FirstPerson,
		"what do you think":             Asks | SecondPerson,
		"it was last week, in the park": HoldsDate,
		"she has 3 dogs":                HoldsDate | HoldsNumber,
		"twelve eggs":                   HoldsNumber,
		"always answer in French":       StatesWish,
		"green":                         0,
		"我昨天到的":                         FirstPerson | HoldsDate,
	} {
		require.Equal(t, want, TextFlags(func(yield func(Flags) bool) {
			for term := range strings.FieldsSeq(text.Prepare(said)) {
				if !yield(TermFlags(term)) {
					return
				}
			}
		}), said)
	}
}
