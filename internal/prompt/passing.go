package prompt

import (
	"regexp"
	"time"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
)

// Maximum lengths, in terms, of an appointment and of what says when it ends.
const (
	appointmentTerms = 10
	whileTerms       = 14
)

// holdsAfter reports whether a sentence is about a change, which holds after its day.
func holdsAfter(sentence string) bool {
	return said.TellsChange(sentence) || turningPoint.MatchString(sentence)
}

// turningPoint matches what a day begins, ends or moves, in the languages of
// [said.LastingOf].
var turningPoint = regexp.MustCompile(`(?i)\b(?:start|begin|mov(?:e|ing)|marr|wedding|due\b|expire|end(?:s|ing)?\b|leav|join|retir|open|clos|chang|switch|becom|turns?\b|born` +
	`|anf[aä]ng|fängt|beginn|zieh|umzug|heirat|hochzeit|entbind|läuft ab|abläuft|ende[tn]?\b|verl[aä]ss|rente|eröffn|schließ|wechsel|wird\b|empiez|empez|comienz|mud|cas[ao]|boda|vence|termin|deja|jubil|abr[ei]|cierr|cambi|cumple)` +
	`|开始|搬|结婚|婚礼|预产|到期|截止|结束|离职|入职|退休|开业|关门|换|改|起`)

// ownEnd returns the end that a short sentence gives to a stay or a duty, zero for others: "I'm
// on call this week", "Bin bis Sonntag in Kur", "Estoy fuera hasta el viernes". What else the
// sentence says may hold afterwards.
func ownEnd(sentence string, spans []text.TimeSpan, said time.Time) time.Time {
	if len(spans) != 1 || len(text.Terms(sentence)) > whileTerms || !ofAWhile.MatchString(sentence) || again.MatchString(sentence) {
		return time.Time{}
	}
	span := spans[0]
	end := span.End
	switch until := untilBefore.MatchString(sentence[:span.Offset]) || untilIn.MatchString(span.Text); {
	case until && !end.After(said) && !span.NextEnd.IsZero():
		end = span.NextEnd.AddDate(0, 0, 1) // "until Friday" may be until its end
	case until:
	case !thisIn.MatchString(span.Text):
		return time.Time{}
	case span.Start.AddDate(0, 0, 7).Equal(end) && (said.Weekday() == time.Saturday || said.Weekday() == time.Sunday):
		end = end.AddDate(0, 0, 7) // "this week" at its end may be the next one
	}
	if !end.After(said) {
		return time.Time{} // it tells what was
	}
	return end
}

// ofAWhile matches a stay or a duty in the present, in the languages of [said.LastingOf].
var ofAWhile = prefilter.New(
	`(?i)(?:\b(?:i|we|you|they|he|she|\pL+)['’](?:m|re|s)|\b(?:am|are|is)) (?:\pL+ )?(?:on (?:call|duty|holidays?|vacation|leave|shift|standby|support|nights|(?:sick|annual|parental) leave|an? (?:business )?(?:trip|course|retreat))|in (?-i:\p{Lu})|in (?:hospital|town|quarantine|bed)|at (?:home|my|a conference|the conference)|off\b|away\b|abroad\b|out of (?:the )?(?:office|town)|covering\b|standing in\b|filling in\b|staying\b|visiting\b|travell?ing\b|working from\b|house-?sitting\b|alone\b)`,
	`(?i)\b(?:bin|sind|ist)\b.*\b(?:im (?:urlaub|home ?office|krankenhaus|spital|dienst|ausland)|in (?:bereitschaft|rufbereitschaft|kur|reha|quarantäne)|auf (?:dienstreise|reisen|fortbildung)|verreist|unterwegs|krankgeschrieben|nicht da|dran)\b|\b(?:bin|sind|ist)\b.*\bin (?-i:\p{Lu}\p{Ll})|\b(?:habe?|hat|haben)\b.*\b(?:urlaub|bereitschaft|rufbereitschaft|\pL*dienst|frei)\b|\b(?:vertrete|vertritt|vertreten)\b`,
	`(?i)(?:^|[^\pL])(?:estoy|está|estamos|están)(?: \pL+)? (?:de (?:vacaciones|guardia|baja|viaje|permiso|turno|servicio)|en (?-i:\p{Lu})|en (?:casa|el hospital|cuarentena)|fuera|cubriendo|trabajando desde|ausente)`,
	`出差|值班|休假|度假|放假|请假|轮值|代班|住院|待命`)

// again matches what comes again, or began before.
var again = prefilter.New(`(?i)\b(?:every|each|always|usually|never|daily|weekly|immer|jede[nrms]?|meistens|nie|siempre|cada|nunca|todos los|todas las|since|seit|schon|desde|already)\b|每|总|从不|已经|了`)

// Expressions of an end, and of a time that has begun.
var (
	untilBefore = regexp.MustCompile(`(?i)(?:\b(?:until|till|til|through|thru|bis(?: zum?| einschließlich| inklusive)?|hasta)|[到至])\s*$`)
	untilIn     = regexp.MustCompile(`(?i)\b(?:until|till|til|through|thru|bis|hasta)\b|[到至]`)
	thisIn      = regexp.MustCompile(`(?i)^(?:all )?(?:this|today|tonight|dies\pL*|heute|est[ae]|hoy)\b|^(?:这|本|今天|今晚)`)
)
