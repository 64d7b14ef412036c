package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The stop marked with "~" is within a sentence, that marked with "|" ends one.
func TestFullStopWithin(t *testing.T) {
	for _, s := range []string{
		"darmspiegelung, am 24~. april im bergmannsheil", "die feiern am 23~. august silberhochzeit", "taufe is am 12~. april", "landet am 14~. februar um 18:40", "Ostern ist am 5~. April",
		"der termin is der 20~. september", "5~. dezember, 9 uhr", "bin jetz auf usedom, 12~. bis 26. juli", "vom 6~. bis 10. Oktober", "am 3~. und 4. mai is markt", "23~. bis 27. juli bin i weg",
		"die kleine kommt in die 3~. klasse", "bin zum 2~. mal opa", "wohn im 4~. stock", "Er geht in die 3~. Klasse", "mein 40~. geburtstag war schön", "der 2~. weltkrieg", "im 5~. monat schwanger",
		"sie hat ihr 3~. kind gekriegt", "jeden 2~. donnerstag is chor", "den 1~. preis gewonnen", "im 2~. anlauf geschafft", "am 24~. hab ich frei", "treffen am 24. dez~. um zehn", "on 24 nov~. at ten",
		"prüfung am 3. okt~. in graz", "appointment on sept~. 5 with dr lee", "el 5 de ene~. a las tres", "at 3 p.m~. at the clinic", "by 10 a.m~. please", "ab 1.5~. april", "am 20~. jänner ganztägig",
		"check in is 4|. it's on the website", "kommt vor dem 10|. bei ihr muss das sein", "wir treffen uns am 24|. dann gehn wir essen", "wir treffen uns am 24|. Dann gehen wir essen.", "ich bin die Aylin, 34|. wohn mit meiner kleinen hier",
		"box 61|. only me and glen know", "number 5|. number 5 fell", "reihe 4|. gieß da immer an", "parzelle 43|. hab den 2009 übernommen", "hose 40|. kommt eh wieder", "been there since 91|. we do christmas",
		"a las 6|. me costó caleta", "los 19|. pollo y pescado si", "cello at 4|. may be late", "Ich bin 20|. Jan ist 22.", "er wohnt im 3|. is voll schön da", "ich nehm den 3|. der is besser", "I moved in Nov|. It was cold", "we met in dec|. it snowed",
		"bin 34|. frau und zwei kinder", "wert war 8|. die frau doktor war froh", "we close at 5 p.m|. Then we clean", "seit dem 3|. hab ich urlaub", "mein sohn is 8|. klasse is er in mathe",
	} {
		at := strings.IndexAny(s, "~|")
		assert.Equal(t, s[at] == '~', FullStopWithin(s[:at], s[at+2:]), s)
	}
}
