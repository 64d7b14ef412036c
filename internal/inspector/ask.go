package inspector

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// asking is the page that asks the memory a question.
type asking struct {
	Question, AsOf string
	Answered       bool
	Relevance      float64
	Considered     int
	Note           string
	Degraded       []extension.Degraded
	Results, More  []found
	Block          string // as the model gets it
	Tokens         int
	Missing        string // what was looked for among what did not come
	Candidates     []extension.Record
	Why            *why
	Known          []schema.Entity // for questions to begin with
	Lately         []schema.Memory // the newest claims, before a question
}

// found is a result as it is shown.
type found struct {
	extension.Result

	Shown bool // it is before the model
	Bars  []bar
}

// bar is a signal of a score.
type bar struct {
	Name  string
	Value float64 // its contribution
	// X and Width are in per cent of a row with 0 in its middle.
	X, Width float64
}

type why struct {
	extension.Explanation

	Bars, Above []bar
}

const (
	askLimit  = 10
	maxLately = 6
)

func ask(r *request) (answer, error) {
	v := asking{Question: strings.TrimSpace(r.FormValue("q")), AsOf: r.FormValue("asof"), Missing: strings.TrimSpace(r.FormValue("missing"))}
	a := answer{page: "ask", title: "Ask", data: &v}
	if v.Question == "" {
		return a, r.read(r, func(s *schema.Snapshot) (err error) {
			if v.Known, err = inspect.Entities(r.ctx, s, r.userID, "", 8); err != nil {
				return err
			}
			v.Lately, err = inspect.Timeline(r.ctx, s, r.userID, inspect.TimelineQuery{Kinds: []schema.Kind{schema.KindFact, schema.KindPreference}, Limit: maxLately})
			slices.Reverse(v.Lately)
			return err
		})
	}
	a.title = v.Question
	q := extension.Query{Text: v.Question, Limit: askLimit}
	if v.AsOf != "" {
		day, err := time.ParseInLocation(time.DateOnly, v.AsOf, r.o.Location)
		if err != nil {
			return answer{}, &extension.InvalidError{Field: "date", Reason: "must be a day such as 2026-03-01"}
		}
		q.AsOf.Valid, q.Until = day.AddDate(0, 0, 1), day.AddDate(0, 0, 1)
	}
	session, err := r.ext.Session(r.scope)
	if err != nil {
		return answer{}, err
	}
	in := new(extension.Injection)
	if v.AsOf == "" {
		if in, err = session.Preview(r.ctx, v.Question); err != nil {
			return answer{}, err
		}
	}
	answered := in.Answer
	if answered != nil {
		q = in.Query
	} else if answered, err = session.Search(r.ctx, q); err != nil { // no small talk is searched for, nor the past
		return answer{}, err
	}
	shown := v.given(in)
	v.Answered, v.Relevance, v.Considered, v.Note, v.Degraded = true, answered.Relevance, answered.Considered, answered.Note, answered.Degraded
	scale := widest(answered.Results)
	for _, result := range answered.Results {
		v.Results = append(v.Results, found{result, shown[result.Memory.UID], bars(result.Signals, scale)})
	}
	v.Results, v.More = v.Results[:min(len(v.Results), askLimit)], v.Results[min(len(v.Results), askLimit):]
	return a, v.missing(r, session, q)
}

// given takes over what would be put before a model now, and returns the ids in it.
func (v *asking) given(in *extension.Injection) (shown map[string]bool) {
	v.Block, v.Tokens = in.Block, in.Tokens
	shown = make(map[string]bool)
	for _, item := range in.Items {
		shown[item.Memory.UID] = true
	}
	for _, line := range in.Profile {
		for _, id := range slices.Concat(line.Claims, line.Sources) {
			shown[id] = true
		}
	}
	return shown
}

// missing explains why a memory did not come, or finds the memories that may be
// meant.
func (v *asking) missing(r *request, session *extension.Session, q extension.Query) error {
	id := r.FormValue("why")
	if text.IsID(v.Missing) {
		id = v.Missing
	}
	if id != "" {
		e, err := session.Why(r.ctx, q, id)
		if err != nil {
			return err
		}
		v.Why = &why{Explanation: *e}
		if e.Result != nil {
			rows := []extension.Result{*e.Result}
			if e.Above != nil {
				rows = append(rows, *e.Above)
			}
			scale := widest(rows)
			v.Why.Bars = bars(e.Result.Signals, scale)
			if e.Above != nil {
				v.Why.Above = bars(e.Above.Signals, scale)
			}
		}
		return nil
	}
	if v.Missing == "" {
		return nil
	}
	found, err := r.ext.Recall(r.ctx, r.scope, extension.Query{Text: v.Missing, Limit: 5, Dormant: true})
	if err != nil {
		return err
	}
	for _, result := range found.Results {
		v.Candidates = append(v.Candidates, result.Memory)
	}
	return nil
}

// widest is the largest contribution of a signal.
func widest(results []extension.Result) (scale float64) {
	for _, r := range results {
		for _, s := range r.Signals {
			scale = max(scale, math.Abs(s.Contribution()))
		}
	}
	return scale
}

// bars are the signals that add something, the largest first.
func bars(signals []recall.Signal, scale float64) []bar {
	var all []bar
	for _, s := range signals {
		c := s.Contribution()
		if scale <= 0 || math.Abs(c) < 0.0005 || math.IsNaN(c) {
			continue
		}
		width := 50 * math.Abs(c) / scale
		b := bar{Name: s.Name, Value: c, X: 50, Width: width}
		if c < 0 {
			b.X = 50 - width
		}
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b bar) int { return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)) })
	return all
}
