package claims

import (
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
)

// milestone matches what happens to people once and is of consequence for years, in the languages of
// [said.LastingOf]: a death, a birth, a pregnancy, a wedding, a separation, a diagnosis, a job found or
// lost, a crime. In few words and with "yesterday", such a sentence looks like talk of the day to
// [intent.Lasting], which gives "Dad died this morning" .02.
var milestone = prefilter.New(
	`(?i)\b(?:(?:dad|mum|mom|mam|nan|gran|gra?ndad|grandpa|grandma|father|mother|brother|sister|son|daughter|husband|wife|uncle|aunt|cousin|friend|partner|boyfriend|girlfriend|dog|cat|he|she|they)(?: \pL+){0,2} (?:died|passed (?:away|on)|drowned)\b|passed away\b|\pL+['’]?s dead\b(?: [^t]|[^ ]|$)|(?:was|were|been|got) (?:killed|arrested|burgled|mugged|evicted|fired|sacked|laid off|made redundant|promoted|diagnosed)\b|made (?:me|him|her|us) redundant|lost (?:my|his|her) job\b|lost the baby\b|miscarri|stillborn|pregnant\b|expecting (?:a (?:baby|girl|boy)|twins)|(?:gave|given) birth|(?:was|were) born\b|had (?:the|her|our) baby|got engaged\b|engaged to\b|(?:got|getting|are|is|am|i['’]?m|we['’]?re|he['’]?s|she['’]?s) (?:married|divorced)\b|(?:asking|asked|filed|filing) for a? ?divorce|split up\b|broke up\b|broken up\b|moved out\b|left me\b|diagnosed with|it['’]?s cancer|(?:he|she) proposed\b|(?:has|have|got) cancer|had a (?:stroke|heart attack|miscarriage|mini-stroke)|got the job\b|passed (?:my|his|her) (?:test|driving|exam|finals|theory)|were robbed|was robbed)`,
	`(?i)\b(?:gestorben|verstorben|ums leben gekommen|ist tot|sind tot|fehlgeburt|schwanger|zur welt gekommen|(?:heute|gestern|wurde) geboren|entbunden|verlobt|geheiratet|scheiden lassen|geschieden|getrennt|schluss gemacht|ausgezogen|(?:krebs|ms|diabetes|demenz|parkinson) (?:diagnostiziert|festgestellt)|es ist krebs|(?:hab|habe|hat) krebs|schlaganfall|herzinfarkt|mir gekündigt|gefeuert|entlassen worden|befördert|eingebrochen|überfallen worden|stelle bekommen|job bekommen|prüfung bestanden|führerschein bestanden)\b`,
	`(?i)(?:^|[^\pL])(?:muri[oó]|muerto|muerta|fallec[ií]|fallecido|embarazada|naci[oó]|dio a luz|perdimos (?:al|el) beb[eé]|nos casamos|me cas[eé]|nos comprometimos|comprometidos|me divorci|nos divorciamos|nos separamos|nos dejamos|me dej[oó] mi|terminamos|cort[eé] con|diagnosticaron|es c[aá]ncer|(?:tengo|tiene) c[aá]ncer|infarto|derrame|ictus|me despidieron|me corrieron|me echaron del|me ascendieron|me dieron el (?:trabajo|puesto)|nos robaron|me asaltaron|me robaron|aprob[eé] el)`,
	`去世|过世|病逝|走了|怀孕|怀上|流产|出生了|生了个|订婚|求婚|领证|结婚了|离婚|分手|确诊|中风|心梗|癌|被裁|被辞|被开除|升职|被偷|被抢|遭贼|考过了`,
)

// briefly returns the sentences of a message that tell a milestone in so few words that
// [said.LastingOf] omits them: "Dad died."
func briefly(message string) (brief []said.Lasting) {
	for _, s := range text.Sentences(text.Line(message)) {
		if len(text.Terms(s)) <= briefTerms && milestone.MatchString(s) && !said.Asks(s) {
			brief = append(brief, said.Lasting{Sentence: s, P: LikelyLasting})
		}
	}
	return brief
}

// briefTerms is the most terms of such a sentence.
const briefTerms = 3

// likely returns how likely a sentence is to matter in months: that it stays true, by p, or that it tells
// a milestone.
func likely(sentence string, p float64) float64 {
	if p < LikelyLasting && milestone.MatchString(sentence) {
		return LikelyLasting
	}
	return p
}
