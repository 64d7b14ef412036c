package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// The reasons for which a plan ranks a memory first.
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

// The least relevance of what a plan picks: of an answer, and of what is shown
// beside it.
const (
	answerRelevance = 0.8
	besideRelevance = 0.55
)

const (
	// storyDepth is how many texts of a time are read to summarise it, and
	// datedDepth how many texts with a date.
	storyDepth = 80
	datedDepth = 400
	// weighedDepth is how many texts of a time are scored by their words.
	weighedDepth = 2000
	// datedBefore and datedAfter bound how far from a date people mention it
	// without its number.
	datedBefore = 60 * 24 * time.Hour
	datedAfter  = 14 * 24 * time.Hour
	// mostFill is how many texts of a time fill up the results of a question that
	// asks for something in it.
	mostFill  = 6
	shortSpan = 49 * time.Hour // all that was said about it before is picked
	// mostAhead is how many upcoming events a question about one of them gets.
	mostAhead = 6
)

// pick is a memory that the plan ranks first.
type pick struct {
	doc          uint32
	memory       *schema.Memory
	why          string
	minRelevance float64
	info         float64
}

// applyPlan ranks first what the plan is about.
func (r *Request) applyPlan(ctx context.Context, all *ranked) error {
	p := r.Plan
	var picks []pick
	only := false
	var err error
	switch {
	case p.About == lexicon.AboutLastTalk:
		picks, err = r.pickLastTalk(ctx)
		only = true
	case p.About == lexicon.AboutSelf:
		picks, err = r.pickSelf(ctx)
		only = true
	case r.namesStranger(all.topic): // the memory holds nothing about them
	case len(p.Spans) > 0:
		picks, err = r.pickSpans(ctx, all)
		only = p.Story
	case p.When:
		picks, err = r.pickDated(ctx, all)
	}
	if err != nil {
		return err
	}
	if p.Bare && p.About == "" {
		talked, err := r.pickTalk(ctx, all)
		if err != nil {
			return err
		}
		picks = append(picks, talked...)
		only = len(p.Words) == 0 && len(r.question.parts) == r.question.own // there is nothing to look for
	}
	coming := slices.ContainsFunc(picks, func(p pick) bool { return p.why == whyAhead })
	if p.When && !p.Definite && all.relevant && !coming { // they keep the ranks that the words gave them
		all.mark(r.index, picks)
		return nil
	}
	if len(picks) > 0 {
		all.order = p.Subject()
	}
	all.first(r.index, picks, only)
	return nil
}

// mark records the reasons of picks without changing the order.
func (all *ranked) mark(ix *index, picks []pick) {
	for _, p := range picks {
		id := ix.memories.At(int(p.doc))
		if i := slices.IndexFunc(all.candidates, func(c scored) bool { return c.memoryID == id }); i >= 0 {
			all.candidates[i].picked = &p
		}
	}
}

// namesStranger reports a question about a name that does not occur in the memory.
func (r *Request) namesStranger(t *topic) bool {
	for i := range t.names {
		n := &t.names[i]
		if !n.heard() && slices.ContainsFunc(r.Plan.Words, func(w string) bool {
			return !lexicon.IsGerman(r.Text) && slices.ContainsFunc(text.Terms(w), func(term string) bool { return slices.Contains(n.terms, term) })
		}) {
			return true
		}
	}
	return false
}

// first ranks picks before all other candidates. With only, it drops the others.
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
		id := ix.memories.At(int(p.doc))
		if picked[id] {
			continue
		}
		picked[id] = true
		c := scored{proposal: proposal{memoryID: id, place: p.doc + 1}, doc: p.doc}
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

// limit is how many memories a plan may rank first.
func (r *Request) limit() int { return max(1, r.picks) }

// readPicks reads the documents and keeps the informative ones.
func (r *Request) readPicks(ctx context.Context, docs []uint32) (picks []pick, err error) {
	ids := make([]int64, len(docs))
	for i, doc := range docs {
		ids[i] = r.index.memories.At(int(doc))
	}
	memories, err := readByID(ctx, r.Snapshot, r.UserID, ids)
	if err != nil {
		return nil, err
	}
	for i, doc := range docs {
		if m := memories[ids[i]]; m != nil && isInformative(m) && r.excludes(m) == "" {
			picks = append(picks, pick{doc: doc, memory: m, info: r.informative(doc)})
		}
	}
	return picks, nil
}

// informative is how much a text says that other texts of the memory do not: the
// sum of the rarities of its distinct words. [Request.rarity] is to the fourth
// power, so that ten common words count less than a rare one.
func (r *Request) informative(doc uint32) (sum float64) {
	const most = 12
	ix := r.index
	terms := ix.chunks.Terms(r.terms[:0], ix.chunks.First(doc))
	r.terms = terms
	slices.Sort(terms)
	for _, t := range slices.Compact(terms) {
		sum += r.rarity(ix.frequency(t))
	}
	return min(sum, most) + 0.3*float64(ix.docs[doc].form.Names())
}

// rarity is that of a term in df chunks, 0–1.
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

// distinct keeps up to most picks, and drops claims whose source text is among
// the picks.
func (r *Request) distinct(picks []pick, most int) (kept []pick) {
	for _, p := range picks {
		if len(kept) < most && !slices.ContainsFunc(picks, func(other pick) bool { return slices.Contains(r.index.keys[p.doc], other.doc) }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// matching orders the texts of a time for a question that asks for something in
// it: first those that match the question, best first, then the most informative.
func (r *Request) matching(picks []pick) []pick {
	const (
		much   = 0.4 // share of a longer question
		longer = 40 * 24 * time.Hour
	)
	q := r.question
	if s := r.Plan.Spans[0]; s.End.Sub(s.Start) > longer { // so long a time narrows little down
		if !r.Plan.AsksDate {
			return nil
		}
		picks = slices.DeleteFunc(picks, func(p pick) bool {
			return !slices.ContainsFunc(r.datesIn(p.memory, longer), func(d lexicon.Span) bool {
				return d.Start.Before(s.End) && s.Start.Before(d.End)
			})
		})
		for i := range picks {
			picks[i].why = whyDate
		}
	}
	several := len(r.Plan.Words) > lexicon.MaxBareWords
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
	if several { // what matches nothing is about something else, but little is about one day
		s := r.Plan.Spans[0]
		aDay := s.End.Sub(s.Start) <= shortSpan && s.End.After(r.Now)
		rest = slices.DeleteFunc(rest, func(p pick) bool { return !aDay || p.why != whyDate })
	}
	slices.SortStableFunc(rest, func(a, b pick) int {
		return cmp.Or(cmp.Compare(bit(b.why == whyDate), bit(a.why == whyDate)), cmp.Compare(b.info, a.info))
	})
	room := max(0, min(mostFill, r.limit())-len(some))
	rest = rest[:min(len(rest), room)]
	return append(some[:min(len(some), r.limit())], rest...)
}
