package text

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	deMonth   = `(januar|jänner|jan|februar|feber|feb|märz|maerz|april|apr|mai|juni|jun|juli|jul|august|aug|september|sept|sep|oktober|okt|november|nov|dezember|dez)`
	deWeekday = `(sonntag|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend)`
	dePart    = `(früh|morgen|vormittag|mittag|nachmittag|abend|nacht)`
	deCount   = `(\d{1,3}|ein(?:em|er|en|es)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|paar)`
	deUnit    = `(tag|wochenende|woche|monat|jahr|quartal)(?:e?n|e|s)?`
	deSeason  = `(frühling|frühjahr|sommer|herbst|winter)`
	deLast    = `(?:letzt|vorig|vergangen)e[nrsm]?`
	deNext    = `(?:nächst|naechst|kommend)e[nrsm]?`
	deThis    = `(?:diese[nrsm]?|dies|heurige[nrsm]?)`
)

func germanPhrase(pattern string, resolve func(g []string, ref time.Time) (timeMatch, bool)) timePhrase {
	return timePhrase{regexp.MustCompile(`^(?i:` + spaced.Replace(pattern) + `)`), resolve}
}

var germanTimes = timeLanguage{
	leads: wordList(`vorgestern gestern heute heut übermorgen morgen am im vor in den der die das zu zum zur an
		letzte letzten letzter letztes letztem vorige voriger voriges vorigen vorigem vergangene vergangenen vergangener vergangenes
		vorletzte vorletzten vorletztes übernächste übernächsten übernächstes nächste nächsten nächster nächstes nächstem
		kommende kommenden kommender kommendes diese diesen dieser dieses diesem dies heurigen
		jeden jede jedes montags dienstags mittwochs donnerstags freitags samstags sonntags morgens abends guten guter
		anfang ende mitte seit über silvester neujahr weihnachten ostern pfingsten heiligabend nikolaus karfreitag übers
		ostersonntag ostermontag jahreswechsel feiertage`,
		`sonntag montag dienstag mittwoch donnerstag freitag samstag sonnabend`,
		`montagmorgen montagabend dienstagmorgen dienstagabend mittwochmorgen mittwochabend donnerstagmorgen donnerstagabend
		freitagmorgen freitagabend samstagmorgen samstagabend sonntagmorgen sonntagabend montagnachmittag dienstagnachmittag
		mittwochnachmittag donnerstagnachmittag freitagnachmittag samstagnachmittag sonntagnachmittag`,
		`januar jänner februar feber märz april mai juni juli august september oktober november dezember`),
	phrases: []timePhrase{
		germanPhrase(`(?:jede[nrs]? (?:`+deWeekday+`|`+dePart+`|`+deUnit+`)|(?:`+deWeekday+`|morgen|abend)s|(?:guten|schönen) (?:morgen|tag|abend)|guter dinge)`, recurringPhrase),
		germanPhrase(`(vorgestern|gestern|heute|heut|übermorgen|morgen)(?: `+dePart+`)?`, germanNearDay),
		germanPhrase(`(?:am |der |den |vom |zum )?(\d{1,2})\. ?`+deMonth+`\.?(?:,? ?(\d{4}))?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return calendarDay(numberOf(g[1]), germanMonth(g[2]), g[3], ref)
		}),
		germanPhrase(`(?:am|der|den|vom|zum) (\d{1,2})\. ?(\d{1,2})\.(\d{4}|\d{2})?`, func(g []string, ref time.Time) (timeMatch, bool) {
			mo := numberOf(g[2])
			if mo < 1 || mo > 12 {
				return timeMatch{}, false
			}
			return calendarDay(numberOf(g[1]), time.Month(mo), g[3], ref)
		}),
		germanPhrase(`(?:am|zum|vom) (\d{1,2})\.`, func(g []string, ref time.Time) (timeMatch, bool) { return monthDay(numberOf(g[1]), ref) }),
		germanPhrase(`vor (?:ein )?`+deCount+` `+deUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return countedUnits(-germanCount(g[1]), germanUnit(g[2]), ref)
		}),
		germanPhrase(`in `+deCount+` `+deUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return countedUnits(germanCount(g[1]), germanUnit(g[2]), ref)
		}),
		germanPhrase(`(?:in )?(?:den|die) (?:letzten|vergangenen) `+deCount+` `+deUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return lastUnits(germanCount(g[1]), germanUnit(g[2]), ref)
		}),
		germanPhrase(`(?:(?:am|im|in|den|der|die|das|an) (?:der |den )?)?(?:(`+deLast+`)|(`+deNext+`)|(`+deThis+`)|(vorletzte[nrsm]?)|(übernächste[nrsm]?)) (?:(wochenende|woche|monat|jahr|quartal|nacht|abend|morgen)|`+deWeekday+`|`+deMonth+`|`+deSeason+`)`+dePart+`?`, germanRelative),
		germanPhrase(`(?:am |den |der )?`+deWeekday+`(?:[ ,]*(?:den |der )?(\d{1,2})\. ?`+deMonth+`| ?`+dePart+`)?`, germanWeekday),
		germanPhrase(`(?:am|übers|das) wochenende`, func(_ []string, ref time.Time) (timeMatch, bool) { return bareWeekend(ref), true }),
		germanPhrase(`(?:(?:im|den|der|seit|anfang|mitte|ende) )+`+deMonth+`(?: (\d{4}))?`, germanMonthAlone),
		germanPhrase(deMonth+`(?: (\d{4}))`, germanMonthAlone),
		germanPhrase(`(januar|jänner|februar|feber|märz|juni|juli|oktober|dezember)`, germanMonthAlone),
		germanPhrase(`(?:im|den|der|diesen) `+deSeason+`(?: (\d{4}))?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return bareSeason(germanSeason(g[1]), g[2], ref)
		}),
		germanPhrase(`(?:im jahr|im jahre) (\d{4})`, func(g []string, ref time.Time) (timeMatch, bool) {
			return yearNamed(g[1], ref)
		}),
		germanPhrase(`(?:(?:zu|zum|an|am|über|die|den|der) )*(silvester|jahreswechsel|neujahr|weihnachten|heiligabend|heiligen abend|nikolaus|ostern|ostersonntag|ostermontag|karfreitag|pfingsten|feiertagen|feiertage)(?: (\d{4}))?`, germanHoliday),
	},
}

func recurringPhrase([]string, time.Time) (timeMatch, bool) { return timeMatch{recurring: true}, true }

func numberOf(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// yearNamed reads a year near enough to ref to be a year.
func yearNamed(digits string, ref time.Time) (timeMatch, bool) {
	y := numberOf(digits)
	if y < 1000 || y >= 2200 {
		return timeMatch{}, false
	}
	from := time.Date(y, 1, 1, 0, 0, 0, 0, ref.Location())
	return timeMatch{from: from, to: addUnits(from, 1, year), grain: year}, true
}

var germanMonths = map[string]time.Month{
	"jan": 1, "jän": 1, "feb": 2, "mär": 3, "mae": 3, "apr": 4, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "okt": 10, "nov": 11, "dez": 12,
}

func germanMonth(name string) time.Month { return germanMonths[string([]rune(name)[:3])] }

func germanMonthAlone(g []string, ref time.Time) (timeMatch, bool) {
	yr := ""
	if len(g) > 2 {
		yr = g[2]
	}
	return calendarMonth(germanMonth(g[1]), yr, ref)
}

var germanUnits = map[string]grain{"tag": day, "woche": week, "wochenende": weekend, "monat": month, "jahr": year, "quartal": quarter}

func germanUnit(name string) grain { return germanUnits[name] }

func germanCount(s string) int {
	if n := numberOf(s); n > 0 {
		return n
	}
	for i, w := range strings.Fields("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf") {
		if s == w {
			return i + 2
		}
	}
	if s == "paar" {
		return 3
	}
	return 1
}

func germanSeason(name string) time.Month {
	switch name {
	case "sommer":
		return time.June
	case "herbst":
		return time.September
	case "winter":
		return time.December
	}
	return time.March
}

// germanPart returns an index into dayParts, -1 for any other part.
func germanPart(name string) int {
	switch name {
	case "früh", "morgen", "vormittag":
		return 0
	case "mittag", "nachmittag":
		return 1
	case "abend":
		return 2
	case "nacht":
		return 3
	}
	return -1
}

func germanNearDay(g []string, ref time.Time) (timeMatch, bool) {
	n := map[string]int{"vorgestern": -2, "gestern": -1, "morgen": 1, "übermorgen": 2}[g[1]]
	if part := germanPart(g[2]); part >= 0 {
		return dayPart(n, part, ref)
	}
	return wholeUnit(n, day)(ref)
}

func germanRelative(g []string, ref time.Time) (timeMatch, bool) {
	rel, times := 0, 1
	switch {
	case g[1] != "":
		rel = -1
	case g[2] != "":
		rel = 1
	case g[4] != "":
		rel, times = -1, 2
	case g[5] != "":
		rel, times = 1, 2
	}
	var m timeMatch
	ok := true
	switch {
	case g[6] == "nacht" || g[6] == "abend" || g[6] == "morgen":
		if g[6] == "morgen" && rel > 0 {
			return m, false
		}
		return dayPart(rel*times, germanPart(g[6]), ref)
	case g[6] != "":
		return wholeUnit(rel*times, germanUnit(g[6]))(ref)
	case g[7] != "":
		if rel > 0 { // "nächsten Dienstag" is the one in the next week, as in English
			m, ok = relativeTo(rel, lexEntry{kind: lexWeekday, n: germanDay(g[7])}, ref)
		} else if m, ok = relativeTo(rel, lexEntry{kind: lexWeekday, n: germanDay(g[7])}, ref); rel < 0 && times == 2 {
			m.from, m.to = m.from.AddDate(0, 0, -7), m.to.AddDate(0, 0, -7)
		}
		if part := germanPart(g[10]); ok && part >= 0 {
			m.from, m.to = partSpan(m.from, part)
			m.grain = partOfDay
		}
		return m, ok
	case g[8] != "":
		return relativeTo(rel, lexEntry{kind: lexMonth, n: int(germanMonth(g[8]))}, ref)
	}
	return relativeTo(rel, lexEntry{kind: lexSeason, n: int(germanSeason(g[9]))}, ref)
}

func germanDay(name string) int {
	for i, w := range strings.Fields("sonntag montag dienstag mittwoch donnerstag freitag samstag") {
		if name == w {
			return i
		}
	}
	return 6 // Sonnabend
}

func germanWeekday(g []string, ref time.Time) (timeMatch, bool) {
	if g[2] != "" { // "Freitag, den 3. Mai": the date says which
		return calendarDay(numberOf(g[2]), germanMonth(g[3]), "", ref)
	}
	m := bareWeekday(germanDay(g[1]), ref)
	if part := germanPart(g[4]); part >= 0 {
		m.from, m.to = partSpan(m.from, part)
		m.grain = partOfDay
	}
	return m, true
}

func germanHoliday(g []string, ref time.Time) (timeMatch, bool) {
	switch g[1] {
	case "silvester":
		return holidaySpan(fixed(12, 31), 0, 1, g[2], ref)
	case "jahreswechsel":
		return holidaySpan(fixed(12, 31), 0, 2, g[2], ref)
	case "neujahr":
		return holidaySpan(fixed(1, 1), 0, 1, g[2], ref)
	case "weihnachten":
		return holidaySpan(fixed(12, 24), 0, 3, g[2], ref)
	case "heiligabend", "heiligen abend":
		return holidaySpan(fixed(12, 24), 0, 1, g[2], ref)
	case "nikolaus":
		return holidaySpan(fixed(12, 6), 0, 1, g[2], ref)
	case "ostern":
		return easterSpan(-2, 4, g[2], ref)
	case "ostersonntag":
		return easterSpan(0, 1, g[2], ref)
	case "ostermontag":
		return easterSpan(1, 1, g[2], ref)
	case "karfreitag":
		return easterSpan(-2, 1, g[2], ref)
	case "pfingsten":
		return easterSpan(49, 2, g[2], ref)
	}
	// Take the nearest occurrence, past or future.
	winter, _ := holidaySpan(fixed(12, 24), 0, 9, g[2], ref)
	spring, _ := easterSpan(-2, 4, g[2], ref)
	near := winter
	for _, m := range []timeMatch{
		{from: addUnits(winter.from, 1, year), to: addUnits(winter.to, 1, year), grain: day},
		spring,
		{from: spring.nextFrom, to: spring.nextTo, grain: day},
	} {
		if away(m, ref) < away(near, ref) {
			near = m
		}
	}
	near.future, near.nextFrom, near.nextTo = 0, time.Time{}, time.Time{}
	return near, true
}

func away(m timeMatch, ref time.Time) time.Duration {
	return max(m.from.Sub(ref), ref.Sub(m.to), 0)
}

// easterSpan returns a span of days relative to Easter Sunday.
func easterSpan(shift, days int, yr string, ref time.Time) (timeMatch, bool) {
	m, ok := holidaySpan(easter, shift, days, yr, ref)
	if m.future != 0 {
		m.future = 0
		m.nextFrom, m.nextTo = laterHoliday(m, easter, shift, days)
	}
	return m, ok
}
