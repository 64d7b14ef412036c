package extension

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// coreTitle stands above the core section.
const coreTitle = "What the user has said of themselves and has not taken back, in their own words:\n"

// coreSection is what of a user's lines is put before a model.
type coreSection struct {
	text  string // with its title; "" without lines
	lines []*sectionLine
	// allHold says that the user has no superseded claim.
	allHold bool
}

// coreRequest says what a core section is for.
type coreRequest struct {
	blocks   string   // core memory, which stands before it
	question string   // of the user
	found    []Result // by the search for the question, best first; nil when none was made
	beside   int      // tokens of the memories that are put beside it
}

// budget is how many tokens the section may take, its title included. A question
// about the user is seldom asked in the words of what they once said, so that the
// search alone misses it: there the section may take OwnAffairsTokens, as far as it
// and the memories found stay within ProfileTokens and Injection.Tokens. On four of
// the lives in cmd/ebb/testdata/lives that alone raised what was saved with a tool
// and stands before the model from 61 to 78 %, with Injection.Tokens for it; with
// all of both, from 86 to 90.
func (r *coreRequest) budget(cfg *Config) int {
	budget := cfg.CoreMemory.ProfileTokens
	if text.IsOwnAffair(r.question) {
		budget = max(budget, min(cfg.CoreMemory.OwnAffairsTokens, cfg.CoreMemory.ProfileTokens+cfg.Injection.Tokens-r.beside))
	}
	if len(cfg.CoreMemory.Blocks) > 0 {
		budget = min(budget, cfg.CoreMemory.BlockTokens-text.Tokens(widestFence+r.blocks))
	}
	return budget
}

// coreSection is the section for a question. What could be read is returned
// beside an error, too.
func (x *Extension) coreSection(ctx context.Context, scope Scope, r coreRequest) (coreSection, error) {
	if x.cfg.CoreMemory.ProfileTokens < 0 {
		return coreSection{}, nil
	}
	lines, err := x.coreLines(ctx, scope)
	if err != nil {
		return coreSection{}, err
	}
	if x.cfg.coreToldOnly {
		lines = lines.toldOnly()
	}
	budget, found := r.budget(&x.cfg), r.found
	var failed error
	if x.vectors != nil && found != nil && !lines.fit(budget) {
		var near []Result
		near, failed = x.claimsLike(ctx, scope, r.question)
		found = append(near, found...)
	}
	section := lines.choose(budget, r.question, found, x.cfg.Now())
	section.allHold = lines.allHold
	return section, failed
}

// claimsFound is how many claims are looked for that are like a question.
const claimsFound = 50

// claimsLike are the claims that a search finds for a question, by their meaning
// too, the best first. The question's vector is at hand from the search before.
func (x *Extension) claimsLike(ctx context.Context, scope Scope, question string) ([]Result, error) {
	question, err := x.redactor.Text(ctx, "", text.Clean(endOf(question, questionEnd)))
	if err != nil {
		return nil, err
	}
	answer, err := x.recall(ctx, scope, Query{Text: clip(question), Kinds: []Kind{KindFact, KindPreference}, Limit: claimsFound, Unquarantined: true})
	if err != nil {
		return nil, err
	}
	return answer.Results, nil
}

// sectionLines are all lines of a user, with what finds them: places of lines.
type sectionLines struct {
	all    []*sectionLine // in the order in which they are shown
	worth  []*sectionLine // what is worth more first
	tokens int            // of all
	terms  map[string][]int32
	roots  map[string][]int32
	restOn map[int64][]int32 // by the claim and by the message
	census topics.Census

	changes func() map[*sectionLine][]*sectionLine // see changesOf; made when first asked for

	allHold bool // no claim of the user's was superseded
}

// indexLines takes lines in the order in which they are shown.
func indexLines(lines []*sectionLine) *sectionLines {
	s := &sectionLines{all: lines, worth: slices.Clone(lines), terms: make(map[string][]int32), roots: make(map[string][]int32), restOn: make(map[int64][]int32)}
	for i, l := range lines {
		l.place = i
		s.tokens += l.Tokens
		if l.topics = l.claims[0].topics; len(l.claims) > 1 {
			texts := []string{l.Text}
			for _, c := range l.claims {
				texts = append(texts, c.claim.Content, strings.Join(c.claim.Tags, " "))
			}
			l.topics = topics.Of(strings.Join(texts, "\n"))
		}
		s.census.Add(l.topics)
		for _, c := range l.claims {
			for _, term := range c.terms {
				addPlace(s.terms, term, int32(i))
			}
			for _, root := range c.roots {
				addPlace(s.roots, root, int32(i))
			}
			addPlace(s.restOn, c.claim.ID, int32(i))
			addPlace(s.restOn, c.source.ID, int32(i))
		}
	}
	slices.SortStableFunc(s.worth, func(a, b *sectionLine) int {
		return cmp.Or(
			compareBool(a.Dormant, b.Dormant), cmp.Compare(slices.Index(profileGroups, a.Group), slices.Index(profileGroups, b.Group)),
			cmp.Compare(b.likely, a.likely), cmp.Compare(b.importance, a.importance), cmp.Compare(b.evidence, a.evidence), b.used.Compare(a.used))
	})
	s.changes = sync.OnceValue(s.changesOf)
	return s
}

// changesOf are, for each line, the later lines that tell of a change and are like
// it: likely its present state, although no claim supersedes the other. Whoever is
// told the older one is told them too. On the lives in cmd/ebb/testdata/lives they
// took the changes of which only the past stood before the model after a year from
// 16 to 11 %.
func (s *sectionLines) changesOf() map[*sectionLine][]*sectionLine {
	changes := make(map[*sectionLine][]*sectionLine)
	asked := 0
	for _, l := range slices.Backward(s.all) {
		if !said.TellsChange(l.Text) {
			continue
		}
		if asked++; asked > maxChanges {
			break
		}
		likeness := s.likeness(l.Text, nil)
		of := 0
		for _, old := range s.byLikeness(likeness) {
			if likeness[old.place] < changedLikeness || of == maxChanged {
				break
			}
			if old.Said.Before(l.Said) {
				changes[old] = append(changes[old], l)
				of++
			}
		}
	}
	return changes
}

// addPlace adds a place that is not smaller than those that are there.
func addPlace[K comparable](index map[K][]int32, key K, place int32) {
	if of := index[key]; len(of) == 0 || of[len(of)-1] != place {
		index[key] = append(of, place)
	}
}

// toldOnly leaves out what was only said.
func (s *sectionLines) toldOnly() *sectionLines {
	var told []*sectionLine
	for _, l := range s.all {
		if l.Group != ProfileSaid {
			own := *l // its place is another
			told = append(told, &own)
		}
	}
	of := indexLines(told)
	of.allHold = s.allHold
	return of
}

// fit reports whether a budget, title included, holds all lines.
func (s *sectionLines) fit(budget int) bool { return s.tokens+text.Tokens(coreTitle) <= budget }

// choose takes the lines that fit into the budget, title included: all of them
// where there is room; else some of those asked to be kept and of those that say
// how to answer, those that the question asks for, each with its changes, then the
// others asked to be kept, of more importance, said more often, used last, what has passed and what
// has faded at the end. What only likely lasts has a share of the budget and no
// more. found are the results of the search for the question, which may be none.
func (s *sectionLines) choose(budget int, question string, found []Result, now time.Time) coreSection {
	left := budget - text.Tokens(coreTitle)
	guessed := int(guessedShare * float64(left))
	chosen := s.all
	if !s.fit(budget) {
		chosen = nil
		taken := make(map[*sectionLine]bool)
		take := func(l *sectionLine) {
			if !taken[l] && l.Tokens <= left && (l.likely == 1 || l.Tokens <= guessed) {
				taken[l] = true
				if l.likely < 1 {
					guessed -= l.Tokens
				}
				left -= l.Tokens
				chosen = append(chosen, l)
			}
		}
		takeWithChanges := func(l *sectionLine) {
			take(l)
			if taken[l] {
				for _, later := range s.changes()[l] {
					take(later)
				}
			}
		}
		kept := int(keptShare * float64(left))
		for _, l := range s.worth {
			if l.Group == ProfileKept && !l.Dormant && l.Tokens <= kept {
				kept -= l.Tokens
				take(l)
			}
		}
		wishes := int(wishShare * float64(left))
		for _, l := range s.worth {
			if l.wish && !taken[l] && !l.Dormant && l.Tokens <= wishes {
				wishes -= l.Tokens
				take(l)
			}
		}
		for _, l := range s.byLikeness(s.likeness(question, found)) {
			takeWithChanges(l)
		}
		passed := func(l *sectionLine) bool { return l.Dormant || !l.passes.IsZero() && !l.passes.After(now) }
		for _, over := range []bool{false, true} {
			for _, l := range s.worth {
				if left < leastLine {
					break
				}
				if passed(l) == over {
					takeWithChanges(l)
				}
			}
		}
		slices.SortFunc(chosen, func(a, b *sectionLine) int { return a.place - b.place })
	}
	if len(chosen) == 0 {
		return coreSection{}
	}
	var out strings.Builder
	out.WriteString(coreTitle)
	for _, l := range chosen {
		out.WriteString(l.shown)
	}
	return coreSection{text: out.String(), lines: chosen}
}

// keptShare is how much of the section what was asked to be kept has before
// anything else: "never forget this" is no matter of what is asked.
const keptShare = 0.3

// wishShare is how much of the section what says how to answer has before the
// question chooses: "keep it short" holds for every answer.
const wishShare = 0.15

// guessedShare is how much of the section what only likely lasts may take. On the
// lives in cmd/ebb/testdata/lives a share of all has 54 of 100 things told before
// the model, .4 has 61 and .3 has 62; of those only said 28, 29 and 27.
const guessedShare = 0.4

// leastLine is about what the shortest line takes, in tokens.
const leastLine = 3

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

// What [sectionLines.changesOf] takes for the change of an older line: how like they
// are, of how many lines one is a change, and how many lines are compared with all.
const (
	changedLikeness = 4
	maxChanged      = 4
	maxChanges      = 100
)

// maxLikenessTerms bounds the words of a question that lines are compared with.
const maxLikenessTerms = 64

// likeness says how much each line, by its place, is like a question: by its
// words, the rarer ones more, by the topics that both are about, and by its place
// among what the search for it found; less if that it lasts is only likely.
func (s *sectionLines) likeness(question string, found []Result) []float64 {
	likeness, held := make([]float64, len(s.all)), make([]float64, len(s.all))
	hold := func(lines []int32, share float64) {
		share *= math.Log(1 + float64(len(s.all))/float64(max(1, len(lines))))
		for _, l := range lines {
			if share > held[l] { // of one word's forms the best counts
				likeness[l] += share - held[l]
				held[l] = share
			}
		}
	}
	for _, term := range text.QueryTerms(question, maxLikenessTerms) {
		clear(held)
		hold(s.terms[term], 1)
		for _, root := range lexicon.Roots(term) {
			hold(s.roots[root], rootLikeness)
		}
		for _, relative := range lexicon.Relatives(term) {
			hold(s.terms[relative], relativeLikeness)
		}
	}
	about := s.census.Ask(topics.Of(question))
	for i, l := range s.all {
		likeness[i] += topicLikeness * about.Near(l.topics)
	}
	best := make(map[int32]int)
	for i, r := range found {
		for _, l := range s.restOn[r.Memory.ID] {
			if best[l] == 0 {
				best[l] = i + 1
			}
		}
	}
	for l, at := range best {
		likeness[l] += foundLikeness / math.Sqrt(float64(at))
	}
	for i, l := range s.all {
		likeness[i] *= l.likely
	}
	return likeness
}

// byLikeness are the lines that have any likeness, the likest first.
func (s *sectionLines) byLikeness(likeness []float64) []*sectionLine {
	var like []*sectionLine
	for i, l := range s.all {
		if likeness[i] > 0 {
			like = append(like, l)
		}
	}
	slices.SortFunc(like, func(a, b *sectionLine) int {
		return cmp.Or(cmp.Compare(likeness[b.place], likeness[a.place]), compareBool(a.Dormant, b.Dormant), a.place-b.place)
	})
	return like
}

// foundLikeness is what it counts to be the first that the search found.
const foundLikeness = 2

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
