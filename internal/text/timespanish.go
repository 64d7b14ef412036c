package text

import (
	"strings"
	"time"
)

const (
	esWeekday = `(domingo|lunes|martes|miércoles|miercoles|jueves|viernes|sábado|sabado)`
	esCount   = `(\d{1,3}|una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|unos|unas)`
	esUnit    = `(días?|dias?|semanas?|fines? de semana|meses|mes|años?|trimestres?)`
	esPart    = `(mañana|tarde|noche)`
	esSeason  = `(primavera|verano|otoño|invierno)`
	esPast    = `(pasad[oa]|anterior)`
	esComing  = `(que viene|próxim[oa]|proxim[oa]|siguiente)`
)

var esMonth = "(" + anyMonth(SpanishMonths) + ")"

var spanishTimes = timeLanguage{
	leads: WordSet(`anteayer antier antes ayer anoche hoy pasado mañana cada todos todas por de el la los las en a
		esta este estos hace dentro fin nochevieja nochebuena navidad navidades pascua semana próximo próxima último última desde
		pasada año al del`,
		`domingo lunes martes miércoles miercoles jueves viernes sábado sabado`,
		strings.Join(SpanishMonths[:], " ")),
	phrases: []timePhrase{
		timePhraseOf(`(?:cada (?:`+esWeekday+`|`+esPart+`|`+esUnit+`)|tod[oa]s l[oa]s (?:`+esWeekday+`|`+esUnit+`|mañanas|tardes|noches)|los `+esWeekday+`|por las? (?:mañanas?|tardes?|noches?)|de la (?:mañana|tarde|noche)|(?:la|las) mañanas?)`, recurringPhrase),
		timePhraseOf(`(anteayer|antier|antes de ayer|ayer|anoche|hoy|pasado mañana|mañana)(?: (?:por|en|a) la `+esPart+`)?`, spanishNearDay),
		timePhraseOf(`(?:esta `+esPart+`)`, func(g []string, ref time.Time) (timeMatch, bool) { return nearDay(0, g[1], spanishParts, ref) }),
		timePhraseOf(`(?:el |al |del )?(?:`+esWeekday+`,? )?(?:el )?(?:día )?(\d{1,2}) de `+esMonth+`(?: del? (?:año )?(\d{4}))?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return calendarDay(numberOf(g[2]), spanishMonth[g[3]], g[4], ref)
		}),
		timePhraseOf(`(?:(?:el |al |del )?`+esWeekday+`,? |(?:el|al|del) )(?:día )?(\d{1,2})(?:[/.-](\d{1,2})[/.-](\d{4}|\d{2})|/(\d{1,2})( de (?:l|un)| parte)?)`, func(g []string, ref time.Time) (timeMatch, bool) {
			m, ok := dayOfNumbers(g[2], g[3]+g[5], g[4], ref)
			return m, ok && g[6] == "" // no fraction
		}),
		timePhraseOf(`el (?:día )?(\d{1,2})( ?%| por cien| de l|[/.,–-]\d)?`, func(g []string, ref time.Time) (timeMatch, bool) {
			m, ok := monthDay(numberOf(g[1]), ref)
			return m, ok && g[2] == "" // neither a share nor one of several
		}),
		timePhraseOf(`hace `+esCount+` `+esUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return countedUnits(-countOf(g[1], spanishCounts), spanishUnits[g[2][:1]], ref)
		}),
		timePhraseOf(`(?:dentro de|en) `+esCount+` `+esUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return countedUnits(countOf(g[1], spanishCounts), spanishUnits[g[2][:1]], ref)
		}),
		timePhraseOf(`(?:en )?l[oa]s últim[oa]s `+esCount+` `+esUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return lastUnits(countOf(g[1], spanishCounts), spanishUnits[g[2][:1]], ref)
		}),
		timePhraseOf(`(?:en |a |por |durante )?(?:el|la|al|del) (?:(pasad[oa]|últim[oa])|(próxim[oa])) (?:(semana|fin de semana|mes|año|trimestre)|`+esWeekday+`|`+esMonth+`|`+esSeason+`)`, func(g []string, ref time.Time) (timeMatch, bool) {
			rel := 1
			if g[1] != "" {
				rel = -1
			}
			return spanishRelative(rel, g[3], g[4], g[5], g[6], ref)
		}),
		timePhraseOf(`(?:en |a |por |durante )?(?:(?:el|la|al|del) )?(?:(semana|fin de semana|mes|año|trimestre)|`+esWeekday+`|`+esMonth+`|`+esSeason+`) (?:`+esPast+`|`+esComing+`)`, func(g []string, ref time.Time) (timeMatch, bool) {
			rel := 1
			if g[5] != "" {
				rel = -1
			} else if g[2] != "" && strings.HasSuffix(g[6], "viene") {
				return comingWeekday(spanishDays[g[2]], ref)
			}
			return spanishRelative(rel, g[1], g[2], g[3], g[4], ref)
		}),
		timePhraseOf(`(?:en )?este (?:(mes|año|fin de semana|trimestre)|`+esWeekday+`|`+esMonth+`|`+esSeason+`)`, func(g []string, ref time.Time) (timeMatch, bool) {
			return spanishRelative(0, g[1], g[2], g[3], g[4], ref)
		}),
		timePhraseOf(`(?:en )?esta semana`, func(_ []string, ref time.Time) (timeMatch, bool) { return wholeUnit(0, week)(ref) }),
		timePhraseOf(`(?:el |al |del )?`+esWeekday+`(?: (?:por|en|a) la `+esPart+`)?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return inPart(bareWeekday(spanishDays[g[1]], ref), g[2], spanishParts), true
		}),
		timePhraseOf(`(?:en |el )?fin de semana`, func(_ []string, ref time.Time) (timeMatch, bool) { return bareWeekend(ref), true }),
		timePhraseOf(`(?:en |a (principios|mediados|finales) de |de |desde )?`+esMonth+`(?: del? (?:año )?(\d{4}))?`, func(g []string, ref time.Time) (timeMatch, bool) {
			m, ok := calendarMonth(spanishMonth[g[2]], g[3], ref)
			m.narrow(map[string]int{"principios": 1, "mediados": 2, "finales": 3}[g[1]])
			return m, ok
		}),
		timePhraseOf(`(?:en |el |la |del )+`+esSeason+`(?: del? (\d{4}))?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return bareSeason(spanishSeasons[g[1]], g[2], ref)
		}),
		timePhraseOf(`(?:en el año|el año|en) ((?:19|20)\d\d)`, func(g []string, ref time.Time) (timeMatch, bool) { return yearNamed(g[1], ref) }),
		timePhraseOf(`(?:(?:en|por|el|la|las|día|de) )*(nochevieja|nochebuena|navidades|navidad|año nuevo|semana santa|pascua)(?: del? (\d{4}))?`, spanishHoliday),
	},
}

var (
	spanishDays  = map[string]int{"domingo": 0, "lunes": 1, "martes": 2, "miércoles": 3, "miercoles": 3, "jueves": 4, "viernes": 5, "sábado": 6, "sabado": 6}
	spanishUnits = map[string]grain{ // by the first letter
		"d": day, "s": week, "f": weekend, "m": month, "t": quarter, "a": year,
	}
	spanishCounts  = map[string]int{"dos": 2, "tres": 3, "unos": 3, "unas": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12}
	spanishSeasons = map[string]time.Month{"primavera": time.March, "verano": time.June, "otoño": time.September, "invierno": time.December}
	spanishParts   = map[string]int{"mañana": 0, "tarde": 1, "noche": 3} // in dayParts
	spanishFeasts  = map[string]feast{
		"nochevieja": {fixed(12, 31), 0, 1}, "nochebuena": {fixed(12, 24), 0, 1}, "navidad": {fixed(12, 24), 0, 2}, "navidades": {fixed(12, 24), 0, 2},
		"año nuevo": {fixed(1, 1), 0, 1}, "semana santa": {easter, -7, 8}, "pascua": {easter, 0, 1},
	}
)

var spanishMonth = func() map[string]time.Month {
	numbers := make(map[string]time.Month)
	for i, names := range SpanishMonths {
		for name := range strings.FieldsSeq(names) {
			numbers[name] = time.Month(i + 1)
		}
	}
	return numbers
}()

func spanishNearDay(g []string, ref time.Time) (timeMatch, bool) {
	near := strings.Join(strings.Fields(g[1]), " ")
	if near == "anoche" {
		return nearDay(-1, "noche", spanishParts, ref)
	}
	return nearDay(map[string]int{"anteayer": -2, "antier": -2, "antes de ayer": -2, "ayer": -1, "mañana": 1, "pasado mañana": 2}[near], g[2], spanishParts, ref)
}

func spanishRelative(rel int, unit, weekday, monthName, seasonName string, ref time.Time) (timeMatch, bool) {
	switch {
	case unit != "":
		return wholeUnit(rel, spanishUnits[unit[:1]])(ref)
	case weekday != "":
		return relativeTo(rel, lexEntry{kind: lexWeekday, n: spanishDays[weekday]}, ref)
	case monthName != "":
		return relativeTo(rel, lexEntry{kind: lexMonth, n: int(spanishMonth[monthName])}, ref)
	}
	return relativeTo(rel, lexEntry{kind: lexSeason, n: int(spanishSeasons[seasonName])}, ref)
}

func spanishHoliday(g []string, ref time.Time) (timeMatch, bool) {
	return holidaySpan(spanishFeasts[strings.Join(strings.Fields(g[1]), " ")], g[2], ref)
}
