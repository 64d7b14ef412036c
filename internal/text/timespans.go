package text

import "time"

// TimeSpan is a time expression and what it means.
type TimeSpan struct {
	// Start and End are a half-open interval [Start, End) in the reference time's
	// location. An open past ("before 2020") starts at the year 1.
	Start, End time.Time
	// NextStart and NextEnd are the next future occurrence of an ambiguous
	// expression ("Friday", "14 May", "in March"), else zero.
	NextStart, NextEnd time.Time
	// Range says that the expression names a first and a last time: "Monday to Friday".
	Range bool
	// Text is the expression as written and Offset its byte offset in the input.
	Text   string
	Offset int
}

// TimeSpans finds English, German, Spanish and Chinese time expressions in s (and
// today, yesterday and tomorrow in a few more languages), from left to right and
// without overlaps, and resolves them against ref. It never reads the clock.
//
// The rules, where English leaves a choice:
//
//   - An expression without a year, month or week means the nearest past one:
//     "March", "March 3rd", "Friday", "the 24th", "summer", "Christmas". The
//     current month counts as past as soon as it has begun; a bare weekday never
//     means today.
//   - "last Friday" is the nearest Friday before today; "this Friday" is in the
//     week (from Monday) of ref and "next Friday" in the week after it.
//   - "last", "this" and "next" week, month, quarter and year are calendar units;
//     "the last two weeks" and "the past month" end with ref.
//   - "two weeks ago" and "in two weeks" are the calendar unit that far away, not
//     the exact day.
//   - "5/6/2023" is month first unless that is impossible; "5.6.2023" and "el 5/6/2023" are
//     day first.
//   - early, mid and late are the first, middle and second half of a period.
//   - Morning is 5-12 h, afternoon 12-18 h, evening 17-24 h, night 18 h to 6 h.
//   - Seasons are meteorological and northern; winter belongs to the year of its December.
//   - "since X" ends with ref's day; "from X to Y", "between X and Y" join two expressions.
//   - Recurring ("every Sunday") and vague times ("recently", "soon") are left out,
//     and so are clock times without a day.
func TimeSpans(s string, ref time.Time) []TimeSpan {
	toks := lexTimes(s)
	p := timeParser{src: s, toks: toks, ref: ref}
	var out []TimeSpan
	for i := 0; i < len(toks); {
		m, ok := p.expression(i)
		if !ok {
			i++
			continue
		}
		if !m.recurring && valid(m) {
			from, to := toks[m.i].start, toks[m.j-1].end
			found := TimeSpan{Start: m.from, End: m.to, Range: m.joined, Text: s[from:to], Offset: from}
			found.later(m)
			out = append(out, found)
		}
		i = m.j
	}
	return withPhrases(out, s, ref)
}

// valid reports whether a result is within the years that can be written as a
// date.
func valid(m timeMatch) bool {
	return m.from.Year() >= 1 && m.to.Year() <= 9999 && m.from.Before(m.to)
}

// expression reads a range, an open range or a single moment at token i.
func (p *timeParser) expression(i int) (timeMatch, bool) {
	switch p.word(i) {
	case "since":
		if m, ok := p.moment(i+1, 0); ok && !m.recurring {
			end := dayStart(p.ref).AddDate(0, 0, 1)
			m.future, m.nextFrom = 0, time.Time{}
			if m.from.Before(end) {
				m.i, m.to = i, end
				return m, true
			}
			m.i = i
			return m, true
		}
	case "before", "until", "till":
		if m, ok := p.moment(i+1, 0); ok && !m.recurring {
			m.nextFrom, m.nextTo = p.ref, m.from // for a future time, the time until then
			if !m.from.After(p.ref) && m.future != 0 {
				m.nextTo = addUnits(m.from, 1, m.future)
			}
			if !m.nextTo.After(p.ref) {
				m.nextFrom = time.Time{}
			}
			m.future = 0
			m.i, m.to = i, m.from
			m.from = time.Date(1, 1, 1, 0, 0, 0, 0, p.ref.Location())
			return m, true
		}
	case "from", "between":
		if m, ok := p.rangeOf(i+1, p.word(i) == "between"); ok {
			m.i = i
			return m, true
		}
	}
	if m, ok := p.rangeOf(i, false); ok {
		return m, true
	}
	m, ok := p.moment(i, 0)
	if !ok {
		return m, false
	}
	return p.withClock(m), true
}

// rangeOf reads "X to Y" (or "X and Y" after between) and joins the two.
func (p *timeParser) rangeOf(i int, and bool) (timeMatch, bool) {
	a, ok := p.moment(i, 0)
	if !ok || a.recurring {
		return a, false
	}
	j := a.j
	switch w := p.word(j); {
	case w == "to" || w == "until" || w == "till" || w == "through":
	case and && w == "and":
	case p.isSym(j, '-') || p.isSym(j, '–') || p.isSym(j, '—'):
	default:
		return a, false
	}
	p.rangeEnd = j + 1
	b, ok := p.moment(j+1, 0)
	p.rangeEnd = 0
	if !ok || b.recurring {
		return a, false
	}
	a.j, a.joined = b.j, true
	if a.noYear {
		// The first takes its year from the second: the nearest one before it.
		for n := 0; n < 200 && a.from.Year() < b.from.Year() && addUnits(a.from, 1, year).Before(b.to); n++ {
			a.from = addUnits(a.from, 1, year)
		}
		for n := 0; n < 200 && !a.from.Before(b.to); n++ {
			a.from = addUnits(a.from, -1, year)
		}
	}
	if !a.from.Before(b.to) && b.future != 0 {
		b.to = addUnits(b.to, 1, b.future)
	}
	if !a.from.Before(b.to) {
		return a, false
	}
	a.to = b.to
	return a, true
}

// withClock narrows a day to a clock time that stands before or after it:
// "yesterday at 5 pm", "2024-03-01T12:30". Without minutes it is an hour long.
func (p *timeParser) withClock(m timeMatch) timeMatch {
	if m.grain != day && m.grain != partOfDay {
		return m
	}
	h, mi, g, j, ok := p.clock(m.j)
	if !ok {
		return m
	}
	base := m.from
	if m.grain == partOfDay && h < 12 && m.from.Hour() >= 12 {
		h += 12 // "tomorrow evening at 7:30"
	}
	y, mo, d := base.Date()
	m.from = time.Date(y, mo, d, h, mi, 0, 0, base.Location())
	m.to = addUnits(m.from, 1, g)
	m.grain, m.j = g, j
	return m
}

// clock reads "at 5pm", "17:30", "T12:23:59", "noon" at token i.
func (p *timeParser) clock(i int) (h, mi int, g grain, j int, ok bool) {
	switch {
	case p.word(i) == "at" || p.word(i) == "around" || p.word(i) == "about" || p.isSym(i, ','):
		i++
	case p.word(i) == "t" && p.glued(i):
		i++
	}
	if p.word(i) == "at" {
		i++
	}
	switch p.word(i) {
	case "noon":
		return 12, 0, hour, i + 1, true
	case "midnight":
		return 0, 0, hour, i + 1, true
	}
	if !p.isDigits(i, 1, 2) || p.toks[i].n > 23 {
		return 0, 0, 0, 0, false
	}
	h, g, j = p.toks[i].n, hour, i+1
	if p.isSym(j, ':') && p.glued(j) && p.isDigits(j+1, 2, 2) && p.toks[j+1].n < 60 {
		mi, g, j, ok = p.toks[j+1].n, minute, j+2, true
		if p.isSym(j, ':') && p.glued(j) && p.isDigits(j+1, 2, 2) {
			j += 2
		}
	}
	switch w := p.word(j); {
	case w == "am" && h >= 1 && h <= 12:
		return h % 12, mi, g, j + 1, true
	case w == "pm" && h >= 1 && h <= 12:
		return h%12 + 12, mi, g, j + 1, true
	case w == "o" && p.isSym(j+1, '\'') && p.word(j+2) == "clock":
		return h, mi, g, j + 3, true
	}
	return h, mi, g, j, ok
}
