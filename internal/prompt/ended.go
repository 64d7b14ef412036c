package prompt

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Superseded describes how a memory's content stopped being true.
type Superseded struct {
	Since time.Time `json:"since"`
	// By is the id of the claim that holds instead, and Text its shortened text.
	// Both are empty if that claim may not be shown.
	By   string `json:"by,omitempty"`
	Text string `json:"text,omitempty"`
	// Part is the clause that is no longer true where the rest of the sentence still is, ""
	// for all of it.
	Part string `json:"part,omitempty"`
}

// String returns the mark shown to models.
func (s Superseded) String() string {
	mark := ""
	if s.Part != "" {
		mark = `"` + s.Part + `" is `
	}
	mark += "no longer so since " + s.Since.Format(time.DateOnly)
	if s.Text != "" {
		mark += ": " + s.Text
	}
	return mark
}

// lastOf returns the claim that ended last, or nil if what each says still holds.
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

// stillSays reports whether a claim was merged into one that says the same, or the
// same and more, and so still holds. The subject of the old claim stands for "I".
func stillSays(old, by *schema.Memory) bool {
	if grounding.Denial.MatchString(old.Content) != grounding.Denial.MatchString(by.Content) {
		return false
	}
	if was, is := text.Fold(old.Object), text.Fold(by.Object); was != "" && (was == is || grounding.HoldsWord(is, was)) {
		return true
	} else if was != "" && is != "" {
		return false
	}
	says := grounding.Understand(old.Content, old.EventTime.Time)
	return says.HeldBy(by.Content, by.EventTime.Time, []string{old.Subject})
}

// maxBefore is the maximum length, in tokens, of the old and the new text in a
// mark.
const maxBefore = 20

// Last returns the mark of a memory of which the claim that ended last is or that rests on
// it, or nil if what each says still holds.
func Last(m *schema.Memory, ended []schema.Ended, loc *time.Location) *Superseded {
	of := lastOf(ended)
	if of == nil {
		return nil
	}
	mark, part := MarkOf(*of, loc), ""
	if of.Claim.ID != m.ID { // a message
		says := sentencesOf(wordsOfClaim(&of.Claim, m), of.Quote, m.Content, nil)
		if part = strings.Join(says, " "); len(says) == len(text.Sentences(m.Content)) {
			part = clauseOf(&of.Claim, m.Content)
		}
	}
	if !mark.of(part, m.Content, m.EventTime.Time, of.By) {
		return nil
	}
	return &mark
}

// clauseOf returns the clause of a text that states a claim, "" if the text states nothing else.
func clauseOf(claim *schema.Memory, in string) string {
	if part := claims.ClauseOf(claim, in); part != "" && grounding.SaysMore(in, part) {
		return part
	}
	return ""
}

// of limits the mark to a part of a text, "" for all of it, and to the time that it names if the
// claim that holds instead only moves that. It reports whether anything is left to mark.
func (s *Superseded) of(part, in string, said time.Time, by *schema.Memory) bool {
	if by != nil && grounding.Moves(by.Content) {
		if part = grounding.MovedPart(cmp.Or(part, in), said); part == "" {
			return false
		}
	}
	s.Part = text.Truncate(text.Line(part), maxBefore)
	return true
}

// MarkOf returns the mark of an ended claim. It does not repeat the text of a
// successor that models are not shown automatically.
func MarkOf(e schema.Ended, loc *time.Location) Superseded {
	s := Superseded{Since: e.Claim.ValidUntil.In(loc)}
	if by := e.By; by != nil && !by.Untrusted() && (by.OwnWords() || poison.InspectAll(by.Content) == "") {
		s.By, s.Text = by.UID, text.Truncate(text.Line(by.Content), maxBefore)
	}
	return s
}

// signalSuperseded is the signal that lowers the score of a superseded result to
// that of its successor.
const signalSuperseded = "superseded"

// BelowSuccessors reorders results so that superseded ones follow their successors,
// if those are among the results.
func BelowSuccessors(results []recall.Result, ended map[string]Superseded) []recall.Result {
	below := make(map[string][]recall.Result) // successor's id → results to be placed below it
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
