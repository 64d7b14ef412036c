package prompt

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
)

// Lengths of a sentence in the core section, in tokens: the maximum, the maximum of one that states a
// change, a dose, an allergy or an appointment, and how many more it may have to end with its clause.
const (
	maxSentence  = 60
	statedTokens = 90
	clauseRest   = 15
)

// clauseBound matches where a clause ends: at a mark, or before a conjunction in what was typed without
// marks.
var clauseBound = regexp.MustCompile(`[,;:，；：、—–]|\.{3}|…|\p{Han} | (?:and|but|then|because|cos|und|aber|dann|weil|y|pero|porque|entonces) `)

// What a clause may hold: news, a quantity of a medicine and the like, and a tale of who said what.
var (
	newsIn = prefilter.New(`(?i)\b(?:now|from (?:today|now|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|as of|from (?:next|(?:the )?(?:first|\d+(?:st|nd|rd|th)?)|january|february|march|april|may|june|july|august|september|october|november|december)|instead|no longer|any ?more|stopp?(?:ed|ing)?|c[ao]me off|(?:is|it's|are|been|called|taken) off|switch(?:ed)?|swapped|changed|moved (?:to|in|out|back|it)|cancell?ed|postponed|not (?:allowed|to \pL+)|must(?:n['’]?t| not)|died|dead|diagnosed)\b`,
		`(?i)\b(?:ab (?:nächste\pL*|dem|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|\d+|jetzt|sofort|heute|morgen|montag|dienstag|mittwoch|donnerstag|freitag)|jetz|jetzt (?:ist|sind|nehm\pL*|bekomm\pL*|geht|kommt|hab\pL*|nur)|(?:ist|sind|nehm\pL*|hab\pL*) jetzt|stattdessen|nicht mehr|kein\pL* \pL+ mehr|nur noch|abgesetzt|umgestellt|gewechselt|verlegt|verschoben|abgesagt|gekündigt|darf (?:ich |er |sie )?nicht|gestorben)\b`,
		`(?i)(?:^|[^\pL])(?:desde (?:hoy|ahora|mañana|el|ayer)|a partir de|ahora (?:es|son|toma|tomo|va|voy|tengo|me)|en (?:vez|lugar) de|ya no|dej[eéó] de|cambi(?:é|ó|aron|amos|o)|me quitaron|le quitaron|suspendi\pL*|cancel(?:é|ó|aron)|no puedo|no puede|muri[oó]|falleci[oó])(?:[^\pL]|$)`,
		`改[成为到吃用在]?|换[成了到]|从(?:今天|明天|现在|下周|这周|下个?月|[一二三四五六七八九十\d]+[月号])|以后|现在(?:改|换|是|吃|用|住)|停[了掉]|不再|取消|推迟|提前到|不能|不准|去世`)
	amounts   = prefilter.New(`(?i)\d[\d.,]* ?(?:mg|mcg|µg|ml|units?|iu|tablets?|tabletten|einheiten|pastillas?|comprimidos?|unidades|片|粒|毫克|单位|颗)|\b(?:one|two|three|four|five|six|seven|eight|nine|ten) (?:milligrams?|units?|tablets?|seconds?)\b|\b(?:one|two|half|twice|three times) (?:a|per) day\b|\b(?:ein|zwei|drei)mal (?:täglich|am tag)\b|\bcada (?:ocho|doce|\d+) horas\b|一天[一二两三]次|每天\S{0,4}[片粒次]`)
	allergies = prefilter.New(`(?i)\b(?:allerg\pL*|intoleran\pL*|anaphyla\pL*|penicillin|coeliac|celiac|epipen|unverträglich\pL*|alérgi\pL*|alergi\pL*)\b|alérgic|过敏|過敏`)
	bookings  = prefilter.New(`(?i)\b(?:appointment|booked (?:in|for)|termin|cita|surgery|operation|scan|check-?up|interview|vorstellungsgespräch|kontrolle|op|consulta)\b|预约|預約|复查|手术|门诊|面试`)
	aDay      = regexp.MustCompile(`(?i)\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b\pL+tag\b|lunes|martes|miércoles|jueves|viernes|mañana|[周星]期?[一二三四五六日天]|[一二三四五六七八九十]+[点號号月]`)
	continues = regexp.MustCompile(`^ *(?i:(?:in|at|on|with|by|not|but|from|im|am|um|mit|sondern|statt|also|und zwar|zu[rm]?|a|al|en|con|sino|por|two|three|four|five|six|half|once|twice)(?:[^\pL]|$)|\d|[不在而每早晚饭一二])`)
	narrates  = prefilter.New(`(?i)\b(?:i was (?:saying|telling|only saying|just saying)|i (?:said|told|says) to|as i (?:say|said|was saying)|(?:she|he|they) (?:looked|laughed|said that)|you know|i mean|anyway|ich (?:hab|habe) (?:ihr|ihm|ihnen|noch|ja)|wie gesagt|na ja|jedenfalls|und (?:sie|er) (?:meinte|sagte)|weißt du)\b`,
		`(?i)(?:^|[^\pL])(?:le (?:dije|estaba diciendo|decía)|como te (?:decía|dije)|pues nada|total que|o sea|fíjate|te cuento)(?:[^\pL]|$)`, `跟(?:他|她|你|我妈)说|说起来|话说|聊了|我就说|怎么说呢`)
)

// Shown returns a sentence as a line shows it: on one line, of at most maxSentence tokens, or
// statedTokens if it states what must not be cut.
func Shown(s string) string { return shownFor(s, nil) }

// shownFor returns a sentence that supports a claim of these words as a line shows it. Of a longer one
// it returns the clauses that hold most of the claim and of news, amounts and names.
func shownFor(s string, says claimWords) string {
	s = text.Line(s)
	if text.Tokens(s) <= maxSentence {
		return s
	}
	best := cutEnd(s)
	if losesNews(best, s) {
		return s
	}
	if said := text.QueryTerms(s, 0); 2*len(says) > len(said) {
		says = nil // the claim is the sentence
	}
	most := worth(best, says) + leastBetter
	for _, at := range clauseBound.FindAllStringIndex(s, mostBounds) {
		from := at[1]
		if c := s[at[0]:at[1]]; strings.HasPrefix(c, " ") {
			from = at[0] + 1 // a conjunction
		}
		if piece := cutEnd(strings.TrimSpace(s[from:])); piece != "" {
			if w := worth(piece, says); w > most {
				best, most = "…"+piece, w
			}
		}
	}
	return best
}

// How much better a later part of a sentence must be than its beginning, less one, and how many clauses
// of a very long one are looked at.
const (
	leastBetter = 1
	mostBounds  = 60
)

// worth returns how much of what must be shown the clauses of a part hold.
func worth(part string, says claimWords) (sum int) {
	sum = newsOf(part)
	for _, clause := range clauseBound.Split(uncut(part), -1) {
		if narrates.MatchString(clause) {
			sum--
		}
		if aDay.MatchString(clause) {
			sum++
		}
		if namesIn(clause) >= namesPerson {
			sum++
		}
	}
	if len(says) > 0 {
		sum += int(claimShare * says.in(part))
	}
	return sum
}

// newsOf returns how many changes, doses, allergies and appointments the clauses of a part state,
// weighted, with what continues them: "not on Tuesdays now, but on Fridays, in the hall".
func newsOf(part string) (sum int) {
	news := false // of the clause before
	for _, clause := range clauseBound.Split(uncut(part), -1) {
		before := sum
		if news && continues.MatchString(clause) {
			sum++
		}
		for _, of := range []*prefilter.Regexp{newsIn, amounts, allergies} {
			if of.MatchString(clause) {
				sum += 3
			}
		}
		if bookings.MatchString(clause) {
			sum += 2
		}
		news = sum > before
	}
	return sum
}

// claimShare is what all words of a claim are worth.
const claimShare = 8

// losesNews reports whether a part of a sentence that may be shown whole does not state all that is new in it.
func losesNews(part, sentence string) bool {
	return text.Tokens(sentence) <= statedTokens && newsOf(part) < newsOf(sentence)
}

// cutEnd cuts a text of more than maxSentence tokens behind the clause that reaches that length, or
// in front of it if it goes on for more than clauseRest tokens: the answer to a question often ends
// its clause.
func cutEnd(s string) string {
	cut := text.Truncate(s, maxSentence)
	if cut == s {
		return s
	}
	at := len(strings.TrimSuffix(cut, "…"))
	ends := len(s)
	if bound := clauseBound.FindStringIndex(s[at:]); bound != nil {
		ends = at + bound[0]
		if r, size := utf8.DecodeRuneInString(s[ends:]); unicode.Is(unicode.Han, r) {
			ends += size
		}
	}
	if text.Tokens(s[:ends]) <= maxSentence+clauseRest {
		if ends == len(s) {
			return s
		}
		return strings.TrimSpace(s[:ends]) + "…"
	}
	if bounds := clauseBound.FindAllStringIndex(s[:at], -1); len(bounds) > 0 && bounds[len(bounds)-1][0] > at*2/3 {
		last := bounds[len(bounds)-1][0]
		if r, size := utf8.DecodeRuneInString(s[last:]); unicode.Is(unicode.Han, r) {
			last += size
		}
		return strings.TrimSpace(s[:last]) + "…"
	}
	return cut
}

// uncut returns a line's text without the marks of what was cut.
func uncut(s string) string { return strings.TrimSuffix(strings.TrimPrefix(s, "…"), "…") }

// isCutFrom reports whether a line's text is a part of a sentence, which is folded.
func isCutFrom(shown, sentence string) bool {
	part := uncut(shown)
	return part != shown && strings.Contains(sentence, text.Fold(part))
}
