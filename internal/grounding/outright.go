package grounding

import (
	"regexp"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// cues are the words by which people say outright what a functional predicate
// claims, see [StatesOutright].
var cues = map[string]*regexp.Regexp{
	"lives_in":   cue(`live|living|moved|relocated|settled|reside|residing|home is|based`),
	"works_at":   cue(`work|working|joined|employed|hired|job|started (?:at|with)|position`),
	"works_as":   cue(`work|working|job|employed|promoted|am (?:now )?an?|became|become`),
	"married_to": cue(`married|wife|husband|spouse|wed`),
	"partner":    cue(`partner|girlfriend|boyfriend|fianc[eé]e?|dating|together with|engaged`),
	"email":      cue(`e-?mail|address|reach|write to`),
	"phone":      cue(`phone|number|mobile|cell|call|reach`),
	"address":    cue(`address|live|living|moved|street`),
	"name":       cue(`name|called|call me`),
	"age":        cue(`old|age|aged|turned|turn|birthday|am`),
	"birthday":   cue(`birthday|born`),
	"home_town":  cue(`from|grew up|born|home ?town|raised`),
}

func cue(words string) *regexp.Regexp { return regexp.MustCompile(`\b(?:` + words + `)\b`) }

var (
	firstPersonSubject = regexp.MustCompile(`\b(?:i|i'm|i've|we|we're|we've|my|our)\b`)
	notMe              = regexp.MustCompile(`\b(?:my|our|his|her|their|your) (?:\w+ )?(?:brother|sister|mother|father|mom|mum|dad|son|daughter|friend|boss|colleague|neighbou?r|cousin|uncle|aunt|parents?|kids?|children|grand\w+|roommate|flatmate|team|company)\b`)
	notSo              = regexp.MustCompile(`\b(?:not|never|no longer|if|would|could|might|(?:i|we) may|maybe|perhaps|want|wants|wish|hope|hopes|dream|imagine|almost|should|when i|as if|used to|before|until|pretend|think of|thinking of|plan|planning|someday|one day)\b|n't\b|\?`)
)

// StatesOutright reports whether a sentence says itself, beyond doubt and about
// the speaker, what a claim of this predicate and object says: "I moved to Oslo
// in May" states lives_in Oslo; "my brother moved to Oslo", "I would never move
// to Oslo" and "I love Oslo" do not. It knows the functional predicates in
// English and is strict: only what it accepts may, unasked, take the place of
// something the user has said.
func StatesOutright(sentence, predicate, object string) bool {
	words, known := cues[predicate]
	folded := text.Fold(plainMarks.Replace(sentence))
	object = strings.TrimSpace(text.Fold(object))
	if !known || object == "" || !HoldsWord(folded, object) {
		return false
	}
	return firstPersonSubject.MatchString(folded) && words.MatchString(folded) && !notMe.MatchString(folded) && !notSo.MatchString(folded)
}

// SpeaksOfSelf reports whether a sentence is in the first person.
func SpeaksOfSelf(sentence string) bool {
	return firstPersonSubject.MatchString(text.Fold(plainMarks.Replace(sentence))) || strings.ContainsAny(sentence, "我咱俺")
}

// Sentence is the sentence of a text that holds a quotation, "" when none does.
func Sentence(s, quote string) string {
	for _, sentence := range sentencesOf(s) {
		if HoldsQuote(sentence, quote) {
			return sentence
		}
	}
	return ""
}
