package said

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
)

// Probabilities from which a message counts, by [intent.Feigned] and [intent.Unstored], which are
// fitted to 1,720 and 2,160 such messages. By authors in no fit: of 60 feigned ones 38 count, and 1 of
// 120 in which people introduce themselves; of 60 not to be stored 29 are surely, and 10 more likely;
// of 2,041 messages of fifteen lives one; of 17,143 messages of real talks 13 are surely not to be
// stored by mistake.
const (
	leastFeigned   = 0.3
	leastUnstored  = 0.4
	surelyUnstored = 0.5

	likelyUnstored = 0.65 // below it one sentence must say so by itself, with leastSays
	leastSays      = 0.35 // of those 2,160, and of 960 by an author left out of a fit, this loses none
)

// markup matches tags, whole or cut off, which are no words of a person: "<memory id=".
var markup = regexp.MustCompile(`</?\pL[^<>\n]*>?`)

// saves matches orders to save something in the memory, unless they hold what denies matches: "save
// this to your memory: my laptop is a ThinkPad".
var (
	saves = prefilter.New(`(?i)^[\s\pP]*(?:(?:please|bitte|por favor) )?(?:save|store|put|add|note|write|remember|commit)\b[^.:?!]{0,40}\b(?:in|to|into)\b[^.:?!]{0,20}\b(?:memory|memories|notes)\b`,
		`(?i)^[\s\pP]*(?:bitte )?(?:speicher|notier|schreib|merk)\pL*\b[^.:?!]{0,40}\b(?:gedächtnis|notizen)`, `(?i)^[\s\pP]*(?:por favor,? )?(?:guard|apunt|anot)\pL+\b[^.:?!]{0,40}\b(?:memoria|notas)\b`,
		`^[\s\pP]*(?:请|請|帮我|麻烦)*(?:记住|記住|记下|記下|存到|保存到)`)
	denies = prefilter.New(`(?i)\b(?:not|never|no|nowhere|nothing|without|only|just|out of|nicht|nichts|nirgend\pL*|kein\pL*|nie|ned|net|nix|nur|nada|nunca|sin|ni|sólo|solo)\b|n['’]t\b|[别別不勿莫没沒无無免唔忘只仅僅]`)
)

// clauses matches each clause, and records what says that something is written down. With a "no" in
// another clause it sounds like the contrary: "No migraine this week! Writing this here so I see it later."
var (
	clauses = regexp.MustCompile(`[^.!?;:,…。！？；，]+`)
	records = prefilter.New(`(?i)(?:\b(?:just|only) )?\b(?:(?:i (?:write|wrote|note|log|record|jot|put)|writing|noting|logging|recording|jotting|putting)(?: (?:this|it|that|all|everything|things|stuff|them))*(?: down)?(?: in)? here|(?:writing|noting|logging|recording|jotting)(?: (?:this|it|that|down))+|for (?:the record|my (?:own )?(?:log|diary|records|journal|notes|notebook)))\b|\b(?:i )?(?:don['’]?t|do not|not) (?:write|writing|note|noting|log|logging)(?: (?:this|it|that))?(?: down)? anywhere else\b`,
		`(?i)(?:\b(?:nur|bloß) )?(?:\bmal )?(?:\bkurz )?\b(?:notiert|ich (?:schreib|notier)e?|(?:schreib|notier)e? ich|(?:ich halte?|halte? ich)(?: (?:das|es|hier|alles|nur|mal|kurz))* fest|für mein(?:e notizen| notizbuch| tagebuch| protokoll))(?: (?:mir|das|es|hier|alles|nur|mal|kurz))*\b|\b(?:schreib|notier)e? ich sonst nirgend\pL*`,
		`(?i)(?:^|[^\pL])(?:s[oó]lo )?(?:no l[oa]s? (?:apunto|anoto|registro|escribo) en ning[uú]n otro (?:sitio|lado|lugar)|(?:l[oa]s?|me|esto|aquí) (?:apunto|anoto|registro|escribo)|(?:apuntándo|anotándo|escribiéndo|apuntando|anotando|escribiendo)(?:l[oa]s?)?|para mis (?:notas|apuntes)|para mi (?:cuaderno|diario))(?:[^\pL]|$)`,
		`(?:只是|就是|就)?(?:在这里?)?(?:记一下|记录一下|写一下|写在这里?|记在这里?|写下来)`)
)

// keeping matches words for keeping something, and vanishing what says alone that nothing is kept.
var (
	keeping = prefilter.New(`(?i)\b(?:kept|keep(?:ing)? (?:it|this|that|these|them|any)|(?:hang|hold)(?:ing)? on to (?:it|this|that)|sav(?:e|ed|ing)|stor(?:e|ed|ing)|memor(?:y|ies)|remember(?:ed|ing)? (?:it|this|that)|files?|records?|recorded|trace|notes?|written down|log(?:s|ged|ging)?|your (?:notes|head|database))\b`,
		`(?i)\b(?:behalt|behält|speicher|gespeichert|gedächtnis|merk|gemerkt|notier|protokoll|aktenkundig|akten?\b|aufheb|festgehalten|aufgeschrieben|notizen)`,
		`(?i)(?:^|[^\pL])(?:gu[aá]rd|record|recu[eé]rd|memoria|registr|conserv|qued|archiv|constancia|notas)`, `[存记記录錄]|保留`)
	vanishing = prefilter.New(`(?i)\b(?:delete|erase|disappear|vanish|forget (?:it|this|that)|never happened|between us|between you and me|off the (?:record|books))\b|\b(?:lösch|vergiss|unter uns)`, `(?i)(?:^|[^\pL])(?:b[oó]rra|olv[ií]da|entre nosotros)`, `[删刪忘]`)
)

// withoutRecords returns a message without its clauses that only say that something is written
// down. If another one says that it is not to be kept, it returns the message and unkept.
func withoutRecords(message string) (rest string, unkept bool) {
	if !records.MatchString(message) {
		return message, false
	}
	rest = clauses.ReplaceAllStringFunc(message, func(clause string) string {
		rest := records.ReplaceAllString(clause, " ")
		unkept = unkept || vanishing.MatchString(rest) || denies.MatchString(rest) && keeping.MatchString(rest)
		if rest != clause && !denies.MatchString(rest) {
			return " "
		}
		return clause
	})
	if unkept {
		return message, true
	}
	return rest, false
}

// edges returns the beginning and the end of a message, where what is not to be stored says so,
// without what is no word and what is repeated: both outweigh all else in a sum over a text.
func edges(message string) string {
	const first, last, longest, most = 400, 200, 40, 3
	if len(message) > first+last {
		message = strings.ToValidUTF8(message[:first], "") + " " + strings.ToValidUTF8(message[len(message)-last:], "")
	}
	seen := make(map[string]int)
	words := slices.DeleteFunc(strings.Fields(message), func(w string) bool {
		seen[w]++
		return seen[w] > most || utf8.RuneCountInString(w) > longest && !strings.ContainsFunc(w, isHan)
	})
	return strings.Join(words, " ")
}

// Feigned reports whether what a message says in the first person is not its writer's own
// truth: a story, a game, a joke that is taken back, a text that was pasted.
func Feigned(message string) bool {
	return intent.Feigned.P(intent.Layout(message)) >= leastFeigned
}

// Unstored reports whether a message says that it is not to be stored, and whether that is
// sure enough to hide it: "don't save this, but …", and whatever is said "off the record". What rather
// asks to forget something else, or to keep something, does not.
func Unstored(message string) (says, surely bool) {
	if _, earlier := back(message); earlier {
		return false, false
	}
	message = Own(markup.ReplaceAllString(message, " "))
	off := offRecord(message)
	rest, unkept := withoutRecords(message)
	rest, message = edges(rest), edges(message)
	if saves.MatchString(message) && !denies.MatchString(message) {
		return false, false
	}
	if off {
		return true, true
	}
	read := intent.Read(message)
	p := intent.Unstored.Rate(read)
	if p >= leastUnstored && rest != message {
		p = min(p, intent.Unstored.P(rest))
	}
	says = unkept || p >= likelyUnstored || slices.ContainsFunc(text.Sentences(message), func(s string) bool { return intent.Unstored.P(s) >= leastSays })
	if p < leastUnstored || !says || intent.Forget.Rate(read) > p || slices.ContainsFunc(Requests(message), func(q Request) bool { return q.Verb == Keep }) {
		return false, false
	}
	return true, p >= surelyUnstored
}
