package ownwords

import (
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Superseded says that what a memory says no longer holds.
type Superseded struct {
	Since time.Time `json:"since"`
	// By is the id of the claim that holds instead, and Text what it says, cut
	// after a few words; both are empty where no such claim may be shown.
	By   string `json:"by,omitempty"`
	Text string `json:"text,omitempty"`
}

// String is the mark by which a model sees it.
func (s Superseded) String() string {
	mark := "no longer so since " + s.Since.Format(time.DateOnly)
	if s.Text != "" {
		mark += ": " + s.Text
	}
	return mark
}

// lastOf is the claim that ended last, nil when all are still said.
func lastOf(ended []schema.Ended) (last *schema.Ended) {
	for i, e := range ended {
		if e.By != nil && stillSays(&e.Claim, e.By) {
			continue
		}
		if last == nil || e.Claim.ValidUntil.After(last.Claim.ValidUntil.Time) {
			last = &ended[i]
		}
	}
	return last
}

// stillSays reports a claim that was not ended by its successor but merged with
// it: the successor says the same.
func stillSays(old, by *schema.Memory) bool {
	if old.Object != "" && by.Object != "" {
		return old.Predicate == by.Predicate && text.Fold(old.Object) == text.Fold(by.Object)
	}
	says := grounding.Understand(old.Content, old.EventTime.Time)
	return says.HeldBy(by.Content, by.EventTime.Time, nil) && grounding.Denial.MatchString(old.Content) == grounding.Denial.MatchString(by.Content)
}

// maxBefore is the most tokens of what was true before, and of what holds now,
// in a mark.
const maxBefore = 20

// Last is the mark of the claim that ended last, nil when all are still said.
func Last(ended []schema.Ended, loc *time.Location) *Superseded {
	if of := lastOf(ended); of != nil {
		mark := MarkOf(*of, loc)
		return &mark
	}
	return nil
}

// MarkOf is the mark of a claim that ended. It repeats nothing of a
// successor that is not shown to models automatically.
func MarkOf(e schema.Ended, loc *time.Location) Superseded {
	s := Superseded{Since: e.Claim.ValidUntil.In(loc)}
	if by := e.By; by != nil && !by.Hearsay() && (by.OwnWords() || poison.InspectAll(by.Content) == "") {
		s.By, s.Text = by.UID, text.Truncate(text.Line(by.Content), maxBefore)
	}
	return s
}

// signalSuperseded takes from the score of what is no longer so what it has over
// that of the claim that holds instead.
const signalSuperseded = "superseded"

// BelowSuccessors orders results so that each that has ended follows the one that
// ended it, if that is among them.
func BelowSuccessors(results []recall.Result, ended map[string]Superseded) []recall.Result {
	below := make(map[string][]recall.Result) // a successor's id → those that wait for it
	ordered := make([]recall.Result, 0, len(results))
	for i, r := range results {
		by := ended[r.Memory.UID].By
		if by != "" && slices.ContainsFunc(results[i+1:], func(later recall.Result) bool { return later.Memory.UID == by }) {
			below[by] = append(below[by], r)
			continue
		}
		ordered = append(ordered, r)
		for _, waiting := range below[r.Memory.UID] {
			waiting.Signals = append(slices.Clone(waiting.Signals), recall.Signal{Name: signalSuperseded, Value: waiting.Score - r.Score, Weight: -1})
			waiting.Score = r.Score
			ordered = append(ordered, waiting)
		}
	}
	for i := range ordered {
		ordered[i].Rank = i + 1
	}
	return ordered
}
