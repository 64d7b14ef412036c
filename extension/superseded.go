package extension

import (
	"context"
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Superseded says that what a memory told is no longer so.
type Superseded struct {
	Since time.Time `json:"since"`
	// By is the id of the claim that holds instead, and Text what it says, cut
	// after a few words; both are empty where no such claim may be shown.
	By   string `json:"by,omitempty"`
	Text string `json:"text,omitempty"`
}

// String is the mark by which a model sees it.
func (s Superseded) String() string {
	mark := "no longer so since " + s.Since.Format(dateShown)
	if s.Text != "" {
		mark += ": " + s.Text
	}
	return mark
}

// Superseded finds among memories those that tell what is no longer so: messages
// with a claim resting on them that was superseded, and such claims themselves.
// It returns them by id. Dates are in Config.Location.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Superseded(ctx context.Context, scope Scope, memories ...Record) (map[string]Superseded, error) {
	if err := scope.Validate(); err != nil || len(memories) == 0 {
		return nil, err
	}
	ids := make([]int64, len(memories))
	for i := range memories {
		ids[i] = memories[i].ID
	}
	var ended map[int64][]schema.Ended
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		ended, err = s.EndedClaims(ctx, userID, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	found := make(map[string]Superseded)
	for i := range memories {
		if of := lastEnded(ended[memories[i].ID]); of != nil {
			found[memories[i].UID] = supersededBy(*of, x.cfg.Location)
		}
	}
	return found, nil
}

// presentFirst moves what is no longer so to below the claim that holds instead,
// where a search found both.
func (x *Extension) presentFirst(ctx context.Context, scope Scope, answer *Answer) error {
	memories := make([]Record, len(answer.Results))
	for i := range answer.Results {
		memories[i] = answer.Results[i].Memory
	}
	ended, err := x.Superseded(ctx, scope, memories...)
	if len(ended) > 0 {
		answer.Results = belowSuccessors(answer.Results, ended)
	}
	return err
}

// signalSuperseded takes from the score of what is no longer so what it has over
// that of the claim that holds instead.
const signalSuperseded = "superseded"

// belowSuccessors orders results so that each that has ended follows the one that
// ended it, if that is among them.
func belowSuccessors(results []Result, ended map[string]Superseded) []Result {
	below := make(map[string][]Result) // a successor's id → those that wait for it
	ordered := make([]Result, 0, len(results))
	for i, r := range results {
		by := ended[r.Memory.UID].By
		if by != "" && slices.ContainsFunc(results[i+1:], func(later Result) bool { return later.Memory.UID == by }) {
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

// lastEnded is the claim that ended last, nil when all are still said.
func lastEnded(ended []schema.Ended) (last *schema.Ended) {
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

// supersededBy is the mark of a claim that ended. It repeats nothing of a
// successor that is not shown to models unasked.
func supersededBy(e schema.Ended, loc *time.Location) Superseded {
	s := Superseded{Since: e.Claim.ValidUntil.In(loc)}
	if by := e.By; by != nil && !by.Hearsay() && (by.OwnWords() || poison.InspectAll(by.Content) == "") {
		s.By, s.Text = by.UID, text.Truncate(text.Line(by.Content), maxBefore)
	}
	return s
}

// markSuperseded marks the entries that tell what is no longer so.
func (x *Extension) markSuperseded(ctx context.Context, scope Scope, entries []entry) ([]entry, error) {
	memories := make([]Record, len(entries))
	for i := range entries {
		memories[i] = entries[i].Memory
	}
	ended, err := x.Superseded(ctx, scope, memories...)
	for i := range entries {
		if s, is := ended[entries[i].Memory.UID]; is {
			entries[i].ended = s.String()
		}
	}
	return entries, err
}
