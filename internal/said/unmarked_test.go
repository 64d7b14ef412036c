package said

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

//go:embed testdata/unmarked.txt
var unmarkedCases string

func TestUnmarkedQuestions(t *testing.T) {
	for line := range strings.Lines(unmarkedCases) {
		kind, message, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "?":
			assert.True(t, asksUnmarked(message), message)
		case "-":
			assert.False(t, asksUnmarked(message), message)
		}
	}
}

// What only asks makes no claim and is not kept.
func TestUnmarkedQuestionsStateNothing(t *testing.T) {
	for _, message := range []string{
		"wat hat der imker mir an miete zu zahlen", "mit wat für ner linie bin ich unterwegs", "婚戒改成几号的 哪家改的", "我跟嘉树现在算结婚了没", "亲戚里谁跟我拿过钱",
		"como quiero que me trate usted", "que comemos los domingos despues de la iglesia", "have i ever took something from a shop without paying",
		"does jordan believe hes the father", "who teaches me at college", "en que año llego el hombre a la luna",
	} {
		assert.Empty(t, Claims(message, 0), message)
		assert.Empty(t, LastingOf(message), message)
		assert.Empty(t, MannerOf(message), message)
		assert.True(t, OnlyAsks(message), message)
	}
}
