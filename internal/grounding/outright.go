package grounding

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// cues are the phrases with which a speaker states a functional predicate about
// themselves, see [StatesOutright]. The object follows them.
var cues = map[string]*regexp.Regexp{
	"lives_in":   cue(self(`live|living|moved|relocated|settled|reside|residing|based`), mine(`home is`)),
	"works_at":   cue(self(`work|working|joined|employed|(?:was )?hired|started (?:at|with)|start (?:at|with)`), mine(`job|position|employer`)),
	"works_as":   cue(self(`work|working|employed|(?:was )?promoted|became|become|started as`), `\b(?:i'm|i am)(?: now)? an?\b`, mine(`job|profession`)),
	"married_to": cue(self(`married|wed`), mine(`wife|husband|spouse`)),
	"partner":    cue(self(`dating|together with|engaged`), mine(`partner|girlfriend|boyfriend|fianc[eé]e?`)),
	"email":      cue(mine(`e-?mail|address`), `\b(?:reach|write to) me\b`),
	"phone":      cue(mine(`phone|number|mobile|cell`), `\b(?:reach|call) me\b`),
	"address":    cue(self(`live|living|moved`), mine(`address`)),
	"name":       cue(mine(`name`), `\bcall me\b`, self(`called`)),
	"age":        cue(`\b(?:i'm|i am)\b`, self(`turned`), mine(`age|birthday`)),
	"birthday":   cue(mine(`birthday`), self(`was born`)),
	"home_town":  cue(self(`from|come from|grew up|was born|was raised`), mine(`home ?town`)),
}

func cue(openings ...string) *regexp.Regexp { return regexp.MustCompile(strings.Join(openings, "|")) }

// self is "I" or "we", followed by one of the verbs.
func self(verbs string) string {
	return `\b(?:i|we)(?:'m|'ve|'re)?(?: (?:have|am|are|been|got|just|now|also|finally|recently|currently|actually|already|officially|still|both|then))* (?:` + verbs + `)\b`
}

// mine is something that belongs to the speaker.
func mine(things string) string {
	return `\b(?:my|our)(?: (?:new|current|own|full|first|work|home|private|personal|mobile|email))* (?:` + things + `)\b`
}

// notSo matches words that cast doubt: denial, question, wish, plan, past, and
// reported speech.
var notSo = regexp.MustCompile(`\b(?:not|never|no longer|if|would|could|might|(?:i|we) may|maybe|perhaps|want|wants|wish|hope|hopes|dream|dreamt|dreamed|imagine|almost|should|when i|as if|used to|before|until|pretend|think of|thinking of|plan|planning|someday|one day|back then|formerly|previously|said|says|told|tells|wrote|writes|novel|story|character)\b|n't\b|[?"]`)

// StatesOutright reports whether a sentence states a claim with this predicate and
// object about the speaker, without doubt: "I moved to Oslo
// in May" states lives_in Oslo; "my brother moved to Oslo", "I heard that Tom
// moved to Oslo" and "I would never move to Oslo" do not. It knows the functional predicates in
// English. It is strict, because only a sentence that it accepts may automatically
// supersede a claim of the user.
func StatesOutright(sentence, predicate, object string) bool {
	words, known := cues[predicate]
	folded := text.Fold(plainMarks.Replace(sentence))
	object = strings.TrimSpace(text.Fold(object))
	if !known || object == "" || !HoldsWord(folded, object) {
		return false
	}
	if notSo.MatchString(folded) {
		return false
	}
	return slices.ContainsFunc(words.FindAllStringIndex(folded, -1), func(at []int) bool { return HoldsWord(folded[at[1]:], object) })
}

// Sentence is the sentence of a text that contains a quotation, "" if none does.
func Sentence(s, quote string) string {
	for _, sentence := range Sentences(s) {
		if HoldsQuote(sentence, quote) {
			return sentence
		}
	}
	return ""
}
