package prompt

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/relevance"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/recall/fluency"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// Title is printed above the core section, severalTitle in its place where the lines have several
// speakers, keptTitle above the lines of group [Kept] and approvedTitle above those of group
// [Approved].
const (
	Title         = "What the user has said, by day, in their own words; the later of two that differ holds:\n"
	severalTitle  = "What people have said here, by day, in their own words; what one said later holds; without a name, the user's:\n"
	keptTitle     = "Kept on request:\n"
	approvedTitle = "Approved as true, in an assistant's words:\n"
)

// Section is the part of a user's lines shown to a model.
type Section struct {
	Text string // with its title; "" without lines
	// AllHold means that none of the user's claims is superseded.
	AllHold bool
	// Several means that the user's lines have several speakers.
	Several bool

	lines []*line
}

// Lines holds all lines of a user with indexes for choosing among them. Indexes
// hold positions in all.
type Lines struct {
	all    []*line // in display order
	styles []*line // about how to answer: those with the form of a wish or of a change first, sure ones before others, newest first
	tokens int     // of all
	terms  map[string][]int32
	roots  map[string][]int32
	restOn map[int64][]int32 // by the id of the claim and of the message
	census topics.Census

	changes  func() map[*line][]change  // see changesOf; computed on first use
	told     func() *Lines              // see ToldOnly; computed on first use
	logged   func() map[*line][]*logged // see loggedOf; computed on first use
	compared pairCache                  // see latest
	judge    *fluency.Judge             // of vectors of the lines

	allHold bool // none of the user's claims is superseded
	several bool // the lines have several speakers
	endings []ending
	loc     *time.Location
	until   time.Time // when the first of the ends that sentences name is over; zero without any

	oldest, newest time.Time // line
}

// indexLines indexes lines, which are in display order.
func indexLines(lines []*line) *Lines {
	s := &Lines{judge: new(fluency.Judge), all: lines, terms: make(map[string][]int32), roots: make(map[string][]int32), restOn: make(map[int64][]int32)}
	cuts := make(map[int64]func() *cutMessage)
	for i, l := range lines {
		if l.place = i; i == 0 || l.Said.Before(s.oldest) {
			s.oldest = l.Said
		}
		if l.Said.After(s.newest) {
			s.newest = l.Said
		}
		if l.brief != nil {
			brief := *l.brief
			brief.place, l.brief = i, &brief
		}
		source := &l.claims[0].source
		cut, known := cuts[source.ID]
		if !known {
			cut = l.claims[0].wording(source.Content).cut
			cuts[source.ID] = cut
		}
		l.whole = sync.OnceValue(func() *line { return s.withMessage(l, cut, maxSentence) })
		l.wide = sync.OnceValue(func() *line { return s.withMessage(l, cut, wideTokens) })
		s.tokens += l.Tokens
		if l.topics = l.claims[0].topics; len(l.claims) > 1 {
			texts := []string{l.Text}
			for _, c := range l.claims {
				texts = append(texts, c.claim.Content, strings.Join(c.claim.Tags, " "))
			}
			l.topics = topics.Of(strings.Join(texts, "\n"))
		}
		s.census.Add(l.topics)
		l.vector = relevance.Fitted.Lines.Of(l.topics)
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
	for _, l := range lines {
		if l.style {
			s.styles = append(s.styles, l)
		}
	}
	slices.SortStableFunc(s.styles, func(a, b *line) int {
		return cmp.Or(compareBool(b.wish, a.wish), compareBool(b.sureWish(), a.sureWish()), b.Said.Compare(a.Said))
	})
	s.changes = sync.OnceValue(s.changesOf)
	s.told = sync.OnceValue(s.toldOnly)
	s.logged = sync.OnceValue(s.loggedOf)
	return s
}

// sureWish reports whether more than a message in free words supports what a line says
// about how to answer, or one that is surely meant so.
func (l *line) sureWish() bool {
	return slices.ContainsFunc(l.claims, func(c *ownClaim) bool { return !c.free || c.claim.Confidence >= surelyMeant*claims.Confidence })
}

// surelyMeant is the probability at which a wish in free words is as good as one that was
// saved or that a pattern parsed.
const surelyMeant = 0.7

// words returns the sentence and the claims it supports.
func (l *line) words() string {
	words := []string{l.Text}
	for _, c := range l.claims {
		words = append(words, c.claim.Content)
	}
	return strings.Join(words, "\n")
}

// addPlace adds a position unless it is there already. Positions are added in
// ascending order.
func addPlace[K comparable](index map[K][]int32, key K, place int32) {
	if of := index[key]; len(of) == 0 || of[len(of)-1] != place {
		index[key] = append(of, place)
	}
}

// ToldOnly returns the lines without those extracted from messages only.
func (s *Lines) ToldOnly() *Lines {
	if s.told == nil {
		return s // of an unknown user
	}
	return s.told()
}

func (s *Lines) toldOnly() *Lines {
	var told []*line
	for _, l := range s.all {
		if l.Group != Said && l.Group != Passing {
			own := *l // place differs
			told = append(told, &own)
		}
	}
	of := indexLines(told)
	of.allHold, of.several, of.endings, of.loc, of.judge = s.allHold, s.several, s.endings, s.loc, s.judge
	return of
}

// All returns all lines and their tokens without the title.
func (s *Lines) All() (lines []Line, tokens int) {
	lines = make([]Line, len(s.all))
	for i, l := range s.all {
		lines[i] = l.Line
	}
	return lines, s.tokens
}

// Name reports whether a line contains a name that the question contains. In German,
// where each noun has a capital, and without any capitals only known given names count,
// in Chinese what some lines call a person, such as 小满 or 朵朵.
func (s *Lines) Name(question string) bool {
	if s.calls(question) {
		return true
	}
	german := lexicon.IsGerman(question)
	for _, m := range text.Mentions(question) {
		if m.Type != text.MentionName {
			continue
		}
		for word := range strings.FieldsSeq(m.Text) {
			if given := names.IsGiven(text.Fold(word)); text.IsStopWord(text.Fold(word)) || !given && (german || !strings.ContainsAny(question[:m.Start], " ")) {
				continue // the first word of a sentence proves nothing
			}
			if terms := text.QueryTerms(word, 1); len(terms) == 1 && len(s.terms[terms[0]]) > 0 {
				return true
			}
		}
	}
	return false
}

// calls reports whether a question without capitals, or in Chinese, contains a name
// that lines contain.
func (s *Lines) calls(question string) bool {
	if question == strings.ToLower(question) {
		for word := range strings.FieldsFuncSeq(question, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if terms := text.QueryTerms(word, 1); len(terms) == 1 && names.IsGiven(text.Fold(word)) && !text.IsStopWord(text.Fold(word)) && len(s.terms[terms[0]]) > 0 {
				return true
			}
		}
	}
	var before rune
	for _, r := range question {
		if unicode.Is(unicode.Han, r) && (r == before || strings.ContainsRune("小老阿", before)) && len(s.terms[string([]rune{before, r})]) >= calledLines {
			return true
		}
		before = r
	}
	return false
}

// calledLines is how many lines must contain what may be a Chinese name.
const calledLines = 3

// Fit reports whether all lines and the title fit into budget tokens.
func (s *Lines) Fit(budget int) bool {
	return s.tokens+s.titles() <= budget
}

// Room returns how many tokens of a budget all lines and the title would take.
func (s *Lines) Room(budget int) int {
	if len(s.all) == 0 {
		return 0
	}
	return min(max(0, budget), s.tokens+s.titles())
}

// title returns what stands above a part of the lines.
func (s *Lines) title(part int) string {
	switch {
	case part == Kept.part():
		return keptTitle
	case part == Approved.part():
		return approvedTitle
	case s.several:
		return severalTitle
	}
	return Title
}

// titles returns the tokens of all titles and years that the lines may need.
func (s *Lines) titles() int {
	n := s.forYears()
	for part := range parts {
		if slices.ContainsFunc(s.all, func(l *line) bool { return l.Group.part() == part }) {
			n += text.Tokens(s.title(part))
		}
	}
	return n
}

// Choose selects the lines that fit into budget tokens, title included. If not all fit, it
// selects, in this order: some lines the user asked to keep, some that name this day or the
// next, some about how to answer, those for other questions than this one last, and the newest
// that contain a rare word of the question; then lines in descending order of relevance to the
// question, each with its changes, those that are dormant or over and have nothing in common with
// it last. Of the room a share is kept for what was saved. In any case lines that have something
// in common with the question are shown with what their messages say around them, as far as there
// is room. What was only mentioned and is over, an appointment, is selected only for a question
// that shares a word with it.
func (a *Asked) Choose(budget int) Section {
	s := a.s
	c := &choice{s: s, now: a.now, left: budget - s.titles(), asked: s.sharing(a.question), taken: make(map[*line]bool)}
	c.logs = a.logs(c.left)
	if s.Fit(budget) {
		c.reserve = reserveAll(s.all)
		for _, l := range a.lines { // before any is taken without its message, as the change of another
			if a.likeness[l.place] > 0 {
				c.takeWhole(l, false)
			}
		}
		c.takeRelevant(a)
	} else {
		c.tight = true
		saved := newReserve(a.lines, int(briefShare*float64(c.left)), a.now)
		c.takeKept(a.lines)
		c.takeSoon()
		c.takeStyles()
		c.reserve = saved
		for l := range c.taken {
			c.reserve.release(l)
		}
		c.takeNamed(a)
		c.takeRelevant(a)
		c.takeSaved()
		c.reserve = nil
		c.takeRelevant(a)
	}
	inTime(c.chosen)
	return Section{Text: s.shown(c.chosen), AllHold: s.allHold, Several: s.several, lines: c.chosen}
}

// passed reports whether a line is dormant or about a time that is over.
func (l *line) passed(now time.Time) bool {
	return l.Dormant || l.endedBy != nil && !l.holds || l.over(now)
}

// over reports whether a line is about a time that is over.
func (l *line) over(now time.Time) bool { return !l.passes.IsZero() && !l.passes.After(now) }

// keptShare is the share of the section reserved for lines the user asked to keep,
// which apply whatever the question is.
const keptShare = 0.4

// wishShare is the share of the section reserved for lines about how to answer,
// such as "keep it short", which apply to every answer.
const wishShare = 0.15

// leastWishes is the least that is reserved for those that are surely meant so, in tokens,
// up to three quarters of the section: a question about anything else still needs them.
const leastWishes = 200

// briefShare is the maximum share of the section reserved for what was saved, each line
// as short as it may be. After a year the sections of 38 lives contain 98.6 % of the saved facts
// that are asked for, 97.7 without, and 95.8 % of what was only said, 96.1 without.
const briefShare = 0.45

// leastLine is the approximate cost of the shortest line, in tokens.
const leastLine = 3

// compareBool orders false before true.
func compareBool(a, b bool) int { return cmp.Compare(is(a), is(b)) }

// Repeats reports whether the section contains what a memory says: the message is
// one of its sentences, or the claim is supported by a sentence that contains most
// of it.
func (c *Section) Repeats(m *schema.Memory) bool {
	if len(c.lines) == 0 {
		return false
	}
	if m.Kind == schema.KindEpisode {
		folded := text.Fold(text.Line(m.Content))
		return slices.ContainsFunc(c.lines, func(l *line) bool {
			said := l.claims[0]
			return text.Fold(l.Text) == folded && text.Fold(said.who()) == text.Fold(claims.Stored("I", said.owner, m.Speaker)) && (!l.isDated() || slices.Contains(l.Sources, m.UID))
		})
	}
	return slices.ContainsFunc(c.lines, func(l *line) bool {
		return slices.ContainsFunc(l.claims, func(told *ownClaim) bool { return told.claim.ID == m.ID && told.covered })
	})
}

// Unquoted returns the entries without those that the section repeats, and without messages of
// which a line quotes two thirds and all that has a word of the question. Several lines may stand
// far apart: "the new number is 60912" says nothing without the sentence before it.
func (c *Section) Unquoted(entries []Entry, question string) []Entry {
	quoted := c.Quoted()
	terms := text.QueryTerms(text.WithoutFunctionWords(question), maxLikenessTerms)
	return slices.DeleteFunc(entries, func(e Entry) bool {
		switch m := &e.Memory; {
		case c.Repeats(m):
			return true
		case m.Kind != schema.KindEpisode || !slices.Contains(quoted, m.UID):
			return false
		}
		shown := text.Fold(cmp.Or(e.Content, text.Line(e.Memory.Content)))
		return slices.ContainsFunc(c.lines, func(l *line) bool {
			rest := shown
			for part := range strings.SplitSeq(text.Fold(l.Text), "...") {
				if part = strings.TrimSpace(part); part != "" {
					rest = strings.Replace(rest, part, " ", 1)
				}
			}
			return 3*len(rest) <= len(shown) && text.Held(terms, rest) == 0
		})
	})
}

// Quoted returns the public ids of the memories that the section quotes: messages, and claims
// without one.
func (c *Section) Quoted() (uids []string) {
	for _, l := range c.lines {
		uids = append(uids, l.Sources...)
		for _, claim := range l.claims {
			if claim.source.ID == claim.claim.ID {
				uids = append(uids, claim.claim.UID)
			}
		}
	}
	return uids
}

// Lines returns the section's lines and their tokens with the title.
func (c *Section) Lines() (lines []Line, tokens int) {
	for _, l := range c.lines {
		lines = append(lines, l.Line)
	}
	return lines, text.Tokens(c.Text)
}
