package text

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// German and Spanish time expressions are patterns that begin with one of a few
// words or a digit. The first match wins, so longer patterns come first. The
// rules are those of [TimeSpans].

// timePhrase reads one form of expression. g are the groups of its pattern. A
// recurring match ("jeden Montag") yields no time, and neither does any part of
// it.
type timePhrase struct {
	pattern *regexp.Regexp
	resolve func(g []string, ref time.Time) (timeMatch, bool)
}

// timeLanguage is the phrases of one language.
type timeLanguage struct {
	leads   map[string]bool // folded first words; a digit may begin a phrase too
	phrases []timePhrase
}

// timeLanguages are in timegerman.go and timespanish.go.
var timeLanguages = []*timeLanguage{&germanTimes, &spanishTimes}

// phraseSpan is a span, or a range of text that must not be read as one.
type phraseSpan struct {
	TimeSpan

	none bool
}

// withPhrases adds German and Spanish expressions to those already found, and
// removes the ones that they contain or refine.
func withPhrases(found []TimeSpan, s string, ref time.Time) []TimeSpan {
	phrases := phraseSpans(s, ref)
	if len(phrases) == 0 {
		return found
	}
	// "am 14." inside "14 February 2024" is less specific than the whole.
	phrases = slices.DeleteFunc(phrases, func(p phraseSpan) bool {
		return slices.ContainsFunc(found, func(f TimeSpan) bool {
			return f.Offset <= p.Offset && p.Offset < f.Offset+len(f.Text) && len(f.Text) > len(p.Text)
		})
	})
	found = slices.DeleteFunc(found, func(f TimeSpan) bool {
		return slices.ContainsFunc(phrases, func(p phraseSpan) bool {
			return f.Offset < p.Offset+len(p.Text) && p.Offset < f.Offset+len(f.Text)
		})
	})
	for _, p := range phrases {
		if !p.none {
			found = append(found, p.TimeSpan)
		}
	}
	slices.SortFunc(found, func(a, b TimeSpan) int { return cmp.Compare(a.Offset, b.Offset) })
	for i := len(found) - 2; i >= 0; i-- {
		if found[i].upTo(found[i+1], s) {
			found = slices.Delete(found, i+1, i+2)
		}
	}
	return found
}

// untilNext matches what joins two expressions to a range.
var untilNext = regexp.MustCompile(`(?i)^\s*(?:(?:bis|hasta|al?)\s+|[到至])`)

// upTo extends a time to the next one in s, if s joins the two: "Montag bis Freitag",
// "de lunes a viernes", "周一到周五". It leaves alone a time without a year that ends in one with
// a year, and one that comes round at another pace; only the number of a day takes its month from the
// day after it: "am 3. bis 5. Mai".
func (t *TimeSpan) upTo(b TimeSpan, s string) bool {
	end := t.Offset + len(t.Text)
	if end+len(untilNext.FindString(s[end:])) < max(b.Offset, end+1) || t.NextStart.IsZero() != b.NextStart.IsZero() {
		return false
	}
	if every, other := t.NextStart.Sub(t.Start), b.NextStart.Sub(b.Start); !t.NextStart.IsZero() && max(every, other) > 3*min(every, other) {
		if every < 28*24*time.Hour || every > other || b.End.Sub(b.Start) > 25*time.Hour {
			return false // "Montag bis 5. Mai"
		}
		t.Start, t.NextStart = dayBefore(t.Start.Day(), b.Start), dayBefore(t.Start.Day(), b.NextStart)
	}
	if !t.Start.Before(b.End) {
		b.End = b.NextEnd
	}
	if !t.Start.Before(b.End) {
		return false
	}
	t.Range, t.End, t.Text = true, b.End, s[t.Offset:b.Offset+len(b.Text)]
	if !t.NextStart.IsZero() {
		t.NextEnd = t.NextStart.AddDate(0, 0, int(t.End.Sub(t.Start).Round(24*time.Hour)/(24*time.Hour)))
	}
	return true
}

// dayBefore returns the last day before at that has the number d.
func dayBefore(d int, at time.Time) time.Time {
	first := dayStart(at).AddDate(0, 0, 1-at.Day())
	if d >= at.Day() {
		first = first.AddDate(0, -1, 0)
	}
	return first.AddDate(0, 0, d-1)
}

// phraseSpans finds the expressions of all [timeLanguages] and of Chinese, from left to right.
func phraseSpans(s string, ref time.Time) (all []phraseSpan) {
	inWord, chinese := false, HasHan(s)
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		begins := !inWord && (unicode.IsLetter(r) || r >= '0' && r <= '9')
		inWord = unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		var span phraseSpan
		taken := 0
		if begins {
			span, taken = phraseAt(s, at, ref)
			inWord = inWord && taken == 0
		}
		if taken == 0 && chinese { // a phrase begins anywhere: there are no blanks
			span, taken = firstPhrase(chineseTimes, s, at, ref, func(string) bool { return false })
			size = max(size, len(zhLeading.FindString(s[at:])))
		}
		if taken == 0 {
			at += size
			continue
		}
		if span.none || span.Start.Year() >= 1 && span.End.Year() <= 9999 && span.Start.Before(span.End) {
			all = append(all, span)
		}
		at += taken
	}
	return all
}

func phraseAt(s string, at int, ref time.Time) (phraseSpan, int) {
	word := strings.ToLower(s[at:wordEnd(s, at)])
	for _, language := range timeLanguages {
		if !language.leads[word] && !(s[at] >= '0' && s[at] <= '9') {
			continue
		}
		if word == "morgen" && nounBefore.MatchString(s[max(0, at-sinceBefore):at+1]) {
			return phraseSpan{TimeSpan{Text: s[at : at+len(word)], Offset: at}, true}, len(word)
		}
		if span, taken := firstPhrase(language.phrases, s, at, ref, goesOn); taken > 0 {
			return span, taken
		}
	}
	return phraseSpan{}, 0
}

// firstPhrase reads the first of the phrases that s[at:] begins with.
func firstPhrase(phrases []timePhrase, s string, at int, ref time.Time, goesOn func(rest string) bool) (phraseSpan, int) {
	for _, p := range phrases {
		g := p.pattern.FindStringSubmatch(s[at:])
		if g == nil || goesOn(s[at+len(g[0]):]) {
			continue
		}
		for i := range g {
			g[i] = strings.ToLower(g[i])
		}
		if m, ok := p.resolve(g, ref); ok {
			if since.MatchString(s[max(0, at-sinceBefore):at]+g[0]) && m.from.Before(ref) && !until.MatchString(s[at+len(g[0]):]) {
				m.to, m.future, m.nextFrom = dayStart(ref).AddDate(0, 0, 1), 0, time.Time{}
			}
			span := phraseSpan{TimeSpan{Start: m.from, End: m.to, Text: s[at : at+len(g[0])], Offset: at}, m.recurring}
			span.later(m)
			return span, len(g[0])
		}
	}
	return phraseSpan{}, 0
}

// since matches an expression with a word that lets it last until now, in the expression or up to
// sinceBefore bytes before it; until what may follow and end it earlier.
var (
	since = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:seit|desde)(?: (?:dem|der|den|el|la|las|los))? (?:hace |letzte[nrsm]? |vorige[nrsm]? )?(?:\pL|\d)+(?:\.? (?:de )?\pL+)?(?: \d{4}| pasad[oa])?$`)
	until = regexp.MustCompile(`(?i)^ (?:bis|hasta)\b`)
)

const sinceBefore = 20

// nounBefore matches what makes the "Morgen" after it the morning, up to its first letter: "mein
// Morgen", "am nächsten Morgen".
var nounBefore = regexp.MustCompile(`(?:^|[^\pL])(?i:am|zum|vom|gegen|de[rnms]|(?:[mds]?ein|kein|unser|ihr)(?:e[nmrs])?|euer|euren|jene[rnm])\s+(?:\p{Ll}+e[rnms]?\s+)?M$`)

// goesOn reports whether rest continues the word before it.
func goesOn(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// later sets the next occurrence, for an expression that may mean that as well.
func (t *TimeSpan) later(m timeMatch) {
	switch {
	case !m.nextFrom.IsZero():
		t.NextStart, t.NextEnd = m.nextFrom, m.nextTo
	case (m.future == month || m.future == year) && m.grain <= day:
		// the 31st is followed by that of the next month that has one
		y, mo, d := m.from.Date()
		for n := 1; ; n++ {
			first := addUnits(time.Date(y, mo, 1, 0, 0, 0, 0, m.from.Location()), n, m.future)
			if d <= daysIn(first.Year(), first.Month()) {
				next := first.AddDate(0, 0, d-1)
				days := int(next.Sub(dayStart(m.from)).Round(24*time.Hour) / (24 * time.Hour))
				t.NextStart, t.NextEnd = m.from.AddDate(0, 0, days), m.to.AddDate(0, 0, days)
				return
			}
		}
	case m.future != 0:
		t.NextStart, t.NextEnd = addUnits(m.from, 1, m.future), addUnits(m.to, 1, m.future)
	}
}

// spaced makes the blanks of a pattern match any white space.
var spaced = strings.NewReplacer(" ?", `\s*`, " ", `\s+`)

// Times that several languages share, relative to ref.

func wholeUnit(n int, g grain) func(ref time.Time) (timeMatch, bool) {
	return func(ref time.Time) (timeMatch, bool) {
		from, to := unitSpan(ref, n, g)
		return timeMatch{from: from, to: to, grain: g}, true
	}
}

// calendarDay returns a day of a month; without a year the nearest past one.
func calendarDay(d int, mo time.Month, yr string, ref time.Time) (timeMatch, bool) {
	p := timeParser{ref: ref}
	m := timeMatch{grain: day}
	var ok bool
	if yr != "" {
		y := numberOf(yr)
		if y < 100 {
			y = p.shortCentury(y)
		}
		m.from, m.to, ok = p.dayAt(y, mo, d)
		return m, ok
	}
	m.future = year
	m.from, m.to, ok = p.pastDay(mo, d)
	return m, ok
}

// dayOfNumbers returns a day of a month by number.
func dayOfNumbers(d, mo, yr string, ref time.Time) (timeMatch, bool) {
	if n := numberOf(mo); n >= 1 && n <= 12 {
		return calendarDay(numberOf(d), time.Month(n), yr, ref)
	}
	return timeMatch{}, false
}

// calendarMonth returns a month; without a year the nearest past one.
func calendarMonth(mo time.Month, yr string, ref time.Time) (timeMatch, bool) {
	y, m := numberOf(yr), timeMatch{grain: month}
	if yr == "" {
		y, m.future = ref.Year(), year
	}
	m.from = time.Date(y, mo, 1, 0, 0, 0, 0, ref.Location())
	if yr == "" && m.from.After(ref) {
		m.from = addUnits(m.from, -1, year)
	}
	m.to = addUnits(m.from, 1, month)
	return m, y >= 1
}

// relativeTo returns the last (-1), this (0) or next (+1) unit, weekday, month or
// season, by the rules for English "last Friday".
func relativeTo(rel int, e lexEntry, ref time.Time) (timeMatch, bool) {
	return relativeWord([...]string{"last", "this", "next"}[rel+1], rel, e, ref)
}

func relativeWord(word string, rel int, e lexEntry, ref time.Time) (timeMatch, bool) {
	p := timeParser{ref: ref, toks: []tok{{lexEntry: lexEntry{word: word, kind: lexRelative, n: rel}}, {lexEntry: e}}}
	return p.relative(0, 0)
}

// comingWeekday returns the first such weekday after today.
func comingWeekday(wd int, ref time.Time) (timeMatch, bool) {
	return relativeWord("coming", 1, lexEntry{kind: lexWeekday, n: wd}, ref)
}

// bareWeekday returns the nearest weekday before today, with the next one.
func bareWeekday(wd int, ref time.Time) timeMatch {
	p := timeParser{ref: ref}
	from := p.lastWeekday(wd)
	return timeMatch{from: from, to: from.AddDate(0, 0, 1), grain: day, future: week}
}

// bareWeekend returns the current or last weekend, with the next one.
func bareWeekend(ref time.Time) timeMatch {
	from, to := unitSpan(ref, 0, weekend)
	if from.After(ref) {
		from, to = unitSpan(ref, -1, weekend)
	}
	return timeMatch{from: from, to: to, grain: weekend, future: week}
}

// bareSeason returns the current or last season, with the next one.
func bareSeason(first time.Month, yr string, ref time.Time) (timeMatch, bool) {
	m, ok := calendarMonth(first, yr, ref)
	m.to, m.grain = addUnits(m.from, 1, season), season
	return m, ok
}

// monthDay returns the nearest past day with this number, with the next one.
func monthDay(d int, ref time.Time) (timeMatch, bool) {
	p := timeParser{ref: ref}
	return p.dayOfMonth(0, 0, d)
}

// feast is a holiday: days from a date on, which differs by year or not.
type feast struct {
	date        func(year int) (time.Month, int)
	shift, days int
}

// holidaySpan returns a holiday in the nearest past year that has it, with the next one.
func holidaySpan(f feast, yr string, ref time.Time) (timeMatch, bool) {
	at := func(y int) time.Time {
		mo, d := f.date(y)
		return time.Date(y, mo, d+f.shift, 0, 0, 0, 0, ref.Location())
	}
	y, m := numberOf(yr), timeMatch{grain: day}
	if yr == "" {
		if y = ref.Year(); at(y).After(ref) {
			y--
		}
		m.nextFrom, m.nextTo = at(y+1), at(y+1).AddDate(0, 0, f.days)
	}
	m.from, m.to = at(y), at(y).AddDate(0, 0, f.days)
	return m, true
}

// countedUnits returns the unit n units away, by the rules for "two weeks ago".
func countedUnits(n int, g grain, ref time.Time) (timeMatch, bool) {
	p := timeParser{ref: ref}
	return p.away(0, 0, n, g)
}

// lastUnits returns the n units that end with ref, like "the last two weeks".
func lastUnits(n int, g grain, ref time.Time) (timeMatch, bool) {
	p := timeParser{ref: ref}
	return p.rolling(0, 0, -n, g)
}
