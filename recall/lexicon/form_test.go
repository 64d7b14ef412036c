package lexicon

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesIn(t *testing.T) {
	for said, want := range map[string]uint8{
		"We met Oda and Per in Bergen, near Voss.": NameCap,
		"Nothing here. Not here either! Is it? No": 0,
		"Yesterday I saw Oda":                      1,
		"I think I'll go":                          0,
		"am Äquator":                               1,
		"":                                         0,
	} {
		require.Equal(t, want, namesIn([]byte(said)), said)
	}
}

// An instruction holds for answers to come; what only opens like one does not.
func TestIsInstruction(t *testing.T) {
	for _, said := range []string{
		"Always give prices in euros when I ask about trips.",
		"Please never suggest dishes with nuts.",
		"always answer in French",
		"From now on, use metric units.",
		"When I ask about recipes, keep them vegetarian.",
		"Whenever I mention a book, give me its ISBN.",
		"If I ask for code, show it in Go.",
		"Can you always reply with a short summary first?",
		"Antworte immer auf Deutsch.",
		"Gib Preise bitte immer in Franken an.",
		"Wenn ich nach Rezepten frage, nenne nur vegetarische.",
		"Ab jetzt bitte in ganzen Sätzen.",
		"Siempre responde en español.",
		"Cuando te pregunte por viajes, dame precios en euros.",
		"A partir de ahora usa el sistema métrico.",
		"以后问到日期时，请用年月日的格式。",
		"每次我问菜谱，都要给素食的。",
		"请总是用中文回答。",
	} {
		require.NotZero(t, FormOf([]byte(said))&Instructs, said)
	}
	for _, said := range []string{
		"Always happy to help!",
		"Always good to see you, give Oda my love",
		"Never mind, I found it.",
		"Never been to Norway.",
		"I always answer in French.",
		"We always use the small kettle when we are in the cabin.",
		"When I ask my boss about it, he laughs.",
		"From now on I live in Oslo.",
		"She never gives me an answer.",
		"Ich antworte immer auf Deutsch.",
		"Wenn ich frage, lacht sie.",
		"Siempre voy en tren.",
		"以后我要去挪威。",
		"每次去都下雨。",
		"",
	} {
		require.Zero(t, FormOf([]byte(said))&Instructs, said)
	}
}

// A memory's text is looked at once, however many chunks it has: a text of a
// megabyte has a thousand, and looking at all of it for each took 20 seconds.
func TestTextIsInspectedOncePerMemory(t *testing.T) {
	content := bytes.Repeat([]byte("down by the old mill and the birches "), 30_000)
	var forms Forms
	for memory := range int64(3) {
		for chunk := range int64(1200) {
			read := content
			if chunk > 0 {
				read = []byte("and Ada, and Bob, and Eve") // seen only by who looks again
			}
			require.Zero(t, forms.Of(memory, read).Names(), fmt.Sprint(memory, " ", chunk))
		}
	}
}
