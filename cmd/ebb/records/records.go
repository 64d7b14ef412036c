// Package records writes for people what the commands and the demo both show of
// memories.
package records

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/inspector"
)

// Speaker is the name or else the role of who said it; a claim has its kind.
func Speaker(m *extension.Record) string {
	return cells.OneLine(cmp.Or(m.Speaker, m.Role, string(m.Kind)), 30)
}

// Span says from when to when a memory is true.
func Span(p *cells.Page, m *extension.Record) string {
	if m.ValidUntil.IsZero() {
		return "since " + p.Moment(m.ValidFrom.Time)
	}
	return "from " + p.Moment(m.ValidFrom.Time) + " until " + p.Moment(m.ValidUntil.Time)
}

// Reasons shows why a result stands where it does.
func Reasons(p *cells.Page, r extension.Result) {
	if r.Why != "" {
		p.Line("      here because it is %s", r.Why)
	}
	Grounds(p, "      ", "relevance", r.Grounds)
	rows := make([][]string, 0, len(r.Arms)+len(r.Signals))
	for _, arm := range r.Arms {
		rows = append(rows, []string{arm.Arm + " arm", fmt.Sprintf("rank %d", arm.Rank), fmt.Sprintf("(%.3f)", arm.Score), inspector.ArmWords(arm.Arm)})
	}
	for _, s := range r.Signals {
		if s.Contribution() != 0 || r.Parts != nil && s.Weight == 0 && s.Value != 0 { // a scorer's factors have no weight
			rows = append(rows, signal("", s))
		}
	}
	for _, s := range r.Parts {
		if s.Contribution() != 0 {
			rows = append(rows, signal("ranker: ", s))
		}
	}
	p.Table("      ", rows)
}

func signal(of string, s extension.Signal) []string {
	return []string{of + s.Name, fmt.Sprintf("%+.3f", s.Contribution()), fmt.Sprintf("= %.3f × %.2f", s.Value, s.Weight), inspector.SignalWords(s.Name)}
}

// Grounds shows what a relevance rests on, in ln odds.
func Grounds(p *cells.Page, indent, of string, grounds []extension.Signal) {
	var parts []string
	for _, g := range grounds {
		if g.Contribution() != 0 {
			parts = append(parts, fmt.Sprintf("%s %+.3f", g.Name, g.Contribution()))
		}
	}
	if len(parts) > 0 {
		p.Body(indent, indent, of+" in ln odds: "+strings.Join(parts, ", "))
	}
}

// KindCounts is how many memories there are of each kind.
func KindCounts(byKind map[string]int64) string {
	var parts []string
	for _, k := range []extension.Kind{extension.KindEpisode, extension.KindFact, extension.KindPreference, extension.KindReflection} {
		if n := byKind[string(k)]; n > 0 {
			parts = append(parts, cells.Count(n, string(k), string(k)+"s"))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
