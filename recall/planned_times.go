package recall

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// pickSpans picks what was said in the times asked about, and what was said about
// them at other times.
func (r *Request) pickSpans(ctx context.Context, all *ranked) ([]pick, error) {
	p := r.Plan
	dated, err := r.dated(ctx, p.Spans)
	if err != nil {
		return nil, err
	}
	var from []pick
	if slices.ContainsFunc(p.Spans, func(s lexicon.Span) bool {
		return s.Start.Before(r.Now) && (!p.Advice || p.Story)
	}) {
		if from, err = r.from(ctx, p.Spans, whyTime); err != nil {
			return nil, err
		}
	}
	if ahead := p.Spans[0]; len(dated)+len(from) == 0 && !ahead.Start.Before(r.Now) { // guests arrive before a holiday
		const about = 4
		wide := lexicon.Span{Start: ahead.Start.AddDate(0, 0, -about), End: ahead.End.AddDate(0, 0, about)}
		if dated, err = r.dated(ctx, []lexicon.Span{wide}); err != nil {
			return nil, err
		}
		if len(dated) > 0 && p.Story {
			switch held, err := r.namesDateIn(ctx, p.Spans[:1]); {
			case err != nil:
				return nil, err
			case !held:
				all.note = "Nothing is stored about " + spanName(ahead) + "; this is near it."
			}
		}
	}
	for i := range dated {
		dated[i].why, dated[i].minRelevance = whyDate, answerRelevance
	}
	if p.Agent {
		reports := slices.DeleteFunc(slices.Clone(from), func(p pick) bool { return p.memory.Role != "assistant" || p.memory.Speaker == "" })
		if len(reports) > 0 {
			return r.distinct(reports, r.limit()), nil
		}
	}
	if !p.Story {
		return r.matching(append(dated, from...)), nil
	}
	picks := r.thin(dated, from)
	if len(picks) == 0 {
		return r.nearest(ctx, all)
	}
	return picks, nil
}

// from picks what was said in spans, the user's own words first, for the reason why.
func (r *Request) from(ctx context.Context, spans []lexicon.Span, why string) ([]pick, error) {
	const others = 0.6 // weight of what others said
	informs := func(doc uint32) float64 {
		if r.index.docs[doc].flags&byUser == 0 {
			return others * r.informative(doc)
		}
		return r.informative(doc)
	}
	var inside []uint32
	for i := range r.index.docs {
		if r.index.meta[i].said() && within(spans, r.index.docs[i].time) && r.filter.admits(r.index, uint32(i)) {
			inside = append(inside, uint32(i))
		}
	}
	if len(inside) > weighedDepth { // of a year, the longer ones
		slices.SortStableFunc(inside, func(a, b uint32) int { return cmp.Compare(r.index.docs[b].words, r.index.docs[a].words) })
		inside = inside[:weighedDepth]
	}
	info := make(map[uint32]float64, len(inside))
	for _, doc := range inside {
		info[doc] = informs(doc)
	}
	slices.SortFunc(inside, func(a, b uint32) int { return cmp.Or(cmp.Compare(info[b], info[a]), cmp.Compare(a, b)) })
	picks, err := r.readPicks(ctx, inside[:min(len(inside), storyDepth)])
	for i := range picks {
		picks[i].why, picks[i].minRelevance, picks[i].info = why, answerRelevance, info[picks[i].doc]
	}
	return picks, err
}

// within reports a time, in Unix milliseconds, that lies in one of spans.
func within(spans []lexicon.Span, at int64) bool {
	return slices.ContainsFunc(spans, func(s lexicon.Span) bool { return s.Start.UnixMilli() <= at && at < s.End.UnixMilli() })
}

// thin chooses a summary of a time: what was said about its dates, and then the
// most informative texts, spread over its days and without repetition. It returns
// them in order of time.
func (r *Request) thin(dated, from []pick) []pick {
	const (
		again = 0.7  // factor for each further text of one day
		alike = 0.5  // share of words from which two texts count as the same
		least = 0.25 // of the most informative text's value
	)
	chosen := r.distinct(dated, min(mostAhead, r.limit()))
	days := make(map[string]int)
	texts := make([]string, len(from))
	for i := range from {
		texts[i] = from[i].memory.Content
	}
	sets := text.TermSets(texts)
	var taken []int
	top := 0.0
	for len(chosen) < r.limit() {
		best, value := -1, 0.0
		for i := range from {
			if slices.Contains(taken, i) || slices.ContainsFunc(chosen, func(c pick) bool { return c.doc == from[i].doc }) ||
				slices.ContainsFunc(taken, func(t int) bool { return sets[i].Jaccard(sets[t]) > alike }) {
				continue
			}
			v := (0.1 + from[i].info) * math.Pow(again, float64(days[r.day(from[i].memory)]))
			if best < 0 || v > value {
				best, value = i, v
			}
		}
		top = max(top, value)
		if best < 0 || len(taken) >= 3 && value < least*top {
			break
		}
		taken = append(taken, best)
		days[r.day(from[best].memory)]++
		chosen = append(chosen, from[best])
	}
	slices.SortStableFunc(chosen, func(a, b pick) int { return a.memory.EventTime.Compare(b.memory.EventTime.Time) })
	return chosen
}

// day is the date of a memory where the user is.
func (r *Request) day(m *schema.Memory) string {
	return m.EventTime.In(r.Now.Location()).Format(time.DateOnly)
}

// dated picks what names a date within spans and was said outside of them.
func (r *Request) dated(ctx context.Context, spans []lexicon.Span) ([]pick, error) {
	docs := r.dateHolders(spans)
	picks, err := r.readPicks(ctx, docs)
	if err != nil {
		return nil, err
	}
	var longest time.Duration
	for _, s := range spans {
		longest = max(longest, 2*s.End.Sub(s.Start)+24*time.Hour)
	}
	return slices.DeleteFunc(picks, func(p pick) bool {
		return !slices.ContainsFunc(r.datesIn(p.memory, longest), func(d lexicon.Span) bool {
			return slices.ContainsFunc(spans, func(s lexicon.Span) bool { return d.Start.Before(s.End) && s.Start.Before(d.End) })
		})
	}), nil
}

// datesIn are the dates that a text names, resolved against the time at which it
// was said, without that day itself and what is longer than longest. From a first to a
// last day, two weeks are not too long.
func (r *Request) datesIn(m *schema.Memory, longest time.Duration) (dates []lexicon.Span) {
	const stay = 14*24*time.Hour + time.Hour
	at := m.EventTime.In(r.Now.Location())
	for _, s := range text.TimeSpans(m.Content, at) {
		for _, d := range []lexicon.Span{{Start: s.Start, End: s.End}, {Start: s.NextStart, End: s.NextEnd}} {
			if long := d.End.Sub(d.Start); !d.Start.IsZero() && (long <= longest || s.Range && long <= stay) && (at.Before(d.Start) || !at.Before(d.End)) {
				dates = append(dates, d)
			}
		}
	}
	return dates
}

// dateHolders are documents that may name a date within spans: documents from any
// time with the number of the day and the month, and documents from around spans
// with a date word or a number, the nearest first.
func (r *Request) dateHolders(spans []lexicon.Span) (docs []uint32) {
	ix := r.index
	taken := make(map[uint32]bool)
	add := func(doc uint32) {
		if !taken[doc] && !within(spans, ix.docs[doc].time) && r.filter.admits(ix, doc) {
			taken[doc] = true
			docs = append(docs, doc)
		}
	}
	for _, s := range spans {
		for doc := range ix.explicit(s, r.Now.Location()) {
			if len(docs) < datedDepth {
				add(doc)
			}
		}
	}
	around := slices.Clone(spans)
	for i, s := range spans {
		around[i] = lexicon.Span{Start: s.Start.Add(-datedBefore), End: s.End.Add(datedAfter)}
	}
	var near []uint32
	for i := range ix.docs {
		if d := &ix.docs[i]; d.flags&lexicon.HoldsDate != 0 && !taken[uint32(i)] && within(around, d.time) {
			near = append(near, uint32(i))
		}
	}
	away := func(doc uint32) int64 {
		at := ix.docs[doc].time
		least := int64(math.MaxInt64)
		for _, s := range spans {
			least = min(least, max(s.Start.UnixMilli()-at, at-s.End.UnixMilli(), 0))
		}
		return least
	}
	slices.SortStableFunc(near, func(a, b uint32) int { return cmp.Compare(away(a), away(b)) })
	for _, doc := range near[:min(len(near), datedDepth)] {
		add(doc)
	}
	return docs
}

// explicit lists the documents that name a day of s by its number and month, or
// for more than eight days the month alone, in any language.
func (ix *index) explicit(s lexicon.Span, loc *time.Location) map[uint32]bool {
	found := make(map[uint32]bool)
	days := s.End.Sub(s.Start).Hours() / 24
	if days > 100 {
		return found
	}
	of := func(terms []string) map[uint32]bool {
		docs := make(map[uint32]bool)
		for _, t := range terms {
			if id, known := ix.terms[t]; known {
				for at := range ix.postings[id].All() {
					docs[ix.chunks.Doc(at)] = true
				}
			}
		}
		return docs
	}
	for day := s.Start.In(loc); day.Before(s.End); day = day.AddDate(0, 0, 1) {
		months := of(lexicon.MonthTerms(day.Month()))
		if days > 8 { // the month is enough
			maps.Copy(found, months)
			day = time.Date(day.Year(), day.Month()+1, 0, 0, 0, 0, 0, loc)
			continue
		}
		for doc := range of(lexicon.DayTerms(day.Day())) {
			if months[doc] {
				found[doc] = true
			}
		}
	}
	return found
}

// namesDateIn reports whether a text names a date within spans, even one that the query skips.
func (r *Request) namesDateIn(ctx context.Context, spans []lexicon.Span) (bool, error) {
	unskipped := *r
	unskipped.Skip = nil
	dated, err := unskipped.dated(ctx, spans)
	return len(dated) > 0, err
}

// nearest picks the texts of the day that is nearest to a time without any, and
// sets the answer's note.
func (r *Request) nearest(ctx context.Context, all *ranked) ([]pick, error) {
	asked := r.Plan.Spans[0]
	const near = 60 * 24 * time.Hour
	around := []lexicon.Span{{Start: asked.Start.Add(-near), End: asked.End.Add(near)}}
	if !r.Plan.Personal && !slices.ContainsFunc(r.index.docs, func(d document) bool { return within(around, d.time) }) {
		return nil, nil
	}
	if held, err := r.namesDateIn(ctx, r.Plan.Spans); held || err != nil {
		return nil, err
	}
	if !asked.Start.Before(r.Now) {
		all.note = "Nothing is stored about " + spanName(asked) + "."
		return nil, nil
	}
	best, least := -1, int64(math.MaxInt64)
	for i := range r.index.docs {
		d := &r.index.docs[i]
		if !r.index.meta[i].said() || !r.filter.admits(r.index, uint32(i)) {
			continue
		}
		if within(r.Plan.Spans, d.time) {
			return nil, nil
		}
		if away := max(asked.Start.UnixMilli()-d.time, d.time-asked.End.UnixMilli(), 0); d.flags&(byUser|lexicon.Asks) == byUser && away < least {
			best, least = i, away
		}
	}
	nothing := "Nothing is stored from " + spanName(asked)
	all.note = nothing + "."
	if best < 0 {
		return nil, nil
	}
	start := time.UnixMilli(r.index.docs[best].time).In(r.Now.Location())
	start = time.Date(start.Year(), start.Month(), start.Day(), 0, 0, 0, 0, start.Location())
	day := lexicon.Span{Start: start, End: start.AddDate(0, 0, 1)}
	from, err := r.from(ctx, []lexicon.Span{day}, whyNearest)
	if err != nil || len(from) == 0 {
		return nil, err
	}
	all.note = nothing + "; nearest is " + spanName(day) + "."
	return r.thin(nil, from), nil
}

// spanName formats a span as its first and last day.
func spanName(s lexicon.Span) string {
	const form = "Mon 2006-01-02"
	if s.Start.Year() == 1 {
		return "before " + s.End.Format(form)
	}
	if last := s.End.AddDate(0, 0, -1); last.After(s.Start) {
		return s.Start.Format(form) + " to " + last.Format(form)
	}
	return s.Start.Format(form)
}

// pickDated answers a question that asks for a date: texts that match its words and
// hold a date, upcoming ones first. If no text matches, it picks upcoming events.
func (r *Request) pickDated(ctx context.Context, all *ranked) ([]pick, error) {
	const depth = 30
	if !r.Plan.Personal && !r.Plan.Definite {
		return nil, nil
	}
	enough := 0.45 // share of the question
	if len(r.Plan.Words) > lexicon.MaxBareWords {
		enough = 0.6
	}
	var docs []uint32
	for _, c := range all.candidates[:min(len(all.candidates), depth)] {
		d := r.matches.of(c.doc)
		if r.question.weigh(d.held()|d.lent) >= enough {
			docs = append(docs, c.doc)
		}
	}
	found, err := r.readPicks(ctx, docs)
	if err != nil {
		return nil, err
	}
	past := lexicon.AsksPast(r.Text)
	var ahead, gone []pick
	for _, p := range found {
		p.why, p.minRelevance = whyWhen, answerRelevance
		switch dates := r.datesIn(p.memory, math.MaxInt64); {
		case slices.ContainsFunc(dates, func(d lexicon.Span) bool { return d.End.After(r.Now) }):
			ahead = append(ahead, p)
		case len(dates) > 0:
			gone = append(gone, p)
		}
	}
	if past {
		gone = nil // words alone decide, as for any question
	}
	picks := r.distinct(append(ahead, gone...), 3)
	owned := !r.Plan.Personal && len(r.Plan.Words) > 1 // what else is to come is not the owner's
	if past || owned || len(r.Plan.Words) > lexicon.MaxBareWords || len(ahead) > 0 && all.relevant {
		return picks, nil
	}
	coming, err := r.ahead(ctx)
	return append(picks, coming...), err
}

// ahead picks upcoming events, the next first.
func (r *Request) ahead(ctx context.Context) ([]pick, error) {
	const far = 400 * 24 * time.Hour
	var docs []uint32
	since := r.Now.Add(-far).UnixMilli()
	for i := len(r.index.docs) - 1; i >= 0 && len(docs) < datedDepth; i-- {
		d := &r.index.docs[i]
		if d.flags&lexicon.HoldsDate != 0 && d.flags&byUser != 0 && d.time >= since && d.time <= r.Now.UnixMilli() && r.filter.admits(r.index, uint32(i)) {
			docs = append(docs, uint32(i))
		}
	}
	found, err := r.readPicks(ctx, docs)
	if err != nil {
		return nil, err
	}
	next := make(map[uint32]time.Time)
	found = slices.DeleteFunc(found, func(p pick) bool {
		for _, d := range r.datesIn(p.memory, 72*time.Hour) {
			if d.End.After(r.Now) && d.Start.Before(r.Now.Add(far)) {
				if at, known := next[p.doc]; !known || d.Start.Before(at) {
					next[p.doc] = d.Start
				}
			}
		}
		return next[p.doc].IsZero()
	})
	slices.SortStableFunc(found, func(a, b pick) int { return next[a.doc].Compare(next[b.doc]) })
	found = r.distinct(found, min(mostAhead, r.limit()))
	for i := range found {
		found[i].why, found[i].minRelevance = whyAhead, answerRelevance
	}
	return found, nil
}
