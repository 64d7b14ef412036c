package extension

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
)

// What a message says beside what is to be forgotten stays as a line, although no pattern parses it,
// and neither what stays nor the answer tells of what is forgotten.
func TestForgettingLeavesTheRestOfAMessage(t *testing.T) {
	for _, c := range []struct{ said, reply, ask, stays, gone string }{
		{"we're on Go 1.24 in this repo, and the default branch is master. don't use generics-heavy stuff please, I prefer plain loops.", "OK: Go 1.24, master, plain loops.",
			"forget what I said about plain loops, generics are fine now", "we're on Go 1.24 in this repo, and the default branch is master", "plain loops"},
		{"The default branch is master. I prefer plain loops.", "Plain loops, fine.", "forget what I said about plain loops", "The default branch is master", "plain loops"},
		{"vea pues, Juan Esteban se tiro el refuerzo de quimica del año pasado y a Wilmar le dijimos que habia pasado, y tambien ya le pague 112 mil pesos del formulario de la universidad, quede pelada", "Química, qué dolor.",
			"lo que le dije de la materia que perdio el niño y la mentira a Wilmar saquelo de su memoria, lo otro de la universidad si dejelo", "112 mil pesos del formulario de la universidad", "quimica"},
		{"me pese y estoy en 84 kilos, que verguenza, y saque cita con la nutricionista Catalina Ossa en el segundo piso del Unicentro, 120 mil la consulta", "84 kilos, un primer paso.",
			"no le vaya a mostrar a nadie el numero ese de la bascula, quitelo, la doctora si dejela que tengo que ir", "saque cita con la nutricionista Catalina Ossa", "84 kilos"},
		{"I failed the licence exam again, and besides, the plumber comes on Tuesday at nine to look at the boiler.", "Sorry about the exam.",
			"what I told you about the licence exam, wipe it from your memory please, the plumber can stay", "besides, the plumber comes on Tuesday at nine to look at the boiler", "exam"},
		{"Mir wurde gestern gekündigt, und außerdem kommt am Dienstag um neun der Klempner wegen der Heizung.", "Gekündigt, das tut mir leid.",
			"Bitte vergiss, dass mir gekündigt wurde. Das mit dem Klempner kann bleiben.", "außerdem kommt am Dienstag um neun der Klempner wegen der Heizung", "gekündigt"},
		{"我昨天被公司辞退了，另外，周二上午九点水管工来修暖气。", "被辞退了，真遗憾。",
			"我被辞退的事请从你的记忆里删掉，水管工的事留着", "周二上午九点水管工来修暖气", "辞退"},
	} {
		for _, call := range []bool{true} {
			l := newDiary(t)
			l.says(c.said)
			require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, c.reply)))
			l.says("We have two cats.")
			l.publish(c.ask)
			if call {
				l.chooses(c.said)
			}
			block := l.shown("What do you know about me?")
			require.Contains(t, block, c.stays, c.ask)
			for _, ask := range []string{c.said, c.ask} {
				require.NotContains(t, l.shown(ask), c.gone, c.ask)
			}
		}
	}
}

// chooses calls forget_memory for the message that says it.
func (l *diary) chooses(message string) {
	l.t.Helper()
	records, err := l.x.Timeline(l.t.Context(), dora, TimelineQuery{Limit: 100})
	require.NoError(l.t, err)
	for _, r := range records {
		if strings.Contains(r.Content, message) {
			l.tool("forget_memory", map[string]any{"memory_id": r.UID})
			return
		}
	}
}
