package text

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestEcho is the maximum length in bytes of the texts that [OnlyAsks] and
// [IsNoAnswer] recognise. A longer one also states something.
const longestEcho = 300

// OnlyAsks reports whether a text asks and states nothing, in English, German,
// Spanish or Chinese: each of its sentences is a question that begins like one
// ("Which car do I have?", "wo wohnt Jana", "¿Qué coche tengo?", "我开什么车？").
// "I'm allergic to nuts, what can I cook?" states something. It errs towards
// false.
func OnlyAsks(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > longestEcho || !mayAsk(s) {
		return false
	}
	asked := false
	for _, sentence := range Sentences(s) {
		words := courtesyWords(sentence)
		if len(words) == 0 || isCourtesy(words) {
			continue
		}
		asks := asksUnmarked(sentence)
		if EndsAsking(sentence) {
			asks = strings.HasPrefix(sentence, "¿") || opensQuestion(sentence, words)
		}
		if !asks {
			return false
		}
		asked = true
	}
	return asked
}

// mayAsk is a cheap test: a question ends in a question mark or is short.
func mayAsk(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return last == '?' || last == '？' || last == '吗' || last == '呢' || len(s) < 80 && last != '.' && last != '!'
}

// asksUnmarked reports whether a sentence without a question mark is a question, likely enough.
func asksUnmarked(sentence string) bool {
	form := AsksUnmarked(sentence)
	return form == AsksByForm || form == MayAsk && !strings.ContainsFunc(sentence, isUnspaced)
}

// opensQuestion reports whether a sentence with a question mark begins like a question.
func opensQuestion(sentence string, words []string) bool {
	words = withoutLead(words)
	if first, _ := utf8.DecodeRuneInString(words[0]); isUnspaced(first) {
		return asksUnspaced(sentence, strings.Join(words, ""))
	}
	return askingWord[words[0]] || len(words) > 1 && asksAfter[words[0]] && askingWord[words[1]] || // "in which city", "an welchem Tag", "de qué color"
		openingVerb[words[0]] && len(words) > 2
}

// withoutLead returns words without those before a question.
func withoutLead(words []string) []string {
	for len(words) > 1 && beforeQuestion[words[0]] {
		words = words[1:]
	}
	return words
}

// asksUnspaced reports whether a Chinese sentence with a question mark is a question. Its
// interrogative word may stand anywhere.
func asksUnspaced(sentence, s string) bool {
	const vocative = 4 // characters of an address before the question
	if clause, _, more := strings.Cut(sentence, "，"); more && utf8.RuneCountInString(clause) > vocative &&
		!slices.ContainsFunc(askingUnspaced, func(w string) bool { return strings.Contains(clause, w) }) {
		return false
	}
	return strings.HasSuffix(s, "吗") || strings.HasSuffix(s, "呢") || slices.ContainsFunc(askingUnspaced, func(w string) bool { return strings.Contains(s, w) })
}

// IsNoAnswer reports whether a text only says that the answer is unknown, in
// English, German, Spanish or Chinese: "I do not know that, sorry.", "Das weiß
// ich leider nicht." It may also apologise, repeat the question, and ask for the
// answer.
func IsNoAnswer(s string) bool {
	if len(s) > longestEcho || !unknownHints.In(s) {
		return false
	}
	unknown := false
	for clause := range strings.FieldsFuncSeq(s, endsClause) {
		words := courtesyWords(clause)
		for !saysUnknown(words) && len(words) > 0 && (apologies[words[0]] || besideUnknown[words[0]]) {
			words = words[1:]
		}
		switch {
		case saysUnknown(words):
			unknown = true
		case len(words) == 0:
		case unknown && asksForAnswer(words):
		default:
			return false
		}
	}
	return unknown
}

func endsClause(r rune) bool {
	return unicode.IsPunct(r) && !isApostrophe(r) && r != '-'
}

func saysUnknown(words []string) bool {
	if len(words) == 0 {
		return false
	}
	if first, _ := utf8.DecodeRuneInString(words[0]); isUnspaced(first) {
		joined := strings.Join(words, "")
		return utf8.RuneCountInString(joined) <= 20 && slices.ContainsFunc(unknownUnspaced, func(p string) bool {
			at := strings.Index(joined, p)
			return at >= 0 && utf8.RuneCountInString(joined[:at]) <= 8
		})
	}
	const longest = 14 // words
	joined := strings.Join(words, " ") + " "
	said := unknownPhrase.FindString(joined)
	next, _, _ := strings.Cut(joined[len(said):], " ")
	return said != "" && len(words) <= longest && (next == "" || besideUnknown[next] || apologies[next] || unknownOf[next])
}

func asksForAnswer(words []string) bool { return invitation.MatchString(strings.Join(words, " ")) }

func isCourtesy(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !apologies[w] && !beforeQuestion[w] })
}

// AsksWhatWasAsked reports whether a question is about earlier questions or
// answers, so that an earlier question can answer it.
func AsksWhatWasAsked(s string) bool {
	words := courtesyWords(s)
	joined := " " + strings.Join(words, " ") + " "
	return slices.ContainsFunc(askedBefore, func(p string) bool { return strings.Contains(joined, p) })
}

var (
	askingWord = WordSet(`what whats which who whos whose whom where wheres when whens why how hows
		was welche welcher welches welchen welchem wer wem wen wessen wo wohin woher wann warum wieso weshalb wie wieviel wieviele womit wofür worüber woran
		qué que cuál cuáles cual cuales quién quien quiénes quienes dónde donde adónde cuándo cuando cómo como cuánto cuántos cuánta cuántas por`)
	asksAfter = WordSet(`in at on to from for by with of about since until
		in an auf bei für mit von um seit zu aus
		a de en con para por desde hasta`)
	openingVerb = WordSet(`do does did have has had am is are was were will would can could should shall may might
		habe hab hast hat haben bin bist ist sind war waren kann kannst können könnte könntest soll sollte sollten darf muss müssen weißt mag mögen werde wird gibt esse trinke fahre wohne
		tengo tiene tienen he ha han soy es son estoy está están era puedo puede puedes podría podrías debo debería hay sabes recuerdas fui voy vas va me te le`)
	beforeQuestion = WordSet(`hey hi hello so and but also ok okay well now hmm hm sorry remind again btw by the way please quick question one more
		hallo und aber also übrigens noch mal nochmal sag bitte
		hola y pero oye bueno entonces otra vez`)
	askingUnspaced = strings.Fields(`什么 什麼 怎么 怎麼 为什 為什 多少 多久 多大 多长 多远 哪里 哪儿 哪个 哪些 哪天 哪年 哪位 哪一 哪家 哪种 谁 誰 几点 几号 几个 几月 吗 嗎 是不是 有没有 能不能 会不会 要不要 可不可以`)

	apologies = WordSet(`sorry unfortunately afraid hm hmm oh well apologies no im i am my
		leider entschuldigung entschuldige sorry tut mir leid verzeihung nein
		lo siento lamentablemente perdón perdona disculpa desgraciadamente no
		抱歉 对不起 對不起 不好意思 很抱歉 非常抱歉 嗯 唉`)
	besideUnknown = WordSet(`that this it yet right now at the moment about you here anything honestly really actually currently either
		das es darüber dazu momentan aktuell gerade ehrlich gesagt noch hier ich
		eso esto ello por ahora todavía aún yo sobre`)
	unknownOf = WordSet(`about on of regarding concerning whether if what which who whose where when why how any your that for to
		über zu von ob was welche welcher welches welchen wer wo wohin woher wann warum wie dein deine deinen ihr ihre für
		sobre acerca de si qué que cuál quién dónde cuándo cómo cuánto tu su ninguna ningún`)
	unknownPhrase = regexp.MustCompile(`^(?:(?:i (?:really |honestly |actually )?)?(?:do not|dont|cannot|cant|couldnt) (?:actually |really )?(?:know|recall|remember|say|tell|have (?:any |a |that |enough )?(?:information|record|memory|details|access))|` +
		`(?:i am |im )?not (?:sure|aware)|no idea|i have no (?:idea|information|record|memory|details)|you (?:havent|have not|never|didnt) (?:told me|tell me|mentioned)|` +
		`wei(?:ß|ss) (?:ich |es |das )?(?:leider |auch |noch )*nicht|(?:habe )?keine ahnung|(?:habe|liegen) (?:ich |mir |dazu |leider )*keine information(?:en)?|kann ich (?:dir |leider )*nicht sagen|` +
		`kann mich (?:leider )?nicht (?:daran )?erinnern|bin (?:mir )?nicht sicher|hast du (?:mir |noch )*nicht (?:gesagt|erwähnt)|` +
		`(?:no )?(?:lo )?sé|(?:no tengo|ni) idea|(?:no )?tengo (?:esa |ningún )?(?:información|datos?|constancia)|(?:no )?(?:lo |me )?(?:recuerdo|acuerdo)|(?:no )?estoy segur[oa]|(?:no )?puedo decirte|(?:no )?me lo has dicho|no (?:me )?has (?:dicho|mencionado)) `)
	unknownUnspaced = strings.Fields(`不知道 不清楚 不太清楚 不记得 不記得 不确定 不確定 没有相关 沒有相關 没有这方面 没有关于 没有您的 没有你的 没有记录 沒有記錄 没有印象 想不起来 没有信息 无法确定 无法回答 没听你说过 没有提到 没提过 没告诉过我`)
	invitation      = regexp.MustCompile(`^(?:(?:could|can|would|if) you|please|let me know|feel free|do you want|tell me|(?:kannst|könntest|wenn|magst|möchtest) du|können sie|sag mir|erzähl|podrías|puedes|si (?:me|quieres)|dime|cuéntame|[你您](?:能|可以)|(?:可以|能)告诉|如果|请|要不要)`)
	unknownHints    = NewHints(strings.Split(`know|not sure|idea|no information|any information|that information|enough information|record|have access|recall|remember|can't say|cannot say|can't tell|cannot tell|n't told|not told|never told|n't mentioned|not mentioned|didn't tell|n’t|weiß|weiss|Ahnung|Information|erinnern|nicht s|nicht g|nicht e|sé|se |idea|información|datos|recuerdo|acuerdo|segur|decirte|dicho|mencionado|constancia|不|没|沒|无法`, "|")...)

	askedBefore = strings.FieldsFunc(` i ask | i asked | did i ask | asked you | i brought up | did i bring up | i mentioned | did i mention | i mention | i been asking| i wanted to know| my question| my last question| you answer| your answer| did you reply
 gefragt | frage ich | meine frage| meine letzte frage| deine antwort| hast du geantwortet| wollte ich wissen
 pregunté| he preguntado| te pregunt| mi pregunta| mi última pregunta| tu respuesta| respondiste| quería saber
我问| 问过|我的问题|我剛問|我問|你回答|你的回答|问了什么|问你|問了什麼|問你`, func(r rune) bool { return r == '|' || r == '\n' })
)
