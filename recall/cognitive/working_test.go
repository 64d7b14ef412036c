package cognitive

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// Computed from importance · recency · (1 + accessCount · .1), recency = exp(−minutes/30).
func TestWorkingWorth(t *testing.T) {
	require.InDelta(t, 0.5, WorkingWorth(0.5, 0, 0), 1e-12)
	require.InDelta(t, 0.8*math.Exp(-1)*1.3, WorkingWorth(0.8, 30*time.Minute, 3), 1e-12)
	require.InDelta(t, 0.4*math.Exp(-0.5)*1.1, WorkingWorth(0.4, 15*time.Minute, 1), 1e-12)
	require.InDelta(t, 0.4, WorkingWorth(0.4, -time.Hour, 0), 1e-12, "a clock that went back")
}

func TestWorkingSet(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var w WorkingSet
	require.Empty(t, w.Held(at))
	for id := range int64(9) {
		w.Use(at, id+1, 0.1*float64(id+1))
	}
	require.Equal(t, []int64{9, 8, 7, 6, 5, 4, 3, 2, 1}, w.Held(at))
	w.Use(at.Add(time.Minute), 1, 0.1)
	w.Use(at.Add(time.Minute), 1, 0.1)
	w.Use(at.Add(time.Minute), 10, 0.15)
	require.Equal(t, []int64{9, 8, 7, 6, 5, 4, 3, 2, 10}, w.Held(at.Add(time.Minute)), "1 is worth .12, 10 .15: the tenth goes")
	require.Len(t, w.Held(at.Add(31*time.Minute)), 9)
	require.Empty(t, w.Held(at.Add(31*time.Minute+time.Second)), "half an hour after the last one")
	w.Use(at.Add(2*time.Hour), 4, 0.5)
	require.Equal(t, []int64{4}, w.Held(at.Add(2*time.Hour)))
}

func TestHotTier(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	hot := schema.Memory{
		Kind: schema.KindFact, State: schema.StateActive, Utility: 0.8, AccessCount: 10,
		LastAccessed: schema.At(now.Add(-30*24*time.Hour + time.Second)), Attributes: schema.Attributes{schema.AttrTier: "semantic"},
	}
	require.True(t, IsHot(&hot, now))
	for name, change := range map[string]func(m *schema.Memory){
		"utility":  func(m *schema.Memory) { m.Utility = 0.79 },
		"uses":     func(m *schema.Memory) { m.AccessCount = 9 },
		"age":      func(m *schema.Memory) { m.LastAccessed = schema.At(now.Add(-30 * 24 * time.Hour)) },
		"state":    func(m *schema.Memory) { m.State = schema.StateDormant },
		"episodic": func(m *schema.Memory) { m.Attributes = nil },
		"message":  func(m *schema.Memory) { m.Kind = schema.KindEpisode },
	} {
		m := hot
		change(&m)
		require.False(t, IsHot(&m, now), name)
	}
}
