package said

import (
	"slices"

	"github.com/ebbmem/ebb/internal/intent"
)

// Probabilities from which a message counts, by [intent.Feigned] and [intent.Unstored]. Of
// 1,160 feigned messages and 960 that are not to be stored, half of them without plain words
// for it, 39 and 44 % are found by fits to the others. Of 1,937 of lives that are in no fit,
// four count as feigned and none as not to be stored.
const (
	leastFeigned   = 0.2
	leastUnstored  = 0.15
	surelyUnstored = 0.3 // 32 % are found
)

// Feigned reports whether what a message says in the first person is not its writer's own
// truth: a story, a game, a joke that is taken back, a text that was pasted.
func Feigned(message string) bool {
	return intent.Feigned.P(intent.Layout(message)) >= leastFeigned
}

// Unstored reports whether a message says that it is not to be stored, and whether that is
// sure enough to hide it: "don't save this, but …", "off the record: …". What rather asks to
// forget something else, or to keep something, does not.
func Unstored(message string) (says, surely bool) {
	p := intent.Unstored.P(message)
	if p < leastUnstored || intent.Forget.P(message) > p || slices.ContainsFunc(Requests(message), func(q Request) bool { return q.Verb == Keep }) {
		return false, false
	}
	return true, p >= surelyUnstored
}
