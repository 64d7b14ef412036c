package prompt

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

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
	names := make(map[*line]bool) // it says itself what it ended
	for _, later := range found {
		for _, c := range later {
			names[c.line] = true
		}
	}
	newest := slices.Clone(s.all)
	slices.SortStableFunc(newest, func(a, b *line) int { return b.Said.Compare(a.Said) })
	ending := slices.DeleteFunc(slices.Clone(newest), func(l *line) bool { return l.ends < leastCompared })
	for _, l := range ending[:min(len(ending), maxChanges)] {
		pairs, ended := s.pairs(l), -1 // the likeliest of those that it may have ended: dates for all would mark what holds
		for i, pair := range pairs {
			if pair.ended && !names[l] && (ended < 0 || pair.P > pairs[ended].P) {
				ended = i
			}
		}
		for i, pair := range pairs {
			if pair.P >= leastChange || pair.ended {
				found[s.all[pair.Old]] = append(found[s.all[pair.Old]], change{line: l, p: pair.P, likely: pair.P >= likelyChange || i == ended})
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
		of := valueOf.FindStringSubmatch(l.Text)
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
				found[v.line] = append(found[v.line], change{line: l, p: surely, likely: true, surely: true})
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
	p      float64
	likely bool // if both are shown, they are dated and stand together
	named  bool // the later one says so of what the earlier one names, see [Lines.named]
	surely bool // by the form of both: they stand together, the earlier one marked
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
		for _, f := range grounding.FramesOf(l.Text) {
			frames = append(frames, framed{l, f})
		}
	}
	for i := range frames {
		later := &frames[i]
		for j := range frames {
			if old := &frames[j]; old.Said.Before(later.Said) && old.ofSame(later.line) && later.frame.Replaces(&old.frame) {
				found[old.line] = append(found[old.line], change{line: later.line, p: surely, likely: true, named: true, surely: true})
			}
		}
	}
	for _, l := range s.all {
		for _, thing := range grounding.Changed(l.Text) {
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
				found[s.all[likeliest]] = append(found[s.all[likeliest]], change{line: l, p: surely, likely: true, named: true, surely: true})
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
					found[old.line] = append(found[old.line], change{line: later.line, p: surely, likely: true, surely: true})
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
// with an earlier one and that from which both are dated; how many later
// lines one is shown with; and the probability of ending something from which lines are compared
// with all others, and how many of the newest, or with each other where they state the same kind
// of thing.
const (
	leastChange   = 0.1
	likelyChange  = 0.2
	maxChanged    = 3
	leastCompared = 0.05
	maxChanges    = 100
)

// Pair is an earlier line and how likely a later one says what holds in its place.
type Pair struct {
	Old      int // place
	Features [relevance.PairFeatures]float32
	P        float64
	ended    bool // by what the later line says by itself
}

// sharesWord reports whether two lines do, besides words for their user.
func sharesWord(a, b *line) bool {
	held := text.QueryTerms(b.words(), maxLikenessTerms)
	return slices.ContainsFunc(text.QueryTerms(a.words(), maxLikenessTerms), func(term string) bool {
		return slices.Contains(held, term) && !slices.Contains(userTerms, term)
	})
}

// userTerms are those by which saved facts begin.
var userTerms = text.QueryTerms("user benutzer nutzer usuario usuaria 用户", 0)

// leastShared is the likeness from which two lines are compared, and usualLines the number of
// lines that it is of.
const (
	leastShared = 1
	usualLines  = 150
)

// What says by itself that something no longer holds, with a probability of leastEnding, is
// likely about what it shares a rare word with, "it's over with Elif", and with one of surelyEnding about
// the likest line, if that has nearly the same topics: "I eat meat again". leastNamed is the likeness by
// a word that one in sixteen lines contains.
const (
	leastEnding  = 0.1
	surelyEnding = 0.5
	leastNamed   = 2.8
	leastNearest = 0.8
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
	ends := later.ends >= leastEnding
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
		likest := later.ends >= surelyEnding && of == totals[len(totals)-1] && g.near[i] >= leastNearest
		p.P = relevance.Changes.P(&p.Features)
		p.ended = likest || ends && rare*g.exact[i] >= leastNamed && sharesWord(later, l)
		pairs = append(pairs, p)
	}
	return pairs
}

// mostBeside is the length, in tokens, of a line that is marked as earlier: of a longer one something
// likely holds. With every likely pair marked, few of 66 in the contexts of a life were right.
const mostBeside = 24

// datesShare is the maximum share of the section for dates of changes; two fit in any.
const datesShare = 0.02

// dateTokens is about the cost of the date of a line, and changeTokens that of what marks a change: the
// dates of both lines, and that one is the earlier.
var (
	dateTokens   = text.Tokens(" (said 2006-01-02)")
	changeTokens = 2*dateTokens + text.Tokens("earlier: ")
)

// dateChanges dates lines that a later chosen one may have changed, and that later one, as far as
// the tokens allow, so that a model can tell what holds now: first those changed by their form. Of
// these a short one is moved below the later one and marked as earlier; the others keep their
// places. A later one that was said in passing joins the line that it may have ended. chosen is in
// display order; changed are the places of the others concerned, nil for any.
func (s *Lines) dateChanges(chosen []*line, changed map[int]bool, left int) []*line {
	at := make(map[int]int, len(chosen))
	for i, l := range chosen {
		at[l.place] = i
		for _, other := range l.also {
			at[other.place] = i
		}
	}
	anchors := make([]int, len(chosen)) // the place of the newest change
	for i := range anchors {
		anchors[i] = i
	}
	for _, named := range []bool{true, false} {
		for i, l := range slices.Backward(chosen) {
			if l.endedBy != nil {
				continue
			}
			for _, old := range slices.Concat([]*line{s.all[l.place]}, l.also) {
				if !named && changed != nil && !changed[old.place] {
					continue
				}
				for _, later := range s.changes()[old] {
					of, shown := at[later.place]
					if !shown || of == i || !later.likely || later.named != named || !l.ofSame(later.line) {
						continue
					}
					older, newer := chosen[i].dated(s.loc), chosen[of].dated(s.loc)
					beside := later.surely && older.below(newer) && older.Ended == "" && text.Tokens(old.Text) <= mostBeside
					if beside {
						older = older.belowLater()
					}
					cost := older.Tokens - chosen[i].Tokens + newer.Tokens - chosen[of].Tokens
					if cost > left {
						continue
					}
					chosen[i], chosen[of], left = older, newer, left-cost
					switch {
					case beside:
						anchors[i] = max(anchors[i], anchors[of])
					case older.below(newer): // both keep their places
					case newer.Group == Passing && !newer.lapsed && older.Group != Approved: // what may have ended a line is not perhaps over itself
						was, is := *older, *newer
						is.Group, was.apart, is.apart = older.Group, true, true
						chosen[i], chosen[of] = &was, &is
						anchors[of] = anchors[i]
					}
				}
			}
		}
	}
	order := make([]int, len(chosen))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(anchors[a], anchors[b]), b-a) })
	ordered := make([]*line, len(chosen))
	for i, from := range order {
		ordered[i] = chosen[from]
	}
	return ordered
}

// dateTelling dates what tells a change, "I'm vegetarian now", the newest first, in what the lines
// leave of the room for them.
func dateTelling(chosen []*line, room int, loc *time.Location) []*line {
	var telling []int
	for i, l := range chosen {
		if room -= l.Tokens; l.tells {
			telling = append(telling, i)
		}
	}
	slices.SortStableFunc(telling, func(a, b int) int { return chosen[b].Said.Compare(chosen[a].Said) })
	for _, i := range telling {
		if dated := chosen[i].dated(loc); dated.Tokens-chosen[i].Tokens <= room {
			room -= dated.Tokens - chosen[i].Tokens
			chosen[i] = dated
		}
	}
	return chosen
}

// belowLater returns the line as shown below the later one that may have changed it, where its date
// alone says when it was said.
func (l *line) belowLater() *line {
	if l.earlier {
		return l
	}
	d := *l
	d.earlier = true
	d.shown = "- earlier: " + strings.TrimPrefix(l.shown, "- ")
	d.Tokens = text.Tokens(d.shown)
	return &d
}

// dated returns the line as shown with a date.
func (l *line) dated(loc *time.Location) *line {
	if l.relative || !l.Since.IsZero() {
		return l
	}
	d := *l
	d.relative = true
	d.shown = d.Render(true, loc)
	d.Tokens = text.Tokens(d.shown)
	return &d
}
