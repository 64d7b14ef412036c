package said

import "github.com/ebbmem/ebb/internal/prefilter"

// Beside reports whether a statement says that something else of its kind may hold, too: "I also
// live in Lisbon", "at weekends I live in Bergen", "I work part-time at Acme".
func Beside(statement string) bool {
	return also.MatchString(statement) || inPart.MatchString(statement)
}

// besideOthers reports whether a claim is about one of several homes, jobs or cars.
func (c Claim) besideOthers() bool {
	return onDays[c.Predicate] && !c.Functional && Beside(c.Sentence)
}

// also matches words for one more.
var also = prefilter.New(
	`(?i)\b(?:also|as well|additionally|in addition|besides|at the same time|another|(?:a|my|our) second)\b|\btoo(?:[\s\pP]*$|[.,;!])`,
	`(?i)\b(?:auch|außerdem|zusätzlich|ebenfalls|zugleich|gleichzeitig|sowohl|noch eine?[nmrs]?|zweit(?:job|wohnung|wohnsitz|e|en|er|es))\b`,
	`(?i)(?:^|[^\pL])(?:también|además|a la vez|tanto|(?:un|mi) segundo|(?:una|mi) segunda|otr[oa])(?:[^\pL]|$)`,
	`[也还還兼]|另外|同时|同時|第二`)

// inPart matches words for a part of the week or the year, and for work besides a job.
var inPart = prefilter.New(
	`(?i)\b(?:during the week|weekdays|weeknights|weekends?|(?:mon|tues|wednes|thurs|fri|satur|sun)days|every (?:mon|tues|wednes|thurs|fri|satur|sun)day|evenings|(?:days?|mornings?|afternoons?|nights?|shifts?) (?:a|per) week|every other (?:week|month)|half (?:of )?the (?:week|month|year|time)|the rest of the (?:week|year|time)|in (?:the )?(?:summer|winter)s?|on the side|(?:spare|free) time|part[- ]?time|volunteer(?:s|ing)?|side (?:job|gig|hustle))\b`,
	`(?i)\b(?:unter der woche|wochenends|am wochenende|an (?:den )?wochenenden|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs|abends|nachts|tage? (?:die|pro|in der) woche|im (?:sommer|winter)|(?:in|die) (?:der )?halbe[n]? (?:woche|zeit)|nebenbei|nebenher|neben(?:job|beruflich)\pL*|freizeit|(?:in )?teilzeit|halbtags|ehrenamtlich\pL*|freiwillig\pL*)\b`,
	`(?i)(?:^|[^\pL])(?:entre semana|fin(?:es)? de semana|los (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos)|por las (?:mañanas|tardes|noches)|(?:días?|tardes?|noches?) (?:a la|por) semana|en (?:el )?(?:verano|invierno)|tiempo libre|ratos libres|tiempo parcial|media jornada|voluntari[oa])(?:[^\pL]|$)`,
	`周末|週末|平日|工作日|[周週][一二三四五六日天]|星期[一二三四五六日天]|晚上|夏天|冬天|业余|業餘|兼职|兼職|空闲|空閒|副业|副業|志愿|志願|义工|義工`)

var (
	// momentary matches words by which somebody is somewhere, comes from there or goes out at the moment: "komme
	// gerade aus Köln".
	momentary = prefilter.New(`(?i)\b(?:till|until|just off|just now)\b`, `(?i)\b(?:gerade|grad|eben|soeben|gleich|zurück|rüber)(?:[^\pL]|$)`, `(?i)\bsalgo con \pL+ (?:al?|de)\b`)
	// travels matches what somebody came in.
	travels = prefilter.New(`(?i)\b(?:(?:on|off) the (?:\pL+ |\d+:\d+ )?(?:bus|train|plane|ferry)|(?:die|der|mit der|mit dem|im) (?:Bahn|Zug|Bus|Flieger|Stau)|en (?:el )?(?:cami[oó]n|tren|bus|avión))\b`, `飞机|火车|高铁`)
)

// rangeOf returns the text from the first to the last of tokens, which may be in another order.
func (r *reader) rangeOf(tokens []token) string {
	lo, hi := len(r.text), 0
	for _, t := range tokens {
		lo, hi = min(lo, t.lo), max(hi, t.hi)
	}
	return r.text[min(lo, hi):hi]
}
