package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type profileCmd struct {
	TimeZone *string `name:"time-zone" placeholder:"NAME" help:"First set the user's time zone, such as Europe/Oslo (empty: that of the machine)."`
}

// Help documents the JSON.
func (profileCmd) Help() string {
	return `Lists the user's statements about themselves that still hold. Prompts start with them, as far as the budget allows. The order is: facts the user asked to keep for good, facts stored by a tool or the host, facts extracted from messages, texts of an assistant that were approved, what was said in passing and is shown only where there is room; within a group by time.

With --json: {"lines": [{"text", "group": "kept"|"told"|"said"|"approved"|"passing", "said", "since", "before", "ended", "claims": [ID], "sources": [ID], "dormant", "tokens"}], "tokens", "budget"}; sources are the messages, none for what a person stored or approved; since is when the line replaced an earlier statement, before when that began.`
}

func (c *profileCmd) Run(a *app) (err error) {
	var x *extension.Extension
	if c.TimeZone == nil {
		x, err = a.open(true)
	} else {
		x, err = a.openExisting()
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	if c.TimeZone != nil {
		if err := x.SetTimeZone(a.ctx, a.scope(), *c.TimeZone); err != nil {
			return err
		}
	}
	v, err := x.Profile(a.ctx, a.scope())
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(v)
	}
	p := a.page()
	if len(v.Lines) == 0 {
		p.Line("Nothing is known of this user in their own words.")
		return p.Err
	}
	titles := map[extension.ProfileGroup]string{
		extension.ProfileKept: "Kept for good", extension.ProfileTold: "Told", extension.ProfileSaid: "Only said",
		extension.ProfileApproved: "Approved, in an assistant's words", extension.ProfilePassing: "Said in passing",
	}
	for i, l := range v.Lines {
		if i == 0 || v.Lines[i-1].Group != l.Group {
			if i > 0 {
				p.Line("")
			}
			p.Line("%s", p.In(cells.Bold, titles[l.Group]))
		}
		p.Body("  ", "    ", l.Text)
		p.about(&l)
	}
	p.Line("")
	p.Say("%s: %s of a budget of %d in every prompt.", cells.Count(len(v.Lines), "sentence", "sentences"), cells.Count(v.Tokens, "token", "tokens"), v.Budget)
	if v.Tokens > v.Budget && v.Budget > 0 {
		p.Line("The question decides which of them are shown.")
	}
	return p.Err
}

// about writes what stands below a line: when it was said, what it changed, and
// the claims that rest on it.
func (p *page) about(l *extension.ProfileLine) {
	about := []string{"said " + l.Said.In(p.Location).Format(time.DateOnly)}
	if l.Speaker != "" {
		about = append(about, "by "+l.Speaker)
	}
	if l.Project != "" {
		about = append(about, "in "+l.Project)
	}
	if !l.Since.IsZero() {
		about = append(about, "since "+l.Since.In(p.Location).Format(time.DateOnly))
	}
	if l.Before != "" {
		about = append(about, fmt.Sprintf("before: %s", cells.OneLine(l.Before, 60)))
	}
	if l.Ended != "" {
		about = append(about, cells.OneLine(l.Ended, 80))
	}
	if l.Dormant {
		about = append(about, "faded")
	}
	about = append(about, l.Claims...)
	for i, part := range about {
		about[i] = p.In(cells.Dim, part)
	}
	about[0] = "    " + about[0]
	p.Parts("    ", about...)
}
