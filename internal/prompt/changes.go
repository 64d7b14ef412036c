package prompt

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/relevance"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
)

// changesOf maps each line to the later ones that may say what holds in its place although no
// claim supersedes it, the likeliest first: from leastChange on they are shown with it. Of 584 changes of 22 lives
// whose earlier and later states were both lines after a year, fits without a fifth of the lives
// find 236 among the likeliest 1,000 pairs by [relevance.Changes], about those from leastChange
// on; words of change and a likeness in common found 89 among 1,006.
func (s *Lines) changesOf() map[*line][]change {
	found := make(map[*line][]change)
	s.named(found)
	newest := slices.Clone(s.all)
	slices.SortStableFunc(newest, func(a, b *line) int { return b.Said.Compare(a.Said) })
	ending := slices.DeleteFunc(slices.Clone(newest), func(l *line) bool { return l.ends < leastCompared })
	for _, l := range ending[:min(len(ending), maxChanges)] {
		for _, pair := range s.pairs(l) {
			if pair.P >= leastChange {
				found[s.all[pair.Old]] = append(found[s.all[pair.Old]], change{line: l, p: pair.P})
			}
		}
	}
	s.exclusions(found)
	type value struct { // the latest ones
		*line
		thing  []string
		number string
	}
	var values []value
	for _, l := range slices.Backward(newest) {
		of := l.wording().value()
		if of == nil {
			continue
		}
		values = values[max(0, len(values)-maxChanges):]
		thing := slices.DeleteFunc(text.QueryTerms(of[1], 0), func(term string) bool { return slices.Contains(codeTerms, term) })
		in := func(a, b []string) bool {
			return len(a) > 0 && !slices.ContainsFunc(a, func(term string) bool { return !slices.Contains(b, term) })
		}
		for _, v := range values {
			if v.Said.Before(l.Said) && v.ofSame(l) && v.number != of[2] && (in(v.thing, thing) || in(thing, v.thing)) {
				found[v.line] = append(found[v.line], change{line: l, p: surely})
			}
		}
		values = append(values, value{l, thing, of[2]})
	}
	for old, later := range found {
		slices.SortStableFunc(later, func(a, b change) int { return cmp.Or(compareBool(b.named, a.named), cmp.Compare(b.p, a.p)) })
		seen := make(map[*line]bool)
		later = slices.DeleteFunc(later, func(c change) bool {
			again := seen[c.line]
			seen[c.line] = true
			return again
		})
		found[old] = later[:min(len(later), maxChanged)]
	}
	return found
}

// change is a later line that may say what holds in place of an earlier one.
type change struct {
	*line
	p     float64
	named bool // the later one says so of what the earlier one names, see [Lines.named]
}

// surely is the probability of a change that the forms of both lines show.
const surely = 1

// named adds the lines of which a later one says by its form that it is otherwise now: a clause is
// the same but for a value, see [grounding.Frame], or a thing that they name ended or changed, see
// [grounding.Changed], of several lines the likeliest by [relevance.Changes]. What more than
// mostOfThing lines name is no single thing.
func (s *Lines) named(found map[*line][]change) {
	type framed struct {
		*line
		frame grounding.Frame
	}
	var frames []framed
	for _, l := range s.all {
		for _, f := range l.wording().frames() {
			frames = append(frames, framed{l, f})
		}
	}
	for i := range frames {
		later := &frames[i]
		if !later.frame.Now() {
			continue
		}
		for j := range frames {
			if old := &frames[j]; old.Said.Before(later.Said) && old.ofSame(later.line) && later.frame.Replaces(&old.frame) {
				found[old.line] = append(found[old.line], change{line: later.line, p: surely, named: true})
			}
		}
	}
	for _, l := range s.all {
		for _, thing := range l.wording().changed() {
			var of []int
			for _, at := range s.terms[thing[0]] {
				old := s.all[at]
				if old.Said.Before(l.Said) && old.ofSame(l) && !slices.ContainsFunc(thing[1:], func(term string) bool { return !slices.Contains(s.terms[term], at) }) &&
					!grounding.Outlives(old.Text, l.Text, thing) {
					of = append(of, int(at))
				}
			}
			if len(of) == 0 || len(of) > mostOfThing {
				continue
			}
			likeliest, p := -1, leastNamedThing
			for _, pair := range s.pairs(l) {
				if slices.Contains(of, pair.Old) && pair.P >= p {
					likeliest, p = pair.Old, pair.P
				}
			}
			if likeliest >= 0 {
				found[s.all[likeliest]] = append(found[s.all[likeliest]], change{line: l, p: surely, named: true})
			}
		}
	}
}

// mostOfThing is how many earlier lines may name a thing that changed, and leastNamedThing the
// probability of a change without its form.
const (
	mostOfThing     = 3
	leastNamedThing = 0.0005
)

// exclusions adds the lines of which a later claim excludes an earlier one by form, but may
// not end it: a model saved it in its own words, or it is not certain that both are of one
// thing.
func (s *Lines) exclusions(found map[*line][]change) {
	type slot struct{ subject, family, project string }
	type stated struct {
		*line
		claim *ownClaim
	}
	bySlot := make(map[slot][]stated)
	var slots []slot // in the order of the lines
	for _, l := range s.all {
		for _, c := range l.claims {
			if c.reading.Predicate != "" {
				in := slot{c.claim.Subject, said.Family(c.reading.Predicate), c.project()}
				if bySlot[in] == nil {
					slots = append(slots, in)
				}
				bySlot[in] = append(bySlot[in], stated{l, c})
			}
		}
	}
	for _, in := range slots {
		of := bySlot[in]
		slices.SortStableFunc(of, func(a, b stated) int { return b.Said.Compare(a.Said) })
		of = of[:min(len(of), maxChanges)]
		for i, later := range of {
			for _, old := range of[i+1:] {
				if !old.Said.Before(later.Said) {
					continue
				}
				if v := said.Compare(later.claim.reading, old.claim.reading); v == said.Replaces || v == said.Unsure {
					found[old.line] = append(found[old.line], change{line: later.line, p: surely})
				}
			}
		}
	}
}

// valueOf matches a thing and its number, of which a later one may be the new one: "alarm at
// the shop is 4471", "alarm code is 9083". codeTerms do not tell things apart.
var (
	valueOf   = regexp.MustCompile(`(?i)^((?:[\pL'’-]+ ){1,7}|\p{Han}{2,12})(?:is|ist|es|=|是|为)(?: now| jetzt| ahora)? ?(\d[\d -]*\d\d)(?:[^\d]|$)`)
	codeTerms = text.Terms("code pin number password combination geheimzahl nummer clave codigo numero")
)

// Parameters of [Lines.changesOf]: the probability of a change from which a later line is shown
// with an earlier one; how many later lines one is shown with; and the probability of ending something from which lines are compared
// with all others, and how many of the newest, or with each other where they state the same kind
// of thing.
const (
	leastChange   = 0.1
	maxChanged    = 3
	leastCompared = 0.05
	maxChanges    = 100
)

// Pair is an earlier line and how likely a later one says what holds in its place.
type Pair struct {
	Old      int // place
	Features [relevance.PairFeatures]float32
	P        float64
}

// leastShared is the likeness from which two lines are compared, and usualLines the number of
// lines that it is of.
const (
	leastShared = 1
	usualLines  = 150
)

// pairs compares a line with the earlier ones that it has something in common with and may
// change, see [line.ofSame].
func (s *Lines) pairs(later *line) (pairs []Pair) {
	words := later.words()
	g := s.likeness(words, Meaning{}, nil)
	rare := math.Log1p(usualLines) / math.Log1p(float64(len(s.all))) // a shared word is as rare in a small memory
	var totals []float64
	total := func(i int) float64 {
		return rare*(g.likeness[i]/max(s.all[i].likely, 1e-6)-topicLikeness*g.near[i]) + topicLikeness*g.near[i]
	}
	for i, l := range s.all {
		if l.Said.Before(later.Said) {
			totals = append(totals, total(i))
		}
	}
	if len(totals) == 0 {
		return nil
	}
	slices.Sort(totals)
	tells := is(said.TellsChange(words))
	for i, l := range s.all {
		of := total(i)
		if !l.Said.Before(later.Said) || of < leastShared || !l.ofSame(later) {
			continue
		}
		at, _ := slices.BinarySearchFunc(totals, of, func(a, b float64) int { return cmp.Or(cmp.Compare(a, b), -1) }) // behind its equals
		p := Pair{Old: i}
		for f, v := range [relevance.PairFeatures]float64{
			math.Log1p(rare * g.exact[i]), math.Log1p(max(0, of-topicLikeness*g.near[i])), g.near[i],
			of / totals[len(totals)-1], math.Log1p(float64(len(totals) - at)),
			math.Log1p(later.Said.Sub(l.Said).Hours() / 24),
			math.Log(later.likely + 0.02), math.Log(l.likely + 0.02),
			l.vector.Cosine(&later.vector),
			math.Log1p(float64(later.length)), math.Log1p(float64(l.length)), tells,
		} {
			p.Features[f] = float32(v)
		}
		p.P = relevance.Changes.P(&p.Features)
		pairs = append(pairs, p)
	}
	return pairs
}
