package prompt

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// choice is a selection of lines for a question.
type choice struct {
	s     *Lines
	now   time.Time
	asked map[int32]bool // places of the lines that share a word with the question

	left    int // tokens
	reserve *reserve
	taken   map[*line]bool
	chosen  []*line // as shown
	tight   bool    // not all lines fit

	logs *logs
}

// room returns the tokens for a line.
func (c *choice) room(l *line) int { return c.left - c.reserve.without(l) }

// isOver reports whether a line was only mentioned and is over. A question that shares a word
// with it may still mean it.
func (c *choice) isOver(l *line) bool {
	return l.over(c.now) && (l.Group == Said || l.Group == Passing) && !c.asked[int32(l.place)]
}

// take takes a line, what was saved in fewer words for want of room.
func (c *choice) take(l *line) {
	switch room := c.room(l); {
	case c.taken[l] || c.isOver(l):
	case l.Tokens <= room:
		c.takeAs(l, l)
	case l.brief != nil && l.brief.Tokens <= room:
		c.takeAs(l, l.brief)
	}
}

// takeAs takes a line and shows another form of it.
func (c *choice) takeAs(l, shown *line) {
	c.taken[l] = true
	c.left -= shown.Tokens
	c.reserve.release(l)
	c.chosen = append(c.chosen, shown)
}

// takeWhole takes a line with what its message says around it, in place of the lines of that,
// if there is room: "Sol, my part-timer. They/them." With the order before the fitted one the
// section contained, a year later, 95.5 % of what the questions of 38 lives need, and 94.8 %
// without.
func (c *choice) takeWhole(l *line, wide bool) {
	beside := c.s.restOn[l.claims[0].source.ID]
	if c.taken[l] || c.isOver(l) || l.Tokens > c.room(l) || slices.ContainsFunc(beside, func(at int32) bool { return c.taken[c.s.all[at]] }) {
		return
	}
	whole := l.whole()
	if wide {
		if more := l.wide(); more != nil && wideShare*more.Tokens <= c.left {
			whole = more
		}
	}
	if whole == nil || whole.Tokens > c.room(l) {
		return
	}
	shown := *whole
	shown.claims, shown.Claims, shown.Sources = slices.Clip(shown.claims), slices.Clip(shown.Claims), slices.Clip(shown.Sources)
	for _, at := range beside {
		other := c.s.all[at]
		if other == l || !strings.Contains(whole.Text, other.Text) {
			continue
		}
		if slices.Index(groups, other.Group) < slices.Index(groups, l.Group) || !other.Since.IsZero() {
			return // what the user asked to keep is not said in passing, and what was changed is marked
		}
		shown.also = append(shown.also, other)
		for _, told := range other.claims {
			shown.add(told)
		}
	}
	c.takeAs(l, &shown)
	for _, other := range shown.also {
		c.taken[other] = true
		c.reserve.release(other)
	}
	if c.tight {
		for _, other := range shown.also {
			c.takeWithChanges(other)
		}
	}
}

// wideTokens is how long the lines of the most relevant messages may be, where that is at most one in
// wideShare of the section.
const (
	wideTokens = 120
	wideShare  = 8
)

// takeWithChanges takes a line and the later ones that may have changed it: what surely has is
// taken first.
func (c *choice) takeWithChanges(l *line) {
	if c.takeLogged(l) {
		return
	}
	later := c.s.changes()[l]
	for _, of := range later {
		if !of.named || c.taken[l] && c.taken[of.line] || c.isOver(l) {
			continue
		}
		need := 0
		for _, of := range []*line{l, of.line} {
			if !c.taken[of] {
				need += of.Tokens
			}
		}
		if need > c.room(l) {
			continue
		}
		c.takeWithChanges(of.line)
	}
	if c.take(l); !c.taken[l] {
		return
	}
	for _, of := range later {
		if of.p >= leastChange {
			c.take(of.line)
		}
	}
	if l.endedBy != nil {
		for _, at := range c.s.restOn[l.endedBy.by.claim.ID] {
			c.take(c.s.all[at])
		}
	}
}

// takeKept takes lines that the user asked to keep.
func (c *choice) takeKept(lines []*line) {
	room := int(keptShare * float64(c.left))
	for _, l := range lines {
		if l.kept && !l.Dormant && l.Tokens <= room {
			room -= l.Tokens
			c.take(l)
		}
	}
}

// takeSoon takes lines that name this day or the next.
func (c *choice) takeSoon() {
	room := int(soonShare * float64(c.left))
	for _, l := range c.s.all {
		if l.Tokens <= room && !c.taken[l] && !c.isOver(l) && l.isSoon(c.now.In(c.s.loc)) {
			room -= l.Tokens
			c.take(l)
		}
	}
}

// takeStyles takes lines about how to answer.
func (c *choice) takeStyles() {
	guesses := int(wishShare * float64(c.left))
	room := max(guesses, min(leastWishes, c.left*3/4))
	forOthers := func(l *line) bool { return l.forSome && !c.asked[int32(l.place)] }
	styles := slices.Clone(c.s.styles)
	slices.SortStableFunc(styles, func(a, b *line) int {
		return cmp.Or(compareBool(b.wish, a.wish), compareBool(b.sureWish(), a.sureWish()), compareBool(forOthers(a), forOthers(b)))
	})
	for _, l := range styles {
		if !l.sureWish() {
			room = min(room, guesses)
		}
		if c.taken[l] || l.Dormant {
			continue
		}
		if l.brief != nil && l.brief.Tokens <= room {
			room -= l.brief.Tokens
			c.takeAs(l, l.brief)
		} else if l.Tokens <= room {
			room -= l.Tokens
			c.take(l)
		}
	}
}

// takeNamed takes, newest first so that none stands without its successor, lines that contain a
// rare word of the question.
func (c *choice) takeNamed(a *Asked) {
	least := c.left - min(namedTokens, int(namedShare*float64(c.left)))
	for _, l := range a.named {
		if c.left <= least {
			return
		}
		c.takeWhole(l, false)
		c.takeWithChanges(l)
	}
}

// takeRelevant takes the most relevant lines that there is room for, those that have something
// in common with the question with what their messages say around them.
func (c *choice) takeRelevant(a *Asked) {
	for i, l := range a.lines {
		if c.left < leastLine {
			return
		}
		if a.likeness[l.place] > 0 {
			c.takeWhole(l, c.tight && i < latestWith)
		}
		c.takeWithChanges(l)
		if c.tight && i < latestWith && a.likeness[l.place] > 0 {
			for _, later := range c.s.latest(l) {
				c.takeWithChanges(later)
			}
		}
	}
}

// takeSaved takes what was saved, as short as it may be, where it leaves the others the room
// reserved for them.
func (c *choice) takeSaved() {
	for _, l := range c.reserve.lines {
		if !c.taken[l] && l.brief.Tokens <= c.room(l) {
			c.takeAs(l, l.brief)
			c.takeWithChanges(l)
		}
	}
}

// reserve is the room kept for some lines: for what was saved, so that what was only said
// does not displace it. A nil one keeps nothing.
type reserve struct {
	lines []*line
	held  map[*line]int // tokens
	left  int           // tokens of all
}

// newReserve reserves at most the given tokens for what was saved among the lines, each as short
// as it may be.
func newReserve(lines []*line, most int, now time.Time) *reserve {
	r := &reserve{held: make(map[*line]int)}
	for _, l := range lines {
		if l.brief == nil || l.passed(now) {
			continue
		}
		r.lines = append(r.lines, l)
		if r.left+l.brief.Tokens <= most {
			r.held[l] = l.brief.Tokens
			r.left += l.brief.Tokens
		}
	}
	return r
}

// reserveAll reserves the room that all lines take.
func reserveAll(lines []*line) *reserve {
	r := &reserve{held: make(map[*line]int, len(lines))}
	for _, l := range lines {
		r.held[l] = l.Tokens
		r.left += l.Tokens
	}
	return r
}

// without returns the tokens reserved for other lines.
func (r *reserve) without(l *line) int {
	if r == nil {
		return 0
	}
	return r.left - r.held[l]
}

// release ends the reservation of a line, which is shown.
func (r *reserve) release(l *line) {
	if r != nil {
		r.left -= r.held[l]
		delete(r.held, l)
	}
}
