package inspector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
	"github.com/ebbmem/ebb/schema/undo"
)

// always is the page of what the agent is given in every turn.
type always struct {
	extension.Profile

	Groups []alwaysGroup
	Blocks []extension.Block
	Cut    bool // lines beyond the limit are not listed
}

type alwaysGroup struct {
	Title, About string
	Lines        []extension.ProfileLine
}

// maxLines bounds the lines of a page.
const maxLines = 80

func profile(r *request) (answer, error) {
	p, err := r.ext.Profile(r.ctx, r.scope)
	if err != nil {
		return answer{}, err
	}
	v := always{Profile: *p}
	if v.Blocks, err = r.ext.AllBlocks(r.ctx, r.scope); err != nil {
		return answer{}, err
	}
	lines := p.Lines
	if v.Cut = len(lines) > maxLines; v.Cut {
		lines = lines[:maxLines]
	}
	for _, g := range []struct {
		group        extension.ProfileGroup
		title, about string
	}{
		{extension.ProfileKept, "Kept for good", "Protected: these neither fade nor change by themselves."},
		{extension.ProfileTold, "Noted", "What the agent was asked to remember."},
		{extension.ProfileSaid, "Said along the way", "Nobody asked to remember these; they sounded lasting."},
		{extension.ProfilePassing, "Said in passing", "The agent is told these only where there is room."},
	} {
		group := alwaysGroup{Title: g.title, About: g.about}
		for _, l := range lines {
			if l.Group == g.group {
				group.Lines = append(group.Lines, l)
			}
		}
		if len(group.Lines) > 0 {
			v.Groups = append(v.Groups, group)
		}
	}
	return answer{page: "profile", title: "Profile", data: v}, nil
}

// past is a month of days, and one of them.
type past struct {
	Month, Day         time.Time
	Earlier, Later     string // months, as 2026-03
	Weeks              [][]cell
	Total              int
	Sessions           []conversation
	Session            string
	Turned             []validity
	AxisFrom, AxisTo   time.Time
	Cut                bool
	Earliest, HasDates bool
}

// cell is a day of a calendar.
type cell struct {
	Day   time.Time
	N     int
	Level int // 0–4
	In    bool
	Here  bool
}

type conversation struct {
	Name     string
	Memories []extension.Record
}

// validity is a claim with the time in which it holds as a bar, in per cent.
type validity struct {
	extension.Record

	X, Width float64
	Open     bool // it holds still
}

// maxDay is the most memories of one day that are listed.
const maxDay = 120

func timeline(r *request) (answer, error) {
	v := past{Session: r.FormValue("session")}
	loc := r.o.Location
	var newest schema.Time
	if err := r.read(r, func(s *schema.Snapshot) (err error) {
		newest, err = inspect.Newest(r.ctx, s, r.userID)
		return err
	}); err != nil {
		return answer{}, err
	}
	v.Day = r.now()
	if v.HasDates = !newest.IsZero(); v.HasDates {
		v.Day = newest.In(loc)
	}
	whole := false
	var err error
	switch asked := r.FormValue("day"); len(asked) {
	case 0:
	case len("2026-03"):
		whole = true
		v.Day, err = time.ParseInLocation("2006-01", asked, loc)
	default:
		v.Day, err = time.ParseInLocation(time.DateOnly, asked, loc)
	}
	if err != nil || v.Day.Year() < 1000 || v.Day.Year() > 9998 {
		return answer{}, &extension.InvalidError{Field: "day", Reason: "must be a day such as 2026-03-01, or a month such as 2026-03"}
	}
	v.Day = time.Date(v.Day.Year(), v.Day.Month(), v.Day.Day(), 0, 0, 0, 0, loc)
	v.Month = v.Day.AddDate(0, 0, 1-v.Day.Day())
	next := v.Month.AddDate(0, 1, 0)
	v.Earlier, v.Later = v.Month.AddDate(0, -1, 0).Format("2006-01"), next.Format("2006-01")
	if err := v.calendar(r, next, whole); err != nil {
		return answer{}, err
	}
	q := extension.TimelineQuery{Since: v.Day, Until: v.Day.AddDate(0, 0, 1), Limit: maxDay + 1, Session: v.Session}
	if v.Session != "" {
		q.Since, q.Until = time.Time{}, time.Time{}
	}
	if !whole || v.Session != "" {
		records, err := r.ext.Timeline(r.ctx, r.scope, q)
		if err != nil {
			return answer{}, err
		}
		if v.Cut = len(records) > maxDay; v.Cut {
			records = records[len(records)-maxDay:]
		}
		v.group(records)
	}
	title := v.Day.Format("Monday, 2 January 2006")
	if v.Session != "" {
		title = "Session " + v.Session
	} else if whole {
		title = v.Month.Format("January 2006")
	}
	return answer{page: "timeline", title: title, data: &v}, nil
}

// calendar reads the days of the month, and which claims began or ended in it.
func (v *past) calendar(r *request, next time.Time, whole bool) error {
	first := v.Month.AddDate(0, 0, -(int(v.Month.Weekday())+6)%7)
	bounds := []time.Time{first}
	for d := first; d.Before(next) || d.Weekday() != time.Monday; {
		d = d.AddDate(0, 0, 1)
		bounds = append(bounds, d)
	}
	var counts []int
	var turned []schema.Memory
	err := r.read(r, func(s *schema.Snapshot) (err error) {
		if counts, err = inspect.Days(r.ctx, s, r.userID, bounds); err != nil {
			return err
		}
		turned, err = inspect.Turned(r.ctx, s, r.userID, v.Month, next, 40)
		return err
	})
	if err != nil {
		return err
	}
	most := slices.Max(counts)
	for i, n := range counts {
		c := cell{Day: bounds[i], N: n, In: bounds[i].Month() == v.Month.Month(), Here: !whole && bounds[i].Equal(v.Day)}
		if n > 0 {
			c.Level = 1 + 3*n/max(most, 1)
		}
		if c.In {
			v.Total += n
		}
		if i%7 == 0 {
			v.Weeks = append(v.Weeks, nil)
		}
		v.Weeks[len(v.Weeks)-1] = append(v.Weeks[len(v.Weeks)-1], c)
	}
	v.Turned, v.AxisFrom, v.AxisTo = validities(turned, r.now())
	return nil
}

func (v *past) group(records []extension.Record) {
	for _, m := range records {
		if n := len(v.Sessions); n == 0 || v.Sessions[n-1].Name != m.SessionName {
			v.Sessions = append(v.Sessions, conversation{Name: m.SessionName})
		}
		last := &v.Sessions[len(v.Sessions)-1]
		last.Memories = append(last.Memories, m)
	}
}

// validities puts claims on an axis from the first beginning until now.
func validities(claims []schema.Memory, now time.Time) (bars []validity, from, to time.Time) {
	if len(claims) == 0 {
		return nil, from, to
	}
	from, to = claims[0].ValidFrom.Time, now
	for i := range claims {
		if claims[i].ValidFrom.Before(from) {
			from = claims[i].ValidFrom.Time
		}
		if end := claims[i].ValidUntil.Time; end.After(to) {
			to = end
		}
	}
	span := max(float64(to.Sub(from)), 1)
	for _, m := range claims {
		end := m.ValidUntil.Time
		if end.IsZero() {
			end = to
		}
		x := 100 * float64(m.ValidFrom.Sub(from)) / span
		b := validity{Record: m, X: x, Width: max(100*float64(end.Sub(m.ValidFrom.Time))/span, 1), Open: m.ValidUntil.IsZero()}
		b.X = min(b.X, 99)
		b.Width = min(b.Width, 100-b.X)
		bars = append(bars, b)
	}
	return bars, from, to
}

// remembered is the page of one memory.
type remembered struct {
	*extension.Detail

	Curve   curve
	Changes []changed
	Cut     bool
}

// changed is one entry of the audit.
type changed struct {
	inspect.Change

	Columns []column
	Reason  string
}

type column struct{ Name, Before, After string }

// maxRelated bounds each list of a memory's page.
const maxRelated = 40

func oneMemory(r *request) (answer, error) {
	d, err := r.ext.Get(r.ctx, r.scope, r.PathValue("id"))
	if err != nil {
		return answer{}, err
	}
	v := remembered{Detail: d, Curve: r.curve(&d.Memory)}
	v.Cut = max(len(d.Derived), len(d.Sources), len(d.Entities), len(d.Relations), len(d.History)) > maxRelated
	d.Derived, d.Sources, d.Entities = d.Derived[:min(len(d.Derived), maxRelated)], d.Sources[:min(len(d.Sources), maxRelated)], d.Entities[:min(len(d.Entities), maxRelated)]
	d.Relations = d.Relations[:min(len(d.Relations), maxRelated)]
	d.History = d.History[max(0, len(d.History)-maxRelated):]
	for _, c := range d.History {
		v.Changes = append(v.Changes, changed{Change: c, Columns: columns(c), Reason: r.reason(c.Run, d.Memory.UID)})
	}
	line, _ := text.FirstLine(text.Line(d.Memory.Content), 80)
	return answer{page: "memory", title: line, data: v}, nil
}

// reason is what a person wrote about a change, from the ledger.
func (r *request) reason(run, about string) string {
	if run == "" {
		return ""
	}
	var entry *schema.Run
	if err := r.read(r, func(s *schema.Snapshot) (err error) {
		entry, err = inspect.Run(r.ctx, s, r.userID, run)
		return err
	}); err != nil || entry.Cause != schema.CauseHost {
		return ""
	}
	report, err := extension.RunReport(entry)
	if err != nil {
		return ""
	}
	for _, stage := range report.Stages {
		for _, o := range stage.Outcomes {
			if stage.Name == schema.CauseHost && o.Reason != "" {
				return o.Reason
			}
		}
	}
	return ""
}

// columns are what an audited change has changed.
func columns(c inspect.Change) (all []column) {
	var before, after map[string]any
	if json.Unmarshal([]byte(cmp.Or(c.Before, "{}")), &before) != nil || json.Unmarshal([]byte(cmp.Or(c.After, "{}")), &after) != nil {
		return nil
	}
	for name, is := range after {
		was, is := plain(before[name]), plain(is)
		if was != is && name != "version" && !strings.HasSuffix(name, "_at") {
			all = append(all, column{strings.ReplaceAll(name, "_", " "), was, is})
		}
	}
	slices.SortFunc(all, func(a, b column) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// plain is a value of the audit in a few words; a time is a day.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case float64:
		if v > 1e11 {
			return time.UnixMilli(int64(v)).UTC().Format(time.DateOnly)
		}
		return fmt.Sprintf("%.4g", v)
	case map[string]any, []any:
		raw, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return cut(string(raw), 120)
	}
	return cut(fmt.Sprint(v), 120)
}

// cut shortens a text to so many characters.
func cut(s string, most int) string {
	if line, shorter := text.FirstLine(s, most); shorter {
		return visible(line)
	}
	return visible(s)
}

// visible shows characters that would make a text read as another one: those that turn
// the direction of writing, controls, and tags.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', 0xE0000 <= r && r <= 0xE007F:
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// known is the page of an entity.
type known struct {
	*inspect.Entity

	Also          []string // its other names
	Current, Past []validity
	From, To      time.Time
	Graph         graph
}

// maxAlso is the most other names that are listed.
const maxAlso = 10

func entity(r *request) (answer, error) {
	var e *inspect.Entity
	err := r.read(r, func(s *schema.Snapshot) (err error) {
		e, err = inspect.ReadEntity(r.ctx, s, r.userID, r.PathValue("id"))
		return err
	})
	if err != nil {
		return answer{}, err
	}
	v := known{Entity: e, Graph: newGraph(e)}
	for _, a := range e.Aliases {
		if a.Surface != e.Name && len(v.Also) < maxAlso {
			v.Also = append(v.Also, a.Surface)
		}
	}
	all, from, to := validities(e.Claims, r.now())
	v.From, v.To = from, to
	for _, c := range all {
		if c.State == schema.StateActive && c.HeldAt(r.now(), time.Time{}) {
			v.Current = append(v.Current, c)
		} else {
			v.Past = append(v.Past, c)
		}
	}
	return answer{page: "entity", title: e.Name, data: v}, nil
}

// names is the list of entities.
type names struct {
	Prefix string
	Types  []namesOfType
	Cut    bool
}

type namesOfType struct {
	Name string
	All  []schema.Entity
}

// order puts people first, and names of which nothing is known last.
func (t namesOfType) order() int {
	switch t.Name {
	case typeNames["person"]:
		return 0
	case typeNames["name"]:
		return 2
	}
	return 1
}

const maxNames = 120

func entities(r *request) (answer, error) {
	v := names{Prefix: strings.TrimSpace(r.FormValue("name"))}
	if err := schema.ValidLabel("name", v.Prefix); err != nil {
		return answer{}, err
	}
	var all []schema.Entity
	err := r.read(r, func(s *schema.Snapshot) (err error) {
		all, err = inspect.Entities(r.ctx, s, r.userID, text.Fold(v.Prefix), maxNames+1)
		return err
	})
	if v.Cut = len(all) > maxNames; v.Cut {
		all = all[:maxNames]
	}
	for _, e := range all {
		name := named(typeNames, e.Type)
		at := slices.IndexFunc(v.Types, func(t namesOfType) bool { return t.Name == name })
		if at < 0 {
			at, v.Types = len(v.Types), append(v.Types, namesOfType{Name: name})
		}
		v.Types[at].All = append(v.Types[at].All, e)
	}
	slices.SortStableFunc(v.Types, func(a, b namesOfType) int { return cmp.Compare(a.order(), b.order()) })
	return answer{page: "entities", title: "People and things", data: v}, err
}

// ledger is the page of nights.
type ledger struct {
	Months []monthOfNights
	Recent []entry

	Reflections []fourstores.Status
}

type monthOfNights struct {
	Name string
	Days []nightCell
}

type nightCell struct {
	Day   int
	X, Y  int
	ID    string // of the night's run
	State string // "" for none
}

// entry is a run with its report.
type entry struct {
	extension.Run

	Text   string
	Reason string // a person's
	About  *schema.Memory
	Quiet  bool // it changed nothing, and nothing failed
	More   int  // earlier ones of the same kind that are not listed
	Since  time.Time
}

// newEntry reads what a run did, and the memory that a single change was about.
func (r *request) newEntry(s *schema.Snapshot, run *schema.Run) (e entry, err error) {
	report, err := extension.RunReport(run)
	if err != nil {
		return e, err
	}
	e = entry{Run: *run}
	if run.Cause != schema.CauseHost && run.Cause != schema.CauseSaid {
		e.Text, e.Quiet = summary(report.Stages)
		e.Quiet = e.Quiet && run.State == "done" && run.Calls == 0
		return e, nil
	}
	var kinds []string
	for _, stage := range report.Stages {
		for _, o := range stage.Outcomes {
			e.Reason = cmp.Or(e.Reason, o.Reason)
			if kind := named(changeNames, o.Kind); !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
			if e.About == nil && o.Memory != "" {
				if e.About, err = s.Memory(r.ctx, r.userID, o.Memory); errors.Is(err, extension.ErrNotFound) {
					err = nil
				}
				if err != nil {
					return e, err
				}
			}
		}
	}
	e.Text = strings.TrimSuffix(sentence(kinds), ".") // what it was about follows
	return e, nil
}

// summary says in a sentence what a night did, and whether that was nothing.
func summary(stages []extension.StageReport) (says string, quiet bool) {
	done := make(map[string]int)
	var parts, kinds []string
	waiting, fading := 0, 0
	for _, stage := range stages {
		if stage.Error != "" {
			parts = append(parts, "failed at "+strings.ToLower(named(stageNames, stage.Name)))
		}
		fading += stage.Counts["fading"]
		for _, o := range stage.Outcomes {
			switch kind := named(changeNames, o.Kind); {
			case o.Status == "waiting":
				waiting++
			case o.Status != "applied":
			case done[kind] == 0:
				kinds = append(kinds, kind)
				fallthrough
			default:
				done[kind]++
			}
		}
	}
	for _, kind := range kinds {
		if n := done[kind]; n > 1 {
			kind = fmt.Sprintf("%s, %s times", kind, grouped(n))
		}
		parts = append(parts, kind)
	}
	if waiting > 0 {
		parts = append(parts, fmt.Sprintf("%s to decide", grouped(waiting)))
	}
	if quiet = len(parts) == 0; quiet {
		parts = append(parts, "nothing to change")
	}
	if fading > 0 {
		parts = append(parts, fmt.Sprintf("%s fading", grouped(fading)))
	}
	return sentence(parts), quiet
}

// sentence joins parts to a sentence.
func sentence(parts []string) string {
	s := strings.Join(parts, "; ")
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:] + "."
}

// folded lists runs, with nights that changed nothing one after another as one.
func folded(all []entry) (shown []entry) {
	for _, e := range all {
		if n := len(shown); e.Quiet && n > 0 && shown[n-1].Quiet {
			shown[n-1].More++
			shown[n-1].Since = e.StartedAt.Time
			continue
		}
		shown = append(shown, e)
	}
	return shown[:min(len(shown), maxShownRuns)]
}

// The most runs that are read, and that are listed.
const (
	maxRuns      = 200
	maxShownRuns = 25
)

func nights(r *request) (answer, error) {
	var v ledger
	runs, err := r.ext.Runs(r.ctx, r.scope, maxRuns)
	if err != nil {
		return answer{}, err
	}
	if v.Reflections, err = r.ext.Reflections().History(r.ctx, r.scope, 10); err != nil {
		return answer{}, err
	}
	const months = 6
	now := r.now()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location()).AddDate(0, 1-months, 0)
	var all []inspect.Night
	err = r.read(r, func(s *schema.Snapshot) (err error) {
		for i := range runs {
			e, err := r.newEntry(s, &runs[i])
			if err != nil {
				return err
			}
			v.Recent = append(v.Recent, e)
		}
		v.Recent = folded(v.Recent)
		all, err = inspect.NightsSince(r.ctx, s, r.userID, month, 1000)
		return err
	})
	byDay := make(map[string]inspect.Night)
	for _, n := range all {
		byDay[cmp.Or(n.LocalDay, n.StartedAt.In(now.Location()).Format(time.DateOnly))] = n
	}
	for range months {
		m := monthOfNights{Name: month.Format("Jan 2006")}
		for d := month; d.Month() == month.Month(); d = d.AddDate(0, 0, 1) {
			at := d.Day() - 1 + (int(month.Weekday())+6)%7
			n := byDay[d.Format(time.DateOnly)]
			m.Days = append(m.Days, nightCell{Day: d.Day(), X: 18 * (at % 7), Y: 18 * (at / 7), ID: n.ID, State: n.State})
		}
		v.Months = append(v.Months, m)
		month = month.AddDate(0, 1, 0)
	}
	return answer{page: "nights", title: "Nights", data: v}, err
}

// oneNight is the page of a run.
type oneNight struct {
	entry
	outcomes

	CanUndo bool
	Single  bool         // one change, which the head of the page tells
	Undo    *undo.Result // what undoing it would do; nil when it was not tried
}

// outcomes are what the stages of a run proposed.
type outcomes struct {
	Stages []extension.StageReport
	Still  []extension.StageReport // those that had nothing to change
	Cut    int                     // outcomes that are not listed
}

// maxOutcomes is the most proposals of a run that are listed.
const maxOutcomes = 300

func newOutcomes(stages []extension.StageReport) (v outcomes) {
	v.Stages = stages
	left := maxOutcomes
	for i := range v.Stages {
		n := min(left, len(v.Stages[i].Outcomes))
		v.Cut += len(v.Stages[i].Outcomes) - n
		v.Stages[i].Outcomes, left = v.Stages[i].Outcomes[:n], left-n
		if s := v.Stages[i]; len(s.Outcomes) == 0 && s.Error == "" && !s.OutOfBudget {
			v.Still = append(v.Still, s)
		}
	}
	return v
}

func night(r *request) (answer, error) {
	var run *schema.Run
	var v oneNight
	err := r.read(r, func(s *schema.Snapshot) (err error) {
		if run, err = inspect.Run(r.ctx, s, r.userID, r.PathValue("id")); err == nil {
			v.entry, err = r.newEntry(s, run)
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	report, err := extension.RunReport(run)
	if err != nil {
		return answer{}, err
	}
	v.outcomes = newOutcomes(report.Stages)
	v.Single = v.About != nil && len(v.Stages) == 1 && len(v.Stages[0].Outcomes) == 1
	if v.CanUndo = r.o.Write && run.State != "undone" && run.State != "running"; v.CanUndo {
		if v.Undo, err = r.tryUndo(run.UID); err != nil {
			return answer{}, err
		}
	}
	title := "Change of " + run.StartedAt.In(r.o.Location).Format("2 January 2006")
	if run.LocalDay != "" {
		title = "Night of " + run.LocalDay
		if day, err := time.Parse(time.DateOnly, run.LocalDay); err == nil {
			title = "Night of " + day.Format("2 January 2006")
		}
	}
	return answer{page: "night", title: title, data: v}, nil
}

// waiting is the page of what a person has to decide.
type waiting struct {
	Proposals     []extension.Proposal
	Confirmations []extension.Confirmation
	Quarantined   []extension.Record
	Unvouched     []extension.Record
	Reflection    *fourstores.Status // the open one
	CanReflect    bool
	Evidence      map[string]*schema.Memory // what its insights rest on, by id
	Cut           bool
}

const (
	maxWaiting = 50
	// maxProposed is the longest text, in bytes, that can be approved on the page, which
	// shows it whole.
	maxProposed = 16 << 10
	// maxProposals is the most text of proposals on one page, in bytes.
	maxProposals = 32 << 10
)

func decide(r *request) (answer, error) {
	var v waiting
	var err error
	if v.Proposals, err = r.ext.Proposals(r.ctx, r.scope); err != nil {
		return answer{}, err
	}
	if v.Quarantined, err = r.ext.Quarantined(r.ctx, r.scope, maxWaiting); err != nil {
		return answer{}, err
	}
	reflection, err := r.ext.Reflections().Status(r.ctx, r.scope)
	if err != nil {
		return answer{}, err
	}
	if slices.Contains([]string{"requested", "granted", "drafted"}, string(reflection.State)) {
		v.Reflection, v.CanReflect = reflection, r.o.Write && r.o.Reflects
	}
	if err := v.readEvidence(r); err != nil {
		return answer{}, err
	}
	err = r.read(r, func(s *schema.Snapshot) (err error) {
		if v.Unvouched, err = inspect.NotOwnWords(r.ctx, s, r.userID, maxWaiting); err != nil {
			return err
		}
		questions, err := schema.PendingConfirmations(r.ctx, s, r.userID)
		for _, q := range questions {
			v.Confirmations = append(v.Confirmations, extension.Confirmation{ID: q.UID, MemoryID: q.MemoryUID, Shown: q.Shown, AskedAt: q.CreatedAt.Time})
		}
		return err
	})
	v.Cut = max(len(v.Proposals), len(v.Confirmations)) > maxWaiting
	v.Proposals, v.Confirmations = v.Proposals[:min(len(v.Proposals), maxWaiting)], v.Confirmations[:min(len(v.Confirmations), maxWaiting)]
	size := 0
	for i := range v.Proposals {
		if size += min(len(v.Proposals[i].NewContent), maxProposed); size > maxProposals && i > 0 {
			v.Proposals, v.Cut = v.Proposals[:i], true
			break
		}
	}
	return answer{page: "decide", title: "To decide", data: v}, err
}

// readEvidence reads the memories that the insights of a reflection rest on. What was
// erased since is left out.
func (v *waiting) readEvidence(r *request) error {
	if v.Reflection == nil || v.Reflection.Draft == nil {
		return nil
	}
	v.Evidence = make(map[string]*schema.Memory)
	return r.read(r, func(s *schema.Snapshot) error {
		for _, insight := range v.Reflection.Draft.Insights {
			for _, id := range insight.Sources {
				if len(v.Evidence) == maxRelated {
					return nil
				}
				m, err := s.Memory(r.ctx, r.userID, id)
				if errors.Is(err, extension.ErrNotFound) {
					continue
				}
				if err != nil {
					return err
				}
				v.Evidence[id] = m
			}
		}
		return nil
	})
}

// state is the page of the memory's health.
type state struct {
	Stats *extension.Stats
	File  *extension.Health // nil where one user alone may look
	Kinds []kindCount
	Well  bool
	At    time.Time
	Busy  bool // the report is not finished yet
}

// report is a state that is being read, until done is closed.
type report struct {
	done  chan struct{}
	state state
	err   error
}

// How long a report is shown again, and the most time it takes: it reads something of
// every memory.
const (
	healthLasts = time.Minute
	healthTakes = 5 * time.Minute
)

type kindCount struct {
	Kind            string
	Active, Dormant int64
	Width           float64
}

func health(r *request) (answer, error) {
	report := r.healthReport()
	waits := time.NewTimer(r.patience)
	defer waits.Stop()
	v := state{Busy: true}
	select {
	case <-report.done:
		if report.err != nil {
			return answer{}, report.err
		}
		v = report.state
	case <-waits.C:
	case <-r.ctx.Done():
		return answer{}, r.ctx.Err()
	}
	return answer{page: "health", title: "Health", data: v}, nil
}

// healthReport returns the newest report of the user who is looked at. It starts one if
// there is none, or if the last one failed or is old: of a large memory it takes longer
// than a page may.
func (r *request) healthReport() *report {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.reports[r.scope]; known != nil {
		select {
		case <-known.done:
			if known.err == nil && time.Since(known.state.At) < healthLasts {
				return known
			}
		default:
			return known
		}
	}
	if len(r.reports) >= maxSessions {
		clear(r.reports)
	}
	made := &report{done: make(chan struct{})}
	r.reports[r.scope] = made
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), healthTakes)
	go func() {
		defer close(made.done)
		defer cancel()
		made.state, made.err = r.readHealth(ctx, r.scope)
	}()
	return made
}

// readHealth reads a report.
func (p *Page) readHealth(ctx context.Context, scope extension.Scope) (v state, err error) {
	v.At = time.Now()
	if v.Stats, err = p.ext.Stats(ctx, scope); err != nil {
		return v, err
	}
	v.Well = v.Stats.Health.Healthy()
	if p.o.Scope.User == "" {
		if v.File, err = p.ext.Health(ctx); err != nil {
			return v, err
		}
		v.Well = v.Well && v.File.Healthy()
	}
	var most int64
	for _, n := range v.Stats.Memories {
		most = max(most, n)
	}
	for _, kind := range []extension.Kind{extension.KindEpisode, extension.KindFact, extension.KindPreference, extension.KindReflection} {
		k := kindCount{kindNames[kind] + "s", v.Stats.Memories[string(kind)], v.Stats.Dormant[string(kind)], 0}
		if most > 0 {
			k.Width = 100 * float64(k.Active) / float64(most)
		}
		v.Kinds = append(v.Kinds, k)
	}
	return v, nil
}
