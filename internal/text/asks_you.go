package text

import (
	"regexp"
	"slices"
	"strings"
)

// AsksYou reports a question about what the one who is asked said or wrote before, in
// English, German, Spanish or Chinese: "What did you suggest?", "Was hast du mir
// empfohlen?". A request for something new ("What would you recommend?") is not.
func AsksYou(s string) bool {
	words := courtesyWords(s)
	for i, w := range words {
		before, after := "", words[i+1:]
		if i > 0 {
			before = words[i-1]
		}
		switch {
		case spanishYouSaid[w], germanYouSaid[w]:
			return true
		case possessiveYou[w] && len(after) > 0 && advice[after[0]]:
			return true
		case (w == "you" || w == "youve") && !requestsYou[before]:
			for len(after) > 1 && besideSaying[after[0]] {
				after = after[1:]
			}
			if len(after) > 0 && youSaid[after[0]] {
				return true
			}
		case w == "has" && len(after) > 0 && spanishSaid[after[0]]:
			return true
		case w == "hast" && slices.Contains(words, "du"), w == "haben" && strings.Contains(s, " Sie "):
			if slices.ContainsFunc(words, func(w string) bool { return germanSaid[w] }) {
				return true
			}
		}
	}
	return chineseYouSaid.MatchString(s)
}

var (
	youSaid = WordSet(`say said tell told suggest suggested recommend recommended advise advised propose proposed give gave given mention mentioned
		promise promised write wrote written explain explained describe described list listed outline outlined provide provided share shared show showed shown draft drafted warn warned`)
	besideSaying   = WordSet(`have had ever also already just once previously originally initially earlier first last actually even not`)
	requestsYou    = WordSet(`do would can could should will may might`)
	possessiveYou  = WordSet(`your dein deine deinen deinem deiner deines tu tus`)
	advice         = WordSet(`suggestion suggestions recommendation recommendations advice explanation tip tips proposal answer reply vorschlag vorschläge empfehlung empfehlungen rat tipp tipps antwort erklärung recomendación recomendaciones consejo consejos sugerencia sugerencias respuesta explicación propuesta`)
	germanSaid     = WordSet(`gesagt erzählt empfohlen vorgeschlagen geraten genannt gegeben erklärt geschrieben erwähnt versprochen gemeint aufgelistet`)
	germanYouSaid  = WordSet(`sagtest empfahlst rietest rietst nanntest gabst erklärtest meintest schriebst erwähntest versprachst vorschlugst`)
	spanishSaid    = WordSet(`dicho recomendado sugerido propuesto aconsejado mencionado dado contado explicado escrito prometido`)
	spanishYouSaid = WordSet(`dijiste recomendaste sugeriste propusiste aconsejaste mencionaste diste contaste explicaste escribiste prometiste`)
	// chineseYouSaid requires a mark of the past, since 你推荐哪个？ asks for something new.
	chineseYouSaid = func() *regexp.Regexp {
		const you, said, before, between = `[你您]`, `(?:说|說|推荐|推薦|建议|建議|告诉|告訴|提到|提|介绍|介紹|讲|講|给|給|教|写|寫)`,
			`(?:之前|上次|当时|當時|以前|曾经|曾經|最初)`, `[^能可会會想，。？！]{0,6}`
		return regexp.MustCompile(you + between + said + `我?[过過的了]|(?:` + you + before + `|` + before + you + `)` + between + said)
	}()
)
