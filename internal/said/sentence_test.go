package said

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A sentence without full stops is cut at a comma or a conjunction, and all of it is read.
func TestLongSentences(t *testing.T) {
	for _, c := range []struct{ filler, text, want string }{
		{"我带着孩子去公园走了一圈，看到很多人在跳舞，后来又买了点青菜和豆腐，", "对了，我对花生过敏，上次差点进医院，", "I | allergic_to | 花生"},
		{"the bus was late and it rained and the lift was broken and ", "i'm allergic to walnuts so ", "I | allergic_to | walnuts"},
		{"der Bus kam zu spät, der Aufzug war kaputt, das Brot war trocken, ", "ich bin allergisch gegen Walnüsse, ", "I | allergic_to | Walnüsse"},
		{"el autobús llegó tarde, llovía a cántaros, la comida estaba fría, ", "soy celíaca, ", "I | has_condition | celíaca"},
	} {
		for _, n := range []int{1, 4, 9} {
			message := strings.Repeat(c.filler, n) + c.text + strings.Repeat(c.filler, n) + "."
			var got []string
			for _, claim := range Claims(message, 0) {
				got = append(got, mark(claim))
			}
			assert.Equal(t, c.want, strings.Join(got, " ; "), message)
			for _, s := range parse(message) {
				assert.LessOrEqual(t, len(s.tokens), maxSentenceTokens)
			}
		}
	}
}

// A message to a team is its writer's own, a letter is not.
func TestLettersToAll(t *testing.T) {
	for message, claims := range map[string]int{
		"Dear team, I've moved to Ghent.":                                 1,
		"Dear all: I work at Hetzner from today.":                         1,
		"Estimado equipo, vivo en Sevilla.":                               1,
		"Sehr geehrte Kolleginnen und Kollegen, ich wohne jetzt in Graz.": 1,
		"尊敬的各位，我住在杭州。":                                                    1,
		"Dear Sir or Madam,\nI live in Leeds.":                            0,
		"Dear Teammate, I live in Leeds.":                                 0,
		"Dear all,\nI've moved to Leeds.\nKind regards,\nSusan":           0,
		"Dear all,\nI live in Porto and I work at Globex.\nThanks,\nPaul": 0,
		"Estimado equipo,\nvivo en Sevilla.\nMuchas gracias,\nPaula":      0,
		"Dear all, I live in Porto. Sincerely yours, Paul":                0,
		"Dear all,\nI live in Porto.\nThanks!":                            1,
		"Dear team, thanks for the cake. I live in Porto.":                1,
		"Dear team,\nI live in Leeds.\n\nCan you fix the grammar?":        0,
		"Hi\nDear all,\nI live in Leeds.":                                 0,
		"Sehr geehrte Damen und Herren, ich wohne in Graz.":               0,
		"Estimado señor Ruiz, vivo en Sevilla.":                           0,
		"尊敬的客户，我住在杭州。":                                                    0,
	} {
		if got := Claims(message, 0); len(got) != claims {
			t.Errorf("%q: %d claims, want %d", message, len(got), claims)
		}
	}
}

func TestDatesDoNotEndSentences(t *testing.T) {
	assert.Equal(t, []string{"darmspiegelung, am 24. april im bergmannsheil"}, LastingUnits("darmspiegelung, am 24. april im bergmannsheil"))
	assert.Equal(t, []string{"die kleine kommt in die 3. klasse.", "is jetz in der schule an der ruhr"}, LastingUnits("die kleine kommt in die 3. klasse. is jetz in der schule an der ruhr"))
	assert.Equal(t, []string{"sie wohnt im 3.", "is voll schön da oben"}, LastingUnits("sie wohnt im 3. is voll schön da oben"))
}
