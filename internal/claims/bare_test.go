package claims

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestKeepsOther(t *testing.T) {
	for sentence, want := range map[string]bool{
		"Please keep that in mind.":                                   true,
		"Never forget this, it would be the end of me.":               true,
		"Behalte das bitte für immer im Kopf.":                        true,
		"Das musst du dir unbedingt merken, sonst stehe ich dumm da.": true,
		"Eso no lo olvides nunca.":                                    true,
		"这个一定要记住。":                                                    true,
		"Never forget this: wasps.":                                   false,
		"Remember that Tom is allergic to wool.":                      false,
		"Remember this, I'm allergic to wool.":                        false,
		"Remember this, it is 4471.":                                  false,
		"Merk dir, dass ich Zucker habe.":                             false,
		"I always forget that.":                                       false,
		"Never forget that, it would be wrong without.":               true,
		"Never forget that, because my son gets hives from walnuts.":  false,
		"Keep this safe, since the deed is in the attic.":             false,
		"Vergiss das nicht, weil meine Tochter keine Nüsse verträgt.": false,
		"No olvides esto, porque mi hija no tolera las nueces.":       false,
	} {
		require.Equal(t, want, keepsOther(sentence), sentence)
	}
}

// What only asks to keep something, or is of somebody else, is no wish about answers, nor is how one
// text should be.
func TestUnderstandTakesNoWishFromWhatIsNone(t *testing.T) {
	for message, none := range map[string]string{
		"Lotte hat eine schwere Wespenallergie, da zählt jede Minute. Das musst du dir bitte dauerhaft merken, das darf mir bei keinem Picknick passieren.":               "Das musst du dir",
		"Beim Amt ist eine Frau Lenz zuständig, die ich zweimal nicht erreicht habe, und der Ordner mit den Papieren liegt noch hier bei mir. Morgen schreibe ich ihr.":   "",
		"Can you help me word an invitation? My workshop is at Alder Yard, open from Tuesday to Friday, so nobody comes by on Mondays. Friendly, three lines, no rhymes.": "Friendly",
	} {
		claims := (&Reader{}).understand(schema.Scope{User: "ada"}, &schema.Memory{Content: message}).claims
		require.NotEmpty(t, claims)
		for _, c := range claims {
			require.False(t, c.Wish, c.Sentence)
			require.False(t, none != "" && strings.HasPrefix(c.Sentence, none), c.Sentence)
		}
	}
}

// What gives a reason is kept, and points at the sentence before it.
func TestAReasonToKeepIsKept(t *testing.T) {
	for _, message := range []string{
		"Never forget that, because my son gets hives from walnuts.",
		"Remember that, it's penicillin that I can't take.",
		"Vergiss das nicht, weil meine Tochter keine Nüsse verträgt.",
		"No olvides esto, porque mi hija no tolera los frutos secos.",
	} {
		claims := (&Reader{}).understand(schema.Scope{User: "ada"}, &schema.Memory{Content: message}).claims
		require.NotEmpty(t, claims, message)
		require.Equal(t, message, claims[0].Sentence)
	}
}
