package extension

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is said off the record leaves no line, is not shown to a model later and cannot be found,
// whichever task stands beside it.
func TestOffTheRecordIsNotShown(t *testing.T) {
	for _, c := range []struct{ message, word, task string }{
		{"off the record: we got hacked last night, so rotate the keys", "hacked", "Were we hacked?"},
		{"off the record, the bank wants to cancel the contract", "bank", "What does the bank want?"},
		{"off the record: Tom is about to be let go, don't schedule anything with him", "Tom", "assign the review to Tom"},
		{"off the record - my boss is leaving, keep it to yourself", "boss", "Who is my boss?"},
		{"Mein Chef geht, nicht fürs Protokoll", "Chef", "Wer ist mein Chef?"},
		{"fuera de registro: mi jefe bebe", "jefe", "¿Bebe mi jefe?"},
		{"我老板要走了，私下说", "老板", "我老板怎么了？"},
	} {
		l := newDiary(t)
		l.says(c.message)
		require.Empty(t, l.profiled(), c.message)
		require.NotContains(t, l.shown(c.task), c.word)
		require.False(t, found(t, l.x, c.word))
		proposals, err := l.x.Proposals(t.Context(), dora)
		require.NoError(t, err)
		require.Empty(t, proposals, c.message)
	}
}
