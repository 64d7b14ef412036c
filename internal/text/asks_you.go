package text

import (
	"regexp"
	"strings"
)

// AsksYou reports a question about what the one who is asked said or wrote before, in
// English, German, Spanish or Chinese: "What did you suggest?", "Was hast du mir
// empfohlen?". A request for something new ("What would you recommend?") is not.
func AsksYou(s string) bool {
	words := " " + strings.Join(courtesyWords(s), " ") + " "
	addressed := strings.Contains(words, " hast ") && strings.Contains(words, " du ") || strings.Contains(words, " haben ") && strings.Contains(s, " Sie ")
	return addressed && germanSaid.MatchString(words) || youSaid.MatchString(requestsYou.ReplaceAllString(words, " … ")) || chineseYouSaid.MatchString(s)
}

var (
	// youSaid matches an advice of yours, and a verb of saying behind "you", which requestsYou must not match.
	youSaid = regexp.MustCompile(` (?:your|dein|deine|deinen|deinem|deiner|deines|tu|tus) (?:suggestion|suggestions|recommendation|recommendations|advice|explanation|tip|tips|proposal|answer|reply|vorschlag|vorschläge|empfehlung|empfehlungen|rat|tipp|tipps|antwort|erklärung|recomendación|recomendaciones|consejo|consejos|sugerencia|sugerencias|respuesta|explicación|propuesta) ` +
		`| (?:you|youve) (?:(?:have|had|ever|also|already|just|once|previously|originally|initially|earlier|first|last|actually|even|not) )*(?:say|said|tell|told|suggest|suggested|recommend|recommended|advise|advised|propose|proposed|give|gave|given|mention|mentioned|` +
		`promise|promised|write|wrote|written|explain|explained|describe|described|list|listed|outline|outlined|provide|provided|share|shared|show|showed|shown|draft|drafted|warn|warned) ` +
		`| (?:sagtest|empfahlst|rietest|rietst|nanntest|gabst|erklärtest|meintest|schriebst|erwähntest|versprachst|vorschlugst|dijiste|recomendaste|sugeriste|propusiste|aconsejaste|mencionaste|diste|contaste|explicaste|escribiste|prometiste) ` +
		`| has (?:dicho|recomendado|sugerido|propuesto|aconsejado|mencionado|dado|contado|explicado|escrito|prometido) `)
	requestsYou = regexp.MustCompile(` (?:do|would|can|could|should|will|may|might) (?:you|youve) `)
	germanSaid  = regexp.MustCompile(` (?:gesagt|erzählt|empfohlen|vorgeschlagen|geraten|genannt|gegeben|erklärt|geschrieben|erwähnt|versprochen|gemeint|aufgelistet) `)
	// chineseYouSaid requires a mark of the past, since 你推荐哪个？ asks for something new.
	chineseYouSaid = func() *regexp.Regexp {
		const you, said, before, between = `[你您]`, `(?:说|說|推荐|推薦|建议|建議|告诉|告訴|提到|提|介绍|介紹|讲|講|给|給|教|写|寫)`,
			`(?:之前|上次|当时|當時|以前|曾经|曾經|最初)`, `[^能可会會想，。？！]{0,6}`
		return regexp.MustCompile(you + between + said + `我?[过過的了]|(?:` + you + before + `|` + before + you + `)` + between + said)
	}()
)
