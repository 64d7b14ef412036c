package ownwords

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/schema"
)

// Group says why a line is in a profile.
type Group string

// The groups, in the order in which they are shown.
const (
	Kept Group = "kept" // protected: it was asked never to be forgotten
	Told Group = "told" // kept by a tool or by the host
	Said Group = "said" // read from what was said
)

// groups lists every group, in order.
var groups = []Group{Kept, Told, Said}

// Line is one sentence of the user's that a current claim rests on.
type Line struct {
	// Text is the sentence, verbatim but for line breaks; a very long one is cut.
	Text  string `json:"text"`
	Group Group  `json:"group"`
	// Said is when the user said it.
	Said time.Time `json:"said"`
	// Since is when it took the place of something else, zero if it did not, and
	// Before the beginning of what was true before, if the user said that too.
	Since  time.Time `json:"since,omitzero"`
	Before string    `json:"before,omitempty"`
	// Ended says what else the sentence holds that is no longer so, "" for nothing.
	Ended string `json:"ended,omitempty"`
	// Claims are the ids of the claims that rest on it, Sources those of the
	// messages it stands in.
	Claims  []string `json:"claims"`
	Sources []string `json:"sources"`
	// Dormant says that all its claims have faded: it is shown where there is room.
	Dormant bool `json:"dormant,omitempty"`
	// Tokens is what the line takes before a model.
	Tokens int `json:"tokens"`
}

// line is a line of the core section with what is known of it beside.
type line struct {
	Line // what a host sees of it

	shown  string // the whole line
	claims []*ownClaim
	place  int // among the lines
	topics topics.Set

	importance float64
	evidence   int
	likely     float64 // to tell something that lasts: 1 unless that is only guessed
	used       time.Time
	passes     time.Time // zero if it does not
	wish       bool      // a claim says how to answer
}

// groupOf says why a claim is in a profile.
func groupOf(m *schema.Memory) Group {
	switch {
	case m.Protected:
		return Kept
	case m.Attributes[schema.AttrSaid] != "" || m.Attributes[schema.AttrPrompt] != "":
		return Said
	}
	return Told
}

// linesOf joins claims that rest on one sentence and puts the lines in order:
// by group, then by time.
func linesOf(current map[int64]*ownClaim, loc *time.Location) *Lines {
	ordered := make([]*ownClaim, 0, len(current))
	for _, c := range current {
		if c.text != "" {
			ordered = append(ordered, c)
		}
	}
	slices.SortFunc(ordered, func(a, b *ownClaim) int { return cmp.Compare(a.claim.ID, b.claim.ID) })
	byText := make(map[string]*line)
	var lines []*line
	// Longer ones first: what one of them holds needs no line of its own.
	slices.SortStableFunc(ordered, func(a, b *ownClaim) int { return len(b.text) - len(a.text) })
	bySource := make(map[int64][]*line)
	for _, c := range ordered {
		key := text.Fold(c.text)
		l, known := byText[key]
		for _, longer := range bySource[c.source.ID] {
			if !known && strings.Contains(longer.Text, c.text) {
				l, known = longer, true
			}
		}
		if !known {
			l = &line{Line: Line{Text: c.text, Group: Said, Said: c.source.EventTime.Time, Dormant: true}}
			byText[key] = l
			bySource[c.source.ID] = append(bySource[c.source.ID], l)
			lines = append(lines, l)
		}
		l.add(c)
	}
	for _, l := range lines {
		l.shown = l.Render(slices.ContainsFunc(l.claims, func(c *ownClaim) bool { return c.relative }), loc)
		l.Tokens = text.Tokens(l.shown)
	}
	slices.SortStableFunc(lines, func(a, b *line) int {
		return cmp.Or(cmp.Compare(slices.Index(groups, a.Group), slices.Index(groups, b.Group)), a.Said.Compare(b.Said),
			cmp.Compare(a.claims[0].source.ID, b.claims[0].source.ID), cmp.Compare(strings.Index(a.claims[0].source.Content, a.Text), strings.Index(b.claims[0].source.Content, b.Text)))
	})
	return indexLines(lines)
}

// add joins a claim to the line.
func (l *line) add(c *ownClaim) {
	l.claims = append(l.claims, c)
	l.Claims = append(l.Claims, c.claim.UID)
	if !slices.Contains(l.Sources, c.source.UID) {
		l.Sources = append(l.Sources, c.source.UID)
	}
	if group := groupOf(&c.claim); slices.Index(groups, group) < slices.Index(groups, l.Group) {
		l.Group = group
	}
	if c.source.EventTime.Before(l.Said) {
		l.Said = c.source.EventTime.Time
	}
	if c.since.After(l.Since) {
		l.Since, l.Before = c.since, c.before
	}
	l.Ended = cmp.Or(l.Ended, c.ended)
	l.Dormant = l.Dormant && c.claim.State == schema.StateDormant
	l.wish = l.wish || c.wish
	l.likely = max(l.likely, claims.Likely(&c.claim))
	l.importance, l.evidence = max(l.importance, c.claim.Importance), max(l.evidence, c.evidence)
	for _, at := range []time.Time{c.claim.LastAccessed.Time, c.source.EventTime.Time} {
		if at.After(l.used) {
			l.used = at
		}
	}
	if len(l.claims) == 1 || c.passes.IsZero() || !l.passes.IsZero() && c.passes.After(l.passes) {
		l.passes = c.passes // the last of them, if all pass
	}
}

// Render is the line as it stands before a model: dated where it changed, and
// where its own words are relative, and so mean a day only together with the day they
// were said.
func (l *Line) Render(relative bool, loc *time.Location) string {
	line := "- " + l.Text
	switch {
	case !l.Since.IsZero() && l.Before != "" && text.Fold(l.Before) != text.Fold(l.Text):
		line += " (since " + l.Since.In(loc).Format(time.DateOnly) + "; before: " + text.Truncate(l.Before, maxBefore) + ")"
	case !l.Since.IsZero():
		line += " (since " + l.Since.In(loc).Format(time.DateOnly) + ")"
	case relative:
		line += " (said " + l.Said.In(loc).Format(time.DateOnly) + ")"
	}
	if l.Ended != "" {
		line += " (" + l.Ended + ")"
	}
	return line + "\n"
}
