package text

import (
	"slices"
	"strings"
	"time"
)

// Rules for expressions that begin with an article, a preposition or a modifier.

// modified reads "early 2020", "mid-June", "the end of last year", "later this month".
func (p *timeParser) modified(i, depth int) (timeMatch, bool) {
	j := i + 1
	half := 0 // 1 first, 2 middle, 3 second
	rest := false
	switch p.word(i) {
	case "early":
		half = 1
	case "late":
		half = 3
	case "mid":
		half = 2
		if p.isSym(j, '-') {
			j++
		}
	case "beginning", "start", "middle", "end", "rest":
		if p.word(j) != "of" {
			return timeMatch{}, false
		}
		half = map[string]int{"beginning": 1, "start": 1, "middle": 2, "end": 3}[p.word(i)]
		rest = p.word(i) == "rest"
		j++
	case "earlier", "later":
		rest = true
	default:
		return timeMatch{}, false
	}
	j = p.skip(p.skip(j, "in"), "the")
	m, ok := p.moment(j, depth+1)
	if !ok && p.word(j-1) == "the" && p.kind(j) == lexUnit && !p.toks[j].plural && grain(p.toks[j].n) >= day {
		g := grain(p.toks[j].n) // "the end of the month": the running one
		from, to := unitSpan(p.ref, 0, g)
		m, ok = span(i, j+1, from, to, g)
	}
	if !ok || m.recurring {
		return timeMatch{}, false
	}
	m.i = i
	if rest {
		if !m.from.Before(p.ref) || !p.ref.Before(m.to) {
			return timeMatch{}, false
		}
		if today := dayStart(p.ref); p.word(i) == "earlier" {
			m.to = today.AddDate(0, 0, 1)
		} else {
			m.from = today
		}
		return m, m.from.Before(m.to)
	}
	if m.grain <= day {
		return m, true
	}
	m.narrow(half)
	return m, m.from.Before(m.to)
}

// narrow shortens a period to its first (1), middle (2) or second (3) half; 0 is all of it.
func (m *timeMatch) narrow(half int) {
	mid := midpoint(m.from, m.to)
	switch half {
	case 1:
		m.to = mid
	case 2:
		m.from, m.to = midpoint(m.from, mid), midpoint(mid, m.to)
	case 3:
		m.from = mid
	}
}

// article reads expressions with a leading "the", "in" or "on the", which they
// include: "the day before yesterday", "the 24th", "in March", "in two weeks".
func (p *timeParser) article(i, depth int) (timeMatch, bool) {
	switch p.word(i) {
	case "the":
		return p.definite(i, depth)
	case "within":
		if n, j, ok := p.number(p.skip(i+1, "the")); ok && p.kind(j) == lexUnit {
			return p.rolling(i, j+1, n, grain(p.toks[j].n))
		}
	case "in", "im":
		if n, j, ok := p.number(i + 1); ok && p.kind(j) == lexUnit && p.word(j+1) != "of" && p.word(j+1) != "a" {
			if w := p.word(j + 1); w != "ago" && w != "before" && w != "after" {
				m, ok := p.away(i, j+1, n, grain(p.toks[j].n))
				if p.isApos(j+1) && p.word(j+2) == "time" { // "in two weeks' time"
					m.j = j + 3
				}
				return m, ok
			}
		}
		m, ok := p.moment(i+1, depth+1)
		if ok && (m.grain >= month || m.grain == partOfDay) && m.grain != fortnight {
			m.i = i
			return m, true
		}
	}
	return timeMatch{}, false
}

// definite reads expressions that begin with "the".
func (p *timeParser) definite(i, depth int) (timeMatch, bool) {
	j := i + 1
	best := timeMatch{}
	take := func(m timeMatch, ok bool) {
		if ok && m.j > best.j {
			best = m
		}
	}
	switch p.kind(j) {
	case lexRelative, lexOrdinal, lexUnit, lexSeason, lexPart, lexDigits, lexNumber, lexHoliday:
		if !(p.kind(j) == lexDigits && p.isDigits(j, 4, 4) && p.word(j+1) != "s") {
			take(p.moment(j, depth+1))
		}
	case lexWeekday:
		if w := p.word(j + 1); w == "before" || w == "after" {
			take(p.weekdayNear(j, depth))
		}
	case lexSymbol:
		take(p.shortYear(j, depth))
	case lexKeyword:
		switch p.word(j) {
		case "beginning", "start", "middle", "end", "rest", "early", "late", "mid":
			take(p.modified(j, depth+1))
		}
		if d, ok := decadeWords[p.word(j)]; ok {
			from := time.Date(p.shortDecade(d), 1, 1, 0, 0, 0, 0, p.ref.Location())
			take(span(i, j+1, from, addUnits(from, 1, decade), decade))
		}
	}
	if d, k, ord, ok := p.dayNumberOrd(j); ok && ord && best.j == 0 && p.standsAlone(k) && p.kind(j) != lexOrdinal {
		take(p.dayOfMonth(i, k, d))
	}
	if p.word(j) == "weekend" && best.j == 0 && slices.Contains([]string{"over", "at", "on", "during"}, p.word(i-1)) {
		m := bareWeekend(p.ref)
		m.i, m.j = i, j+1
		take(m, true)
	}
	best.i = i
	return best, best.j > 0
}

var decadeWords = map[string]int{"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90}

// weekdayNear reads "Friday before last", "Sunday after Easter".
func (p *timeParser) weekdayNear(j, depth int) (timeMatch, bool) {
	wd := p.toks[j].n
	if p.word(j+1) == "before" && p.word(j+2) == "last" {
		from := p.lastWeekday(wd).AddDate(0, 0, -7)
		return span(j, j+3, from, from.AddDate(0, 0, 1), day)
	}
	m, ok := p.moment(j+2, depth+1)
	if !ok || m.recurring {
		return m, false
	}
	near := timeParser{ref: m.from}
	from := near.lastWeekday(wd)
	if p.word(j+1) == "after" {
		near.ref = m.to.AddDate(0, 0, 7)
		from = near.lastWeekday(wd)
	}
	return span(j, m.j, from, from.AddDate(0, 0, 1), day)
}

// dayOfMonth reads the nearest past day with that number.
func (p *timeParser) dayOfMonth(i, j, d int) (timeMatch, bool) {
	first := floor(p.ref, month)
	for range 12 {
		if from, to, ok := p.dayAt(first.Year(), first.Month(), d); ok && !from.After(p.ref) {
			return timeMatch{i: i, j: j, from: from, to: to, grain: day, noYear: true, future: month}, true
		}
		first = addMonths(first, -1)
	}
	return timeMatch{}, false
}

// standsAlone reports whether no noun follows at k: "the 24th" is a day, "the
// 24th floor" is not.
func (p *timeParser) standsAlone(k int) bool {
	if !p.ok(k) || p.kind(k) != lexNone {
		return !p.isSym(k, '-') && p.kind(k) != lexUnit
	}
	return IsStopWord(p.toks[k].folded(p.src))
}

// countNoun reports whether a plural noun at k makes the number before it a count.
func (p *timeParser) countNoun(k int) bool {
	if !p.ok(k) || p.kind(k) != lexNone {
		return false
	}
	w := p.toks[k].folded(p.src)
	return len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !p.toks[k].upper && !IsStopWord(w)
}

// partOf reads "the morning of May 5".
func (p *timeParser) partOf(i, depth int) (timeMatch, bool) {
	if p.word(i+1) != "of" {
		return timeMatch{}, false
	}
	m, ok := p.moment(p.skip(i+2, "the"), depth+1)
	if !ok || m.grain != day {
		return timeMatch{}, false
	}
	from, to := partSpan(m.from, p.toks[i].n)
	return span(i, m.j, from, to, partOfDay)
}
