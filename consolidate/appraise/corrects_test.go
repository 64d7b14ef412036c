package appraise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/appraise"
)

func TestCorrects(t *testing.T) {
	for _, message := range []string{
		"No, that's wrong, the painter charges 45 euros.",
		"That is wrong, it's 45.",
		"Wrong, the painter charges 45 euros.",
		"You're wrong about the painter.",
		"That's incorrect, the painter charges 45.",
		"Not quite: the painter charges 45.",
		"It's 45, not 40.",
		"Actually the painter charges 45 euros.",
		"Hm. That isn't right.",
		"Sorry, actually it starts at nine.",
		"Thanks! But that's no longer true, he moved to Ghent.",
		"I meant the other painter.",
		"It should be Thursday.",
		"You got the date wrong.",
		"The price was wrong.",
		"I can no longer eat eggs.",
		"Correction: the train leaves at 9.",
		"Bu yanlış, kırk beş euro.",
		"Yanlış, boyacı 45 euro alıyor.",
		"Aslında boyacı 45 euro alıyor.",
		"Hayır, yanlış söyledin.",
		"Öyle değil, 45 euro.",
		"Düzeltme: 45 euro.",
		"Cevabın yanlış.",
		"Bu doğru değil.",
		"45 euro, 40 değil.",
		"Doğrusu, 45 euro.",
		"Ben öteki boyacıyı demek istedim.",
	} {
		require.True(t, appraise.Corrects(message), message)
	}
	for _, message := range []string{
		"Did you actually like it?",
		"I actually love tea.",
		"The museum should be open.",
		"It should be fine.",
		"Nothing is wrong with me.",
		"Is that wrong?",
		"If that's wrong, tell me.",
		"What's wrong with the oven?",
		"It is wrong to lie.",
		"I took the wrong bus.",
		"I got out on the wrong side of bed.",
		"That's right, thanks.",
		"It's not far from here.",
		"I don't know whether it is correct.",
		"No, the painter charges 45 euros.", // see Denies
		"Boyacı 45 euro alıyor.",
		"Bu doğru.",
		"Bu yanlış mı?",
		"Eğer bu yanlış ise söyle.",
		"Yanlış otobüse bindim.",
		"Bugün hava güzel değil mi?",
		"Teşekkürler, çok iyi.",
		"Hava soğuk.",
		"Ödevi düzelttim.",
		"Çay severim.",
		"Evet, doğru.",
	} {
		require.False(t, appraise.Corrects(message), message)
	}
}

func TestDenies(t *testing.T) {
	for _, message := range []string{
		"No, the painter charges 45 euros.", "Nope, he lives in Ghent.", "no – it is on Friday", "No: the blue one.", "Nah, she moved away.",
		"Hayır, boyacı 45 euro alıyor.", "Yok, Ankara'da oturuyor.",
	} {
		require.True(t, appraise.Denies(message), message)
	}
	for _, message := range []string{
		"No.", "No, thanks, that is all.", "No, thank you very much.", "No problem at all.", "No idea who that is.", "Nobody came.",
		"No, not now please.", "Yes, the painter charges 45.", "There is no painter.", "No, really, is it?", "No worries, all good.",
		"Hayır, teşekkür ederim.", "Yok, gerek yok buna.", "Hayır.", "Evet, doğru.",
	} {
		require.False(t, appraise.Denies(message), message)
	}
}
