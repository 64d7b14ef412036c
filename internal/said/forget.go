package said

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// A looseForm matches loosely worded requests to forget. It is tried only on a
// message that contains one of its stems in lower case, which saves a quarter of a
// millisecond on most messages.
type looseForm struct {
	stems []string
	form  *regexp.Regexp
}

func (f *looseForm) matches(message, lower string) bool {
	return slices.ContainsFunc(f.stems, func(stem string) bool { return strings.Contains(lower, stem) }) && f.form.MatchString(message)
}

func formOf(stems, form string) looseForm {
	return looseForm{strings.Split(stems, "|"), regexp.MustCompile(form)}
}

// looseForms are by language: English, German, Spanish, Chinese. Each has verbs
// that suffice alone and verbs that need a word for what was said or stored.
var looseForms = []looseForm{
	formOf(`get rid|delet|eras|wip|scrub|purg|remov|strik|chuck|bin|drop|ditch|expung|discard|forget|remember|lose|take|unlearn`,
		`(?i)(?:^|[,.;:!?–—-] *|\b(?:please|just|can you|could you|would you|will you|you can|you may|want you to|like you to|need you to|and|favou?r and|so|kindly|ahead and) )(?:please |just )?(?:get rid of|delete|erase|wipe|scrub|purge|remove|strike|chuck|bin|drop|ditch|expunge|discard|forget|un-?remember|unlearn|lose|take)\b[^?]*\b(?:i (?:just |only |even )?(?:told|said|mentioned|gave|wrote|pasted|typed|shared|sent|confided|confessed|admitted|let slip)|the record|(?:from memory|your (?:memory|notes?|records?|head|mind))|(?:the|that|this) (?:thing|stuff|bit|note|business|story|whole thing)|about me)\b|\bi (?:told|said|mentioned|gave|wrote|typed|shared|sent)\b[^.?!]*[.?!] *(?:please |just )?(?:(?:wipe|delete|erase|forget|scrub|purge|lose|drop|remove) (?:it|that|them|those)\b|take (?:it|that|them|those) out\b)|\b(?:last (?:one|bit|part|thing|message)|just (?:said|told|wrote|sent|typed))\b[^?]*[.,;!–—-] *(?:please )?(?:delete|erase|wipe|scrub|purge)(?: (?:it|that|this))?(?:,? please)?[.! ]*$|^(?:\pL+ ){0,3}?(?:my|our|those|all that|that \pL+ i|(?:that|the|this) (?:\pL+ ){0,3}(?:business|thing|story|stuff|bit|matter|code|pin|rant|confession|episode|incident|drama))\b[^.?]{0,80}, (?:please |pls |plz |just )?(?:delete|erase|wipe|forget|scrub|purge|lose|chuck|drop|bin|ditch|remove|strike) (?:it|that|them|those)\b`),
	formOf(`get rid|delet|eras|wip|scrub|purg|remov|strik|chuck|bin|drop|ditch|expung|discard|forget|remember|lose|take|unlearn`,
		`(?i)\b(?:would|do) you mind (?:removing|deleting|erasing|forgetting|wiping|dropping|scrubbing)\b|\b(?:the thing|the business|the stuff|that thing|about (?:the|my|that)|what i (?:told|said|wrote|mentioned)|(?:password|code|pin|digits|number|details|address) i)\b.*\b(?:chuck|drop|delete|erase|wipe|scrub|purge|remove|forget|bin|lose|un-?remember|unlearn)\b`),
	formOf(`forget|keep|kept|store|save|hold on|hang on|remember|record|retain|in your `,
		`(?i)\b(?:you can|you may) forget (?:about )?(?:the|my|our|what|everything)\b|(?:^|[^i] |\b(?:please|rather you) )(?:don'?t|do not|didn'?t|no need to) (?:keep|store|save|hold on to|hang on to|remember|record|retain)\b.*\b(?:record|it|that|this|anything|any of|about|notes?)\b|\b(?:should not|shouldn'?t|don'?t want|rather not have|rather you didn'?t)\b.*\b(?:stored|saved|kept|recorded|remembered|hold on|in your (?:notes|memory|records|files))\b`),
	formOf(`pretend|i never|i didn|ignore|strike|scratch`,
		`(?i)\bpretend i (?:never|did ?n[o']t)|\bi (?:never|didn'?t) (?:say|said|tell|told|write|wrote) (?:you )?(?:that|this|it)\b|\bignore (?:that|(?:my|the) (?:last|previous))|\bstrike that\b|\bscratch that\b`),
	formOf(`lösch|streich|entfern|tilg|vergiss|vergessen|rausschmei|wegwerfen|rausnehmen|rausstreichen`,
		`(?i)(?:\b(?:mein(?:e[nrms]?)?|unser(?:e[nrms]?)?|das (?:mit|über|von)|die (?:sache|geschichte|story|angaben|iban|nummer|pin|uhr)|was ich|dass ich|alles, was|diese[nrs]?|gedächtnis|geheimzahl|nachricht|notizen)\b.*\b|^)(?:lösch(?:e|en|t)?|streich(?:e|en)?|streich's|entfern(?:e|en)?|tilg(?:e|en)?|tilgen|vergiss|vergessen sie|rausschmei(?:ß|ss)en|wegwerfen|rausnehmen|rausstreichen)\b`),
	formOf(`damit|weg|raus|vergessen|aufheb|speicher|aufbewahr|mitschlepp|nirgend|wo steht|merk|tu so|nie erwähnt|streichen|wissen|stehen`,
		`(?i)\b(?:raus|weg) damit\b|\b(?:mach|tu|tue|nimm|schmeiß)\b.{1,40}\b(?:weg|raus)\b|\bkannst\b.{0,40}\b(?:weg|vergessen)\b|\bkann (?:alles |das )?weg\b|\bkönn(?:en|ten) sie\b.{0,60}\bvergessen\b|\bnicht(?:s)? mehr (?:zu )?(?:wissen|aufheben|aufhebst|speichern|aufbewahren|mitschleppen|stehen)|\bnirgends?(?:wo)?\b.{0,20}\b(?:steh|stehen|auf|gespeichert|aufbewahren)|\bnicht\b.{0,60}\b(?:gespeichert|aufhebst|aufbewahrst|speicherst|wo steht|merkst)\b|\btu so,? als\b|\bnie erwähnt\b|\baus dem (?:kopf|gedächtnis) streichen\b|\bbitte nicht (?:weiter )?(?:merken|speichern|mitschleppen)\b`),
	formOf(`borr|bórr|elimin|elimín|quit|quít|supr|tach|tách|olvid|deshaz|deshág|rastro`,
		`(?i)(?:^|[^\pL])(?:b[oó]rra(?:lo|la|los|las|me)?|borr[ae]r|elim[ií]na(?:lo|la|los|las)?|elimine|qu[ií]ta(?:lo|la|los|las)|supr[ií]m[ea](?:lo|la|los|las)?|t[aá]cha(?:lo|la|los|las)|olvida(?:lo|la|los|las)?|olvide|deshazte|deshágase|ni rastro)(?:[^\pL]|$)`),
	formOf(`que no |hace falta|no quiero|haz como|guardes|tengas|recuerdes|menciones|tuvieras|dejarlo|fuera|registro`,
		`(?i)\bque no (?:quede|conste|lo encuentre|haya)|\bno (?:hace falta|quiero) que (?:conste|siga|quede|lo (?:guardes|tengas|recuerdes)|nadie sepa)|\bhaz como (?:que|si)|\bno (?:lo|la|los|las) (?:guardes|tengas|recuerdes|menciones)|\bno lo tuvieras|\bdejarlo ir\b|, fuera\b|\bno quede registro`),
	formOf(`抹|忘|没|存|留|消失|挂|别`,
		`抹掉|抹了|忘掉|忘了吧|忘记吧|当(?:我|你)?没(?:说|听|讲)|就当没|别再?[存留记]|不要[存留记]|让它消失|不用再挂|别往你|别留`),
	formOf(`删|清|销|划掉|拿走|撤|收回|作废|处理`,
		`(?:你|您|帮|请|請|烦|麻烦|拜託).*(?:删|清空|清掉|清干净|全清|销毁|销掉|划掉|拿走|撤掉|撤回|收回|作废|处理掉)|(?:删|清空|清掉|清干净|全清|销毁|划掉|拿走|撤掉|撤回|收回|处理掉).{0,4}(?:吧|别问|拜託)`),
}

// notForgetting matches what only sounds like a request to forget: the writer
// forgot, or asks not to be forgotten.
var notForgetting = regexp.MustCompile(`(?i)\beasy to\b.*\bforget|\b(?:i|we|he|she|they)(?: might| could| may| will| would| don'?t| didn'?t)? (?:lose|keep|drop|bin|take|record|store)\b|\b(?:don'?t|do not|never|won'?t|didn'?t|can'?t|not) (?:ever )?forget|\b(?:i|we|he|she|they|you) (?:always |often |almost |totally )?forg[eo]t|\bforgot(?:ten)?\b|\bnicht(?: zu)? vergessen|\bvergiss(?: \pL+){0,2} nicht|\bhab(?:e|en|'s|s)?\b.*\bvergessen|\bvergessen (?:hab|hatte|habe|zu)|\bno (?:te |se |lo )?olvid|\bolvid[éó]\b|\bse me olvid|别忘|不要忘|勿忘|忘了(?:带|買|买|拿|说|關|关)|忘记(?:带|买|拿|关)`)

// dismissive matches idioms that request nothing, quotations and code.
var dismissive = regexp.MustCompile(`(?i)^(?:(?:oh|ach|na|ah|ok|okay|never mind)[, ]*)*(?:forget it|forget about it|vergiss es|vergessen sie es|olv[ií]dalo|olvídate|算了)(?:[ ,.!，。].{0,25})?\s*$|["“”„«»「」『』]`)

// pointsBack matches references to the preceding message.
var pointsBack = regexp.MustCompile(`(?i)\b(?:last (?:one|message|bit|part|thing)|previous (?:one|message)|just (?:said|wrote|told|sent|typed)|strike that|scratch that|ignore that|pretend i)|\b(?:eben|gerade|gleich wieder|letzte nachricht|letzten satz|vorige nachricht|tu so)|(?:^|[^\pL])(?:últim[oa]|acabo de|eso borralo|haz como)|刚|剛|方才|上一条|上一句|前一句|当我没说|這句|这条|这句`)

// pretendAbout matches requests to pretend that something named was never said.
var pretendAbout = regexp.MustCompile(`(?i)\bpretend i (?:never|did ?n[o']?t) [^.!?]*\babout\b`)

// forgetWords matches the words of such a request that do not identify an object.
var forgetWords = regexp.MustCompile(`(?i)\b(?:get rid of|delete|erase|wipe|scrub|purge|remove|removing|strike|scratch|chuck|bin|drop|ditch|forget|un-?remember|unlearn|confided|confessed|admitted|kindly|please|can|could|would|you|mind|note|notes|record|records|memory|the thing|the business|keep|keeping|hold|holding|anything|don'?t|rather|store|stored|save|saved|settled|told|mentioned|pasted|gave|wrote|want|need|favour|do me a|pretend|ignore)\b|` +
	`\b(?:lösch\pL*|streich\pL*|entfern\pL*|tilg\pL*|vergiss|vergessen|raus\pL*|weg|damit|bitte|das mit|die sache|die geschichte|kannst|könn\pL+|erledigt|gespeichert|aufheb\pL*|aufbewahr\pL*|nirgends|nicht|mehr|wissen|nachricht|erwähnt|gesagt|erzählt|geschrieben|geht|niemanden|etwas|was)\b|` +
	`(?:^|[^\pL])(?:b[oó]rra\pL*|elim[ií]n\pL*|qu[ií]ta\pL*|supr[ií]m\pL*|t[aá]cha\pL*|olvid\pL*|deshaz\pL*|por favor|quede|conste|registro|rastro|tema|asunto|aquello|dije|conté|puse|pegué|memoria|guard\pL*|nadie|dato)|` +
	`抹掉|抹了|忘掉|忘了|忘记|删掉|删了|删|清空|清掉|清干净|全清|销毁|销掉|划掉|拿走|撤掉|撤回|收回|作废|当我没说|就当没听过|别再?[存留记写]|不要[存留记]|处理掉|消失|帮我|帮忙|请|吧|那件事|这件事|这事儿?|那事|那些话|那句话|全部`)

// looseForget returns the request to forget in a message that fits no known form. A
// request without an object refers to the preceding message.
func looseForget(message string) (Request, bool) {
	if len(message) > mostLoose || strings.Contains(message, "```") {
		return Request{}, false
	}
	lower := strings.ToLower(message)
	for i := range looseForms {
		if looseForms[i].matches(message, lower) {
			if dismissive.MatchString(message) || editsText.MatchString(message) || asksOthers(message) || notForgetting.MatchString(askedOfYou.ReplaceAllString(message, " ")) {
				break
			}
			whole := strings.TrimSpace(message)
			return Request{
				Verb: Forget, Sentence: whole, About: whole, Loose: true, Back: pointsBack.MatchString(message) && !pretendAbout.MatchString(message),
				Names: namesIn(message, looseForms[i].form.FindStringIndex(message)),
			}, true
		}
	}
	return Request{}, false
}

// editsText matches parts of texts and tables, which are tasks and no memories.
var editsText = regexp.MustCompile(`(?i)\b(?:paragraph|sentence|clause|column|row|slide|duplicates?|draft|cover letter|absatz|satz|zeile|spalte|dubletten|duplikate|entwurf|anschreiben|párrafo|cláusula|columna|fila|borrador|duplicados)s?\b|第.段|段落|合同|条款|重复`)

// asksOthers reports whether a message is a question that is no request to the assistant.
func asksOthers(message string) bool {
	return Asks(message) && !toYou.MatchString(message)
}

// toYou matches the beginning of a request in the form of a question.
var toYou = regexp.MustCompile(`(?i)\b(?:can|could|would|will|may|might) (?:you|u|we|it|that)\b|\b(?:kannst|könntest|würdest|magst|können sie|könnten sie|würden sie|darf|kann)\b|(?:^|[^\pL])(?:pued[ae]s?|podr[ií]as?|podemos|te importa|le importa)(?:[^\pL]|$)|能不能|可以|可不可以|能否|行吗|好吗|麻烦`)

// askedOfYou matches the subject of a request, which is not somebody who forgot.
var askedOfYou = regexp.MustCompile(`(?i)\b(?:can|could|would|will|might|may) you\b`)

// sentenceEnd separates the sentences of a request.
var sentenceEnd = regexp.MustCompile(`[.!?…。！？]+\s*`)

// namesIn returns the words of a message with a request at [at[0], at[1]) that may name
// its object: those of the sentences that contain the request, or of the whole message
// if these name nothing: "It was nothing, water only. Erase what I wrote about the
// chickpea".
func namesIn(message string, at []int) string {
	from, to := 0, len(message)
	for at[0] < at[1] && !letterAt(message[at[0]:]) {
		at[0]++
	}
	for _, end := range sentenceEnd.FindAllStringIndex(message, -1) {
		if end[1] <= at[0] {
			from = end[1]
		}
		if end[0] >= at[1] {
			to = end[0]
			break
		}
	}
	names := func(s string) string { return strings.Join(strings.Fields(forgetWords.ReplaceAllString(s, " ")), " ") }
	if own := names(message[from:to]); len(text.QueryTerms(own, 0)) > 0 {
		return own
	}
	return names(message)
}

func letterAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// mostLoose is the maximum length, in bytes, of a message that is a loose request.
// Longer ones are about more.
const mostLoose = 300
