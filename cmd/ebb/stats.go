package main

import (
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/cmd/ebb/records"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type statsCmd struct{}

// Help documents the JSON.
func (statsCmd) Help() string {
	return `Counts the user given by --user, or all users.

With --json: {"users": [{"tenant", "user", "memories": {KIND: n}, "states": {STATE: n}, "sessions", "entities", "first", "last", "last_night", "last_run", "last_summary", "model": {"runs", "calls", "input_tokens", "output_tokens", "cost", "faults"}, "gaps": {"batches", "given_up", "messages", "attempts", "last_error"}, …}], "health": {"consumers": [{"name", "cursor", "lag", "retrying", "parked", …}], "failures", "night_failed", "given_up", "open_erasures", "losses": [{"noticed_at", "marked_at", "gone": {TABLE: {"after", "through"}}}], "vectors": {"model", "chunks", "pending", "since"}, "nights_overdue", "quarantined", "log_held", "degraded", "integrity": {"checked_at", "unfindable", "miscounted"}, "file_bytes", "wal_bytes"}}.`
}

// statsView is the shape of `ebb stats --json`.
type statsView struct {
	Users  []userStats      `json:"users"`
	Health extension.Health `json:"health"`
}

// userStats is one user's statistics; the file's health stands beside them,
// once.
type userStats struct {
	Tenant string `json:"tenant,omitempty"`
	User   string `json:"user"`
	*extension.Stats

	Health *struct{} `json:"health,omitempty"` // hides that of Stats
}

func (statsCmd) Run(a *app) (err error) {
	x, err := a.open(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	users := a.users
	if a.user != "" {
		users = []extension.User{{Tenant: a.tenant, Name: a.user}}
	}
	v := statsView{Users: []userStats{}}
	for _, u := range users {
		stats, err := x.Stats(a.ctx, extension.Scope{Tenant: u.Tenant, User: u.Name})
		if err != nil {
			return err
		}
		v.Users = append(v.Users, userStats{Tenant: u.Tenant, User: u.Name, Stats: stats})
	}
	health, err := x.Health(a.ctx)
	if err != nil {
		return err
	}
	v.Health = *health
	if a.json {
		return a.printJSON(v)
	}
	p := a.page()
	for _, u := range v.Users {
		p.userStats(u)
	}
	if len(v.Users) == 0 {
		p.Line("No user yet.")
		p.Line("")
	}
	p.health(&v.Health)
	return p.Err
}

func (p *page) userStats(u userStats) {
	name := cells.OneLine(u.User, 60)
	if u.Tenant != "" {
		name += " (tenant " + cells.OneLine(u.Tenant, 40) + ")"
	}
	p.Line("%s", p.In(cells.Bold, name))
	rows := [][]string{{"memories", records.KindCounts(u.Memories)}}
	if faded := u.States["dormant"] + u.States["superseded"] + u.States["retired"] + u.States["quarantined"] + u.States["forgotten"]; faded > 0 {
		rows = append(rows, []string{"inactive", fmt.Sprintf("%d superseded, %d dormant, %d retired, %d quarantined, %d forgotten",
			u.States["superseded"], u.States["dormant"], u.States["retired"], u.States["quarantined"], u.States["forgotten"])})
	}
	rows = append(rows, []string{"sessions", fmt.Sprint(u.Sessions)}, []string{"entities", fmt.Sprint(u.Entities)})
	if !u.First.IsZero() {
		rows = append(rows, []string{"from", p.Moment(u.First)}, []string{"until", p.Moment(u.Last)})
	}
	if u.LastNight != "" {
		rows = append(rows, []string{"last night", u.LastNight})
	}
	if u.LastRun != nil {
		rows = append(rows, []string{"last run", fmt.Sprintf("%s (%s), %s", p.Moment(u.LastRun.StartedAt.Time), u.LastRun.Cause, u.LastRun.State)})
	}
	if u.LastSummary != "" {
		rows = append(rows, []string{"", cells.OneLine(u.LastSummary, 300)})
	}
	if m := u.Model; m.Calls+m.Faults > 0 {
		rows = append(rows, []string{"model", fmt.Sprintf("%s in %s",
			usage(ask.Usage{Calls: int(m.Calls), InputTokens: int(m.InputTokens), OutputTokens: int(m.OutputTokens), Cost: m.Cost, Faults: int(m.Faults)}), cells.Count(m.Runs, "run", "runs"))})
	}
	if g := u.Gaps; g.Batches > 0 {
		rows = append(rows, []string{"left out", fmt.Sprintf("%s (%s), %d given up; %s", cells.Count(g.Batches, "batch", "batches"),
			cells.Count(g.Messages, "message", "messages"), g.GivenUp, cells.OneLine(g.LastError, 200))})
	}
	if u.Proposals > 0 {
		rows = append(rows, []string{"waiting", cells.Count(u.Proposals, "proposal", "proposals")})
	}
	p.Table("  ", rows)
	p.Line("")
}

func (p *page) health(h *extension.Health) {
	state := p.In(cells.Good, "healthy")
	if !h.Healthy() {
		state = p.In(cells.Warm, "needs attention")
	}
	p.Line("%s  %s", p.In(cells.Bold, "file"), state)
	p.Table("  ", [][]string{{"size", cells.Size(h.FileBytes)}, {"write-ahead log", cells.Size(h.WALBytes)}})
	if len(h.Consumers) > 0 {
		rows := [][]string{{"consumer", "at", "behind", "retrying", "parked"}}
		for _, c := range h.Consumers {
			behind := fmt.Sprint(c.Lag)
			if c.Lag > 0 && c.LagAtMost {
				behind = "≤" + behind
			}
			rows = append(rows, []string{c.Name, fmt.Sprint(c.Cursor), behind, fmt.Sprint(c.Retrying), fmt.Sprint(c.Parked)})
			if c.LastError != "" {
				rows = append(rows, []string{"  " + p.In(cells.Warm, cells.OneLine(c.LastError, p.Width-6))})
			}
		}
		p.Table("  ", rows)
	}
	if v := h.Vectors; v != nil && v.Pending > 0 {
		p.Note(cells.Warm, "  ", fmt.Sprintf("%d of %s have no vector of %s, the oldest since %s", v.Pending, cells.Count(v.Chunks, "text", "texts"), v.Model, p.Moment(v.Since)))
	}
	if n := h.Integrity.Unfindable; n > 0 {
		p.Note(cells.Red, "  ", cells.Count(n, "memory is", "memories are")+" not found by some or all of their words; ebb doctor says more")
	}
	if n := h.Integrity.Miscounted; n > 0 {
		p.Note(cells.Red, "  ", cells.Count(n, "entity is", "entities are")+" not linked as they say; ebb doctor says more")
	}
	if h.NightFailed {
		p.Note(cells.Warm, "  ", "the last night failed; ebb runs says why")
	}
	if h.GivenUp {
		p.Note(cells.Warm, "  ", "nights gave up on some messages, which are stored and found; see left out")
	}
	if h.OpenErasures > 0 {
		p.Note(cells.Warm, "  ", cells.Count(h.OpenErasures, "erasure is", "erasures are")+" not finished; ebb doctor says more")
	}
	if h.NightsOverdue > 0 {
		p.Note(cells.Warm, "  ", cells.Count(h.NightsOverdue, "night is", "nights are")+" overdue")
	}
	if h.Quarantined > 0 {
		p.Note(cells.Dim, "  ", cells.Count(h.Quarantined, "memory", "memories")+" in quarantine")
	}
	if h.LogHeld > 0 {
		p.Note(cells.Warm, "  ", cells.Count(h.LogHeld, "page", "pages")+" of the write-ahead log are held by a reader")
	}
	for _, d := range h.Degraded {
		p.Note(cells.Warm, "  ", fmt.Sprintf("the %s arm of searches failed %s, last %s: %s", d.Arm, cells.Count(d.Count, "time", "times"), p.Moment(d.LastAt), cells.OneLine(d.Reason, p.Width)))
	}
	for _, l := range h.Losses {
		p.Note(cells.Red, "  ", cells.OneLine(l.Error(), 400))
	}
	for _, f := range h.Failures {
		p.Note(cells.Warm, "  ", fmt.Sprintf("%s failed %s, last %s: %s", f.Source, cells.Count(f.Count, "time", "times"), p.Moment(f.LastAt.Time), cells.OneLine(f.Error, p.Width)))
	}
}
