package main

import (
	"math"
	"slices"
)

const (
	ridge = 1e-3 // λ
	steps = 150  // of Adam (Kingma and Ba 2015); the last third at a fifth of the rate
	rate  = 0.05
)

// fit finds the weights of d's signals, without those dropped (weight 0).
func fitRanker(d *data, drop ...string) []float64 {
	scale := deviations(d)
	var free []int // columns to fit
	weights := slices.Clone(d.defaults)
	for j, name := range d.signals {
		switch {
		case slices.Contains(drop, name) || slices.Contains(d.dropped, name):
			weights[j] = 0
		case scale[j] > 0:
			free = append(free, j)
		}
	}
	w := make([]float64, len(free)) // of scaled signals
	mean, square := make([]float64, len(free)), make([]float64, len(free))
	lr := rate
	for step := 1; step <= steps; step++ {
		if step == steps*2/3 {
			lr /= 5
		}
		for k, g := range gradient(d, free, scale, w) {
			mean[k] = 0.9*mean[k] + 0.1*g
			square[k] = 0.99*square[k] + 0.01*g*g
			m, s := mean[k]/(1-math.Pow(0.9, float64(step))), square[k]/(1-math.Pow(0.99, float64(step)))
			w[k] -= lr * m / (math.Sqrt(s) + 1e-8)
		}
	}
	for k, j := range free {
		weights[j] = w[k] / scale[j]
	}
	return normalised(d, weights, free)
}

// normalised scales the fitted weights to a text weight of 1 and rounds all to two
// decimals, like those in the code.
func normalised(d *data, weights []float64, fitted []int) []float64 {
	unit := 1.0
	if text := slices.Index(d.signals, "text"); text >= 0 && weights[text] > 0 {
		unit = weights[text]
	}
	for _, j := range fitted {
		weights[j] = math.Round(100*weights[j]/unit) / 100
	}
	return weights
}

// deviations returns the standard deviations of the signals over all rows; 0 for a
// constant signal.
func deviations(d *data) []float64 {
	n := 0.0
	sum, square := make([]float64, len(d.signals)), make([]float64, len(d.signals))
	for i := range d.examples {
		for _, row := range d.examples[i].rows {
			n++
			for j, v := range row {
				sum[j] += v
				square[j] += v * v
			}
		}
	}
	out := make([]float64, len(d.signals))
	for j := range out {
		if v := square[j]/n - sum[j]*sum[j]/n/n; v > 1e-9 {
			out[j] = math.Sqrt(v)
		}
	}
	return out
}

// gradient returns the gradient of the loss in doc.go at w.
func gradient(d *data, free []int, scale, w []float64) []float64 {
	g := make([]float64, len(w))
	for k := range g {
		g[k] = ridge * w[k]
	}
	sets := d.sets()
	questions := make(map[string]float64)
	for i := range d.examples {
		questions[d.examples[i].set]++
	}
	slope := make([]float64, len(w))
	for k, j := range free {
		slope[k] = w[k] / scale[j]
	}
	for i := range d.examples {
		e := &d.examples[i]
		share := 1 / questions[e.set] / float64(len(sets)) / float64(e.evidence)
		for r, push := range pushes(e, free, slope) {
			if push == 0 {
				continue
			}
			for k, j := range free {
				g[k] += share * push * e.rows[r][j] / scale[j]
			}
		}
	}
	return g
}

// pushes returns the derivative of a question's loss with respect to the score of
// each row.
func pushes(e *example, free []int, slope []float64) []float64 {
	if !slices.Contains(e.right, true) {
		return nil
	}
	scores := make([]float64, len(e.rows))
	top := math.Inf(-1)
	for r, row := range e.rows {
		for k, j := range free {
			scores[r] += slope[k] * row[j]
		}
		top = max(top, scores[r])
	}
	wrong := 0.0
	for r := range scores {
		scores[r] = math.Exp(scores[r] - top)
		if !e.right[r] {
			wrong += scores[r]
		}
	}
	out := make([]float64, len(scores))
	for r, right := range e.right {
		if !right {
			continue
		}
		all := wrong + scores[r]
		out[r] -= 1 - scores[r]/all
		for other := range out {
			if !e.right[other] {
				out[other] += scores[other] / all
			}
		}
	}
	return out
}
