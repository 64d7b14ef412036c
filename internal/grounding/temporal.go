package grounding

import (
	"regexp"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// The patterns of [Temporal].
var (
	alwaysSo = regexp.MustCompile(`(?i)\b(?:never|always|every|each|usually|birthday|anniversary|nie|immer|jede[nrms]?|geburtstag|nunca|siempre|cada|cumplea\S*)\b|每|总是|總是|从不|從不|生日`)
	willBe   = regexp.MustCompile(`(?i)\b(?:will|going to|about to|plan(?:s|ned|ning)? (?:to|on)|intends? to|wird|werden?|plant|planen|va a|voy a|vamos a|planea|piensa)\b|'ll\b|打算|计划|計劃|准备|準備|将要|將要`)
	lasting  = regexp.MustCompile(`(?i)\b(?:since|born|lives?|living|moved|works?|working|joined|married|called|seit|geboren|wohn\S*|gezogen|arbeitet?|desde|vive|trabaja)\b|nació|mudó|自从|自從|出生|住|搬|工作`)
)

// Words for what holds from week to week. With nowSo a day without a number is one of each week:
// "the day off is now Tuesday". So it is with habit and any day with paid, if onceFor, a purpose, does
// not follow the day.
var (
	nowSo   = regexp.MustCompile(`(?i)\b(?:now|nowadays|these days|from now on|usual|jetzt|neuerdings|ab sofort|meistens?|ahora|normalmente)\b|现在|改为|改成|换成|以后|常|平时|固定|只能`)
	habit   = regexp.MustCompile(`(?i)\b(?:(?:clean\S*(?: lady)?|gardener|nurse|carer|tutor|nanny|sitter|babysitter|physio|therapist|teacher) comes|teach(?:es)?|sings?|swims?|volunteers?)\b`)
	paid    = regexp.MustCompile(`(?i)\bgets? paid\b`)
	onceFor = regexp.MustCompile(`(?i)^\W*(?:(?:for|at) (?:the|an?|my|our|his|her|their)|to|instead)\b`)
)

// longestEvent is the longest time span that makes a claim an event: a month.
const longestEvent = 31*24*time.Hour + 12*time.Hour

// Temporal classifies a claim by its wording: "plan" for the future, "event" for
// something with a day or a month, else "state". In doubt it is a state: a state that is
// over gets corrected, but a state taken for an event fades.
func Temporal(content string, said time.Time) string {
	switch {
	case alwaysSo.MatchString(content) || IsPreference(content):
		return "state"
	case willBe.MatchString(content):
		return "plan"
	case lasting.MatchString(content):
		return "state"
	}
	for _, span := range text.TimeSpans(content, said) {
		usual := !onceFor.MatchString(content[span.Offset+len(span.Text):])
		weekly := !strings.ContainsAny(span.Text, "0123456789") && (nowSo.MatchString(content) || usual && habit.MatchString(content))
		if span.End.Sub(span.Start) <= longestEvent && !weekly && !(usual && paid.MatchString(content)) {
			return "event"
		}
	}
	return "state"
}
