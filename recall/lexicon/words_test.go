package lexicon

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommonWordsStandInOneList(t *testing.T) {
	for term := range commonWord {
		require.False(t, frameWord[term] || dateWord[term], term)
	}
}
