package claims

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMilestones(t *testing.T) {
	for tells, sentences := range map[bool][]string{
		true: {
			"Dad died this morning", "my mum died last night", "Nan passed away on Sunday", "Tommy's dead.", "toms dead", "we lost the baby", "I'm pregnant", "we're getting divorced",
			"I got married on Saturday", "they found a lump, it's cancer", "my brother was killed in an accident", "he had a heart attack on Monday", "I lost my job today",
			"my son was born this morning", "got engaged last night!!", "my husband moved out today", "we were burgled last night", "I was diagnosed with MS today",
			"passed my driving test today!", "I got the job!!!", "our dog Bran died in the night", "I've been made redundant", "she asked for a divorce",
			"Oma ist heute Nacht gestorben", "Ich bin heute gefeuert worden", "mein Vater hatte gestern einen Schlaganfall", "wir haben uns getrennt", "Bei uns ist eingebrochen worden",
			"falleció mi papá ayer", "me despidieron hoy", "estoy embarazada", "nació mi sobrina hoy", "mi abuelo se murió", "nos separamos",
			"我爸昨晚去世了", "我外婆走了", "我怀孕了", "我今天被裁了", "我离婚了",
		},
		false: {
			"my phone died", "the car died on the M6", "I'm dead tired", "the wifi's dead today", "she's engaged on the other line until ten", "I passed the bakery", "we split the bill",
			"nothing left on my plate", "stuck in traffic again", "what a lovely day", "I'm dying for a coffee", "mein Akku ist leer", "ich hab die Bahn verpasst", "estoy muy cansada",
			"me robó el sueño", "今天好热", "地铁又晚点了",
		},
	} {
		for _, s := range sentences {
			assert.Equal(t, tells, likely(s, 0.02) == LikelyLasting, s)
		}
	}
	for message, told := range map[string]int{"Dad died.": 1, "Papá murió.": 1, "Tengo cáncer.": 1, "he proposed!!": 1, "Dad died?": 0, "Phone died.": 0, "The milk is off. Mum died.": 1} {
		assert.Len(t, briefly(message), told, message)
	}
	assert.InDelta(t, 0.9, likely("Dad died this morning", 0.9), 1e-9)
}
