package said

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/text"
)

// Probabilities that a message asks to forget something. From surelyForget on it is a
// request. From leastForget on it may be one, see [Request].Unsure.
const (
	surelyForget = 0.5
	leastForget  = 0.1
)

// leastDone is the probability, by [intent.Done], from which an answer may say that it was
// done, and leastBoth the least product of the odds of a message and of its answer. Of the
// messages of eight lives, none but requests reach it.
const (
	leastDone = 0.5
	leastBoth = 3
)

// MayConfirm reports whether an assistant's answer may say that something was forgotten.
func MayConfirm(answer string) bool {
	return len(answer) <= mostLoose && intent.Done.P(answer) >= leastDone
}

// Confirms reports whether an answer makes an unsure request of a message a request, since
// it says that something was forgotten.
func Confirms(message, answer string) bool {
	return MayConfirm(answer) && odds(intent.Forget.P(message))*odds(intent.Done.P(answer)) >= leastBoth
}

func odds(p float64) float64 { return p / max(1-p, 1e-9) }

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
	if len(message) > mostLoose || quotation.MatchString(message) || idiom.MatchString(message) {
		return Request{}, false
	}
	p := intent.Forget.P(message)
	if p < leastForget {
		return Request{}, false
	}
	whole := strings.TrimSpace(message)
	return Request{
		Verb: Forget, Sentence: whole, About: whole, Loose: true, Unsure: p < surelyForget,
		Back: pointsBack.MatchString(message) && !pretendAbout.MatchString(message), Names: namesIn(message),
	}, true
}

// quotation matches quotation marks and code: what they hold is somebody else's.
var quotation = regexp.MustCompile("[\"“”„«»「」『』]|```|(?m:^>)")

// idiom matches what sounds like a request and asks for nothing.
var idiom = regexp.MustCompile(`(?i)^(?:(?:oh|ach|na|ah|ok|okay|never mind)[, ]*)*(?:forget (?:about )?it|vergiss es|vergessen sie es|olv[ií]dalo|olvídate|算了)(?:[ ,.!，。].{0,25})?\s*$|\b(?:let['’]?s|lass uns|lasst uns|olvidemos)\b`)

// sentenceEnd separates the sentences of a request.
var sentenceEnd = regexp.MustCompile(`[.!?…。！？]+\s*`)

// namesIn returns the words that may name the object of a request, see [Request].Names:
// "That money thing with my brother in law? Wipe it please". Texts without such words are
// left out.
func namesIn(message string) (names []string) {
	before, asks, most := "", message, 0.0
	last := ""
	for _, s := range sentenceEnd.Split(message, -1) {
		if p := intent.Forget.P(s); p > most {
			before, asks, most = last, s, p
		}
		last = s
	}
	for _, s := range []string{asks, before + ". " + asks, message} {
		s = strings.Join(strings.Fields(forgetWords.ReplaceAllString(s, " ")), " ")
		if len(text.QueryTerms(s, 0)) > 0 && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}

// mostLoose is the maximum length, in bytes, of a message that is a loose request.
// Longer ones are about more.
const mostLoose = 300
