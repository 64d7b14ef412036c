package said

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

//go:embed testdata/back.txt
var backCases string

func TestPointingBack(t *testing.T) {
	for line := range strings.Lines(backCases) {
		kind, message, _ := strings.Cut(strings.TrimSpace(line), " ")
		if kind == "#" || kind == "" {
			continue
		}
		req, ok := back(message)
		assert.Equal(t, kind != "-", ok, message)
		assert.Equal(t, kind == "1", req.LastSentence, message)
		if ok {
			assert.Equal(t, []Request{req}, Requests(message))
			says, _ := Unstored(message)
			assert.False(t, says, message)
		}
	}
}
