package main

import "math"

// observation is one row of a logistic regression.
type observation struct {
	values []float64
	right  bool
	weight float64 // number of observations that it counts as
}

// logisticFit minimises − Σ weight · ln p(right) + ½ |w|² by Newton's method.
// Weights that are not free keep their value.
func logisticFit(observed []observation, present []float64, free []bool) []float64 {
	const rounds = 30
	w := make([]float64, len(present))
	for j := range w {
		if !free[j] {
			w[j] = present[j]
		}
	}
	for range rounds {
		hessian, gradient := make([][]float64, len(w)), make([]float64, len(w))
		for i := range hessian {
			hessian[i] = make([]float64, len(w))
			hessian[i][i] = 1
			if free[i] {
				gradient[i] = -w[i]
			}
		}
		for k := range observed {
			o := &observed[k]
			p := probability(o.values, w)
			for i := range w {
				if !free[i] || o.values[i] == 0 {
					continue
				}
				gradient[i] += o.weight * (target(o.right) - p) * o.values[i]
				for j := range w {
					if free[j] {
						hessian[i][j] += o.weight * p * (1 - p) * o.values[i] * o.values[j]
					}
				}
			}
		}
		for i, step := range solve(hessian, gradient) {
			w[i] += step
		}
	}
	return w
}

func target(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

// probability returns the logistic function of the weighted values.
func probability(values, w []float64) float64 {
	sum := 0.0
	for j, v := range values {
		sum += v * w[j]
	}
	return 1 / (1 + math.Exp(-sum))
}

// solve solves ax = b by elimination with pivots. It overwrites both.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		pivot := i
		for j := i; j < n; j++ {
			if math.Abs(a[j][i]) > math.Abs(a[pivot][i]) {
				pivot = j
			}
		}
		a[i], a[pivot] = a[pivot], a[i]
		b[i], b[pivot] = b[pivot], b[i]
		for j := i + 1; j < n; j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < n; k++ {
				a[j][k] -= f * a[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		sum := b[i]
		for k := i + 1; k < n; k++ {
			sum -= a[i][k] * x[k]
		}
		x[i] = sum / a[i][i]
	}
	return x
}
