package inspector

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
	"github.com/ebbmem/ebb/schema/undo"
)

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
	Large   int          // its changes, if they are too many to try: that keeps writers waiting
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
		if err == nil {
			v.Large, err = inspect.Changes(r.ctx, s, run.ID)
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
	if v.CanUndo = r.o.Write && run.State != "undone" && run.State != "running"; v.CanUndo && v.Large <= r.tried {
		v.Large = 0
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
