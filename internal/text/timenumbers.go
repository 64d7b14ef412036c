package text

import "time"

// Rules for dates and years written in digits alone.

// numeric reads dates of numbers: 2023-05-06, 5/6/2023, 5.6.2023, 2023-05.
func (p *timeParser) numeric(i, _ int) (timeMatch, bool) {
	none := timeMatch{}
	if p.glued(i) && p.ok(i-1) && (p.isSym(i-1, '-') || p.isSym(i-1, '/') || p.isSym(i-1, '.') || p.kind(i-1) != lexSymbol) {
		return none, false
	}
	sep := rune(0)
	for _, c := range "-/." {
		if p.isSym(i+1, c) {
			sep = c
		}
	}
	if sep == 0 || !p.glued(i+1) || !p.glued(i+2) || p.kind(i+2) != lexDigits {
		return none, false
	}
	if !p.isSym(i+3, sep) || !p.glued(i+3) || p.kind(i+4) != lexDigits || !p.glued(i+4) {
		return p.numericPair(i, sep)
	}
	if p.glued(i+5) && p.ok(i+6) && p.glued(i+6) && (p.isSym(i+5, '-') || p.isSym(i+5, '/') || p.isSym(i+5, '.')) {
		return none, false // longer chains are no dates
	}
	a, b, c := p.toks[i], p.toks[i+2], p.toks[i+4]
	if b.digits > 2 {
		return none, false
	}
	var y, mo, d int
	switch {
	case a.digits == 4 && c.digits <= 2:
		y, mo, d = a.n, b.n, c.n
	case a.digits <= 2 && (c.digits == 4 || c.digits == 2 && sep != '.'):
		y, mo, d = c.n, a.n, b.n
		if sep == '.' || mo > 12 {
			mo, d = d, mo
		}
		if c.digits == 2 {
			y = p.shortCentury(y)
		}
	default:
		return none, false
	}
	from, to, ok := p.dayAt(y, time.Month(mo), d)
	return timeMatch{i: i, j: i + 5, from: from, to: to, grain: day}, ok
}

// numericPair reads 2023-05 and, after a preposition only, 5/6.
func (p *timeParser) numericPair(i int, sep rune) (timeMatch, bool) {
	a, b := p.toks[i], p.toks[i+2]
	if p.glued(i+3) && (p.isSym(i+3, ':') || p.isSym(i+3, '%') || p.kind(i+3) != lexSymbol || p.isSym(i+3, '-') || p.isSym(i+3, '/')) {
		return timeMatch{}, false
	}
	switch {
	case a.digits == 4 && b.digits == 2 && sep == '-' && a.n >= 1900 && a.n < 2100 && b.n >= 1 && b.n <= 12:
		from := time.Date(a.n, time.Month(b.n), 1, 0, 0, 0, 0, p.ref.Location())
		return span(i, i+3, from, addUnits(from, 1, month), month)
	case sep == '/' && a.digits <= 2 && b.digits <= 2 && (p.word(i-1) == "on" || p.introduced(i) && p.word(i-1) != "of"):
		mo, d := a.n, b.n
		if mo > 12 {
			mo, d = d, mo
		}
		if mo < 1 || mo > 12 {
			return timeMatch{}, false
		}
		from, to, ok := p.pastDay(time.Month(mo), d)
		return timeMatch{i: i, j: i + 3, from: from, to: to, grain: day, noYear: true, future: year}, ok
	}
	return timeMatch{}, false
}

// bareYear reads a year after a preposition or in brackets: "in 2021", "(1999)".
// A plural noun after it makes it a count.
func (p *timeParser) bareYear(i, _ int) (timeMatch, bool) {
	j := i
	if p.isSym(i, '(') {
		j = i + 1
	}
	if !p.isDigits(j, 4, 4) || p.toks[j].n < 1900 || p.toks[j].n >= 2100 {
		return timeMatch{}, false
	}
	y, k := p.toks[j].n, j+1
	if j > i {
		if !p.isSym(k, ')') {
			return timeMatch{}, false
		}
	} else {
		switch p.word(i - 1) {
		case "in", "im", "since", "until", "till", "during", "by", "of", "from", "between", "before", "after", "through", "around", "circa", "early", "late", "mid", "year":
		default:
			if p.rangeEnd != i && !(p.isSym(i-1, '(')) && !(p.isSym(i-1, '-') && p.word(i-2) == "mid") {
				return timeMatch{}, false
			}
		}
		if p.glued(k) && p.ok(k) && (p.kind(k) != lexSymbol || p.isSym(k, '%') || p.isSym(k, '/') || p.isSym(k, ':') || p.isSym(k, '-') && p.glued(k+1) && p.rangeEnd == 0 && !p.isDigits(k+1, 4, 4)) {
			return timeMatch{}, false
		}
		if (p.isSym(k, ',') || p.isSym(k, '.')) && p.glued(k) && p.glued(k+1) && p.kind(k+1) == lexDigits {
			return timeMatch{}, false
		}
		if p.countNoun(k) {
			return timeMatch{}, false
		}
	}
	from := time.Date(y, 1, 1, 0, 0, 0, 0, p.ref.Location())
	return span(j, k, from, addUnits(from, 1, year), year)
}

// decade reads "1990s", "90s", "the '90s" (the article belongs to article).
func (p *timeParser) decade(i, _ int) (timeMatch, bool) {
	j := i + 1
	if p.isApos(j) && p.glued(j) {
		j++
	}
	if p.word(j) != "s" || !p.glued(j) || p.toks[i].n%10 != 0 {
		return timeMatch{}, false
	}
	y := p.toks[i].n
	switch {
	case p.isDigits(i, 4, 4) && y >= 1000 && y < 2200:
	case p.isDigits(i, 2, 2) && p.word(i-1) == "the" || p.isApos(i-1):
		y = p.shortDecade(y)
	default:
		return timeMatch{}, false
	}
	from := time.Date(y, 1, 1, 0, 0, 0, 0, p.ref.Location())
	return span(i, j+1, from, addUnits(from, 1, decade), decade)
}

func (p *timeParser) shortDecade(yy int) int {
	y := p.ref.Year()/100*100 + yy
	if y > p.ref.Year() {
		y -= 100
	}
	return y
}

// shortYear reads an apostrophe year with a preposition, "in '98", and "'90s".
func (p *timeParser) shortYear(i, _ int) (timeMatch, bool) {
	if !p.isApos(i) || !p.isDigits(i+1, 2, 2) || !p.glued(i+1) || p.glued(i) {
		return timeMatch{}, false
	}
	if m, ok := p.decade(i+1, 0); ok {
		m.i = i
		return m, true
	}
	if !p.introduced(i) {
		return timeMatch{}, false
	}
	from := time.Date(p.shortCentury(p.toks[i+1].n), 1, 1, 0, 0, 0, 0, p.ref.Location())
	return span(i, i+2, from, addUnits(from, 1, year), year)
}
