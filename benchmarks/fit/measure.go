package main

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/ebbmem/ebb/internal/evalset"
)

// evaluate ranks every example by w and returns the mean of each set.
func evaluate(d *data, w []float64) map[string]evalset.Metrics {
	parts := make(map[string][]evalset.Metrics)
	for i := range d.examples {
		e := &d.examples[i]
		parts[e.set] = append(parts[e.set], score(e, w))
	}
	return means(parts)
}

func means(parts map[string][]evalset.Metrics) map[string]evalset.Metrics {
	all := make(map[string]evalset.Metrics, len(parts))
	for set, p := range parts {
		all[set] = evalset.Mean(p...)
	}
	return all
}

// score measures one example's ranking by w.
func score(e *example, w []float64) evalset.Metrics {
	scores := make([]float64, len(e.rows))
	order := make([]int, len(e.rows))
	for r, row := range e.rows {
		order[r] = r
		for j, v := range row {
			scores[r] += v * w[j]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	ranking := make([]evalset.Ranked, len(order))
	var evidence []string
	for i, r := range order {
		ranking[i].Turn = strconv.Itoa(r)
		if e.right[r] {
			evidence = append(evidence, ranking[i].Turn)
		}
	}
	for n := len(evidence); n < e.evidence; n++ {
		evidence = append(evidence, "not found "+strconv.Itoa(n))
	}
	return evalset.Score(ranking, evidence)
}

// goal is the quantity to raise: the mean over sets of R@5 and R@10.
func goal(bySet map[string]evalset.Metrics) (sum float64) {
	for _, m := range bySet {
		sum += 100 * (m.Recall[0] + m.Recall[1]) / 2 / float64(len(bySet))
	}
	return sum
}
