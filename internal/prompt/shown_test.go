package prompt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ebbmem/ebb/internal/text"
)

// A line that is cut ends with a clause.
func TestLongLinesEndWithAClause(t *testing.T) {
	for message, end := range map[string]string{
		"so setz dich hin dat dauert, ich war bei mutti die schränke ausräumen mit dem dieter, drei säcke tischdecken, und da hab ich die sterbeversicherung gefunden, die läuft bei der ideal, 4000 euro, der ordner is jetz bei mir im flur unten rechts, dieter weiß bescheid, hab danach erst mal n korn getrunken, n kleinen, wert war danach 140": "im flur unten rechts…",
		"right so we finally got round to clearing out the loft at my dads place with my brother and his mate, took all day, four trips to the tip, and the deeds to the house turned up, they are now kept in the biscuit tin on top of my wardrobe, my brother knows about it too, then we all went for a curry":                                      "in the biscuit tin on top of my wardrobe…",
		"ayer estuvimos todo el dia organizando los papeles de mi papa con mi hermano, tres bolsas llenas de recibos viejos, y por fin aparecio la escritura de la casa, la tiene guardada el notario Rojas en la oficina de la calle doce, mi hermano ya sabe, despues nos fuimos a comer empanadas":                                                   "",
	} {
		shown := Shown(message)
		assert.True(t, strings.HasSuffix(shown, end), shown)
		assert.LessOrEqual(t, text.Tokens(shown), maxSentence+clauseRest+1, message)
		assert.Regexp(t, `(?:^|[\pL\d])…?$`, shown)
	}
	for _, message := range []string{"kurz und gut", strings.Repeat("wort ", 400), strings.Repeat("今天我们去了超市，", 40)} {
		assert.LessOrEqual(t, text.Tokens(Shown(message)), maxSentence+clauseRest+1)
	}
}
