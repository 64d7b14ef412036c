package text

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FullStopWithin reports whether the full stop between two parts of a text belongs to a date, an
// ordinal or a time, so that the sentence goes on: "am 24. april", "die 3. klasse", "24. dez. um
// zehn", "3 p.m. at the clinic". before begins where the sentence does and ends in front of the stop.
func FullStopWithin(before, after string) bool {
	next := strings.TrimLeft(after, " ")
	if len(next) == len(after) || next == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(next)
	word := next
	if end := strings.IndexFunc(next, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = next[:end]
	}
	folded := Fold(word)
	switch {
	case datedMonth.MatchString(before): // "24. dez. um", "nov. 5"
		return !unicode.IsUpper(first)
	case monthAhead.MatchString(before):
		return unicode.IsDigit(first)
	case halfDay.MatchString(before):
		return unicode.IsLower(first)
	}
	m := ordinal.FindStringSubmatchIndex(before)
	if m == nil {
		return false
	}
	led := m[2] >= 0 // by an article or a preposition
	switch {
	case ordinalMonths[folded] && (folded != "jan" || word == "jan"), toOrdinal.MatchString(next):
		return true
	case led && ordinalNouns[folded]:
		return true
	case led && m[0] == 0:
		return unicode.IsLower(first) // "am 24. hab ich frei"
	}
	return led && unicode.IsLower(first) && !onDay[Fold(before[m[2]:m[3]])] && !IsStopWord(folded) && !stopOpeners[folded]
}

var (
	// ordinal matches a number that may be one, with the word that leads to it.
	ordinal = regexp.MustCompile(`(?i)(?:^|[^\pL\d])(?:(am|ab|bis|seit|vom|zum|im|beim|ins|fürs|der|die|das|dat|dem|den|des|mein\pL*|dein\pL*|sein\pL*|ihr\pL*|unser\pL*|jede\pL*) )?\d{1,2}(?:\.\d{1,2})?$`)
	// toOrdinal matches the second of two: "vom 6. bis 10. oktober".
	toOrdinal = regexp.MustCompile(`(?i)^(?:bis|und|oder|u\.|[–-])\s*(?:zum |den )?\d{1,2}\.`)
	// datedMonth matches a day with a short month, monthAhead a short month, halfDay a time.
	datedMonth = regexp.MustCompile(`(?i)(?:^|[^\pL\d])\d{1,2}\.? (?:de )?(?:` + anyMonth(EnglishShortMonths, GermanShortMonths) + `|mär|mrz|ene|abr|ago|dic)$`)
	monthAhead = regexp.MustCompile(`(?i)(?:^|[^\pL\d])(?:` + anyMonth(EnglishShortMonths) + `)$`)
	halfDay    = regexp.MustCompile(`(?i)\d ?[ap]\.m$`)

	ordinalMonths = WordSet(Fold(strings.Join(GermanMonths[:], " ")), strings.Join(GermanShortMonths[:], " "), "mar mrz")
	ordinalNouns  = WordSet(`klasse mal stock stockwerk etage og ug geburtstag hochzeitstag todestag jahrestag lebensjahr platz rang woche ssw schwangerschaftswoche monat tag jahr jahrhundert kind semester schuljahr lehrjahr ausbildungsjahr
		liga runde advent stunde reihe zeile seite versuch schicht impfung dosis zyklus chemo op weltkrieg weihnachtstag quartal halbjahr drittel viertel zahn finger zeh wirbel`)
	onDay       = WordSet(`am ab bis seit vom`)
	stopOpeners = WordSet(`dann danach davor dat wat hab hatte is war sind muss kann will soll sollte darf geht kommt heute morgen gestern jetz jetzt bitte danke nee nein ja mal nun deshalb deswegen trotzdem leider endlich also naja und oder aber dafur dabei dazu drum dort wenn`)
)
