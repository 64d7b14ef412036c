package fourstores

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// In a conversation of several, "I" is who speaks. Small models write numbers as texts.
func TestInsightsOfOtherSpeakers(t *testing.T) {
	r := New(Options{DB: memtest.Open(t)})
	var drawn drawnInsight
	require.NoError(t, json.Unmarshal([]byte(`{"text": "Ada manages her diabetes.", "importance": "9", "sources": ["r1", "r2"]}`), &drawn))
	for speaker, held := range map[string]bool{"": true, "Ada": true, "Tom": false} {
		m := &material{zone: time.UTC}
		for uid, line := range map[string]string{"a": "I was diagnosed with diabetes.", "b": "I measure my sugar each morning."} {
			m.records = append(m.records, schema.Memory{UID: uid, Kind: schema.KindEpisode, Role: "user", Speaker: speaker, Content: line})
		}
		got := r.insight(drawn, m, schema.Scope{User: "ada"})
		require.Equal(t, held, got.Text != "", speaker)
		require.InDelta(t, 0.9, got.Importance, 1e-9)
	}
}
