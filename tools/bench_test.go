package tools_test

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkSearchMemory is what search_memory costs a model's turn: reading the
// call, the search over a thousand turns, writing the records.
func BenchmarkSearchMemory(b *testing.B) {
	h := ada(b)
	for i := range 1000 {
		h.says(fmt.Sprintf("On day %d I met Viktor near the old harbour and we talked about project %s.", i, project(i)), time.Duration(1000-i)*time.Minute)
	}
	i := 0
	for b.Loop() {
		i++
		h.call("search_memory", fmt.Sprintf(`{"query": "what did Viktor say of %s"}`, project(i)))
		h.shown = h.shown[:0]
	}
}

// BenchmarkRememberFact stores facts that a turn of the user's backs: the
// claim is held against what they said last.
func BenchmarkRememberFact(b *testing.B) {
	h := ada(b)
	for i := range 20 {
		h.says(fmt.Sprintf("My project %s has %d members.", project(i), i+2), time.Duration(20-i)*time.Minute)
	}
	i := 0
	for b.Loop() {
		i++
		h.call("remember_fact", fmt.Sprintf(`{"content": "Project %s has %d members, Ada said for the %d. time."}`, project(i%20), i%20+2, i))
	}
}

func project(i int) string {
	return []string{"Lighthouse", "Orchard", "Meridian", "Saffron", "Tundra"}[i%5] + fmt.Sprint(i%20)
}
