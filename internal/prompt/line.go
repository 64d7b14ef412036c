package prompt

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/relevance"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/schema"
)

// Group is the reason why a line is in a profile.
type Group string

// The groups, in display order.
const (
	Kept Group = "kept" // protected: the user asked never to forget it
	Told Group = "told" // stored by a tool or by the host
	Said Group = "said" // extracted from a message
	// Approved: a model's text that the host approved, not in the user's words.
	Approved Group = "approved"
	// Passing: said, and less likely than not to matter in months, or until a time that is over.
	Passing Group = "passing"
)

// groups lists every group, in order.
var groups = []Group{Kept, Told, Said, Approved, Passing}

// Line is a sentence of the user's that supports a current claim, or an approved text.
type Line struct {
	// Text is the sentence, verbatim except for line breaks; very long ones are
	// cut. One that rests on an earlier sentence begins with that, with the clause that names
	// what it is about and "…", or in brackets with a name from the message before.
	Text  string `json:"text"`
	Group Group  `json:"group"`
	// Speaker is who said it, "" for the user or where the lines have one speaker only.
	Speaker string `json:"speaker,omitempty"`
	// Project is the project that it is about, "" for none ([schema.AttrProject]).
	Project string `json:"project,omitempty"`
	// Said is when it was said last.
	Said time.Time `json:"said"`
	// Since is when it replaced an earlier statement, zero if it did not. Before is
	// the beginning of the earlier statement if the user made that too.
	Since  time.Time `json:"since,omitzero"`
	Before string    `json:"before,omitempty"`
	// Ended describes what else in the sentence no longer holds, "" for nothing.
	Ended string `json:"ended,omitempty"`
	// Earlier are the earlier numbers of a series of which it reports the newest, with their days,
	// "" for none.
	Earlier string `json:"earlier,omitempty"`
	// Claims are the ids of the claims it supports, Sources those of the messages
	// that contain it: none if a person stored or approved it, as the claim's History says, or
	// if its message was forgotten for something else.
	Claims  []string `json:"claims"`
	Sources []string `json:"sources"`
	// Dormant means that all its claims have faded. It is shown only if there is
	// room.
	Dormant bool `json:"dormant,omitempty"`
	// Tokens is the cost of the line in a prompt.
	Tokens int `json:"tokens"`
}

// line is a line of the core section with what is needed to choose it.
type line struct {
	Line // the public part

	shown   string       // the rendered line
	also    []*line      // lines of the same message that it is shown in place of
	holds   bool         // endedBy is about a part only
	endedBy *ending      // what a later line says of it; nil while it holds
	brief   *line        // of what was saved: only the sentences that were, for want of room; nil for others
	whole   func() *line // with what the message says around it; nil if that is not shown
	wide    func() *line // the same with more of it
	claims  []*ownClaim
	speaker string // see [ownClaim.voice]
	shared  bool   // of several speakers' lines: not of its speaker, so that another may change it
	place   int    // position among the lines
	topics  topics.Set
	vector  relevance.Vector

	likely   float64   // probability of staying true; 1 unless estimated
	kept     bool      // a claim is protected
	ends     float64   // probability that something no longer holds after it
	length   int       // in terms, of the longest claim
	unparsed bool      // no pattern parsed any of its claims
	passes   time.Time // zero if it does not pass
	lapsed   bool      // all its claims name an end that is over
	style    bool      // a claim is about how to answer
	wish     bool      // it has the form of a wish
	forSome  bool      // it is for answers to some questions
}

// groupOf returns the reason why a claim is in a profile.
func groupOf(m *schema.Memory) Group {
	switch {
	case m.Protected:
		return Kept
	case m.Attributes[schema.AttrSaid] != "" || m.Attributes[schema.AttrPrompt] != "":
		if claims.Likely(m) < claims.LikelyLasting {
			return Passing
		}
		return Said
	}
	return Told
}

func (c *ownClaim) group() Group {
	if c.approved {
		return Approved
	}
	if of := groupOf(&c.claim); of != Said || !c.lapsed && !c.dangles {
		return of
	}
	return Passing
}

// linesOf joins claims that one sentence supports and sorts the lines by group,
// then by time, as of now.
func linesOf(current map[int64]*ownClaim, loc *time.Location, now time.Time) *Lines {
	ordered := shownClaims(current)
	endings := endingsOf(ordered)
	var until time.Time
	for i, c := range ordered {
		if c.prepare(loc); c.ownEnd.After(now) {
			if until.IsZero() || c.ownEnd.Before(until) {
				until = c.ownEnd
			}
		} else if !c.ownEnd.IsZero() {
			over := *c
			over.lapsed, ordered[i] = true, &over
		}
	}
	joinNeighbours(ordered)
	ordered = nameAntecedents(ordered, endings)
	byText := make(map[string]*line)
	var lines []*line
	// longer ones first, since a sentence within another one needs no line; the newest first of
	// one sentence, so that the line is of its day and message
	slices.SortStableFunc(ordered, func(a, b *ownClaim) int {
		return cmp.Or(len(b.text)-len(a.text), b.source.EventTime.Compare(a.source.EventTime.Time))
	})
	bySource := make(map[int64][]*line)
	for _, c := range ordered {
		key := c.voice() + "\n" + text.Fold(c.text)
		l, known := byText[key]
		for _, longer := range bySource[c.source.ID] {
			if !known && longer.speaker == c.voice() && strings.Contains(longer.Text, c.text) {
				l, known = longer, true
			}
		}
		if !known {
			l = &line{Line: Line{Text: c.text, Group: Passing, Sources: []string{}, Said: c.source.EventTime.Time, Dormant: true, Project: label(c.project(), maxSpeakerShown)}, speaker: c.voice()}
			byText[key] = l
			bySource[c.source.ID] = append(bySource[c.source.ID], l)
			lines = append(lines, l)
		}
		l.add(c)
	}
	several := nameSpeakers(lines)
	for _, l := range lines {
		e, part := lastEnding(endings, l.Text, l.Said, l.speaker)
		if l.endedBy = e; e != nil {
			part = cmp.Or(part, grounding.PartAbout(l.Text, e.by.claim.Content))
			l.Ended = cmp.Or(l.Ended, e.mark(part, loc).String())
			l.holds = part != "" && !e.Moved()
		}
		l.shown = l.render(loc)
		l.Tokens = text.Tokens(l.shown)
		l.brief = l.shortest(loc)
	}
	slices.SortStableFunc(lines, func(a, b *line) int {
		return cmp.Or(cmp.Compare(slices.Index(groups, a.Group), slices.Index(groups, b.Group)), a.Said.Compare(b.Said),
			cmp.Compare(a.claims[0].source.ID, b.claims[0].source.ID), cmp.Compare(strings.Index(a.claims[0].source.Content, a.Text), strings.Index(b.claims[0].source.Content, b.Text)))
	})
	of := indexLines(withoutRepeats(lines))
	of.loc, of.endings, of.several, of.until = loc, endings, several, until
	return of
}

// theUser is the owner of the memory among those who said something.
var theUser = claims.Stored("I", "", "")

// who returns who said the sentence, the owner of the memory by whatever name as [theUser].
func (c *ownClaim) who() string { return claims.Stored("I", c.owner, c.source.Speaker) }

// project returns the project that the claim is about, "" for none.
func (c *ownClaim) project() string { return c.claim.Attributes[schema.AttrProject] }

// voice returns who said the sentence and of which project, folded: only what has the same voice
// can change it.
func (c *ownClaim) voice() string { return voiceOf(c.who(), c.project()) }

func voiceOf(who, project string) string {
	if project != "" {
		who += "\n" + project
	}
	return text.Fold(who)
}

// nameSpeakers names the speaker of lines of others than the owner if there are several, finds
// those that are not of their speaker and reports whether there are several: the owner of the
// memory may be an opaque id, so that the only speaker is taken for them.
func nameSpeakers(lines []*line) (several bool) {
	several = slices.ContainsFunc(lines, func(l *line) bool { return text.Fold(l.claims[0].who()) != text.Fold(lines[0].claims[0].who()) })
	for _, l := range lines {
		if who := l.claims[0].who(); several && who != theUser {
			l.Speaker = label(who, maxSpeakerShown)
		}
		l.shared = several && !aboutOneself.MatchString(l.Text)
	}
	return several
}

// ofSame reports whether a later line may change an earlier one: both are of one speaker, or
// neither is of its speaker, and of one project.
func (l *line) ofSame(later *line) bool {
	return l.speaker == later.speaker || l.shared && later.shared && l.Project == later.Project
}

// aboutOneself matches what a speaker says of themselves, "I live in Porto", "my car", in the
// languages of [said.LastingOf]; "ask me" is of what to do.
var aboutOneself = prefilter.New(`(?i)\b(?:i|i['’](?:m|ve|d|ll)|my|mine|myself|ich|mein\pL*)\b`,
	`(?i)(?:^|[^\pL])(?:yo|mis?|mí[oa]s?|soy|estoy|tengo|vivo|trabajo|voy|uso|llevo|prefiero|quiero|necesito|llamo)(?:[^\pL]|$)`, `我(?:[^们們]|$)`)

// shownClaims returns the claims that have a sentence, by id.
func shownClaims(current map[int64]*ownClaim) []*ownClaim {
	shown := make([]*ownClaim, 0, len(current))
	for _, c := range current {
		if c.text != "" {
			shown = append(shown, c)
		}
	}
	slices.SortFunc(shown, func(a, b *ownClaim) int { return cmp.Compare(a.claim.ID, b.claim.ID) })
	return shown
}

// joinNeighbours replaces claims of neighbouring sentences of one message by copies with the
// text of them all, up to maxSentence tokens, where no pattern parsed them and they belong to
// one group, or the user asked to keep one: "Karim didn't call at 3. He has his own bakery since
// two weeks" is of Karim as a whole.
func joinNeighbours(claims []*ownClaim) {
	type part struct {
		source  int64
		group   Group
		project string
	}
	kept := make(map[int64]bool) // by source: the user asked to keep a sentence of it
	for _, c := range claims {
		kept[c.source.ID] = kept[c.source.ID] || groupOf(&c.claim) == Kept
	}
	bySource := make(map[part][]**ownClaim)
	for i, c := range claims {
		if c.isLasting() {
			of := part{c.source.ID, c.group(), c.project()}
			if kept[c.source.ID] {
				of.group = Kept // "Never forget this: wasps. It is a matter of five minutes."
			}
			bySource[of] = append(bySource[of], &claims[i])
		}
	}
	for _, of := range bySource {
		if len(of) < 2 {
			continue
		}
		whole := text.Line((*of[0]).source.Content)
		slices.SortStableFunc(of, func(a, b **ownClaim) int {
			return cmp.Compare(strings.Index(whole, (*a).text), strings.Index(whole, (*b).text))
		})
		for i := 0; i < len(of); {
			from := strings.Index(whole, (*of[i]).text)
			to, next := from+len((*of[i]).text), i+1
			for ; from >= 0 && next < len(of); next++ {
				said := (*of[next]).text
				at := strings.Index(whole, said)
				if at < to || strings.TrimSpace(whole[to:at]) != "" || text.Tokens(whole[from:at+len(said)]) > maxSentence {
					break
				}
				to = at + len(said)
			}
			for _, c := range of[i:next] {
				if next > i+1 {
					joined := **c
					joined.text, *c = whole[from:to], &joined
				}
			}
			i = next
		}
	}
}

// add joins a claim to the line.
func (l *line) add(c *ownClaim) {
	l.claims = append(l.claims, c)
	l.Claims = append(l.Claims, c.claim.UID)
	if c.source.ID != c.claim.ID && !slices.Contains(l.Sources, c.source.UID) && (!l.isDated() || len(l.Sources) == 0 || c.source.ID == l.claims[0].source.ID) {
		l.Sources = append(l.Sources, c.source.UID)
	}
	l.kept = l.kept || c.claim.Protected
	if group := c.group(); slices.Index(groups, group) < slices.Index(groups, l.Group) {
		l.Group = group
	}
	if c.since.After(l.Since) {
		l.Since, l.Before = c.since, c.before
	}
	l.Ended = cmp.Or(l.Ended, c.ended)
	l.Dormant = l.Dormant && c.claim.State == schema.StateDormant && !c.claim.Protected
	l.style, l.wish, l.forSome = l.style || c.style, l.wish || c.wish, l.forSome || c.forSome
	l.likely = max(l.likely, c.likely())
	l.ends, l.length = max(l.ends, c.ends), max(l.length, c.length)
	l.unparsed = (l.unparsed || len(l.claims) == 1) && (c.free || c.isLasting())
	l.lapsed = (l.lapsed || len(l.claims) == 1) && c.lapsed
	if len(l.claims) == 1 || c.passes.IsZero() || !l.passes.IsZero() && c.passes.After(l.passes) {
		l.passes = c.passes // the last one, if all of them pass
	}
}

// isDated reports whether the sentence is about the day of its message, so that the same
// words of another day say something else.
func (l *line) isDated() bool { return l.claims[0].relative || l.claims[0].ofDay }

// likely returns the probability that a claim stays true.
func (c *ownClaim) likely() float64 {
	if c.asks {
		return askingShare * claims.Likely(&c.claim)
	}
	return claims.Likely(&c.claim)
}

// askingShare is the likelihood of what leads to a question relative to other sentences.
const askingShare = 0.4

// shortest returns the line of what was saved, without what else the message says, or nil
// for other lines.
func (l *line) shortest(loc *time.Location) *line {
	if l.Group == Said || l.Group == Passing {
		return nil
	}
	brief := *l
	var kept []string
	for _, c := range l.claims {
		if c.isLasting() {
			continue
		}
		if !slices.ContainsFunc(kept, func(k string) bool { return strings.Contains(k, c.text) }) {
			kept = append(slices.DeleteFunc(kept, func(k string) bool { return strings.Contains(c.text, k) }), c.text)
		}
	}
	slices.SortStableFunc(kept, func(a, b string) int { return cmp.Compare(strings.Index(l.Text, a), strings.Index(l.Text, b)) })
	if len(kept) > 0 {
		brief.Text = strings.Join(kept, " … ")
		brief.shown = brief.render(loc)
		brief.Tokens = text.Tokens(brief.shown)
	}
	if brief.Tokens >= l.Tokens {
		brief = *l
	}
	return &brief
}

// cutMessage is a message as one line.
type cutMessage struct {
	text   string
	bounds []int  // where sentences begin, and the end
	own    string // without what is of others
}

func cutOf(content string) *cutMessage {
	c := &cutMessage{text: text.Line(content), bounds: []int{0}, own: text.Line(said.Own(content))}
	for _, sentence := range text.Sentences(c.text) {
		last := c.bounds[len(c.bounds)-1]
		c.bounds = append(c.bounds, last+strings.Index(c.text[last:], sentence)+len(sentence))
	}
	return c
}

// withMessage returns a line with the sentences of its message around it, up to a courtesy
// before it, a question after it and most tokens, or nil if there are none or one of
// them no longer holds, was taken back or is of others.
func (s *Lines) withMessage(l *line, cut func() *cutMessage, most int) *line {
	if len(l.claims[0].source.Content) <= len(l.Text) || l.Ended != "" {
		return nil
	}
	message, bounds := cut().text, cut().bounds
	from := strings.Index(message, l.Text)
	if from < 0 || len(message) == len(l.Text) {
		return nil
	}
	to := from + len(l.Text)
	first, _ := slices.BinarySearch(bounds, from+1)
	last, _ := slices.BinarySearch(bounds, to)
	first--
	inner, outer := first, last
	fits := func(first, last int) bool {
		part := message[bounds[first]:bounds[last]]
		return len(part) <= most*longestToken && text.Tokens(part) <= most
	}
	if !fits(first, last) {
		return nil // a list, or only a part of a long sentence
	}
	for grown := true; grown; {
		grown = false
		if last+1 < len(bounds) && fits(first, last+1) {
			last, grown = last+1, true
		}
		if first > 0 && fits(first-1, last) {
			first, grown = first-1, true
		}
	}
	for last > outer && said.Asks(message[bounds[last-1]:bounds[last]]) {
		last--
	}
	for first < inner && text.IsSmallTalk(message[bounds[first]:bounds[first+1]]) {
		first++
	}
	from, to = min(from, bounds[first]), max(to, bounds[last])
	whole := *l
	if whole.Text = strings.TrimSpace(message[from:to]); len(whole.Text) == len(l.Text) {
		return nil
	}
	shown, folded := text.Fold(l.Text), text.Fold(whole.Text)
	for _, c := range l.claims {
		if slices.ContainsFunc(c.over, func(over string) bool { return !strings.Contains(shown, over) && strings.Contains(folded, over) }) {
			return nil
		}
	}
	whole.Said = l.claims[0].source.EventTime.Time
	if !strings.Contains(cut().own, whole.Text) || endsAny(s.endings, whole.Text, whole.Said, whole.speaker) {
		return nil
	}
	whole.shown = whole.render(s.loc)
	whole.Tokens = text.Tokens(whole.shown)
	return &whole
}

// longestToken is the maximum length of what [text.Tokens] counts as one token, in bytes.
const longestToken = 8

// render returns the line as shown to a model, with the day on which it was said: "- Thu Mar 5: I
// live in Lisbon." Its year stands above it.
func (l *line) render(loc *time.Location) string {
	said := l.Said.In(loc)
	line := "- " + said.Format("Mon Jan 2")
	if l.Speaker != "" {
		line += ", " + l.Speaker
	}
	if l.Project != "" {
		line += ", in " + l.Project
	}
	line += ": " + l.Text
	var marks []string
	if since := l.Since.In(loc).Format(time.DateOnly); !l.Since.IsZero() && since != said.Format(time.DateOnly) {
		marks = append(marks, "since "+since)
	}
	if !l.Since.IsZero() && l.Before != "" && text.Fold(l.Before) != text.Fold(l.Text) {
		marks = append(marks, "before: "+text.Truncate(l.Before, maxBefore))
	}
	if len(marks) > 0 {
		line += " (" + strings.Join(marks, "; ") + ")"
	}
	if l.Earlier != "" {
		line += " (earlier: " + l.Earlier + ")"
	}
	if l.Ended != "" {
		line += " (" + l.Ended + ")"
	}
	return line + "\n"
}
