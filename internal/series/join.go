package series

import (
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// Statement is a message with its readings.
type Statement struct {
	Text     string
	Readings []Reading // of the text
	Said     time.Time // in the location of its days
	Speaker  string
}

// Member is a reading of a series.
type Member struct {
	Reading
	Statement int       // index
	At        time.Time // the day that it is of
	// CorrectedBy is the index of the member of the series that corrects it, -1 for none.
	CorrectedBy int
}

// Series are the readings of one quantity, in the order in which they were said; there are at least
// two.
type Series struct{ Members []Member }

// open is a series that readings may join.
type open struct {
	Series
	speaker    string
	form       form
	units      map[string]bool
	unitless   bool
	decimals   int
	low, high  []float64
	before     []string
	all        []string // terms before and after
	label      []string // terms before the number of the first with some
	first      []string // terms before and after of the first
	place      []string
	unlabelled bool // a member has no term before its number
	person     bool
}

// Join returns the series in statements, which are in order of time.
func Join(statements []Statement) (joined []Series) {
	var all []*open
	for i := range statements {
		s := &statements[i]
		var taken []*open // a statement has one reading of a series
		for _, r := range s.Readings {
			o := fitting(all, &r, s.Speaker)
			if r.Corrects && o != nil && slices.ContainsFunc(o.Members, func(m Member) bool { return m.Value == r.Value && m.CorrectedBy < 0 }) {
				continue // it quotes the wrong one
			}
			switch {
			case o != nil && slices.Contains(taken, o):
				continue
			case o == nil && r.Corrects:
				continue
			case o == nil:
				o = &open{speaker: s.Speaker, form: r.form, units: make(map[string]bool), decimals: r.decimals,
					low: slices.Clone(r.numbers), high: slices.Clone(r.numbers)}
				all = append(all, o)
			}
			o.add(&r, i, s)
			taken = append(taken, o)
		}
	}
	for _, o := range all {
		if len(o.Members) > 1 {
			joined = append(joined, o.Series)
		}
	}
	return joined
}

// add adds a reading.
func (o *open) add(r *Reading, statement int, s *Statement) {
	m := Member{Reading: *r, Statement: statement, At: dayOf(r, s), CorrectedBy: -1}
	if r.Corrects {
		if wrong := o.corrected(&m, s); wrong >= 0 {
			o.Members[wrong].CorrectedBy = len(o.Members)
			m.At = o.Members[wrong].At
		}
	}
	o.Members = append(o.Members, m)
	if r.unit == "" {
		o.unitless = true
	} else {
		o.units[r.unit] = true
	}
	for i, n := range r.numbers {
		o.low[i], o.high[i] = min(o.low[i], n), max(o.high[i], n)
	}
	if len(o.label) == 0 {
		o.label = r.before
	}
	if len(o.Members) == 1 {
		o.first, o.place = slices.Concat(r.before, r.after), r.place
	}
	o.before = append(o.before, r.before...)
	o.all = append(o.all, slices.Concat(r.before, r.after)...)
	o.unlabelled = o.unlabelled || len(r.before) == 0 && !r.person
	o.person = o.person || r.person
}

// corrected returns the index of the member that a correction is of: that of the day it names,
// else the last one; -1 for none.
func (o *open) corrected(by *Member, s *Statement) int {
	last := -1
	for i := range o.Members {
		if m := &o.Members[i]; m.CorrectedBy < 0 {
			last = i
			if at := by.At; sameDay(m.At, at) && !sameDay(at, s.Said) {
				return i
			}
		}
	}
	return last
}

// dayOf returns the day that a reading is of: a past day that its sentence names, else that on which
// it was said.
func dayOf(r *Reading, s *Statement) time.Time {
	of := r.sentence
	if r.Corrects {
		of = s.Text
	}
	for _, span := range text.TimeSpans(of, s.Said) {
		if span.End.Sub(span.Start) <= 25*time.Hour && span.Start.Before(s.Said) && !sameDay(span.Start, s.Said) && s.Said.Sub(span.Start) < 8*24*time.Hour {
			return span.Start
		}
	}
	return s.Said
}

func sameDay(a, b time.Time) bool {
	y, m, d := a.Date()
	y2, m2, d2 := b.Date()
	return y == y2 && m == m2 && d == d2
}

// fitting returns the one series that a reading belongs to, nil for none. Of several it is the
// one with its words, else the one whose readings have none, else the one with its unit; if that leaves
// more than one, it is none.
func fitting(all []*open, r *Reading, speaker string) *open {
	var of []*open
	for _, o := range all {
		if o.speaker == speaker && o.fits(r) {
			of = append(of, o)
		}
	}
	for _, better := range []func(o *open) bool{
		func(o *open) bool { return shares(r.before, o.before) },
		func(o *open) bool { return o.unlabelled },
		func(o *open) bool { return r.unit != "" && o.units[r.unit] || r.unit == "" && o.unitless },
	} {
		if len(of) > 1 && slices.ContainsFunc(of, better) {
			of = slices.DeleteFunc(of, func(o *open) bool { return !better(o) })
		}
	}
	if len(of) == 1 {
		return of[0]
	}
	return nil
}

// How far a number may lie from those of its series, as a share of the lowest and the highest:
// with a unit, of a pair, alone, and with words in common.
const (
	farUnit    = 2.2
	farPair    = 1.45
	farDecimal = 1.15
	farLoose   = 4
)

// fits reports whether a reading may belong to the series.
func (o *open) fits(r *Reading) bool {
	if len(r.numbers) != len(o.low) || (len(r.place) > 0 || len(o.place) > 0) && r.form != loose && r.form != pair && !shares(r.place, o.place) {
		return false
	}
	within := func(far float64) bool {
		for i, n := range r.numbers {
			if n < o.low[i]/far || n > o.high[i]*far {
				return false
			}
		}
		return true
	}
	labelled := len(r.before) == 0 && (o.unlabelled || !o.person) && !r.person || r.person == o.person && related(r.before, o.label, o.before)
	switch {
	case r.form == pair:
		return o.form == pair && labelled && within(farPair)
	case r.form == outOf:
		return o.form == outOf && labelled && o.units[r.unit]
	case r.form == loose:
		return o.form == loose && r.leads && related(slices.Concat(r.before, r.after), o.first, o.all) && within(farLoose) && r.decimals == o.decimals &&
			(r.unit == "" && o.unitless || o.units[r.unit])
	case o.form != unit && o.form != decimal:
		return false
	case r.unit != "" && o.units[r.unit]:
		return labelled && within(farUnit)
	case r.form == decimal && (o.unitless || o.hasBodyUnit()) || bodyUnits[r.unit] && !distances[r.unit] && o.unitless && len(o.units) == 0:
		return labelled && r.decimals == o.decimals && within(farDecimal)
	}
	return false
}

// hasBodyUnit reports whether the unit of a series is one that is often left out.
func (o *open) hasBodyUnit() bool {
	for unit := range o.units {
		if bodyUnits[unit] {
			return true
		}
	}
	return false
}

// related reports whether the terms of a reading are of those of a series, or say more than its first ones:
// "sugar" and "sugar fasting", not "kitchen sensor" and "cellar sensor".
func related(terms, first, all []string) bool {
	return shares(terms, all) && (contained(terms, all) || len(first) > 0 && contained(first, terms))
}

func contained(terms, all []string) bool {
	return !slices.ContainsFunc(terms, func(term string) bool { return !slices.Contains(all, term) })
}

func shares(a, b []string) bool {
	return slices.ContainsFunc(a, func(term string) bool { return slices.Contains(b, term) })
}
