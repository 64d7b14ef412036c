package prompt

import (
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/series"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// logged is a series of numbers that the lines report, see [series].
type logged struct {
	series.Series
	lines  []*line // by member; several members may stand in one
	newest *line
}

// loggedOf finds the series that lines belong to.
func (s *Lines) loggedOf() map[*line][]*logged {
	type message struct {
		source *schema.Memory
		told   []series.Reading
		of     []*line
	}
	byID := make(map[int64]*message)
	var messages []*message
	for _, l := range s.all {
		for _, c := range l.claims {
			if len(c.reports) == 0 {
				continue
			}
			m := byID[c.source.ID]
			if m == nil {
				m = &message{source: &c.source, told: c.reports}
				byID[c.source.ID], messages = m, append(messages, m)
			}
			if !slices.Contains(m.of, l) {
				m.of = append(m.of, l)
			}
		}
	}
	slices.SortStableFunc(messages, func(a, b *message) int { return a.source.EventTime.Compare(b.source.EventTime.Time) })
	statements := make([]series.Statement, len(messages))
	for i, m := range messages {
		statements[i] = series.Statement{Text: m.source.Content, Readings: m.told, Said: m.source.EventTime.In(s.loc), Speaker: m.of[0].speaker}
	}
	found := make(map[*line][]*logged)
	for _, joined := range series.Join(statements) {
		r := &logged{Series: joined}
		for _, m := range r.Members {
			of := messages[m.Statement].of
			at := slices.IndexFunc(of, func(l *line) bool { return strings.Contains(l.Text, m.Value) })
			if at < 0 { // that part of the message is not shown, or was taken back
				r.lines = append(r.lines, nil)
				continue
			}
			r.lines = append(r.lines, of[at])
		}
		if r.newest = r.lines[r.Newest()]; r.newest == nil {
			continue
		}
		for _, l := range r.lines {
			if l != nil && !slices.Contains(found[l], r) {
				found[l] = append(found[l], r)
			}
		}
	}
	return found
}

// logs are the series of a user's lines beside a question.
type logs struct {
	of    map[*line][]*logged
	asked map[*logged]bool // which the question may mean
	spans []text.TimeSpan  // times that it names
	left  int              // tokens for earlier readings

	shown  map[*logged]bool // their newest lines are
	hidden map[*line]bool   // beside those
}

// logs finds the series that the question may mean: those with a word of it, and mostAsked others whose
// lines are among the most relevant quarter, or the leastRelevant most relevant. The section has room for the given tokens.
func (a *Asked) logs(room int) *logs {
	g := &logs{asked: make(map[*logged]bool), shown: make(map[*logged]bool), hidden: make(map[*line]bool)}
	g.left = max(int(earlierShare*float64(room)), min(leastEarlier, room/4))
	if len(a.lines) > 0 { // the lines of an unknown user have no indexes
		g.of = a.s.logged()
	}
	if len(g.of) == 0 {
		return g
	}
	g.spans = text.TimeSpans(a.question, a.now)
	asked, more := a.s.sharing(a.question), mostAsked
	for i, l := range a.lines {
		for _, r := range g.of[l] {
			if shares := asked[int32(l.place)]; !g.asked[r] && (shares || more > 0 && i < max(leastRelevant, len(a.lines)/4)) {
				if g.asked[r] = true; !shares {
					more--
				}
			}
		}
	}
	return g
}

// inQuestion reports whether the question names a time that a day is in.
func (g *logs) inQuestion(at time.Time) bool {
	return slices.ContainsFunc(g.spans, func(span text.TimeSpan) bool { return !at.Before(span.Start) && at.Before(span.End) })
}

// How many series without a word of the question it may mean, the share of the section for the earlier
// readings of all, their least tokens, up to a quarter of the section, and the most for those of one.
const (
	mostAsked     = 3
	leastRelevant = 12
	earlierShare  = 0.06
	leastEarlier  = 40
	mostEarlier   = 120
)

// takeLogged takes the newest line of a series that a line belongs to, of one that the question may mean
// with the earlier readings and their days, and hides the lines that say little besides. It
// reports whether the line is one of those, or an older one without room for the newest.
func (c *choice) takeLogged(l *line) (hidden bool) {
	for _, r := range c.logs.of[l] {
		if !c.logs.shown[r] && !c.isOver(r.newest) {
			if c.logs.asked[r] {
				c.takeEarlier(r)
			} else if c.take(r.newest); c.taken[r.newest] {
				c.hide(c.beside(r))
			}
			if c.logs.shown[r] = c.taken[r.newest]; !c.logs.shown[r] && (l.Group == Said || l.Group == Passing) {
				hidden = true
			}
		}
	}
	return hidden || c.logs.hidden[l]
}

// beside returns the lines of a series that need no place of their own beside its newest one.
func (c *choice) beside(r *logged) (of []*line) {
	for i, l := range r.lines {
		if l != nil && l != r.newest && l.Group == Passing && !c.taken[l] && !slices.Contains(of, l) && c.saysLittle(l, r, i) {
			of = append(of, l)
		}
	}
	return of
}

// hide drops lines without using room for them.
func (c *choice) hide(lines []*line) {
	for _, l := range lines {
		c.taken[l], c.logs.hidden[l] = true, true
		c.reserve.release(l)
	}
}

// takeEarlier takes the newest line of a series with the earlier readings.
func (c *choice) takeEarlier(r *logged) {
	at := slices.IndexFunc(c.chosen, func(l *line) bool { return l.place == r.newest.place })
	if at < 0 && c.taken[r.newest] {
		return // it stands in another line
	}
	shown, room := r.newest, c.room(r.newest)
	if at >= 0 {
		shown = c.chosen[at]
		room += shown.Tokens
	}
	beside := c.beside(r)
	if c.reserve != nil {
		for _, l := range beside {
			room += c.reserve.held[l]
		}
	}
	with := *shown
	for most := min(mostEarlier, c.logs.left); most > 0; most /= 2 {
		with.Earlier = r.Earlier(most, c.logs.inQuestion)
		with.shown = with.render(c.s.loc)
		if with.Tokens = text.Tokens(with.shown); with.Tokens <= room && with.Earlier != "" {
			break
		}
		with.Earlier = ""
	}
	if with.Earlier == "" {
		c.take(r.newest)
		return
	}
	c.logs.left -= text.Tokens(with.Earlier)
	with.also, with.claims, with.Claims, with.Sources = slices.Clip(with.also), slices.Clip(with.claims), slices.Clip(with.Claims), slices.Clip(with.Sources)
	c.hide(beside)
	for _, l := range beside {
		with.also, with.claims = append(with.also, l), append(with.claims, l.claims...)
		with.Claims, with.Sources = append(with.Claims, l.Claims...), append(with.Sources, l.Sources...)
	}
	if at < 0 {
		c.takeAs(r.newest, &with)
		return
	}
	c.left += shown.Tokens - with.Tokens
	c.chosen[at] = &with
}

// saysLittle reports whether a line needs no place of its own beside the newest of its series: it
// says nothing but its reading, was corrected, or, where the earlier readings are shown and not all lines
// fit, says little more and shares no word with the question.
func (c *choice) saysLittle(l *line, r *logged, member int) bool {
	m := &r.Members[member]
	if m.Pure {
		return true
	}
	bare, _ := series.Bare(l.Text)
	return bare && (m.CorrectedBy >= 0 || c.logs.asked[r] && c.tight && m.Rest <= fewBeside && !c.asked[int32(l.place)])
}

// fewBeside is how many terms a line with a reading may have that it says little besides.
const fewBeside = 3
