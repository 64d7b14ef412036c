package said

import (
	"maps"
	"regexp"
	"slices"
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
	leastOfForm  = 0.1 // of what matches deletes
	leastTold    = 0.5 // of what toldThenForget matches
)

// leastDone is the probability, by [intent.Done], from which an answer may say that it was
// done, and leastBoth the least product of the odds of a message and of its answer. Of the
// messages of eight lives, none but requests reach it.
const (
	leastDone = 0.5
	leastBoth = 4
	mostDone  = 20 // the odds of an answer count at most so much: a task done is no request
)

// deletes matches the verbs of known forms that orders about texts and code have too: "delete my id
// from the code".
var deletes = prefilter.New(`(?i)^[^.?!]*\b(?:delete|remove|erase|wipe|scrub|scratch|lösch|streich)`, `(?i)^[^.?!]*\bborra`, `删|刪`)

// takesNote matches what says the contrary of having forgotten.
var takesNote = prefilter.New(`(?i)\b(?:i(?:['’]ve| have)? )?(?:(?:duly )?(?:noted|saved|stored|recorded|remembered|logged|jotted|written)(?: (?:it|that|this))?(?: down)?|(?:made|took|taken) (?:a )?note(?: of (?:it|that|this))?|roger(?: that)?|copy that)\b[\s,;:–—-]*|\b(?:notiert|vermerkt|gespeichert|(?:(?:ich )?nehme? (?:ich )?)?(?:(?:es|das) )?zur kenntnis(?: genommen)?|(?:ist |habe? ich )?(?:mir )?gemerkt|merke? ich mir)\b[\s,;:–—-]*`,
	`(?i)(?:^|[^\pL])(?:(?:queda )?(?:anotad|apuntad|guardad|registrad|enterad|oíd)[oa](?: queda)?|(?:queda )?(?:consta|constancia)|queda dicho|tom(?:o|ado|é) nota|lo (?:anot[oé]|apunt[oé]))(?:[\s,;:]+|[^\pL]|$)`, `我?(?:已经?)?(?:[记記](?:[下住好录]来?|得)|收到|保存|存|知道|知悉|了解|好嘞)好?了?[，；：\s]*`)

// MayConfirm reports whether an assistant's answer may say that something was forgotten:
// "Gone.", and not "Okay.", nor "Noted.", nor "Shall I delete it?"
func MayConfirm(answer string) bool {
	told := strings.TrimSpace(takesNote.ReplaceAllString(questions.ReplaceAllString(answer, " "), " "))
	return len(answer) <= mostLoose && !text.IsSmallTalk(told) && intent.Done.P(told) >= leastDone
}

// saysForgotten matches words for the memory: who answers "forget milk" with "removed" may mean a list.
var saysForgotten = prefilter.New(`(?i)\b(?:forg[eo]t|memor(?:y|ies)|verg[ei]ss|gedächtnis)|(?:^|[^\pL])(?:olvid|memoria)`, `忘|记忆|記憶`)

// Confirms reports whether an answer makes an unsure request of a message a request, since
// it says that something was forgotten.
func Confirms(message, answer string) bool {
	if !MayConfirm(answer) {
		return false
	}
	if slices.ContainsFunc(Requests(message), func(q Request) bool { return q.Unsure && !q.Loose }) {
		return saysForgotten.MatchString(answer)
	}
	return oddsOf(mayAsk, notToForget.ReplaceAllString(message, " "))*min(mostDone, oddsOf(intent.Done.P, answer)) >= leastBoth
}

// oddsOf returns the odds of a text or of the one of its clauses that has the highest: beside
// "that was nothing, thank god" a request is less clear.
func oddsOf(probability func(string) float64, s string) float64 {
	p := probability(s)
	for part := range strings.FieldsFuncSeq(s, endsClause) {
		p = max(p, probability(part))
	}
	return p / max(1-p, 1e-9)
}

// mayAsk returns the probability that a message asks to forget something.
func mayAsk(s string) float64 {
	if p := intent.Forget.P(s); p >= leastTold || !toldThenForget.MatchString(s) {
		return p
	}
	return leastTold
}

// toldThenForget matches "the pin that I gave you, forget it", of which the model takes the
// Spanish verb for the idiom "never mind".
var toldThenForget = prefilter.New(`(?i)(?:^|[^\pL])q(?:ue)? te (?:di|dije|pas[eé]|mand[eé]|cont[eé]|confes[eé]|platiqu[eé]|escrib[ií])(?:[^\pL.!?][^.!?]*)?[ ,](?:olv[ií]da|b[oó]rra|elim[ií]na|qu[ií]ta|s[aá]ca)l[oa]s?(?:[^\pL]|$)`)

func endsClause(r rune) bool { return strings.ContainsRune(".!?;:,…。！？；，", r) }

// pointsBack matches references to the preceding message, questions each question, mayPointBack
// what asks to act as if something had not been said: the preceding message, if it names nothing.
var (
	pointsBack   = prefilter.New(`(?i)\b(?:last (?:one|message|bit|part|thing)|previous (?:one|message)|just (?:said|wrote|told|sent|typed))|\b(?:gleich wieder|letzte nachricht|letzten satz|vorige nachricht)|(?:^|[^\pL])(?:últim[oa] (?:mensaje|frase|cosa)|acabo de|eso borralo)|[刚剛][刚剛才]?(?:[说說讲講提发發写寫打]|告[诉訴]|那)|上一条|上一句|前一句|這句|这条|这句`)
	questions    = regexp.MustCompile(`[^.!?…。！？]*[?？]`)
	mayPointBack = prefilter.New(`(?i)\b(?:strike|scratch|ignore) that\b|\bpretend i|\b(?:eben|gerade|tu so)\b|(?:^|[^\pL])(?:últim[oa]|haz como)|刚|剛|方才|当我没说`)
)

// LooseForget returns the request to forget in a message of no known form, if it is one with at
// least the given probability. Without an object it refers to the preceding message.
func LooseForget(message string, least float64) (Request, bool) {
	if len(message) > mostLoose || quotation.MatchString(message) || idiom.MatchString(message) {
		return Request{}, false
	}
	own := Own(message)
	p := mayAsk(own)
	if rest := notToForget.ReplaceAllString(own, " "); p >= least && rest != own {
		p = min(p, intent.Forget.P(rest))
	}
	if p < least {
		return Request{}, false
	}
	whole := strings.TrimSpace(message)
	q := Request{Verb: Forget, Sentence: whole, About: whole, Loose: true}
	q.Names, q.Terms = objectOf(message)
	q.Back = pointsBack.MatchString(message) || mayPointBack.MatchString(message) && !slices.ContainsFunc(slices.Collect(maps.Values(q.Terms)), func(p float64) bool { return p >= leastNamed })
	q.Unsure = p < surelyForget && !(q.Back && p >= backForget) || text.Refuses(message)
	return q, true
}

// quotation matches quotation marks and code: what they hold is somebody else's.
var quotation = regexp.MustCompile("[\"“”„«»「」『』]|```|(?m:^>)")

// easy matches what is easily done, which is no request: "it's easy to get lost and
// forget that".
var easy = regexp.MustCompile(`(?i)^it(?:['’]?s| is)(?: so| too| very)? (?:easy|hard)\b`)

// idiom matches what sounds like a request and asks for nothing.
var idiom = prefilter.New(`(?i)^(?:(?:oh|ach|na|ah|ok|okay|never mind)[, ]*)*(?:forget (?:about )?it|vergiss es|vergessen sie es|olv[ií]dalo|olvídate|算了)(?:[ ,.!，。].{0,25})?\s*$|\b(?:let['’]?s|lass uns|lasst uns|olvidemos)\b|^(?:i|we|they|he|she) (?:never|don['’]?t|do not|doesn['’]?t|does not) (?:keep|save|store|hold|remember)\b|^[\s\pP]*(?:(?:can|could|do|will|would) (?:you|u) (?:please |still )?(?:remember|keep in mind|note)|(?:kannst|könntest) du dir (?:bitte |das |es |(?:mein|unser)\pL* \pL+ )*merken|weißt du noch|(?:puedes|podrías) recordar|(?:te acuerdas|recuerdas)|你?(?:能|可以)(?:不能)?(?:帮我)?记)[^.!?。！？]*[?？]?\s*$|\b(?:don['’]?t|do not) remember (?:my|our|the|his|her|their)\b[^.!]*(?:\?|\b(?:remind|tell|help) me\b|\b(?:can|could) y?o?u\b|\bwhat(?:['’]?s| is| was)\b)`)

// notToForget matches what says not to forget.
var notToForget = prefilter.New(`(?i)\b(?:never|don['’]?t|do not|must ?n['’]?t)(?: ever| you| please)* forget\b[^.?!]*|\b(?:vergiss|vergesst|vergessen sie) (?:\pL+ ){0,2}?(?:nie|niemals|nicht)\b[^.?!]*|(?:^|[^\pL])(?:no|nunca|jamás) (?:(?:se|te|me|lo|la|le) ){0,3}olvid[ea]s?(?:[^\pL]|$)[^.?!]*|(?:别|不要|不能|不许)忘[^。！？]*`)

// nameBeside finds what requests to forget without an object are about in the rest of their
// message: "What I said of Ann and the money. Delete that."
func nameBeside(message string, requests []Request) {
	for i := range requests {
		q := &requests[i]
		if q.Verb != Forget || q.About != "" && !saysOnly.MatchString(q.About) {
			continue
		}
		if q.About = ""; q.Sentence != strings.TrimSpace(message) {
			q.Names, q.Terms = objectOf(message)
		}
	}
}

// saysOnly matches an object that only says that something was said: "forget that I brought
// it up".
var saysOnly = prefilter.New(`(?i)^(?:that )?(?:i|we) (?:(?:ever|even|just|once|had) )*(?:brought|said|told|mentioned|asked|wrote|raised)(?: you| it| that| this| any(?:thing)?| so| up| ever| of| about)*\W*$|` +
	`^(?:dass )?ich (?:(?:das|es|dir|davon|je|jemals|überhaupt|mal|was|etwas|damit) )*(?:gesagt|erzählt|erwähnt|geschrieben|angefangen|angesprochen)(?: (?:hab|habe|hatte))?\W*$|` +
	`^(?:que )?(?:yo )?(?:alguna vez )?(?:te )?(?:l[oae]s? |eso )?(?:dije|conté|mencioné|platiqué|saqué)(?: (?:eso|esto|algo|nada|alguna vez|el tema))*\W*$|` +
	`^我?(?:说过|提过|讲过|跟你说过)(?:这个|这事|这件事|这些)?(?:话|事)?$`)

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
	end, object := 0, len(message)
	if at := whoNotToKnow(message); at > 0 && intent.Forget.P(message[:at]) >= leastForget {
		object = at
	}
	for i := range words {
		if words[i].Lo >= object {
			break
		}
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
