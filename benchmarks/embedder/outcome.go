package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ebbmem/ebb/internal/evalset"
)

// The ways a question is asked.
const (
	text = iota
	vector
	hybrid
	arms
)

var armNames = [arms]string{"text", "vector", "hybrid"}

// outcome holds a metric of each question, in the same order for every way.
type outcome [arms][]evalset.Metrics

func (o outcome) join(other outcome) outcome {
	for arm := range o {
		o[arm] = append(o[arm], other[arm]...)
	}
	return o
}

func (o outcome) print(name string) {
	fmt.Printf("%s, %d questions\n", name, len(o[text]))
	for arm, metrics := range o {
		m := evalset.Mean(metrics...)
		fmt.Printf("  %-7s R@5 %5.1f  R@10 %5.1f  R@20 %5.1f  MRR %5.1f\n",
			armNames[arm], 100*m.Recall[0], 100*m.Recall[1], 100*m.Recall[2], 100*m.MRR)
	}
	for _, arm := range []int{text, vector} {
		fmt.Printf("  hybrid − %s, 95 %%:", armNames[arm])
		for cut, k := range evalset.Cutoffs {
			mean, low, high := o.gain(arm, cut)
			fmt.Printf("  R@%d %+.1f [%+.1f, %+.1f]", k, 100*mean, 100*low, 100*high)
		}
		fmt.Println()
	}
}

// gain is what hybrid adds to an arm alone at a cutoff, with the 95 % interval
// of a paired bootstrap over questions (10,000 draws, always the same).
func (o outcome) gain(arm, cut int) (mean, low, high float64) {
	const draws = 10_000
	n := len(o[arm])
	gains := make([]float64, n)
	for i := range gains {
		gains[i] = o[hybrid][i].Recall[cut] - o[arm][i].Recall[cut]
		mean += gains[i] / float64(n)
	}
	random := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, draws)
	for d := range means {
		for range n {
			means[d] += gains[random.IntN(n)] / float64(n)
		}
	}
	slices.Sort(means)
	return mean, means[draws*25/1000], means[draws*975/1000]
}
