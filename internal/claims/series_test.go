package claims

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/schema"
)

// A bare reading is kept whole, as an event of its day, even if it looks like play; what only has a
// number is not.
func TestBareReadingsAreKept(t *testing.T) {
	claims := func(message string) []said.Claim {
		return (&Reader{}).understand(schema.Scope{User: "dora"}, &schema.Memory{Kind: schema.KindEpisode, Role: "user", Content: message}).claims
	}
	for _, message := range []string{"121/79 :)", "63.4 !!", "22 laps! my arms", "63,4 heute früh", "63.1了 加油", "6 out of 10"} {
		if of := claims(message); assert.Len(t, of, 1, message) {
			assert.Equal(t, message, of[0].Sentence)
			assert.Equal(t, said.Event, of[0].Temporal)
			assert.GreaterOrEqual(t, of[0].Lasting, leastLasting)
		}
	}
	for _, message := range []string{"17*23", "What is 121/79?", "0937552816", "18:30", "12/24", "forget the 63.4"} {
		assert.Empty(t, claims(message), message)
	}
}
