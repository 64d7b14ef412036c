package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Why a plan puts a memory first.
const (
	whyTime     = "from the time asked about"
	whyDate     = "about the date asked about"
	whyWhen     = "what has the date asked for"
	whyAhead    = "among what is to come"
	whyNearest  = "the nearest to the time asked about"
	whyLastTalk = "from the last conversation"
	whySelf     = "known of the user"
	whyTalk     = "about what the talk is about"
	whyCarry    = "what the talk was about just before"
)

// How relevant what a plan picks is at least: what answers it, and what is there
// beside.
const (
	sureOf  = 0.8
	maybeOf = 0.55
)

const (
	// storyDepth is how many texts of a time are read to tell it, and datedDepth
	// how many that hold a date.
	storyDepth = 80
	datedDepth = 400
	// weighedDepth is how many texts of a time are weighed by their words.
	weighedDepth = 2000
	// datedBefore and datedAfter are how far from a date people speak of it without
	// its number.
	datedBefore = 60 * 24 * time.Hour
	datedAfter  = 14 * 24 * time.Hour
	// mostFill is how many texts of a time stand beside a question that asks for
	// something in it.
	mostFill = 6
	// mostAhead is how many things to come stand beside a question after one.
	mostAhead = 6
)

// pick is a memory on its way to the first places.
type pick struct {
	doc    uint32
	memory *schema.Memory
	why    string
	sure   float64
	info   float64
}

// carryOut puts what a plan is about first.
func (r *Request) carryOut(ctx context.Context, all *ranked) error {
	p := r.Plan
	var picks []pick
	only := false
	var err error
	switch {
	case p.About == AboutLastTalk:
		picks, err = r.lastTalk(ctx)
		only = true
	case p.About == AboutSelf:
		picks, err = r.ofSelf(ctx)
		only = true
	case r.asksOfStrangers(all.topic): // nothing here is about them
	case len(p.Spans) > 0:
		picks, err = r.inSpans(ctx, all)
		only = p.Story
	case p.When:
		picks, err = r.whenIs(ctx, all)
	}
	if err != nil {
		return err
	}
	if p.Bare && p.About == "" {
		talked, err := r.talkedOf(ctx, all)
		if err != nil {
			return err
		}
		picks = append(picks, talked...)
		only = len(p.words) == 0 && len(r.question.parts) == r.question.own // there is nothing to look for
	}
	coming := slices.ContainsFunc(picks, func(p pick) bool { return p.why == whyAhead })
	if p.When && all.relevant && !coming { // they stand where the words put them
		all.mark(r.index, picks)
		return nil
	}
	all.first(r.index, picks, only)
	return nil
}

// mark says why picks are there and leaves the order.
func (all *ranked) mark(ix *index, picks []pick) {
	for _, p := range picks {
		id := ix.memories.at(int(p.doc))
		if i := slices.IndexFunc(all.candidates, func(c scored) bool { return c.memoryID == id }); i >= 0 {
			all.candidates[i].picked = &p
		}
	}
}

// asksOfStrangers reports a question that names, among what it asks about, somebody
// or something that the memory has never heard of.
func (r *Request) asksOfStrangers(t *topic) bool {
	for i := range t.names {
		n := &t.names[i]
		if !n.heard() && slices.ContainsFunc(r.Plan.words, func(w string) bool {
			return !german(r.Text) && slices.ContainsFunc(text.Terms(w), func(term string) bool { return slices.Contains(n.terms, term) })
		}) {
			return true
		}
	}
	return false
}

// german reports a question whose nouns have capitals as names have.
func german(question string) bool {
	return slices.ContainsFunc(plainWords(text.Fold(question)), func(w string) bool { return germanWord[w] })
}

var germanWord = folds("ich wir mir mich uns ist sind war hab habe haben der das und wann wo wer wie welche welcher welchem muss bekommen kommt")

// first puts picks before all other candidates; only leaves no others.
func (all *ranked) first(ix *index, picks []pick, only bool) {
	if len(picks) == 0 && !only {
		return
	}
	at := make(map[int64]int, len(all.candidates))
	for i := range all.candidates {
		at[all.candidates[i].memoryID] = i
	}
	picked := make(map[int64]bool, len(picks))
	first := make([]scored, 0, len(picks))
	for _, p := range picks {
		id := ix.memories.at(int(p.doc))
		if picked[id] {
			continue
		}
		picked[id] = true
		c := scored{fused: fused{memoryID: id, place: p.doc + 1}, doc: p.doc}
		if i, ranked := at[id]; ranked {
			c = all.candidates[i]
		}
		c.picked = &p
		first = append(first, c)
	}
	if !only {
		for _, c := range all.candidates {
			if !picked[c.memoryID] {
				first = append(first, c)
			}
		}
	}
	all.candidates = first
}

// limit is how many memories a plan may put first.
func (r *Request) limit() int { return max(1, r.Limit) }

// told reads the documents and keeps those that tell something.
func (r *Request) told(ctx context.Context, docs []uint32) (picks []pick, err error) {
	ids := make([]int64, len(docs))
	for i, doc := range docs {
		ids[i] = r.index.memories.at(int(doc))
	}
	memories, err := readByID(ctx, r.Snapshot, r.UserID, ids)
	if err != nil {
		return nil, err
	}
	for i, doc := range docs {
		if m := memories[ids[i]]; m != nil && says(m) && r.excludes(m) == "" {
			picks = append(picks, pick{doc: doc, memory: m, info: r.informative(doc)})
		}
	}
	return picks, nil
}

// informative is how much a text says that this memory does not say all the
// time: the sum over its different words of how rare they are, to the fourth
// power, so that ten common words do not make a rare one.
func (r *Request) informative(doc uint32) (sum float64) {
	const most = 12
	ix := r.index
	terms := ix.chunks.terms(r.terms[:0], ix.chunks.first(doc))
	r.terms = terms
	slices.Sort(terms)
	for _, t := range slices.Compact(terms) {
		sum += r.rarity(ix.frequency(t))
	}
	return min(sum, most) + 0.3*float64(ix.docs[doc].manner.names())
}

// rarity of a term that so many chunks hold, 0–1.
func (r *Request) rarity(df int) float64 {
	const tabled = 4096
	if r.rarities == nil {
		r.rarities = make([]float64, tabled)
	}
	if df >= tabled {
		df = tabled - 1
	}
	if r.rarities[df] == 0 {
		top := inverseDocumentFrequency(r.index.counts.chunks, 1)
		r.rarities[df] = math.Pow(max(1e-6, inverseDocumentFrequency(r.index.counts.chunks, df)/top), 4)
	}
	return r.rarities[df]
}

// inSpans picks what is from the times asked about, and what was said of them at
// other times.
func (r *Request) inSpans(ctx context.Context, all *ranked) ([]pick, error) {
	p := r.Plan
	dated, err := r.dated(ctx, p.Spans)
	if err != nil {
		return nil, err
	}
	if ahead := p.Spans[0]; len(dated) == 0 && !ahead.Start.Before(r.Now) { // people come before a feast
		const about = 4
		wide := Span{ahead.Start.AddDate(0, 0, -about), ahead.End.AddDate(0, 0, about)}
		if dated, err = r.dated(ctx, []Span{wide}); err != nil {
			return nil, err
		}
		if len(dated) > 0 && p.Story {
			all.note = "Nothing is stored about " + spanName(ahead) + "; this is near it."
		}
	}
	var from []pick
	if !p.advice && slices.ContainsFunc(p.Spans, func(s Span) bool { return s.Start.Before(r.Now) }) {
		if from, err = r.from(ctx, p.Spans); err != nil {
			return nil, err
		}
	}
	for i := range dated {
		dated[i].why, dated[i].sure = whyDate, sureOf
	}
	for i := range from {
		from[i].why, from[i].sure = whyTime, sureOf
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

// from reads what was said in some times, the user's own words first.
func (r *Request) from(ctx context.Context, spans []Span) ([]pick, error) {
	const others = 0.6 // what the words of others count
	type place struct {
		doc  uint32
		info float64
	}
	info := func(doc uint32) float64 {
		if r.index.docs[doc].flags&byUser == 0 {
			return others * r.informative(doc)
		}
		return r.informative(doc)
	}
	var inside []uint32
	for i := range r.index.docs {
		if r.index.labels[i].said() && within(spans, r.index.docs[i].time) && r.filter.admits(r.index, uint32(i)) {
			inside = append(inside, uint32(i))
		}
	}
	if len(inside) > weighedDepth { // of a year, the longer ones
		slices.SortStableFunc(inside, func(a, b uint32) int { return cmp.Compare(r.index.docs[b].words, r.index.docs[a].words) })
		inside = inside[:weighedDepth]
	}
	places := make([]place, len(inside))
	for i, doc := range inside {
		places[i] = place{doc, info(doc)}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(b.info, a.info), cmp.Compare(a.doc, b.doc)) })
	var docs []uint32
	for _, p := range places[:min(len(places), storyDepth)] {
		docs = append(docs, p.doc)
	}
	picks, err := r.told(ctx, docs)
	for i := range picks {
		picks[i].info = info(picks[i].doc)
	}
	return picks, err
}

func within(spans []Span, at int64) bool {
	return slices.ContainsFunc(spans, func(s Span) bool { return s.Start.UnixMilli() <= at && at < s.End.UnixMilli() })
}

// thin chooses what tells a time best: what was said of its dates, and then the
// texts that say most, spread over its days, none of which says what another
// does. It returns them in order of time.
func (r *Request) thin(dated, from []pick) []pick {
	const (
		again = 0.7  // what the next text of one day counts
		alike = 0.5  // share of words by which two texts say the same
		least = 0.25 // of the most telling text's, to be told beside it
	)
	chosen := r.distinct(dated, min(mostAhead, r.limit()))
	days := make(map[string]int)
	results := make([]Result, len(from))
	for i := range from {
		results[i].Memory.Content = from[i].memory.Content
	}
	sets := termSets(results)
	var taken []int
	top := 0.0
	for len(chosen) < r.limit() {
		best, value := -1, 0.0
		for i := range from {
			if slices.Contains(taken, i) || slices.ContainsFunc(chosen, func(c pick) bool { return c.doc == from[i].doc }) ||
				slices.ContainsFunc(taken, func(t int) bool { return jaccard(sets[i], sets[t]) > alike }) {
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

func (r *Request) day(m *schema.Memory) string {
	return m.EventTime.In(r.Now.Location()).Format(time.DateOnly)
}

// distinct keeps one of what rests on one text, the text itself, up to most.
func (r *Request) distinct(picks []pick, most int) (kept []pick) {
	for _, p := range picks {
		if len(kept) < most && !slices.ContainsFunc(picks, func(other pick) bool { return slices.Contains(r.index.keys[p.doc], other.doc) }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// matching orders what is from a time for a question that asks for something in
// it: what holds a word of it by how much it holds, then what else says most.
func (r *Request) matching(picks []pick) []pick {
	const (
		much   = 0.4 // share of a longer question
		longer = 40 * 24 * time.Hour
	)
	q := r.question
	if s := r.Plan.Spans[0]; s.End.Sub(s.Start) > longer { // a time so long says little
		if !r.Plan.asksWhen {
			return nil
		}
		picks = slices.DeleteFunc(picks, func(p pick) bool {
			return !slices.ContainsFunc(r.datesIn(p.memory), func(d Span) bool {
				return d.Start.Before(s.End) && s.Start.Before(d.End) && d.End.Sub(d.Start) < longer
			})
		})
		for i := range picks {
			picks[i].why = whyDate
		}
	}
	several := len(r.Plan.words) > mostBareWords
	held := func(p *pick) float64 {
		d := r.matches.of(p.doc)
		return q.weigh(d.held() | d.lent)
	}
	var some, rest []pick
	for _, p := range r.distinct(picks, len(picks)) {
		if share := held(&p); share >= much || share > 0 && !several {
			some = append(some, p)
		} else {
			rest = append(rest, p)
		}
	}
	slices.SortStableFunc(some, func(a, b pick) int { return cmp.Compare(held(&b), held(&a)) })
	if several { // what holds nothing of it is of something else
		return some[:min(len(some), r.limit())]
	}
	slices.SortStableFunc(rest, func(a, b pick) int {
		return cmp.Or(cmp.Compare(boolToInt(b.why == whyDate), boolToInt(a.why == whyDate)), cmp.Compare(b.info, a.info))
	})
	room := max(0, min(mostFill, r.limit())-len(some))
	rest = rest[:min(len(rest), room)]
	return append(some[:min(len(some), r.limit())], rest...)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// dated picks what names a date within some times and was said outside of them.
func (r *Request) dated(ctx context.Context, spans []Span) ([]pick, error) {
	docs := r.dateHolders(spans)
	picks, err := r.told(ctx, docs)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(picks, func(p pick) bool {
		return !slices.ContainsFunc(r.datesIn(p.memory), func(d Span) bool {
			return slices.ContainsFunc(spans, func(s Span) bool {
				longest := 2*s.End.Sub(s.Start) + 24*time.Hour
				return d.Start.Before(s.End) && s.Start.Before(d.End) && d.End.Sub(d.Start) <= longest
			})
		})
	}), nil
}

// datesIn are the dates that a text names, as it was meant when it was said, but
// for the day itself.
func (r *Request) datesIn(m *schema.Memory) (dates []Span) {
	at := m.EventTime.In(r.Now.Location())
	for _, s := range text.TimeSpans(m.Content, at) {
		for _, d := range []Span{{s.Start, s.End}, {s.NextStart, s.NextEnd}} {
			if !d.Start.IsZero() && (at.Before(d.Start) || !at.Before(d.End)) {
				dates = append(dates, d)
			}
		}
	}
	return dates
}

// dateHolders are documents that may name a date in some times: those from
// around them that hold a date word or a number, the nearest first, and those
// from any time that hold the number and the month.
func (r *Request) dateHolders(spans []Span) (docs []uint32) {
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
	var near []uint32
	for i := range ix.docs {
		d := &ix.docs[i]
		if d.flags&datesIt == 0 || taken[uint32(i)] {
			continue
		}
		for _, s := range spans {
			if s.Start.Add(-datedBefore).UnixMilli() <= d.time && d.time < s.End.Add(datedAfter).UnixMilli() {
				near = append(near, uint32(i))
				break
			}
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

// explicit lists the documents that hold a day of a time by its number and month,
// or of a longer time the month, in whatever language.
func (ix *index) explicit(s Span, loc *time.Location) map[uint32]bool {
	found := make(map[uint32]bool)
	days := s.End.Sub(s.Start).Hours() / 24
	if days > 100 {
		return found
	}
	of := func(terms []string) map[uint32]bool {
		docs := make(map[uint32]bool)
		for _, t := range terms {
			if id, known := ix.terms[t]; known {
				for at := range ix.postings[id].all() {
					docs[ix.chunks.doc(at)] = true
				}
			}
		}
		return docs
	}
	for day := s.Start.In(loc); day.Before(s.End); day = day.AddDate(0, 0, 1) {
		months := of(monthTerms(day.Month()))
		if days > 8 { // the month is enough
			for doc := range months {
				found[doc] = true
			}
			day = time.Date(day.Year(), day.Month()+1, 0, 0, 0, 0, 0, loc)
			continue
		}
		for doc := range of(dayTerms(day.Day())) {
			if months[doc] {
				found[doc] = true
			}
		}
	}
	return found
}

var monthNames = strings.Split(`january jan januar jänner enero 一月,february feb februar feber febrero 二月,march mar märz marzo 三月,april apr abril 四月,
	may mai mayo 五月,june jun juni junio 六月,july jul juli julio 七月,august aug agosto 八月,september sept sep septiembre setiembre 九月,
	october oct oktober okt octubre 十月,november nov noviembre 十一月,december dec dezember dez diciembre 十二月`, ",")

// monthTerms are what stands for a month in texts.
func monthTerms(m time.Month) []string {
	terms := text.Terms(monthNames[m-1])
	return append(terms, strconv.Itoa(int(m)), fmt.Sprintf("%02d", int(m)))
}

// dayTerms are what stands for a day of the month.
func dayTerms(d int) []string {
	suffix := "th"
	if d/10 != 1 {
		switch d % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return []string{strconv.Itoa(d), strconv.Itoa(d) + suffix, fmt.Sprintf("%02d", d)}
}

// nearest picks what stands nearest to a time from which nothing is stored, and
// notes that.
func (r *Request) nearest(ctx context.Context, all *ranked) ([]pick, error) {
	asked := r.Plan.Spans[0]
	if !r.Plan.Personal && !r.remembers(asked) {
		return nil, nil
	}
	what := "from " + spanName(asked)
	if !asked.Start.Before(r.Now) {
		all.note = "Nothing is stored about " + spanName(asked) + "."
		return nil, nil
	}
	all.note = "Nothing is stored " + what + "."
	best, least := -1, int64(math.MaxInt64)
	for i := range r.index.docs {
		d := &r.index.docs[i]
		away := max(asked.Start.UnixMilli()-d.time, d.time-asked.End.UnixMilli(), 0)
		if r.index.labels[i].said() && d.flags&(byUser|asks) == byUser && away < least && r.filter.admits(r.index, uint32(i)) {
			best, least = i, away
		}
	}
	if best < 0 {
		return nil, nil
	}
	start := time.UnixMilli(r.index.docs[best].time).In(r.Now.Location())
	start = time.Date(start.Year(), start.Month(), start.Day(), 0, 0, 0, 0, start.Location())
	day := Span{start, start.AddDate(0, 0, 1)}
	from, err := r.from(ctx, []Span{day})
	if err != nil || len(from) == 0 {
		return nil, err
	}
	for i := range from {
		from[i].why, from[i].sure = whyNearest, sureOf
	}
	all.note = "Nothing is stored " + what + "; nearest is " + spanName(day) + "."
	return r.thin(nil, from), nil
}

// remembers reports a time that is not far outside of what is stored.
func (r *Request) remembers(s Span) bool {
	const near = 60 * 24 * time.Hour
	for i := range r.index.docs {
		at := time.UnixMilli(r.index.docs[i].time)
		if at.After(s.Start.Add(-near)) && at.Before(s.End.Add(near)) {
			return true
		}
	}
	return false
}

func spanName(s Span) string {
	const form = "Mon 2006-01-02"
	if last := s.End.AddDate(0, 0, -1); last.After(s.Start) {
		return s.Start.Format(form) + " to " + last.Format(form)
	}
	return s.Start.Format(form)
}

// whenIs picks what a question after a date asks for: what holds its words and a
// date, what is to come first. A question in quite other words gets what is to
// come.
func (r *Request) whenIs(ctx context.Context, all *ranked) ([]pick, error) {
	const depth = 30
	if !r.Plan.Personal && !r.Plan.named {
		return nil, nil
	}
	enough := 0.45 // share of the question
	if len(r.Plan.words) > mostBareWords {
		enough = 0.6
	}
	var docs []uint32
	for _, c := range all.candidates[:min(len(all.candidates), depth)] {
		d := r.matches.of(c.doc)
		if r.question.weigh(d.held()|d.lent) >= enough {
			docs = append(docs, c.doc)
		}
	}
	found, err := r.told(ctx, docs)
	if err != nil {
		return nil, err
	}
	past := pastAsked.MatchString(text.Fold(r.Text))
	var ahead, gone []pick
	for _, p := range found {
		p.why, p.sure = whyWhen, sureOf
		switch dates := r.datesIn(p.memory); {
		case slices.ContainsFunc(dates, func(d Span) bool { return d.End.After(r.Now) }):
			ahead = append(ahead, p)
		case len(dates) > 0:
			gone = append(gone, p)
		}
	}
	if past {
		gone = nil // the ground rests on words alone, as for any question
	}
	picks := r.distinct(append(ahead, gone...), 3)
	if past || len(r.Plan.words) > mostBareWords || len(ahead) > 0 && all.relevant {
		return picks, nil
	}
	coming, err := r.ahead(ctx)
	return append(picks, coming...), err
}

// ahead picks what is to come, the next first.
func (r *Request) ahead(ctx context.Context) ([]pick, error) {
	const far = 400 * 24 * time.Hour
	var docs []uint32
	since := r.Now.Add(-far).UnixMilli()
	for i := len(r.index.docs) - 1; i >= 0 && len(docs) < datedDepth; i-- {
		d := &r.index.docs[i]
		if d.flags&datesIt != 0 && d.flags&byUser != 0 && d.time >= since && d.time <= r.Now.UnixMilli() && r.filter.admits(r.index, uint32(i)) {
			docs = append(docs, uint32(i))
		}
	}
	found, err := r.told(ctx, docs)
	if err != nil {
		return nil, err
	}
	next := make(map[uint32]time.Time)
	found = slices.DeleteFunc(found, func(p pick) bool {
		for _, d := range r.datesIn(p.memory) {
			if d.End.After(r.Now) && d.Start.Before(r.Now.Add(far)) && d.End.Sub(d.Start) <= 72*time.Hour {
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
		found[i].why, found[i].sure = whyAhead, sureOf
	}
	return found, nil
}

// lastTalk picks what was said in the conversation before this one, and the most
// telling of those before it while there is room: a conversation ends with its
// session, or with a pause.
func (r *Request) lastTalk(ctx context.Context) ([]pick, error) {
	const (
		talks = 3
		turns = 60 // that are looked at
	)
	current, err := r.running(ctx)
	if err != nil {
		return nil, err
	}
	var docs []uint32
	for i := len(r.index.docs) - 1; i >= 0; i-- {
		d := &r.index.docs[i]
		if len(docs) == turns && d.time <= r.index.docs[docs[turns-1]].time {
			continue
		}
		if r.index.labels[i].said() && d.time <= r.Now.UnixMilli() && !r.isRunning(uint32(i), current) && r.filter.admits(r.index, uint32(i)) {
			at, _ := slices.BinarySearchFunc(docs, d.time, func(doc uint32, time int64) int { return cmp.Compare(time, r.index.docs[doc].time) })
			docs = slices.Insert(docs, at, uint32(i)) // the newest first
			docs = docs[:min(len(docs), turns)]
		}
	}
	told, err := r.told(ctx, docs)
	if err != nil {
		return nil, err
	}
	var groups [][]pick
	for i, p := range told {
		if i > 0 {
			before := told[i-1]
			if r.index.docs[p.doc].session == r.index.docs[before.doc].session && before.memory.EventTime.Sub(p.memory.EventTime.Time) < talkPause {
				groups[len(groups)-1] = append(groups[len(groups)-1], p)
				continue
			}
		}
		if len(groups) == talks {
			break
		}
		groups = append(groups, []pick{p})
	}
	var picks []pick
	for i, group := range groups {
		slices.SortStableFunc(group, func(a, b pick) int {
			return cmp.Or(cmp.Compare(boolToInt(b.memory.Role == "user"), boolToInt(a.memory.Role == "user")), cmp.Compare(b.info, a.info))
		})
		most := [talks]int{6, 3, 2}[i]
		for _, p := range group[:min(len(group), most)] {
			p.why, p.sure = whyLastTalk, sureOf
			picks = append(picks, p)
		}
	}
	return picks[:min(len(picks), r.limit())], nil
}

// ofSelf picks what is known of the user: the facts and preferences that matter
// most, or where there are none, what the user said of themselves.
func (r *Request) ofSelf(ctx context.Context) ([]pick, error) {
	var docs, said []uint32
	for i := len(r.index.docs) - 1; i >= 0; i-- {
		l, d := &r.index.labels[i], &r.index.docs[i]
		dormant := l.keyed() && l.state == bitOfState(schema.StateDormant)
		switch {
		case !dormant && !r.filter.admits(r.index, uint32(i)) || dormant && !r.filter.byState:
		case l.keyed():
			docs = append(docs, uint32(i))
		case l.said() && d.flags&byUser != 0 && d.flags&(saysI|asks) == saysI && len(said) < 2*datedDepth:
			said = append(said, uint32(i))
		}
	}
	picks, err := r.told(ctx, docs[:min(len(docs), datedDepth)])
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(picks, func(a, b pick) int {
		return cmp.Or(cmp.Compare(boolToInt(b.memory.Protected), boolToInt(a.memory.Protected)),
			cmp.Compare(b.memory.Importance, a.memory.Importance), cmp.Compare(a.memory.ID, b.memory.ID))
	})
	picks = picks[:min(len(picks), r.limit())]
	if len(picks) < r.limit() {
		own, err := r.told(ctx, said)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(own, func(a, b pick) int { return cmp.Compare(b.info, a.info) })
		for _, p := range own {
			known := slices.ContainsFunc(picks, func(k pick) bool { return slices.Contains(r.index.keys[k.doc], p.doc) })
			if len(picks) < r.limit() && !known {
				picks = append(picks, p)
			}
		}
	}
	for i := range picks {
		picks[i].why, picks[i].sure = whySelf, sureOf
	}
	return picks, nil
}

// talkedOf picks what a bare question is about: what holds enough of the talk,
// and what was shown in the last turn.
func (r *Request) talkedOf(ctx context.Context, all *ranked) ([]pick, error) {
	const (
		most   = 4
		enough = 0.2
	)
	current, err := r.running(ctx)
	if err != nil {
		return nil, err
	}
	// What was just said is before the model as it is.
	all.candidates = slices.DeleteFunc(all.candidates, func(c scored) bool { return r.isRunning(c.doc, current) })
	var picks []pick
	if len(r.question.parts) > r.question.own {
		var known float32 // what nothing here holds says nothing of what it is about
		for _, p := range r.question.parts {
			if p.known || len(p.related) > 0 {
				known += p.idf
			}
		}
		share := func(some parts) float64 { return r.question.weigh(some) * float64(r.question.total/max(known, 1e-6)) }
		var docs []uint32
		for _, c := range all.candidates[:min(len(all.candidates), 12)] {
			d := r.matches.of(c.doc)
			if share(d.held()|d.lent) >= enough {
				docs = append(docs, c.doc)
			}
		}
		found, err := r.told(ctx, docs)
		if err != nil {
			return nil, err
		}
		for _, p := range r.distinct(found, most) {
			p.why, p.sure = whyTalk, sureOf
			picks = append(picks, p)
		}
	}
	if len(r.Plan.Carry) == 0 {
		return picks, nil
	}
	carried := 0
	for _, uid := range r.Plan.Carry {
		m, err := r.Snapshot.Memory(ctx, r.UserID, uid)
		if errors.Is(err, schema.ErrNotFound) {
			continue // it is gone since
		}
		if err != nil {
			return nil, err
		}
		if doc, known := r.index.find(m.ID); known && r.filter.admits(r.index, doc) && carried < most && r.excludes(m) == "" {
			carried++
			picks = append(picks, pick{doc: doc, memory: m, why: whyCarry, sure: maybeOf + 0.1})
		}
	}
	return picks, nil
}
