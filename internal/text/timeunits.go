package text

import "time"

// Rules for times counted in units and for parts of longer times.

// maxCount is the largest count: "99999999 centuries ago" is no date.
const maxCount = 9999

// number reads a count: "3", "three", "twenty-one", "a", "a couple of", "a few".
func (p *timeParser) number(i int) (n, j int, ok bool) {
	if !p.ok(i) {
		return 0, 0, false
	}
	t := p.toks[i]
	switch {
	case p.isDigits(i, 1, 4) && t.n > 0 && !p.isSym(i+1, '.') && !p.isSym(i+1, ',') && !(p.isSym(i-1, '.') && t.glued):
		j = i + 1
		if p.isSym(j, '-') && p.glued(j) { // "2-day"
			return 0, 0, false
		}
		return t.n, j, true
	case t.kind == lexNumber:
		n, j = t.n, i+1
		if n >= 20 && n%10 == 0 {
			k := j
			if p.isSym(k, '-') {
				k++
			}
			if p.kind(k) == lexNumber && p.toks[k].n < 10 {
				n, j = n+p.toks[k].n, k+1
			}
		}
		return n, j, true
	}
	switch t.word {
	case "a", "an", "the":
		switch p.word(i + 1) {
		case "couple":
			return 2, p.skip(i+2, "of"), true
		case "few":
			return 3, i + 2, true
		}
		if t.word != "the" {
			return 1, i + 1, true
		}
	case "couple":
		return 2, p.skip(i+1, "of"), true
	case "few", "several":
		return 3, i + 1, true
	}
	return 0, 0, false
}

// counted reads "3 days ago", "a week later", "two days from now", "two days
// before Christmas".
func (p *timeParser) counted(i, depth int) (timeMatch, bool) {
	n, j, ok := p.number(i)
	if p.kind(i) == lexUnit { // "day before yesterday", "week before last"
		n, j, ok = 1, i, !p.toks[i].plural
	}
	months := 0
	if p.word(i) == "half" && (p.word(i+1) == "a" || p.word(i+1) == "an") {
		if p.word(i+2) == "year" {
			months = 6
		}
		n, j, ok = 0, i+2, months > 0
	}
	if !ok || p.kind(j) != lexUnit || n > maxCount {
		return timeMatch{}, false
	}
	g := grain(p.toks[j].n)
	if months > 0 {
		n, g = months, month
	}
	j++
	if m, ok := p.andMore(i, j, n, g); ok {
		return m, true
	}
	if p.word(j) == "and" && p.word(j+1) == "a" && p.word(j+2) == "half" { // "a year and a half ago"
		switch g {
		case year:
			n, g, j = 12*n+6, month, j+3
		case month:
			n, g, j = 4*n+2, week, j+3
		}
	}
	return p.countedFrom(i, j, n, g, depth)
}

// andMore reads a smaller unit behind n units: "1 month and 21 days ago".
func (p *timeParser) andMore(i, j, n int, g grain) (timeMatch, bool) {
	k := p.skip(j, "and")
	if g < week || p.kind(k) != lexDigits && p.kind(k) != lexNumber {
		return timeMatch{}, false
	}
	m, l, ok := p.number(k)
	if !ok || p.kind(l) != lexUnit || grain(p.toks[l].n) >= g || p.word(l+1) != "ago" && p.word(l+1) != "later" {
		return timeMatch{}, false
	}
	if p.word(l+1) == "ago" {
		n, m = -n, -m
	}
	smaller := grain(p.toks[l].n)
	from, to := unitSpan(addUnits(p.ref, n, g), m, smaller)
	return span(i, l+2, from, to, smaller)
}

// countedFrom reads at token j whence n units count, and which way: "ago", "after Christmas".
func (p *timeParser) countedFrom(i, j, n int, g grain, depth int) (timeMatch, bool) {
	switch w := p.word(j); {
	case w == "ago" || w == "back" && p.kind(i) != lexUnit && p.word(j+1) != "to" && p.word(j+1) != "in" || w == "earlier":
		return p.away(i, j+1, -n, g)
	case w == "later" || w == "hence":
		return p.away(i, j+1, n, g)
	case w == "from":
		if p.word(j+1) == "now" {
			return p.away(i, j+2, n, g)
		}
		if m, ok := p.moment(j+1, depth+1); ok && !m.recurring && m.grain <= day {
			return p.apart(i, m, n, g)
		}
	case w == "before" || w == "after":
		if w == "before" {
			n = -n
		}
		if next := p.word(j + 1); g >= week && (next == "last" || next == "next") && p.kind(j+2) != lexUnit && p.kind(j+2) != lexWeekday {
			// "the week before last", "the week after next"
			from, to := unitSpan(p.ref, 2*n, g)
			return span(i, j+2, from, to, g)
		}
		if m, ok := p.moment(j+1, depth+1); ok && !m.recurring {
			return p.apart(i, m, n, g)
		}
	}
	return timeMatch{}, false
}

// away returns the calendar unit n units from ref.
func (p *timeParser) away(i, j, n int, g grain) (timeMatch, bool) {
	if n > maxCount || n < -maxCount {
		return timeMatch{}, false
	}
	if g == fortnight {
		n, g = 2*n, week
	}
	from, to := unitSpan(p.ref, n, g)
	return span(i, j, from, to, g)
}

// apart returns the time n units from another one.
func (p *timeParser) apart(i int, m timeMatch, n int, g grain) (timeMatch, bool) {
	at := m.from
	if n > 0 && m.grain > day && g <= day {
		at = m.to.AddDate(0, 0, -1) // two days after last week
	}
	from := addUnits(at, n, g)
	if g > day {
		from = floor(from, g)
	}
	return span(i, m.j, from, addUnits(from, 1, max(g, hour)), g)
}

// unitOf reads "week of May 5", "week 31", "year 2021" and hands the rest to counted.
func (p *timeParser) unitOf(i, depth int) (timeMatch, bool) {
	switch g := grain(p.toks[i].n); {
	case p.toks[i].plural:
	case g == year && p.isDigits(i+1, 4, 4):
		m, ok := p.bareYear(i+1, depth)
		m.i = i
		return m, ok
	case g == week && p.word(i+1) == "of":
		if m, ok := p.moment(i+2, depth+1); ok && !m.recurring && m.grain == day {
			from, to := unitSpan(m.from, 0, week)
			return span(i, m.j, from, to, week)
		}
	case g == week && p.isDigits(i+1, 1, 2) && p.toks[i+1].n >= 1 && p.toks[i+1].n <= 53:
		y, k, ok := p.yearNumber(i + 2)
		if !ok {
			y, k = p.ref.Year(), i+2
		}
		// ISO 8601: week 1 holds 4 January.
		from := floor(time.Date(y, 1, 4, 0, 0, 0, 0, p.ref.Location()), week).AddDate(0, 0, 7*(p.toks[i+1].n-1))
		return span(i, k, from, from.AddDate(0, 0, 7), week)
	}
	return timeMatch{}, false
}

// ordinal reads "first week of March", "second Monday of June", "last week of
// 2020", "third quarter of 2021", "first half of 2019".
func (p *timeParser) ordinal(i, depth int) (timeMatch, bool) {
	n, j, isOrd, ok := p.dayNumberOrd(i)
	if p.kind(i) == lexRelative {
		n, j, isOrd, ok = -1, i+1, true, p.word(i) == "last"
	}
	if !ok || !isOrd || p.word(j+1) != "of" && p.word(j+1) != "in" {
		return timeMatch{}, false
	}
	whole, ok := p.containing(p.skip(j+2, "the"), depth+1)
	if !ok {
		return timeMatch{}, false
	}
	var from, to time.Time
	g := day
	switch {
	case p.kind(j) == lexWeekday && whole.grain == month:
		d := nthWeekday(whole.from.Year(), whole.from.Month(), time.Weekday(p.toks[j].n), n)
		if from, to, ok = p.dayAt(whole.from.Year(), whole.from.Month(), d); !ok {
			return timeMatch{}, false
		}
	case p.kind(j) == lexUnit && grain(p.toks[j].n) < whole.grain && !p.toks[j].plural:
		g = grain(p.toks[j].n)
		at := floor(whole.from, g)
		if at.Before(whole.from) && (g != week || whole.from.Sub(at) > 3*24*time.Hour) {
			at = addUnits(at, 1, g) // a first week lies mostly inside, as in ISO 8601
		}
		if n < 0 {
			from, to = unitSpan(whole.to.Add(-time.Nanosecond), 0, g)
		} else {
			from = addUnits(at, n-1, g)
			to = addUnits(from, 1, g)
		}
		if !from.Before(whole.to) {
			return timeMatch{}, false
		}
	case p.word(j) == "half" && n <= 2:
		from, to, g = whole.from, midpoint(whole.from, whole.to), whole.grain
		if n != 1 {
			from, to = to, whole.to
		}
	default:
		return timeMatch{}, false
	}
	return span(i, whole.j, from, to, g)
}

// containing reads the larger time after "of", where a bare year needs no
// preposition.
func (p *timeParser) containing(i, depth int) (timeMatch, bool) {
	m, ok := p.moment(i, depth)
	return m, ok && !m.recurring && m.grain > day
}

func midpoint(from, to time.Time) time.Time {
	return dayStart(from.Add(to.Sub(from) / 2))
}
