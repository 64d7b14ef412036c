package text

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	deWeekday = `(sonntag|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend)`
	dePart    = `(früh|morgen|vormittag|mittag|nachmittag|abend|nacht)`
	deCount   = `(\d{1,3}|ein(?:em|er|en|es)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|paar)`
	deUnit    = `(tag|wochenende|woche|monat|jahr|quartal)(?:e?n|e|s)?`
	deSeason  = `(frühling|frühjahr|sommer|herbst|winter)`
	deOnDay   = `(?:am |den |der )?` + deWeekday + `[ ,]*(?:den |der )?` // before the date that says which
	deLast    = `(?:letzt|vorig|vergangen)e[nrsm]?`
	deNext    = `(?:nächst|naechst|kommend)e[nrsm]?`
	deThis    = `(?:diese[nrsm]?|dies|heurige[nrsm]?)`
)

var deMonth = "(" + anyMonth(GermanMonths, GermanShortMonths) + "|maerz)"

func timePhraseOf(pattern string, resolve func(g []string, ref time.Time) (timeMatch, bool)) timePhrase {
	return timePhrase{regexp.MustCompile(`^(?i:` + spaced.Replace(pattern) + `)`), resolve}
}

var germanTimes = timeLanguage{
	leads: WordSet(`vorgestern gestern heute heut übermorgen morgen am im vor in den der die das zu zum zur an
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
		strings.Join(GermanMonths[:], " ")),
	phrases: []timePhrase{
		timePhraseOf(`(?:jede[nrs]? (?:`+deWeekday+`|`+dePart+`|`+deUnit+`)|(?:`+deWeekday+`|morgen|abend)s|am (?:frühen )?morgen|(?:guten|schönen) (?:morgen|tag|abend)|guter dinge)`, recurringPhrase),
		timePhraseOf(`(vorgestern|gestern|heute|heut|übermorgen|morgen)(?: `+dePart+`)?`, germanNearDay),
		timePhraseOf(`(?:`+deOnDay+`|am |der |den |vom |zum )?(\d{1,2})\. ?`+deMonth+`\.?(?:,? ?(\d{4}))?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return calendarDay(numberOf(g[2]), germanMonth(g[3]), g[4], ref)
		}),
		timePhraseOf(`(?:`+deOnDay+`|(?:am|der|den|vom|zum) )(\d{1,2})\. ?(\d{1,2})\.(\d{4}|\d{2})?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return dayOfNumbers(g[2], g[3], g[4], ref)
		}),
		timePhraseOf(`(?:am|zum|vom) (\d{1,2})\.`, func(g []string, ref time.Time) (timeMatch, bool) { return monthDay(numberOf(g[1]), ref) }),
		timePhraseOf(`vor (?:ein )?`+deCount+` `+deUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return countedUnits(-countOf(g[1], germanCounts), germanUnits[g[2]], ref)
		}),
		timePhraseOf(`in `+deCount+` `+deUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return countedUnits(countOf(g[1], germanCounts), germanUnits[g[2]], ref)
		}),
		timePhraseOf(`(?:in )?(?:den|die) (?:letzten|vergangenen) `+deCount+` `+deUnit, func(g []string, ref time.Time) (timeMatch, bool) {
			return lastUnits(countOf(g[1], germanCounts), germanUnits[g[2]], ref)
		}),
		timePhraseOf(`(?:(?:am|im|in|den|der|die|das|an) (?:der |den )?)?(?:(`+deLast+`)|(`+deNext+`)|(`+deThis+`)|(vorletzte[nrsm]?)|(übernächste[nrsm]?)) (?:(wochenende|woche|monat|jahr|quartal|nacht|abend|morgen)|`+deWeekday+`|`+deMonth+`|`+deSeason+`)`+dePart+`?`, germanRelative),
		timePhraseOf(`(?:am |den |der )?`+deWeekday+`(?: ?`+dePart+`)?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return inPart(bareWeekday(germanDays[g[1]], ref), g[2], germanParts), true
		}),
		timePhraseOf(`(?:am|übers|das) wochenende`, func(_ []string, ref time.Time) (timeMatch, bool) { return bareWeekend(ref), true }),
		timePhraseOf(`(?:(?:im|den|der|seit|(anfang|mitte|ende)) )+`+deMonth+`(?: (\d{4}))?`, germanMonthAlone),
		timePhraseOf(`()`+deMonth+`(?: (\d{4}))`, germanMonthAlone),
		timePhraseOf(`()(januar|jänner|februar|feber|märz|juni|juli|oktober|dezember)`, germanMonthAlone),
		timePhraseOf(`(?:im|den|der|diesen) `+deSeason+`(?: (\d{4}))?`, func(g []string, ref time.Time) (timeMatch, bool) {
			return bareSeason(germanSeasons[g[1]], g[2], ref)
		}),
		timePhraseOf(`(?:im jahr|im jahre) (\d{4})`, func(g []string, ref time.Time) (timeMatch, bool) {
			return yearNamed(g[1], ref)
		}),
		timePhraseOf(`(?:(?:zu|zum|an|am|über|die|den|der) )*(silvester|jahreswechsel|neujahr|weihnachten|heiligabend|heiligen abend|nikolaus|ostern|ostersonntag|ostermontag|karfreitag|pfingsten|feiertagen|feiertage)(?: (\d{4}))?`, germanHoliday),
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

var (
	germanMonths = map[string]time.Month{
		"jan": 1, "jän": 1, "feb": 2, "mär": 3, "mae": 3, "apr": 4, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "okt": 10, "nov": 11, "dez": 12,
	}
	germanUnits   = map[string]grain{"tag": day, "woche": week, "wochenende": weekend, "monat": month, "jahr": year, "quartal": quarter}
	germanCounts  = map[string]int{"zwei": 2, "drei": 3, "paar": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12}
	germanSeasons = map[string]time.Month{"frühling": time.March, "frühjahr": time.March, "sommer": time.June, "herbst": time.September, "winter": time.December}
	germanParts   = map[string]int{"früh": 0, "morgen": 0, "vormittag": 0, "mittag": 1, "nachmittag": 1, "abend": 2, "nacht": 3} // in dayParts
	germanDays    = map[string]int{"sonntag": 0, "montag": 1, "dienstag": 2, "mittwoch": 3, "donnerstag": 4, "freitag": 5, "samstag": 6, "sonnabend": 6}
	germanFeasts  = map[string]feast{
		"silvester": {fixed(12, 31), 0, 1}, "jahreswechsel": {fixed(12, 31), 0, 2}, "neujahr": {fixed(1, 1), 0, 1}, "nikolaus": {fixed(12, 6), 0, 1},
		"weihnachten": {fixed(12, 24), 0, 3}, "heiligabend": {fixed(12, 24), 0, 1}, "heiligen abend": {fixed(12, 24), 0, 1},
		"ostern": {easter, -2, 4}, "ostersonntag": {easter, 0, 1}, "ostermontag": {easter, 1, 1}, "karfreitag": {easter, -2, 1}, "pfingsten": {easter, 49, 2},
	}
)

func germanMonth(name string) time.Month { return germanMonths[string([]rune(name)[:3])] }

func germanMonthAlone(g []string, ref time.Time) (timeMatch, bool) {
	m, ok := calendarMonth(germanMonth(g[2]), strings.Join(g[3:], ""), ref)
	m.narrow(map[string]int{"anfang": 1, "mitte": 2, "ende": 3}[g[1]])
	return m, ok
}

// countOf returns a count in digits or by name, 1 for others.
func countOf(s string, names map[string]int) int { return max(1, numberOf(s), names[s]) }

// inPart narrows a day to a part of it, if one is named.
func inPart(m timeMatch, part string, parts map[string]int) timeMatch {
	if n, named := parts[part]; named {
		m.from, m.to = partSpan(m.from, n)
		m.grain = partOfDay
	}
	return m
}

// nearDay returns a day n days away, or a part of it.
func nearDay(n int, part string, parts map[string]int, ref time.Time) (timeMatch, bool) {
	m, ok := wholeUnit(n, day)(ref)
	return inPart(m, part, parts), ok
}

func germanNearDay(g []string, ref time.Time) (timeMatch, bool) {
	return nearDay(map[string]int{"vorgestern": -2, "gestern": -1, "morgen": 1, "übermorgen": 2}[g[1]], g[2], germanParts, ref)
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
	_, part := germanParts[g[6]]
	switch {
	case part:
		m, ok := nearDay(rel*times, g[6], germanParts, ref)
		return m, ok && (g[6] != "morgen" || rel <= 0)
	case g[6] != "":
		return wholeUnit(rel*times, germanUnits[g[6]])(ref)
	case g[7] != "" && strings.HasPrefix(g[2], "kommend"):
		m, ok := comingWeekday(germanDays[g[7]], ref)
		return inPart(m, g[10], germanParts), ok
	case g[7] != "": // "nächsten Dienstag" is the one in the next week, as in English
		m, ok := relativeTo(rel, lexEntry{kind: lexWeekday, n: germanDays[g[7]]}, ref)
		if rel < 0 && times == 2 {
			m.from, m.to = m.from.AddDate(0, 0, -7), m.to.AddDate(0, 0, -7)
		}
		return inPart(m, g[10], germanParts), ok
	case g[8] != "":
		return relativeTo(rel, lexEntry{kind: lexMonth, n: int(germanMonth(g[8]))}, ref)
	}
	return relativeTo(rel, lexEntry{kind: lexSeason, n: int(germanSeasons[g[9]])}, ref)
}

func germanHoliday(g []string, ref time.Time) (timeMatch, bool) {
	if f, known := germanFeasts[g[1]]; known {
		return holidaySpan(f, g[2], ref)
	}
	// Take the nearest occurrence of the holidays, past or future.
	winter, _ := holidaySpan(feast{fixed(12, 24), 0, 9}, g[2], ref)
	spring, _ := holidaySpan(germanFeasts["ostern"], g[2], ref)
	near := winter
	for _, m := range []timeMatch{winter, spring} {
		for _, at := range [][2]time.Time{{m.from, m.to}, {m.nextFrom, m.nextTo}} {
			if away(at, ref) < away([2]time.Time{near.from, near.to}, ref) {
				near.from, near.to = at[0], at[1]
			}
		}
	}
	near.nextFrom, near.nextTo = time.Time{}, time.Time{}
	return near, true
}

func away(span [2]time.Time, ref time.Time) time.Duration {
	return max(span[0].Sub(ref), ref.Sub(span[1]), 0)
}
