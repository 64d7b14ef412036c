package main

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/evalset"
)

// evalView is the shape of `ebb eval --json`.
type evalView struct {
	Set           string             `json:"set"`
	Turns         int                `json:"turns"`
	Facts         int                `json:"facts"`
	Questions     int                `json:"questions"`
	ImportSeconds float64            `json:"import_seconds"` // with the background work
	RecallSeconds float64            `json:"recall_seconds"`
	Total         evalset.View       `json:"total"`
	Categories    []evalset.View     `json:"categories"`
	Recall        []evalset.Estimate `json:"recall"`
	Against       []evalset.Estimate `json:"against,omitempty"` // differences from another run
}

func (m *measurement) view() *evalView {
	categories, total := evalset.ByCategory(m.answers)
	v := &evalView{
		Set: filepath.Base(filepath.Clean(m.cmd.Dir)), Turns: m.turns, Facts: len(m.facts), Questions: total.N,
		ImportSeconds: m.imported.Seconds(), RecallSeconds: m.recall.Seconds(), Total: total.View("all"), Recall: evalset.Estimated(m.answers, nil),
	}
	for _, c := range categories {
		v.Categories = append(v.Categories, c.Metrics.View(c.Name))
	}
	return v
}

func (v *evalView) print(a *app) error {
	p := a.page()
	facts := ""
	if v.Facts > 0 {
		facts = cells.Count(v.Facts, "fact", "facts") + ", "
	}
	p.Line("%s: %s, %s%s. Imported in %.1f s, asked in %.1f s.", v.Set,
		cells.Count(v.Turns, "turn", "turns"), facts, cells.Count(v.Questions, "question", "questions"), v.ImportSeconds, v.RecallSeconds)
	p.Line("")
	head := []string{"percent", "    n"}
	for _, measure := range []string{"R", "Hit", "All"} {
		for _, k := range evalset.Cutoffs {
			head = append(head, fmt.Sprintf("%6s", fmt.Sprintf("%s@%d", measure, k)))
		}
	}
	rows := [][]string{append(head, "  MRR", "nDCG@10")}
	tokens := [][]string{{"tokens", "    @5", "   @10", "   @20"}}
	for _, m := range append(append([]evalset.View{}, v.Categories...), v.Total) {
		row := []string{m.Name, fmt.Sprintf("%5d", m.Questions)}
		cost := []string{m.Name}
		for _, by := range []map[string]float64{m.Recall, m.Hit, m.All} {
			for _, k := range evalset.Cutoffs {
				row = append(row, fmt.Sprintf("%6.1f", 100*by[strconv.Itoa(k)]))
			}
		}
		for _, k := range evalset.Cutoffs {
			cost = append(cost, fmt.Sprintf("%6.0f", m.Tokens[strconv.Itoa(k)]))
		}
		rows = append(rows, append(row, fmt.Sprintf("%5.1f", 100*m.MRR), fmt.Sprintf("%7.1f", 100*m.NDCG)))
		tokens = append(tokens, cost)
	}
	p.Table("", rows)
	p.Line("")
	p.Table("", tokens)
	p.Line("")
	rows = [][]string{{"of R", "@5", "@10", "@20"}, intervals("95 % interval", "%.1[2]f to %.1[3]f", v.Recall)}
	if v.Against != nil {
		rows = append(rows, intervals("difference", "%+.1f (%+.1f to %+.1f)", v.Against))
	}
	p.Table("", rows)
	return p.Err
}

// intervals is a row of estimates, in percent.
func intervals(name, format string, of []evalset.Estimate) []string {
	row := []string{name}
	for _, e := range of {
		row = append(row, fmt.Sprintf(format, 100*e.Mean, 100*e.Low, 100*e.High))
	}
	return row
}
