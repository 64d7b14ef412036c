package main

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/ebbmem/ebb/internal/evalset"
)

// evalView is the shape of `ebb eval --json`.
type evalView struct {
	Set           string        `json:"set"`
	Turns         int           `json:"turns"`
	Facts         int           `json:"facts"`
	Questions     int           `json:"questions"`
	ImportSeconds float64       `json:"import_seconds"` // with the background work
	RecallSeconds float64       `json:"recall_seconds"`
	Total         metricsView   `json:"total"`
	Categories    []metricsView `json:"categories"`
}

// metricsView are the means over some questions; maps go by cutoff.
type metricsView struct {
	Name      string             `json:"name"`
	Questions int                `json:"questions"`
	Recall    map[string]float64 `json:"recall"`
	Hit       map[string]float64 `json:"hit"`
	All       map[string]float64 `json:"all"`
	Tokens    map[string]float64 `json:"tokens"`
	MRR       float64            `json:"mrr"`
	NDCG      float64            `json:"ndcg"` // at 10
}

func (m *measurement) view() *evalView {
	categories, total := evalset.ByCategory(m.answers)
	v := &evalView{
		Set: filepath.Base(filepath.Clean(m.cmd.Dir)), Turns: m.turns, Facts: len(m.facts), Questions: total.N,
		ImportSeconds: m.imported.Seconds(), RecallSeconds: m.recall.Seconds(), Total: metricsViewOf("all", total),
	}
	for _, c := range categories {
		v.Categories = append(v.Categories, metricsViewOf(c.Name, c.Metrics))
	}
	return v
}

func metricsViewOf(name string, m evalset.Metrics) metricsView {
	v := metricsView{
		Name: name, Questions: m.N, MRR: m.MRR, NDCG: m.NDCG,
		Recall: map[string]float64{}, Hit: map[string]float64{}, All: map[string]float64{}, Tokens: map[string]float64{},
	}
	for i, k := range evalset.Cutoffs {
		key := strconv.Itoa(k)
		v.Recall[key], v.Hit[key], v.All[key], v.Tokens[key] = m.Recall[i], m.Hit[i], m.All[i], m.Tokens[i]
	}
	return v
}

func (v *evalView) print(a *app) error {
	p := a.page()
	facts := ""
	if v.Facts > 0 {
		facts = count(v.Facts, "fact", "facts") + ", "
	}
	p.line("%s: %s, %s%s. Imported in %.1f s, asked in %.1f s.", v.Set,
		count(v.Turns, "turn", "turns"), facts, count(v.Questions, "question", "questions"), v.ImportSeconds, v.RecallSeconds)
	p.line("")
	head := []string{"percent", "    n"}
	for _, measure := range []string{"R", "Hit", "All"} {
		for _, k := range evalset.Cutoffs {
			head = append(head, fmt.Sprintf("%6s", fmt.Sprintf("%s@%d", measure, k)))
		}
	}
	rows := [][]string{append(head, "  MRR", "nDCG@10")}
	tokens := [][]string{{"tokens", "    @5", "   @10", "   @20"}}
	for _, m := range append(append([]metricsView{}, v.Categories...), v.Total) {
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
	p.table("", rows)
	p.line("")
	p.table("", tokens)
	return p.err
}
