package said

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Who is not to know is a reason, with a comma before it or not, and no part of what is to be forgotten.
func TestWhoIsNotToKnowIsNoObject(t *testing.T) {
	for s, about := range map[string]string{
		"Forget the thing about the cigarettes, Dr Pemberton doesn't need to know.":    "the thing about the cigarettes",
		"Forget the thing about Aoife's Ozempic, Dr. Halloran shouldn't know.":         "the thing about Aoife's Ozempic",
		"Forget what I said about my daughter, Dr Osei must not know.":                 "my daughter",
		"Forget what I said about the gambling, Dr Mbanefo shouldn't hear about it.":   "the gambling",
		"Forget what I said about the gambling, Dr Lund, my GP, mustn't know.":         "the gambling",
		"Forget what I said about Ann because my mum mustn't find out.":                "Ann",
		"Forget what I said about Ann, Tom and Dr Lund, they mustn't know.":            "Ann, Tom and Dr Lund",
		"Forget what I said about Carl, nobody is supposed to know.":                   "Carl",
		"Forget the thing about Rory, nobody's meant to know.":                         "the thing about Rory",
		"forget what I said about Carl nobody is supposed to know":                     "Carl",
		"forget what I said about Ann my mum mustn't know":                             "Ann",
		"Nobody is supposed to know, please forget what I said about Carl.":            "Carl",
		"What I said about Carl, nobody is supposed to know, forget that please":       "Carl",
		"Dr Pemberton must not know I smoke, forget that.":                             "I smoke",
		"Forget what I said, nobody is supposed to know.":                              "",
		"vergiss das mit dem Alfons der will nicht dass das einer weiß":                "dem Alfons",
		"bitte vergiss das mit dem Klaus das soll keiner wissen":                       "dem Klaus",
		"Vergiss das mit dem Rauchen, Dr. Wiesner muss das nicht wissen.":              "dem Rauchen",
		"vergiss was ich über die Anna gesagt hab meine Frau soll nichts davon wissen": "die Anna gesagt hab",
		"Olvida lo de la apuesta, el doctor Ruiz no tiene que saberlo.":                "la apuesta",
		"olvida lo de Carlos nadie tiene que saberlo":                                  "Carlos",
		"Olvida lo que te dije de Ana, que mi marido no se entere.":                    "Ana",
		"忘掉我抽烟的事，王医生不用知道。":                                                             "抽烟",
		"忘掉关于小王的事，别让我妈知道。":                                                             "小王",
		"Forget that Tom, my boss, doesn't need to know about the baby.":               "Tom, my boss, doesn't need to know about the baby",
		"Forget the thing my mum isn't supposed to know.":                              "the thing my mum isn't supposed to know",
		"Forget that my mum mustn't know.":                                             "my mum mustn't know",
		"Forget my address, my phone number and my email.":                             "my address, my phone number and my email",
		"Please forget what I said about Ann not knowing the date.":                    "Ann not knowing the date",
		"Vergiss, was ich über den Chef gesagt habe.":                                  "den Chef",
	} {
		if requests := Requests(s); assert.Len(t, requests, 1, s) {
			assert.False(t, requests[0].Unsure, s)
			assert.Equal(t, about, requests[0].About, s)
		}
	}
	for _, s := range []string{
		"Forget the cat, the vet doesn't know what she's doing.", "Forget the dishes, I can't see the point.", "Forget about the weather, nobody knows what it'll do.",
		"Forget the cat, Tom doesn't know what to do about the kids.", "Vergiss den Termin, der Bernd weiß Bescheid.", "Nobody is supposed to know the way, so we got lost.",
		"Dr Lund doesn't need to know everything.", "Der Chef muss das nicht wissen.", "El doctor no tiene que saberlo.", "王医生不用知道。",
	} {
		for _, q := range Requests(s) {
			assert.True(t, q.Unsure, "%s: %+v", s, q)
		}
	}
	_, terms := objectOf("Please get rid of the cigarette stuff, Dr Pemberton doesn't need to know.")
	assert.Contains(t, terms, "cigarett")
	assert.NotContains(t, terms, "pemberton")
}
