package text

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStopWordsThatAreNames(t *testing.T) {
	for s, want := range map[string][]string{
		"which Go version are we on?":            {"go"},
		"which version of Go?":                   {"go"},
		"what Go do we use in payments-api?":     {"go"},
		"is it Go 1.24 or 1.25?":                 {"go"},
		"we moved to Go 1.25 in payments-api":    {"go"},
		"we moved to go 1.25 in payments-api":    {"go"},
		"which go version":                       {"go"},
		"welche Go-Version nutzen wir":           {"go"},
		"que version de Go usamos":               {"go"},
		"我们的 Go 版本":                              {"go"},
		"which Just version are we on?":          {"just"},
		"we stay in May":                         nil,
		"does Will like it":                      {"will"},
		"the trip to the US was long":            nil,
		"we live in Spain, La Paz was too high.": nil,
		"where do we go now":                     nil,
		"Go to the shop":                         nil,
		"ok. Go home! Then we eat":               nil,
		"can we go 2 the park":                   nil,
		"should I go, or can I stay":             nil,
		"WHERE IS MY CAR":                        nil,
		"Which Car Do You Have":                  nil,
		"Haben Sie Zeit, und kommt Ihr mit?":     nil,
		"the list:\nAnd more of it\n- But less":  nil,
		"cargo version 2 is out, lego 1.5 too":   nil,
		"vive en El Salvador con la familia":     nil,
		"el va a La Habana. Y yo no":             nil,
		"我不要 go 了":                               nil,
	} {
		named := namedStops(s)
		assert.Len(t, named, len(want), s)
		for _, word := range want {
			assert.True(t, named[word], s)
			assert.Contains(t, QueryTerms(s, 0), word, s)
			assert.Contains(t, Terms(s), word, "a stored text holds it")
		}
	}
	assert.Equal(t, []string{"go", "version"}, QueryTerms("which Go version are we on?", 0))
	assert.NotContains(t, QueryTerms("where do we go on Monday", 0), "go")
}
