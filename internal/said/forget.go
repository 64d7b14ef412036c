package said

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
)

// Probabilities that a message asks to forget something. From surelyForget on it is a
// request, and from backForget on if it refers to the preceding message. From leastForget
// on it may be one, see [Request].Unsure.
const (
	surelyForget = 0.65
	backForget   = 0.4
	leastForget  = 0.15
)

// leastDone is the probability, by [intent.Done], from which an answer may say that it was
// done, and leastBoth the least product of the odds of a message and of its answer. Of the
// messages of eight lives, none but requests reach it.
const (
	leastDone = 0.5
	leastBoth = 5
	mostDone  = 20 // the odds of an answer count at most so much: a task done is no request
)

// MayConfirm reports whether an assistant's answer may say that something was forgotten:
// "Gone.", and not "Okay."
func MayConfirm(answer string) bool {
	return len(answer) <= mostLoose && !text.IsSmallTalk(answer) && intent.Done.P(answer) >= leastDone
}

// Confirms reports whether an answer makes an unsure request of a message a request, since
// it says that something was forgotten.
func Confirms(message, answer string) bool {
	return MayConfirm(answer) && odds(intent.Forget.P(message))*min(mostDone, odds(intent.Done.P(answer))) >= leastBoth
}

func odds(p float64) float64 { return p / max(1-p, 1e-9) }

// pointsBack matches references to the preceding message.
var pointsBack = prefilter.New(`(?i)\b(?:last (?:one|message|bit|part|thing)|previous (?:one|message)|just (?:said|wrote|told|sent|typed)|strike that|scratch that|ignore that|pretend i)|\b(?:eben|gerade|gleich wieder|letzte nachricht|letzten satz|vorige nachricht|tu so)|(?:^|[^\pL])(?:últim[oa]|acabo de|eso borralo|haz como)|刚|剛|方才|上一条|上一句|前一句|当我没说|這句|这条|这句`)

// pretendAbout matches requests to pretend that something named was never said.
var pretendAbout = prefilter.New(`(?i)\bpretend i (?:never|did ?n[o']?t) [^.!?]*\babout\b`)

// looseForget returns the request to forget in a message that fits no known form. A
// request without an object refers to the preceding message.
func looseForget(message string) (Request, bool) {
	if len(message) > mostLoose || quotation.MatchString(message) || idiom.MatchString(message) {
		return Request{}, false
	}
	p := intent.Forget.P(message)
	if rest := notToForget.ReplaceAllString(message, " "); p >= leastForget && rest != message {
		p = min(p, intent.Forget.P(rest))
	}
	if p < leastForget {
		return Request{}, false
	}
	whole := strings.TrimSpace(message)
	back := pointsBack.MatchString(message) && !pretendAbout.MatchString(message)
	q := Request{Verb: Forget, Sentence: whole, About: whole, Loose: true, Unsure: p < surelyForget && !(back && p >= backForget), Back: back}
	q.Names, q.Terms = objectOf(message)
	return q, true
}

// quotation matches quotation marks and code: what they hold is somebody else's.
var quotation = regexp.MustCompile("[\"“”„«»「」『』]|```|(?m:^>)")

// idiom matches what sounds like a request and asks for nothing.
var idiom = prefilter.New(`(?i)^(?:(?:oh|ach|na|ah|ok|okay|never mind)[, ]*)*(?:forget (?:about )?it|vergiss es|vergessen sie es|olv[ií]dalo|olvídate|算了)(?:[ ,.!，。].{0,25})?\s*$|\b(?:let['’]?s|lass uns|lasst uns|olvidemos)\b`)

// notToForget matches what says not to forget.
var notToForget = prefilter.New(`(?i)\b(?:never|don['’]?t|do not|must ?n['’]?t)(?: ever| you| please)* forget\b[^.?!]*|\b(?:vergiss|vergesst|vergessen sie) (?:\pL+ ){0,2}?(?:nie|niemals|nicht)\b[^.?!]*|(?:^|[^\pL])(?:no|nunca|jamás) (?:te |se te |lo )?olvid[ea]s?(?:[^\pL]|$)[^.?!]*|(?:别|不要|不能|不许)忘[^。！？]*`)

// Probabilities of a word of a request: from leastNamed on it belongs to what the request
// is about, from leastTerm on it counts as a term.
const (
	leastNamed = 0.5
	leastTerm  = 0.2
)

// objectOf returns the words and the terms of a request that say what it is about, see
// [Request].
func objectOf(message string) (names string, terms map[string]float64) {
	terms = make(map[string]float64)
	words := intent.WordsOf(message)
	end := 0
	for i := range words {
		w, p := message[words[i].Lo:words[i].Hi], words[i].P()
		if p >= leastNamed {
			if names != "" && words[i].Lo > end {
				names += " "
			}
			names, end = names+w, words[i].Hi
		}
		if first, size := utf8.DecodeRuneInString(w); size == len(w) && unicode.Is(unicode.Han, first) {
			if i+1 == len(words) || words[i+1].Lo != words[i].Hi {
				continue
			}
			w, p = message[words[i].Lo:words[i+1].Hi], (p+words[i+1].P())/2 // a pair of characters is a term
		}
		if p < leastTerm || text.IsStopWord(text.Fold(w)) {
			continue
		}
		for _, term := range text.QueryTerms(w, 0) {
			terms[term] = max(terms[term], p)
		}
	}
	return names, terms
}

// mostLoose is the maximum length, in bytes, of a message that is a loose request.
// Longer ones are about more.
const mostLoose = 300
