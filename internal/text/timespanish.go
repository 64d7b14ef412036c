package text

import (
	"regexp"
	"strings"
	"time"
)

const (
	esMonth   = `(enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre)`
	esWeekday = `(domingo|lunes|martes|miércoles|miercoles|jueves|viernes|sábado|sabado)`
	esCount   = `(\d{1,3}|una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|unos|unas)`
	esUnit    = `(días?|dias?|semanas?|fines? de semana|meses|mes|años?|trimestres?)`
	esPart    = `(mañana|tarde|noche)`
	esSeason  = `(primavera|verano|otoño|invierno)`
	esPast    = `(pasad[oa]|anterior)`
	esComing  = `(que viene|próxim[oa]|proxim[oa]|siguiente)`
)

func spanishPhrase(pattern string, resolve func(g []string, ref time.Time) (timeMatch, bool)) timePhrase {
	return timePhrase{regexp.MustCompile(`^(?i:` + spaced.Replace(pattern) + `)`), resolve}
}

var spanishTimes = timeLanguage{
	leads: wordList(`anteayer antier antes ayer anoche hoy pasado mañana cada todos todas por de el la los las en a
		esta este estos hace dentro fin nochevieja nochebuena navidad navidades pascua semana próximo próxima último última desde
		pasada año al del`,
		`domingo lunes martes miércoles miercoles jueves viernes sábado sabado`,
		`enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre`),
	phrases: []timePhrase{
		spanishPhrase(`(?:cada (?:`+esWeekday+`|`+esPart+`|`+esUnit+`)|tod[oa]s l[oa]s (?:`+esWeekday+`|`+esUnit+`|mañanas|tardes|noches)|los `+esWeekday+`|por las? (?:mañanas?|tardes?|noches?)|de la (?:mañana|tarde|noche)|(?:la|las) mañanas?)`, recurringPhrase),
		spanishPhrase(`(anteayer|antier|antes de ayer|ayer|anoche|hoy|pasado mañana|mañana)(?: (?:por|en|a) la `+esPart+`)?`, spanishNearDay),
		spanishPhrase(`(?:esta `+esPart+`)`, func(g []string, ref time.Time) (timeMatch, bool) { return dayPart(0, spanishPart(g[1]), ref) }),
		spanishPhrase(`(?:el |al |del )?(?:`+esWeekday+`,? )?(?:el )?(?:día )?(\d{1,2}) de `+esMonth+`(?: del? (?:año )?(\d{4}))?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return calendarDay(numberOf(g[2]), spanishMonth(g[3]), g[4], ref)
		}),
		spanishPhrase(`el (?:día )?(\d{1,2})`, func(g []string, ref time.Time) (timeMatch, bool) { return monthDay(numberOf(g[1]), ref) }),
		spanishPhrase(`hace `+esCount+` `+esUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return countedUnits(-spanishCount(g[1]), spanishUnit(g[2]), ref)
		}),
		spanishPhrase(`(?:dentro de|en) `+esCount+` `+esUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return countedUnits(spanishCount(g[1]), spanishUnit(g[2]), ref)
		}),
		spanishPhrase(`(?:en )?l[oa]s últim[oa]s `+esCount+` `+esUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return lastUnits(spanishCount(g[1]), spanishUnit(g[2]), ref)
		}),
		spanishPhrase(`(?:en |a |por |durante )?(?:el|la|al|del) (?:(pasad[oa]|últim[oa])|(próxim[oa])) (?:(semana|fin de semana|mes|año|trimestre)|`+esWeekday+`|`+esMonth+`|`+esSeason+`)`, func(g []string, ref time.Time) (timeMatch, bool) {
			rel := 1
			if g[1] != "" {
				rel = -1
			}
			return spanishRelative(rel, g[3], g[4], g[5], g[6], ref)
		}),
		spanishPhrase(`(?:en |a |por |durante )?(?:(?:el|la|al|del) )?(?:(semana|fin de semana|mes|año|trimestre)|`+esWeekday+`|`+esMonth+`|`+esSeason+`) (?:`+esPast+`|`+esComing+`)`, func(g []string, ref time.Time) (timeMatch, bool) {
			rel := 1
			if g[5] != "" {
				rel = -1
			}
			return spanishRelative(rel, g[1], g[2], g[3], g[4], ref)
		}),
		spanishPhrase(`(?:en )?este (?:(mes|año|fin de semana|trimestre)|`+esWeekday+`|`+esMonth+`|`+esSeason+`)`, func(g []string, ref time.Time) (timeMatch, bool) {
			return spanishRelative(0, g[1], g[2], g[3], g[4], ref)
		}),
		spanishPhrase(`(?:en )?esta semana`, func(_ []string, ref time.Time) (timeMatch, bool) { return wholeUnit(0, week)(ref) }),
		spanishPhrase(`(?:el |al |del )?`+esWeekday+`(?: (?:por|en|a) la `+esPart+`)?`, func(g []string, ref time.Time) (timeMatch, bool) {
			m := bareWeekday(spanishDay(g[1]), ref)
			if part := spanishPart(g[2]); part >= 0 {
				m.from, m.to = partSpan(m.from, part)
				m.grain = partOfDay
			}
			return m, true
		}),
		spanishPhrase(`(?:en |el )?fin de semana`, func(_ []string, ref time.Time) (timeMatch, bool) { return bareWeekend(ref), true }),
		spanishPhrase(`(?:en |a (?:principios|mediados|finales) de |de |desde )?`+esMonth+`(?: del? (?:año )?(\d{4}))?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return calendarMonth(spanishMonth(g[1]), g[2], ref)
		}),
		spanishPhrase(`(?:en |el |la |del )+`+esSeason+`(?: del? (\d{4}))?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return bareSeason(spanishSeason(g[1]), g[2], ref)
		}),
		spanishPhrase(`(?:en el año|el año|en) ((?:19|20)\d\d)`, func(g []string, ref time.Time) (timeMatch, bool) { return yearNamed(g[1], ref) }),
		spanishPhrase(`(?:(?:en|por|el|la|las|día|de) )*(nochevieja|nochebuena|navidades|navidad|año nuevo|semana santa|pascua)(?: del? (\d{4}))?`, spanishHoliday),
	},
}

func spanishMonth(name string) time.Month {
	for i, w := range strings.Fields("ene feb mar abr may jun jul ago sep oct nov dic") {
		if strings.HasPrefix(name, w) {
			return time.Month(i + 1)
		}
	}
	return time.September // setiembre
}

func spanishDay(name string) int {
	for i, w := range strings.Fields("dom lun mar mi jue vie s") {
		if strings.HasPrefix(name, w) {
			return i
		}
	}
	return 6
}

func spanishUnit(name string) grain {
	switch {
	case strings.HasPrefix(name, "d"):
		return day
	case strings.HasPrefix(name, "s"):
		return week
	case strings.HasPrefix(name, "f"):
		return weekend
	case strings.HasPrefix(name, "m"):
		return month
	case strings.HasPrefix(name, "t"):
		return quarter
	}
	return year
}

func spanishCount(s string) int {
	if n := numberOf(s); n > 0 {
		return n
	}
	for i, w := range strings.Fields("dos tres cuatro cinco seis siete ocho nueve diez once doce") {
		if s == w {
			return i + 2
		}
	}
	if s == "unos" || s == "unas" {
		return 3
	}
	return 1
}

func spanishSeason(name string) time.Month {
	switch name {
	case "verano":
		return time.June
	case "otoño":
		return time.September
	case "invierno":
		return time.December
	}
	return time.March
}

// spanishPart returns an index into dayParts, -1 for none.
func spanishPart(name string) int {
	switch name {
	case "mañana":
		return 0
	case "tarde":
		return 1
	case "noche":
		return 3
	}
	return -1
}

func spanishNearDay(g []string, ref time.Time) (timeMatch, bool) {
	near := strings.Join(strings.Fields(g[1]), " ")
	if near == "anoche" {
		return dayPart(-1, 3, ref)
	}
	n := map[string]int{"anteayer": -2, "antier": -2, "antes de ayer": -2, "ayer": -1, "mañana": 1, "pasado mañana": 2}[near]
	if part := spanishPart(g[2]); part >= 0 {
		return dayPart(n, part, ref)
	}
	return wholeUnit(n, day)(ref)
}

func spanishRelative(rel int, unit, weekday, monthName, seasonName string, ref time.Time) (timeMatch, bool) {
	switch {
	case unit != "":
		return wholeUnit(rel, spanishUnit(unit))(ref)
	case weekday != "":
		return relativeTo(rel, lexEntry{kind: lexWeekday, n: spanishDay(weekday)}, ref)
	case monthName != "":
		return relativeTo(rel, lexEntry{kind: lexMonth, n: int(spanishMonth(monthName))}, ref)
	}
	return relativeTo(rel, lexEntry{kind: lexSeason, n: int(spanishSeason(seasonName))}, ref)
}

func spanishHoliday(g []string, ref time.Time) (timeMatch, bool) {
	switch {
	case g[1] == "nochevieja":
		return holidaySpan(fixed(12, 31), 0, 1, g[2], ref)
	case g[1] == "nochebuena":
		return holidaySpan(fixed(12, 24), 0, 1, g[2], ref)
	case strings.HasPrefix(g[1], "navidad"):
		return holidaySpan(fixed(12, 24), 0, 2, g[2], ref)
	case strings.HasPrefix(g[1], "año"):
		return holidaySpan(fixed(1, 1), 0, 1, g[2], ref)
	case strings.HasPrefix(g[1], "semana"):
		return easterSpan(-7, 8, g[2], ref)
	}
	return easterSpan(0, 1, g[2], ref)
}
