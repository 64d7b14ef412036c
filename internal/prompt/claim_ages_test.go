package prompt

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
)

// What is true on its day only is shown with the day.
func TestAgesAndDurationsAreDated(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	dated := func(s string) bool { return isRelative(s, text.TimeSpans(s, at), at) }
	for _, s := range []string{
		"I'm pregnant, 12 weeks", "my daughter is six months old", "my son is 4", "I haven't smoked for six weeks", "I've been at Evans for three years",
		"I'm on crutches at the moment", "for now I'm living at my mum's", "bin in der 12. Woche schwanger", "ich bin gerade auf Krücken", "ich arbeite seit drei Jahren dort",
		"mi hija tiene seis meses", "de momento vivo con mi madre", "我怀孕十二周了", "我戒烟六周了", "我暂时住在我妈家",
	} {
		require.True(t, dated(s), s)
	}
	for _, s := range []string{"I love my bike", "my number is 4471", "I run 5 km a day", "ich mag Katzen", "odio el café", "我讨厌香菜", "I'm allergic to nuts"} {
		require.False(t, dated(s), s)
	}
}
