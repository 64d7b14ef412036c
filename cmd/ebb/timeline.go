package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/cmd/ebb/records"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type timelineCmd struct {
	Entity    string   `placeholder:"NAME" help:"Only memories that mention this person, place or thing under any of its names."`
	Kind      []string `placeholder:"KIND" help:"Only these kinds: episode, fact, preference, reflection."`
	Forgotten bool     `help:"Also what was forgotten."`
	Session   string   `placeholder:"NAME" help:"Only this session."`
	Since     moment   `placeholder:"TIME" help:"Only what happened at or after this time."`
	Until     moment   `placeholder:"TIME" help:"Only what happened before this time."`
	Limit     int      `short:"n" placeholder:"N" default:"50" help:"Show the newest N memories, 1 to 1000 (default 50)."`
	IDs       bool     `name:"ids" help:"Print each memory's id."`
}

// Help documents the JSON.
func (timelineCmd) Help() string {
	return `With --json: {"memories": [{"id", "kind", "content", "event_time", …}]}, oldest first.`
}

// timelineView is the shape of `ebb timeline --json`.
type timelineView struct {
	Memories []extension.Record `json:"memories"`
}

func (c *timelineCmd) Run(a *app) (err error) {
	if err := validLimit(c.Limit); err != nil {
		return err
	}
	x, err := a.open(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	q := extension.TimelineQuery{
		Entity: c.Entity, Session: c.Session, Since: c.Since.at(a), Until: c.Until.at(a), Forgotten: c.Forgotten, Limit: c.Limit,
	}
	for _, k := range c.Kind {
		q.Kinds = append(q.Kinds, extension.Kind(k))
	}
	memories, err := x.Timeline(a.ctx, a.scope(), q)
	if err != nil {
		return notFoundAs(err, fmt.Sprintf("no memory of this user mentions %q; entities are linked in the background after a message is stored", c.Entity))
	}
	if a.json {
		return a.printJSON(timelineView{append([]extension.Record{}, memories...)})
	}
	p := a.page()
	p.timeline(memories, c.IDs)
	return p.Err
}

// timeline shows memories day by day.
func (p *page) timeline(memories []extension.Record, ids bool) {
	if len(memories) == 0 {
		p.Line("Nothing in this time.")
		return
	}
	widest := 0
	for i := range memories {
		widest = max(widest, cells.Width(records.Speaker(&memories[i])))
	}
	var day string
	for i := range memories {
		m := &memories[i]
		if today := p.Day(m.EventTime.Time); today != day {
			if day != "" {
				p.Line("")
			}
			p.Line("%s", p.In(cells.Bold, today))
			day = today
		}
		who := records.Speaker(m)
		first := "  " + m.EventTime.In(p.Location).Format("15:04") + "  " + who + strings.Repeat(" ", widest-cells.Width(who)+2)
		text := m.Content
		if m.State != "active" {
			text = fmt.Sprintf("[%s] %s", m.State, text)
		}
		indent := strings.Repeat(" ", cells.Width(first))
		p.Body(first, indent, text)
		if ids {
			p.ID(indent, m.UID)
		}
	}
}
