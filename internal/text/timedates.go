package text

import "time"

// Rules for calendar dates: days, months, years, seasons, holidays.

// dayNumber reads a day of the month: "3", "3rd", "third", "twenty-first".
func (p *timeParser) dayNumber(i int) (d, j int, ok bool) {
	d, j, _, ok = p.dayNumberOrd(i)
	return d, j, ok
}

func (p *timeParser) dayNumberOrd(i int) (d, j int, ordinal, ok bool) {
	if !p.ok(i) {
		return
	}
	t := p.toks[i]
	switch {
	case p.isDigits(i, 1, 2) && t.n >= 1 && t.n <= 31:
		d, j = t.n, i+1
		if w := p.word(j); p.glued(j) && (w == "st" || w == "nd" || w == "rd" || w == "th") {
			return d, j + 1, true, true
		}
		if p.isSym(j, ':') || p.glued(j) && (p.word(j) == "am" || p.word(j) == "pm") || p.isSym(j, '%') {
			return 0, 0, false, false
		}
		return d, j, false, true
	case t.kind == lexOrdinal:
		return t.n, i + 1, true, t.n <= 31
	case t.kind == lexNumber && t.n <= 30:
		if t.n >= 20 {
			k := i + 1
			if p.isSym(k, '-') {
				k++
			}
			if kd := p.kind(k); (kd == lexOrdinal || kd == lexNumber) && p.toks[k].n < 10 && t.n+p.toks[k].n <= 31 {
				return t.n + p.toks[k].n, k + 1, kd == lexOrdinal, true
			}
		}
		return t.n, i + 1, false, true
	}
	return
}

// yearNumber reads a year after a month, day or season: "2023", ", 2023",
// "of 2023", "'23".
func (p *timeParser) yearNumber(i int) (y, j int, ok bool) {
	if p.isSym(i, ',') || p.word(i) == "of" || p.word(i) == "in" {
		i++
	}
	if p.isDigits(i, 4, 4) && p.toks[i].n >= 1000 && p.toks[i].n < 2200 && !p.isSym(i+1, ':') {
		return p.toks[i].n, i + 1, true
	}
	if p.isApos(i) && p.glued(i+1) && p.isDigits(i+1, 2, 2) {
		return p.shortCentury(p.toks[i+1].n), i + 2, true
	}
	if p.kind(i) == lexRelative && p.word(i+1) == "year" { // "of last year"
		return p.ref.Year() + p.toks[i].n, i + 2, true
	}
	return 0, 0, false
}

// shortCentury puts a two-digit year at most twenty years ahead of ref.
func (p *timeParser) shortCentury(yy int) int {
	y := p.ref.Year()/100*100 + yy
	if y > p.ref.Year()+20 {
		y -= 100
	}
	return y
}

// monthDay reads "March 3", "March 3rd, 2021", "May the fourth", "May 5-9".
func (p *timeParser) monthDay(i, _ int) (timeMatch, bool) {
	mo := time.Month(p.toks[i].n)
	j := p.monthDot(i)
	if p.isSym(j, ',') {
		return timeMatch{}, false
	}
	if p.isSym(j, '-') && p.glued(j) && p.glued(j+1) { // "Oct-2"
		j++
	}
	d, k, ok := p.dayNumber(p.skip(j, "the"))
	if !ok {
		return timeMatch{}, false
	}
	return p.dayWithYear(i, k, mo, d)
}

// monthDot steps over a month and the full stop of its abbreviation.
func (p *timeParser) monthDot(i int) int {
	if p.isSym(i+1, '.') && p.glued(i+1) && p.toks[i].end-p.toks[i].start <= 4 && (p.kind(i+2) == lexDigits) {
		return i + 2
	}
	return i + 1
}

// dayMonth reads "3 March", "the 3rd of March 2021", "5-9 May".
func (p *timeParser) dayMonth(i, _ int) (timeMatch, bool) {
	d, j, ok := p.dayNumber(i)
	if !ok {
		return timeMatch{}, false
	}
	last, k := 0, j
	if p.isSym(j, '-') || p.isSym(j, '–') || p.word(j) == "to" {
		if l, m, ok := p.dayNumber(j + 1); ok && l > d {
			last, k = l, m
		}
	}
	if last == 0 && p.isSym(k, '-') && p.glued(k) {
		k++
	}
	k = p.skip(k, "of")
	if p.kind(k) == lexRelative && p.word(k+1) == "month" && k > j { // "20th of next month"
		at := addMonths(floor(p.ref, month), p.toks[k].n)
		from, to, ok := p.dayAt(at.Year(), at.Month(), d)
		return timeMatch{i: i, j: k + 2, from: from, to: to, grain: day}, ok
	}
	if p.kind(k) != lexMonth {
		return timeMatch{}, false
	}
	m, ok := p.dayWithYear(i, p.monthDot(k), time.Month(p.toks[k].n), d)
	if ok && last > 0 {
		m.to = m.from.AddDate(0, 0, last-d+1)
		m.grain = week
	}
	return m, ok
}

// dayWithYear finishes a day and month with the year that may follow at j.
func (p *timeParser) dayWithYear(i, j int, mo time.Month, d int) (timeMatch, bool) {
	last := 0
	if p.isSym(j, '-') || p.isSym(j, '–') || p.word(j) == "to" { // "May 5-9"
		if l, k, ok := p.dayNumber(j + 1); ok && l > d && p.kind(k) != lexMonth && !p.isSym(k, '-') && !p.isSym(k, '/') {
			last, j = l, k
		}
	}
	k := j
	if p.isSym(k, '-') && p.glued(k) && p.glued(k+1) { // 5-May-2023
		k++
	}
	y, k, explicit := p.yearNumber(k)
	m := timeMatch{i: i, j: j, grain: day}
	var ok bool
	if explicit {
		m.j = k
		m.from, m.to, ok = p.dayAt(y, mo, d)
	} else {
		m.noYear, m.future = true, year
		m.from, m.to, ok = p.pastDay(mo, d)
	}
	if last > 0 {
		m.to = m.from.AddDate(0, 0, last-d+1)
		m.grain = week
	}
	return m, ok
}

// monthOnly reads "March", "March 2021", "May '21". A month whose name is an
// everyday word needs a preposition, a year, or a capital inside a sentence.
func (p *timeParser) monthOnly(i, _ int) (timeMatch, bool) {
	t := p.toks[i]
	j := i + 1
	if p.isSym(j, '.') && t.end-t.start <= 4 && p.isDigits(j+1, 4, 4) {
		j++
	}
	if p.isSym(j, '-') && p.glued(j) && p.isDigits(j+1, 4, 4) { // May-2021
		j++
	}
	if y, k, ok := p.yearNumber(j); ok {
		from := time.Date(y, time.Month(t.n), 1, 0, 0, 0, 0, p.ref.Location())
		return span(i, k, from, addUnits(from, 1, month), month)
	}
	if t.weak && !p.introduced(i) && (t.initial || !t.upper) {
		return timeMatch{}, false
	}
	from := time.Date(p.ref.Year(), time.Month(t.n), 1, 0, 0, 0, 0, p.ref.Location())
	if from.After(p.ref) {
		from = addUnits(from, -1, year)
	}
	return timeMatch{i: i, j: i + 1, from: from, to: addUnits(from, 1, month), grain: month, noYear: true, future: year}, true
}

// introduced reports a word before i that makes what follows a time.
func (p *timeParser) introduced(i int) bool {
	switch p.word(i - 1) {
	case "in", "im", "since", "until", "till", "during", "by", "early", "late", "mid", "of", "from", "between", "before", "after", "through", "every", "each":
		return true
	}
	return p.isSym(i-1, '-') && p.word(i-2) == "mid"
}

// season reads "summer 2020", "the summer of last year". Alone it needs "in" or
// "during", as "spring" and "fall" have other meanings.
func (p *timeParser) season(i, _ int) (timeMatch, bool) {
	t := p.toks[i]
	at := func(y int) time.Time { return time.Date(y, time.Month(t.n), 1, 0, 0, 0, 0, p.ref.Location()) }
	if y, k, ok := p.yearNumber(i + 1); ok && !t.plural {
		return span(i, k, at(y), addUnits(at(y), 1, season), season)
	}
	if p.word(i-1) == "the" {
		if !p.introduced(i - 1) {
			return timeMatch{}, false
		}
	} else if !p.introduced(i) || p.word(i-1) == "of" || p.word(i-1) == "from" {
		return timeMatch{}, false
	}
	from := at(p.ref.Year())
	if from.After(p.ref) {
		from = at(p.ref.Year() - 1)
	}
	return timeMatch{i: i, j: i + 1, from: from, to: addUnits(from, 1, season), grain: season, noYear: true, future: year, recurring: t.plural}, true
}

// holiday reads the named days, with Eve and year.
func (p *timeParser) holiday(i, _ int) (timeMatch, bool) {
	name, j := p.word(i), i+1
	return p.holidayDay(i, j, holidays[name], name)
}

func (p *timeParser) holidayDay(i, j int, in func(int) (time.Month, int), name string) (timeMatch, bool) {
	shift, w := 0, p.word(j)
	if p.isApos(j) && p.word(j+1) == "s" {
		j += 2
		w = p.word(j)
	}
	switch {
	case w == "eve":
		shift, j = -1, j+1
	case w == "day":
		j++
	case w == "monday" && name == "easter":
		shift, j = 1, j+1
	case w == "sunday" && name == "easter":
		j++
	}
	at := func(y int) time.Time {
		mo, d := in(y)
		return time.Date(y, mo, d+shift, 0, 0, 0, 0, p.ref.Location())
	}
	if y, k, ok := p.yearNumber(j); ok {
		return span(i, k, at(y), at(y).AddDate(0, 0, 1), day)
	}
	from := at(p.ref.Year())
	if from.After(p.ref) {
		from = at(p.ref.Year() - 1)
	}
	return timeMatch{i: i, j: j, from: from, to: from.AddDate(0, 0, 1), grain: day, noYear: true, future: year}, true
}

// special reads days and holidays of several words.
func (p *timeParser) special(i, _ int) (timeMatch, bool) {
	switch p.word(i) {
	case "tonight":
		from, to := partSpan(dayStart(p.ref), 3)
		return span(i, i+1, from, to, partOfDay)
	case "new":
		if p.word(i+1) != "year" && p.word(i+1) != "year's" {
			return timeMatch{}, false
		}
		j := i + 2
		if p.isApos(j) || p.word(j) == "s" {
			for p.isApos(j) || p.word(j) == "s" {
				j++
			}
		}
		if w := p.word(j); w == "eve" || w == "day" {
			return p.holidayDay(i, j, fixed(1, 1), "new year")
		}
	case "good":
		if p.word(i+1) == "friday" {
			return p.holidayDay(i, i+2, func(y int) (time.Month, int) {
				m, d := easter(y)
				t := time.Date(y, m, d-2, 0, 0, 0, 0, time.UTC)
				return t.Month(), t.Day()
			}, "")
		}
	case "boxing":
		if p.word(i+1) == "day" {
			return p.holidayDay(i, i+2, fixed(12, 26), "")
		}
	case "black":
		if p.word(i+1) == "friday" {
			return p.holidayDay(i, i+2, func(y int) (time.Month, int) { return 11, nthWeekday(y, 11, time.Thursday, 4) + 1 }, "")
		}
	case "q1", "q2", "q3", "q4":
		n := int(p.word(i)[1] - '0')
		y, k, explicit := p.yearNumber(i + 1)
		if !explicit {
			y, k = p.ref.Year(), i+1
		}
		from := time.Date(y, time.Month(3*n-2), 1, 0, 0, 0, 0, p.ref.Location())
		if !explicit && from.After(p.ref) {
			from = addUnits(from, -1, year)
		}
		return timeMatch{i: i, j: k, from: from, to: addUnits(from, 1, quarter), grain: quarter, noYear: !explicit}, true
	case "every", "each":
		j := p.skip(i+1, "other")
		if k := p.kind(j); k == lexWeekday || k == lexMonth || k == lexUnit && p.toks[j].n >= int(day) && p.word(j) != "day" ||
			k == lexPart || k == lexSeason {
			end := j + 1
			if p.kind(end) == lexPart && k == lexWeekday {
				end++
			}
			return timeMatch{i: i, j: end, recurring: true}, true
		}
	}
	return timeMatch{}, false
}
