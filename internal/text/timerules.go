package text

import (
	"cmp"
	"time"
)

// timeMatch is what a rule found: tokens [i, j) and their meaning.
type timeMatch struct {
	i, j      int
	from, to  time.Time
	grain     grain
	noYear    bool  // the nearest past one was chosen
	future    grain // the unit by which it may also lie later, else 0
	recurring bool
	joined    bool // a range

	nextFrom, nextTo time.Time // the next occurrence, where future does not give it
}

type timeParser struct {
	src      string
	toks     []tok
	ref      time.Time
	rangeEnd int // token index of the end of a range: a bare year may stand there
}

func (p *timeParser) ok(i int) bool { return i >= 0 && i < len(p.toks) }

func (p *timeParser) word(i int) string {
	if !p.ok(i) {
		return ""
	}
	return p.toks[i].word
}

func (p *timeParser) kind(i int) lexKind {
	if !p.ok(i) {
		return lexNone
	}
	return p.toks[i].kind
}

func (p *timeParser) isSym(i int, r rune) bool { return p.ok(i) && p.toks[i].sym == r }

// isApos reports whether the token at i is an apostrophe, straight or
// typographic.
func (p *timeParser) isApos(i int) bool { return p.ok(i) && isApostrophe(p.toks[i].sym) }

func (p *timeParser) glued(i int) bool { return p.ok(i) && p.toks[i].glued }

func (p *timeParser) isDigits(i, least, most int) bool {
	return p.kind(i) == lexDigits && p.toks[i].digits >= least && p.toks[i].digits <= most
}

// skip steps over one of the words.
func (p *timeParser) skip(i int, words ...string) int {
	for _, w := range words {
		if p.word(i) == w {
			return i + 1
		}
	}
	return i
}

// span makes a match of tokens [i, j).
func span(i, j int, from, to time.Time, g grain) (timeMatch, bool) {
	return timeMatch{i: i, j: j, from: from, to: to, grain: g}, true
}

// maxDepth bounds nesting such as "the day before the end of last week".
const maxDepth = 4

// moment reads the longest single time expression at token i.
func (p *timeParser) moment(i, depth int) (timeMatch, bool) {
	if !p.ok(i) || p.toks[i].kind == lexNone || depth > maxDepth {
		return timeMatch{}, false
	}
	var best timeMatch
	for _, rule := range timeRules[p.toks[i].kind] {
		if m, ok := rule(p, i, depth); ok && m.j > best.j {
			best = m
		}
	}
	if best.j == 0 {
		return best, false
	}
	return p.withPart(best), true
}

type timeRule func(p *timeParser, i, depth int) (timeMatch, bool)

// timeRules maps the kind of a first word to the rules that may begin with it.
var timeRules [lexHoliday + 1][]timeRule

func init() { //nolint:gochecknoinits // not a literal: the rules refer back to moment
	timeRules = [...][]timeRule{
		lexSymbol:   {(*timeParser).shortYear, (*timeParser).bareYear},
		lexDigits:   {(*timeParser).numeric, (*timeParser).dayMonth, (*timeParser).counted, (*timeParser).bareYear, (*timeParser).decade},
		lexKeyword:  {(*timeParser).article, (*timeParser).counted, (*timeParser).modified, (*timeParser).special},
		lexMonth:    {(*timeParser).monthDay, (*timeParser).monthOnly},
		lexWeekday:  {(*timeParser).weekday},
		lexUnit:     {(*timeParser).unitOf, (*timeParser).counted},
		lexNumber:   {(*timeParser).counted, (*timeParser).dayMonth},
		lexOrdinal:  {(*timeParser).ordinal, (*timeParser).dayMonth},
		lexRelative: {(*timeParser).relative, (*timeParser).ordinal},
		lexNamedDay: {(*timeParser).namedDay},
		lexPart:     {(*timeParser).partOf},
		lexSeason:   {(*timeParser).season},
		lexHoliday:  {(*timeParser).holiday},
	}
}

// withPart narrows a day to "… morning", "… night".
func (p *timeParser) withPart(m timeMatch) timeMatch {
	if m.grain != day || m.to.Sub(m.from) > 26*time.Hour {
		return m
	}
	j := m.j
	switch {
	case p.kind(j) != lexPart:
	case p.toks[j].plural: // "Tuesday nights" are each Tuesday's
		m.recurring = m.recurring || m.future == week
	default:
		m.from, m.to = partSpan(m.from, p.toks[j].n)
		m.j, m.grain = j+1, partOfDay
	}
	return m
}

// dayAt returns the whole day y-m-d, or false where the month has no such day.
func (p *timeParser) dayAt(y int, m time.Month, d int) (from, to time.Time, ok bool) {
	if y < 1 || m < 1 || m > 12 || d < 1 || d > daysIn(y, m) {
		return from, to, false
	}
	from = time.Date(y, m, d, 0, 0, 0, 0, p.ref.Location())
	return from, from.AddDate(0, 0, 1), true
}

// pastDay returns the nearest m-d that is not after ref's day. 29 February reaches
// back to the last leap year.
func (p *timeParser) pastDay(m time.Month, d int) (from, to time.Time, ok bool) {
	for y := p.ref.Year(); y > p.ref.Year()-9; y-- {
		from, to, ok = p.dayAt(y, m, d)
		if ok && !from.After(p.ref) {
			return from, to, true
		}
	}
	return from, to, false
}

// namedDay reads today, yesterday, tomorrow.
func (p *timeParser) namedDay(i, _ int) (timeMatch, bool) {
	from, to := unitSpan(p.ref, p.toks[i].n, day)
	return span(i, i+1, from, to, day)
}

// weekday reads a bare weekday: the nearest before today.
func (p *timeParser) weekday(i, _ int) (timeMatch, bool) {
	t := p.toks[i]
	if t.weak && !(t.upper && !t.initial && p.word(i-1) != "the") && p.word(i-1) != "on" && p.word(i-1) != "by" {
		return timeMatch{}, false
	}
	from := p.lastWeekday(t.n)
	m := timeMatch{i: i, j: i + 1, from: from, to: from.AddDate(0, 0, 1), grain: day, future: week, recurring: t.plural}
	if k := p.skip(m.j, "of"); p.kind(k) == lexRelative && p.word(k+1) == "week" && !t.plural { // "Friday next week"
		from := floor(p.ref, week).AddDate(0, 0, 7*p.toks[k].n+(t.n+6)%7)
		return span(i, k+2, from, from.AddDate(0, 0, 1), day)
	}
	j := m.j
	if p.isSym(j, ',') { // "Friday, May 5": the date says which
		j++
	}
	j = p.skip(j, "the")
	for _, rule := range []timeRule{(*timeParser).monthDay, (*timeParser).dayMonth} {
		if p.ok(j) && (p.kind(j) == lexMonth || p.kind(j) == lexDigits || p.kind(j) == lexOrdinal) {
			if d, ok := rule(p, j, 0); ok && d.grain == day {
				d.i = i
				return d, true
			}
		}
	}
	return m, true
}

func (p *timeParser) lastWeekday(wd int) time.Time {
	back := cmp.Or((int(p.ref.Weekday())-wd+7)%7, 7)
	return dayStart(p.ref).AddDate(0, 0, -back)
}

// relative reads last, this and next with a unit, weekday, month, season, part of
// day or holiday, and "the last two weeks".
func (p *timeParser) relative(i, depth int) (timeMatch, bool) {
	rel, j := p.toks[i].n, i+1
	past := p.word(i) == "past"
	if p.word(i) == "this" && (p.word(j) == "past" || p.word(j) == "coming") {
		rel, past = p.toks[j].n, p.word(j) == "past"
		j++
	}
	t := tok{}
	if p.ok(j) {
		t = p.toks[j]
	}
	if n, k, ok := p.number(j); ok && rel != 0 && p.kind(k) == lexUnit && p.word(j) != "a" {
		return p.rolling(i, k+1, rel*n, grain(p.toks[k].n))
	}
	switch t.kind {
	case lexUnit:
		g := grain(t.n)
		if t.plural || g == hour || g == minute || past && g != weekend {
			return p.rolling(i, j+1, rel, g)
		}
		if g == week && p.kind(j+1) == lexWeekday && !p.toks[j+1].plural { // "next week Friday"
			from := floor(p.ref, week).AddDate(0, 0, 7*rel+(p.toks[j+1].n+6)%7)
			return span(i, j+2, from, from.AddDate(0, 0, 1), day)
		}
		from, to := unitSpan(p.ref, rel, g)
		return span(i, j+1, from, to, g)
	case lexWeekday:
		return p.relativeWeekday(i, j, rel)
	case lexMonth:
		return p.relativeMonth(i, j, rel)
	case lexSeason:
		return p.relativeSeason(i, j, rel)
	case lexHoliday:
		m, ok := p.holiday(j, depth)
		if ok && m.noYear {
			n := 0
			if rel > 0 || rel == 0 && addUnits(m.from, 1, year).Year() == p.ref.Year() {
				n = 1
			}
			m.from, m.to = addUnits(m.from, n, year), addUnits(m.to, n, year)
			m.i = i
		}
		return m, ok && m.i == i
	case lexPart:
		d := dayStart(p.ref).AddDate(0, 0, rel)
		from, to := partSpan(d, t.n)
		return span(i, j+1, from, to, partOfDay)
	}
	return timeMatch{}, false
}

// rolling returns the n units up to ref (n < 0) or from ref on.
func (p *timeParser) rolling(i, j, n int, g grain) (timeMatch, bool) {
	if n == 0 || n > maxCount || n < -maxCount {
		return timeMatch{}, false
	}
	at := p.ref
	if g > partOfDay { // whole days; today is part of "the last three days"
		at = dayStart(p.ref).AddDate(0, 0, 1)
		if n > 0 {
			at = dayStart(p.ref)
		}
	}
	other := addUnits(at, n, g)
	if n < 0 {
		return span(i, j, other, at, g)
	}
	return span(i, j, at, other, g)
}

func (p *timeParser) relativeWeekday(i, j, rel int) (timeMatch, bool) {
	wd := p.toks[j].n
	from := p.lastWeekday(wd)
	monday := floor(p.ref, week)
	switch {
	case rel > 0 && p.word(j-1) == "coming":
		from = from.AddDate(0, 0, 7)
		if !from.After(p.ref) {
			from = from.AddDate(0, 0, 7)
		}
	case rel >= 0:
		from = monday.AddDate(0, 0, 7*rel+(wd+6)%7)
	}
	return span(i, j+1, from, from.AddDate(0, 0, 1), day)
}

func (p *timeParser) relativeMonth(i, j, rel int) (timeMatch, bool) {
	mo := time.Month(p.toks[j].n)
	y := p.ref.Year()
	switch {
	case rel < 0 && mo >= p.ref.Month():
		y--
	case rel > 0 && mo <= p.ref.Month():
		y++
	}
	from := time.Date(y, mo, 1, 0, 0, 0, 0, p.ref.Location())
	m := timeMatch{i: i, j: j + 1, from: from, to: addUnits(from, 1, month), grain: month}
	if d, k, ok := p.dayNumber(j + 1); ok { // "last March 3rd"
		if a, b, ok := p.dayAt(y, mo, d); ok {
			m.from, m.to, m.j, m.grain = a, b, k, day
		}
	}
	return m, true
}

func (p *timeParser) relativeSeason(i, j, rel int) (timeMatch, bool) {
	from := time.Date(p.ref.Year(), time.Month(p.toks[j].n), 1, 0, 0, 0, 0, p.ref.Location())
	if from.After(p.ref) && rel < 0 {
		from = addUnits(from, -1, year)
	}
	to := addUnits(from, 1, season)
	switch {
	case rel < 0 && to.After(p.ref): // the one that is running is "this"
		from = addUnits(from, -1, year)
	case rel > 0 && !from.After(p.ref):
		from = addUnits(from, 1, year)
	case rel == 0 && p.ref.Before(addUnits(to, -1, year)): // January is in last December's winter
		from = addUnits(from, -1, year)
	}
	return span(i, j+1, from, addUnits(from, 1, season), season)
}
