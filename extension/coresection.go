package extension

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// coreTitle stands above the core section.
const coreTitle = "What the user has said of themselves and has not taken back, in their own words:\n"

// coreSection is what of a user's lines is put before a model.
type coreSection struct {
	text  string // with its title; "" without lines
	lines []*sectionLine
}

// coreSection is the section for a question. What could be read is returned
// beside an error, too.
func (x *Extension) coreSection(ctx context.Context, scope Scope, blocks, question string, found []Result) (coreSection, error) {
	if x.cfg.CoreTokens < 0 {
		return coreSection{}, nil
	}
	lines, err := x.coreLines(ctx, scope)
	if err != nil {
		return coreSection{}, err
	}
	if x.cfg.coreToldOnly {
		lines = slices.DeleteFunc(slices.Clone(lines), func(l *sectionLine) bool { return l.Group == ProfileSaid })
	}
	budget := x.cfg.CoreTokens
	if len(x.cfg.Blocks) > 0 {
		budget = min(budget, x.cfg.BlockTokens-text.Tokens(widestFence+blocks))
	}
	return chooseCore(lines, budget, question, found, x.cfg.Now()), nil
}

// entriesOf adds to entries what has become of them since.
func (x *Extension) entriesOf(ctx context.Context, scope Scope, entries []entry) ([]entry, error) {
	if len(entries) == 0 {
		return entries, nil
	}
	ended, err := x.endedOf(ctx, scope, entries)
	for i := range entries {
		for _, e := range ended[entries[i].Memory.ID] {
			entries[i].ended = cmp.Or(entries[i].ended, endedMark(e, x.cfg.Location))
		}
	}
	return entries, err
}

func (x *Extension) endedOf(ctx context.Context, scope Scope, entries []entry) (ended map[int64][]schema.Ended, err error) {
	ids := make([]int64, len(entries))
	for i := range entries {
		ids[i] = entries[i].Memory.ID
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		ended, err = s.EndedClaims(ctx, userID, ids)
		return err
	})
	for id, of := range ended {
		ended[id] = slices.DeleteFunc(of, func(e schema.Ended) bool { return e.By != nil && stillSays(&e.Claim, e.By) })
	}
	return ended, err
}

// chooseCore takes the lines that fit into the budget, title included: all of
// them where there is room, dormant ones last; else those that the question asks
// for, then those asked to be kept, of more importance, said more often, used
// last. found are the results of the search for the question, which may be none.
func chooseCore(lines []*sectionLine, budget int, question string, found []Result, now time.Time) coreSection {
	left := budget - text.Tokens(coreTitle)
	total := 0
	for _, l := range lines {
		total += l.Tokens
	}
	chosen := lines
	if total > left {
		chosen = nil
		for _, l := range ranked(lines, question, found, now) {
			if l.Tokens <= left {
				left -= l.Tokens
				chosen = append(chosen, l)
			}
		}
		place := make(map[*sectionLine]int, len(lines))
		for i, l := range lines {
			place[l] = i
		}
		slices.SortFunc(chosen, func(a, b *sectionLine) int { return place[a] - place[b] })
	}
	if len(chosen) == 0 {
		return coreSection{}
	}
	var out strings.Builder
	out.WriteString(coreTitle)
	for _, l := range chosen {
		out.WriteString(l.shown)
	}
	return coreSection{out.String(), chosen}
}

// ranked orders lines by what speaks for showing them.
func ranked(lines []*sectionLine, question string, found []Result, now time.Time) []*sectionLine {
	type scored struct {
		*sectionLine

		likeness   float64
		importance float64
		evidence   int
		used       time.Time
		passed     bool
	}
	likeness := likenessOf(question, lines)
	place := make(map[int64]int, len(found))
	for i, r := range found {
		place[r.Memory.ID] = i + 1
	}
	all := make([]scored, len(lines))
	for i, l := range lines {
		all[i] = scored{sectionLine: l, likeness: likeness(l)}
		best := 0
		for _, c := range l.claims {
			for _, id := range []int64{c.claim.ID, c.source.ID} {
				if at := place[id]; at > 0 && (best == 0 || at < best) {
					best = at
				}
			}
			all[i].importance = max(all[i].importance, c.claim.Importance)
			all[i].evidence = max(all[i].evidence, c.evidence)
			for _, at := range []time.Time{c.claim.LastAccessed.Time, c.source.EventTime.Time} {
				if at.After(all[i].used) {
					all[i].used = at
				}
			}
			all[i].passed = all[i].passed || hasPassed(c, now)
		}
		if best > 0 {
			all[i].likeness += 1 / math.Sqrt(float64(best))
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		return cmp.Or(
			compareBool(a.Dormant, b.Dormant), cmp.Compare(b.likeness, a.likeness), compareBool(a.passed, b.passed),
			cmp.Compare(slices.Index(profileGroups, a.Group), slices.Index(profileGroups, b.Group)),
			cmp.Compare(b.importance, a.importance), cmp.Compare(b.evidence, a.evidence), b.used.Compare(a.used))
	})
	order := make([]*sectionLine, len(all))
	for i := range all {
		order[i] = all[i].sectionLine
	}
	return order
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// hasPassed reports an event or a plan whose days are over.
func hasPassed(c *toldClaim, now time.Time) bool {
	switch c.claim.Attributes[schema.AttrTemporal] {
	case string(consolidate.Event), string(consolidate.Plan):
	default:
		return false
	}
	spans := text.TimeSpans(c.text, c.source.EventTime.Time)
	return len(spans) > 0 && !slices.ContainsFunc(spans, func(s text.TimeSpan) bool { return s.End.After(now) })
}

// lineWords are the words of a line by which a question finds it.
type lineWords struct {
	terms  map[string]bool
	roots  map[string]bool
	holds  map[string]int // in how many lines each term stands, of all lines
	lines  int
	topics topics.Set
	census *topics.Census // of all lines
}

// countLineWords takes the words of lines: those of the sentences and of the
// claims that rest on them.
func countLineWords(lines []*sectionLine) {
	holds, census := make(map[string]int), new(topics.Census)
	for _, l := range lines {
		w := &lineWords{terms: make(map[string]bool), roots: make(map[string]bool), holds: holds, lines: len(lines), census: census}
		texts := []string{l.Text}
		for _, c := range l.claims {
			texts = append(texts, c.claim.Content, strings.Join(c.claim.Tags, " "))
		}
		w.topics = topics.Of(strings.Join(texts, "\n"))
		census.Add(w.topics)
		for _, term := range text.Terms(strings.Join(texts, "\n")) {
			if w.terms[term] {
				continue
			}
			w.terms[term] = true
			holds[term]++
			for _, root := range recall.Roots(term) {
				w.roots[root] = true
			}
		}
		l.words = w
	}
}

// How much a word of the question counts that a line holds in another form, or
// as another word for the same thing.
const (
	rootLikeness     = 0.7
	relativeLikeness = 0.5
)

// topicLikeness is how much a line counts that is wholly about what the question
// is about, in other words: as much as a word of its own that stands in every
// fiftieth line.
const topicLikeness = 4

// likenessOf compares lines with a question by its words, the rarer ones more,
// and by the topics that both are about.
func likenessOf(question string, lines []*sectionLine) func(*sectionLine) float64 {
	terms := text.QueryTerms(question, maxLikenessTerms)
	var about *topics.Question
	if len(lines) > 0 {
		about = lines[0].words.census.Ask(topics.Of(question))
	}
	return func(l *sectionLine) (sum float64) {
		sum = topicLikeness * about.Near(l.words.topics)
		for _, term := range terms {
			share := 0.0
			switch {
			case l.words.terms[term]:
				share = 1
			case slices.ContainsFunc(recall.Roots(term), func(r string) bool { return l.words.roots[r] }):
				share = rootLikeness
			case slices.ContainsFunc(recall.Relatives(term), func(r string) bool { return l.words.terms[r] }):
				share = relativeLikeness
			}
			if share > 0 {
				sum += share * math.Log(1+float64(l.words.lines)/float64(max(1, l.words.holds[term])))
			}
		}
		return sum
	}
}

// maxLikenessTerms bounds the words of a question that lines are compared with.
const maxLikenessTerms = 64

// repeats reports whether the section holds what a memory says: the message is
// one of its sentences, or the claim rests on one that says most of it.
func (c *coreSection) repeats(m *schema.Memory) bool {
	if len(c.lines) == 0 {
		return false
	}
	if m.Kind == schema.KindEpisode {
		folded := text.Fold(text.Line(m.Content))
		return slices.ContainsFunc(c.lines, func(l *sectionLine) bool { return text.Fold(l.Text) == folded })
	}
	return slices.ContainsFunc(c.lines, func(l *sectionLine) bool {
		return slices.ContainsFunc(l.claims, func(told *toldClaim) bool { return told.claim.ID == m.ID && told.covered })
	})
}

// quoted are the public ids of the messages that the section quotes.
func (c *coreSection) quoted() (uids []string) {
	for _, l := range c.lines {
		uids = append(uids, l.Sources...)
	}
	return uids
}

// profile are the lines as a host sees them, and what they take.
func (c *coreSection) profile() (lines []ProfileLine, tokens int) {
	for _, l := range c.lines {
		lines = append(lines, l.ProfileLine)
	}
	return lines, text.Tokens(c.text)
}
