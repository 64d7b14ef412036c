package prompt

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
)

// Maximum lengths, in terms, of an appointment, of one that is called so, and of what says when
// it ends.
const (
	appointmentTerms = 10
	calledTerms      = 16
	whileTerms       = 14
)

// isShort reports whether a sentence that names a day says little more than an appointment.
func isShort(sentence string) bool {
	n := len(text.Terms(sentence))
	return n <= appointmentTerms || n <= calledTerms && appointment.MatchString(sentence) && !saysMore.MatchString(sentence)
}

// appointment matches what an appointment is called, in the languages of [said.LastingOf].
var appointment = prefilter.New(`(?i)\b(?:appointments?|booked|booking|screening|check-?up|follow-up|(?:blood|allergy|eye|hearing|driving|smear) test)\b`,
	`(?i)\b(?:\pL*termine?|gebucht|vorsorge|kontrolltermin)\b`,
	`(?i)(?:^|[^\pL])(?:citas?|reservad[oa]|revisión|turno con)(?:[^\pL]|$)`,
	`预约|约了|挂了?号|复查|体检`)

// saysMore matches what leads to another statement: a reason, or a clause with a subject.
var saysMore = prefilter.New(`(?i)\b(?:because|since|but|who|which|whose|after (?:that|which)|then)\b|(?:\band|,|;) (?:i|i['’]\pL+|my|we|our|he|she|his|her|they)\b`,
	`(?i)\b(?:weil|denn|aber|sondern|danach|dann)\b|(?:\bund|,|;) (?:ich|mein\pL*|wir|unser\pL*|er|sie)\b`,
	`(?i)(?:^|[^\pL])(?:porque|pero|después|luego)(?:[^\pL]|$)|(?:[^\pL]y|,|;) (?:yo|mi|mis|nuestr\pL+|él|ella)\b`,
	`因为|但|然后|之后|[，,；;](?:而且)?[我他她]`)

// holdsAfter reports whether a sentence is about a change, which holds after its day.
func holdsAfter(sentence string) bool {
	return said.TellsChange(sentence) || turningPoint.MatchString(sentence)
}

// turningPoint matches what a day begins, ends or moves, in the languages of
// [said.LastingOf].
var turningPoint = regexp.MustCompile(`(?i)\b(?:start|begin|mov(?:e|ing)|marr|wedding|due\b|expire|end(?:s|ing)?\b|leav|join|retir|open|clos|chang|switch|becom|turns?\b|born` +
	`|anf[aä]ng|fängt|beginn|zieh|umzug|heirat|hochzeit|entbind|läuft ab|abläuft|ende[tn]?\b|verl[aä]ss|rente|eröffn|schließ|wechsel|wird\b|empiez|empez|comienz|mud|cas[ao]|boda|vence|termin|deja|jubil|abr[ei]|cierr|cambi|cumple)` +
	`|开始|搬|结婚|婚礼|预产|到期|截止|结束|离职|入职|退休|开业|关门|换|改|起`)

// ownEnd returns the end that a short sentence gives to a stay or a duty of a while, zero for
// others: "I'm on call this week", "Bin bis Sonntag in Kur", "Estoy de baja dos semanas".
func ownEnd(sentence string, spans []text.TimeSpan, said time.Time) (end time.Time) {
	if len(spans) > 1 || len(text.Terms(sentence)) > whileTerms || !ofAWhile.MatchString(sentence) || again.MatchString(sentence) || saysMore.MatchString(sentence) {
		return time.Time{}
	}
	rest := sentence
	if len(spans) == 1 {
		span := spans[0]
		before, after := sentence[:span.Offset], sentence[span.Offset+len(span.Text):]
		rest = before + " " + after
		switch until := untilBefore.MatchString(before) || untilIn.MatchString(span.Text); {
		case until && !span.End.After(said) && !span.NextEnd.IsZero():
			end = span.NextEnd.AddDate(0, 0, 1) // "until Friday" may be until its end
		case until || thisIn.MatchString(span.Text):
			end = span.End
		default:
			return time.Time{}
		}
		if !end.After(said) || end.Sub(said) > longestWhile {
			return time.Time{} // it tells what was
		}
	} else if m := lasts.FindStringSubmatch(sentence); m != nil {
		days := fewOf[strings.ToLower(m[1]+m[3])]
		if n, err := strconv.Atoi(m[1] + m[3]); err == nil {
			days = n
		}
		if weeks.MatchString(m[2] + m[4]) {
			days *= 7
		}
		if days == 0 {
			return time.Time{}
		}
		end = said.AddDate(0, 0, days+1)
	}
	if holdsAfter(rest) {
		return time.Time{}
	}
	return end
}

// longestWhile is the longest time that a sentence may say something is so.
const longestWhile = 100 * 24 * time.Hour

// ofAWhile matches a stay or a duty in the present, in the languages of [said.LastingOf].
var ofAWhile = prefilter.New(
	`(?i)(?:\b(?:i|we|you|they|he|she|\pL+)['’](?:m|re|s)|\b(?:am|are|is)) (?:\pL+ )?(?:on (?:call|duty|holidays?|vacation|leave|shift|standby|support|nights|(?:sick|annual|parental) leave|an? (?:business )?(?:trip|course|retreat))|in (?-i:\p{Lu})|in (?:hospital|town|quarantine|bed)|at (?:home|my|a conference|the conference)|off\b|away\b|abroad\b|out of (?:the )?(?:office|town)|covering\b|standing in\b|filling in\b|staying\b|visiting\b|travell?ing\b|working from\b|house-?sitting\b|alone\b)`,
	`(?i)\b(?:bin|sind|ist)\b.*\b(?:im (?:urlaub|home ?office|krankenhaus|spital|dienst|ausland)|in (?:bereitschaft|rufbereitschaft|kur|reha|quarantäne)|auf (?:dienstreise|reisen|fortbildung)|verreist|unterwegs|krankgeschrieben|nicht da|dran)\b|\b(?:bin|sind|ist)\b.*\bin (?-i:\p{Lu}\p{Ll})|\b(?:habe?|hat|haben)\b.*\b(?:urlaub|bereitschaft|rufbereitschaft|\pL*dienst|frei)\b|\b(?:vertrete|vertritt|vertreten)\b`,
	`(?i)(?:^|[^\pL])(?:estoy|está|estamos|están)(?: \pL+)? (?:de (?:vacaciones|guardia|baja|viaje|permiso|turno|servicio)|en (?-i:\p{Lu})|en (?:casa|el hospital|cuarentena)|fuera|cubriendo|trabajando desde|ausente)`,
	`出差|值班|休假|度假|放假|请假|轮值|代班|住院|待命`)

// again matches what comes again, or began before.
var again = prefilter.New(`(?i)\b(?:every|each|always|usually|never|daily|weekly|immer|jede[nrms]?|meistens|nie|siempre|cada|nunca|todos los|todas las|a year|per|im jahr|pro|al año|since|seit|schon|desde|hace|already)\b|每|总|从不|已经|了`)

// Expressions of an end, and of a time that has begun.
var (
	untilBefore = regexp.MustCompile(`(?i)(?:\b(?:until|till|til|through|thru|bis(?: zum?| einschließlich| inklusive)?|hasta)|[到至])\s*$`)
	untilIn     = regexp.MustCompile(`(?i)\b(?:until|till|til|through|thru|bis|hasta)\b|[到至]`)
	thisIn      = regexp.MustCompile(`(?i)^(?:all )?(?:this|today|tonight|dies\pL*|heute|est[ae]|hoy)\b|^(?:这|本|今天|今晚)`)
	lasts       = regexp.MustCompile(`(?i)\b(\pL+|\d{1,2})[ -](days?|weeks?|tagen?|wochen?|d[ií]as|semanas?)\b|([一二两兩三四五六七八九十]|\d{1,2})(天|周|週|个?星期|个?礼拜)`)
	weeks       = regexp.MustCompile(`(?i)^(?:w|sem)|周|週|星期|礼拜`)
)

// fewOf are the words for small numbers before days and weeks.
var fewOf = map[string]int{
	"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eine": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "acht": 8, "neun": 9, "zehn": 10,
	"un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "ocho": 8, "diez": 10,
	"一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}
