package grounding

import (
	"regexp"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// The patterns of [Temporal].
var (
	alwaysSo = regexp.MustCompile(`(?i)\b(?:never|always|every|each|usually|gets? paid|birthday|anniversary|nie|immer|jede[nrms]?|geburtstag|nunca|siempre|cada|cumplea\S*)\b|每|总是|總是|从不|從不|生日`)
	willBe   = regexp.MustCompile(`(?i)\b(?:will|going to|about to|plan(?:s|ned|ning)? (?:to|on)|intends? to|wird|werden?|plant|planen|va a|voy a|vamos a|planea|piensa)\b|'ll\b|打算|计划|計劃|准备|準備|将要|將要`)
	lasting  = regexp.MustCompile(`(?i)\b(?:since|born|lives?|living|moved|works?|working|joined|married|called|seit|geboren|wohn\S*|gezogen|arbeitet?|desde|vive|trabaja)\b|nació|mudó|自从|自從|出生|住|搬|工作`)
)

// nowSo matches words for what has begun or is usual, as "the cleaner comes", where what comes once
// "is coming". With them a day without a number
// is one of each week: "the day off is now Tuesday".
var nowSo = regexp.MustCompile(`(?i)\b(?:now|nowadays|these days|from now on|usual|comes|teach(?:es)?|sings?|swims?|volunteers?|jetzt|neuerdings|ab sofort|meistens?|ahora|normalmente)\b|现在|改为|改成|换成|以后|常|平时|固定|只能`)

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
		if span.End.Sub(span.Start) <= longestEvent && !(nowSo.MatchString(content) && !strings.ContainsAny(span.Text, "0123456789")) {
			return "event"
		}
	}
	return "state"
}
