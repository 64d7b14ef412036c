package said

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Who writes something down here wants it kept, and a "no" beside it denies something else.
func TestDiaryEntriesMayBeStored(t *testing.T) {
	for s := range strings.Lines(`Migraine, third one since I started writing here. No wine no cheese this time, I think it was the skipped lunch. And the stormy weather.
No migraine this week! Writing this here so I see it later.
Just noting this here: no alcohol since Sunday, no headache.
No hypos this week! Writing this here so I find it later.
Just for the record: no fever today, no cough.
Writing this down before I forget: no gluten since Monday, no bloating.
Nobody at home noticed but I feel better, no nausea.
I'm noting it here so nobody has to ask twice: no peanuts for Ella.
Keine Unterzuckerung diese Woche, das notiere ich hier extra.
Kurzer Eintrag: nichts gegessen, kein Kopfweh, das halte ich hier fest.
Nur kurz notiert: kein Alkohol seit Sonntag, keine Kopfschmerzen.
Solo lo apunto: nada de alcohol desde el domingo, sin dolor de cabeza.
No dormí nada. Lo registro aquí para ver el patrón.
只是记一下：周日以来没喝酒，没头疼。
Only for my notes: no wine this week.
I don't write this anywhere else. No wine today, no headache.
Nur für meine Notizen: kein Wein diese Woche.
No lo apunto en ningún otro sitio: hoy sin dolor de cabeza.
Jotting this down: don't remember when it began, no fever.
Just noting this here: not keeping food down, no fever.
Lo anoto aquí: no recuerdo cuándo empezó, sin fiebre.
这周没有偏头痛！写在这里以后看。`) {
		says, _ := Unstored(s)
		assert.False(t, says, s)
	}
	for _, s := range []string{
		"I'm only writing this here to get it off my chest, please don't save it: I failed the exam", "Don't write this down here: I hit the neighbour's car.", "Off the record, no notes: I'm pregnant.",
		"I'm writing this here but don't keep it, I'm leaving Tom", "Ich schreib das hier nur jetzt, speicher das bitte nicht: ich hab Schulden", "Lo escribo aquí pero no lo guardes: estoy embarazada",
		"Just noting this here, it must not be kept: I'm pregnant.", "No lo guardes, sólo lo anoto aquí. Estoy embarazada.", "Sin guardar, lo escribo aquí. Estoy embarazada.",
		"Behalt es nicht, nur mal kurz notiert. Ich bin schwanger.", "Not on file please. Jotting this down: my wife has MS.", "这只是记一下，不要保存：我怀孕了。",
		"It never happened. Writing this down here: I'm pregnant.",
	} {
		_, surely := Unstored(s)
		assert.True(t, surely, s)
	}
}
