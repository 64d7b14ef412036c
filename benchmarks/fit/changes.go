package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/internal/relevance"
)

// pair is an earlier and a later line of a life.
type pair struct {
	Life     string
	Features [relevance.PairFeatures]float32
	Changes  bool // the later one shows a statement that changes one that the earlier one shows
}

// comparedIn compares the lines of a life.
func comparedIn(life *evalset.Life, lines []prompt.Rated, pairs func(later int) []prompt.Pair) (all []pair) {
	shown := make(map[string][]int)
	for i := range life.Statements {
		s := &life.Statements[i]
		shown[s.ID] = showing(s, lines)
	}
	before := make(map[int][]int) // later line → earlier ones that it changes
	for i := range life.Statements {
		s := &life.Statements[i]
		for was := s.Changes; was != ""; was = statement(life, was).Changes {
			for _, later := range shown[s.ID] {
				before[later] = append(before[later], shown[was]...)
			}
		}
	}
	for later := range lines {
		for _, p := range pairs(later) {
			all = append(all, pair{life.Name, p.Features, slices.Contains(before[later], p.Old)})
		}
	}
	return all
}

func statement(life *evalset.Life, id string) *evalset.Statement {
	return &life.Statements[slices.IndexFunc(life.Statements, func(s evalset.Statement) bool { return s.ID == id })]
}

func changesCommand(flags *flag.FlagSet) command {
	cache := flags.String("questions", "", "as of lines")
	return func(ctx context.Context, w io.Writer, dirs []string) error {
		known, err := gather(ctx, dirs, *cache)
		if err == nil {
			fitChanges(w, known.Pairs)
		}
		return err
	}
}

// fitChanges fits [relevance.Changes], and prints how many changes are found above some
// probabilities by fits without the life, and the fit to all.
func fitChanges(w io.Writer, all []pair) {
	var without [evalset.Parts]relevance.Pairing
	for k := range without {
		without[k] = pairing(slices.DeleteFunc(slices.Clone(all), func(p pair) bool { return evalset.Part(p.Life) == k }))
	}
	for _, least := range []float64{0.02, 0.05, 0.1, 0.2, 0.4} {
		var taken, right, changes int
		for i := range all {
			found := without[evalset.Part(all[i].Life)].P(&all[i].Features) >= least
			taken += count(found)
			right += count(found && all[i].Changes)
			changes += count(all[i].Changes)
		}
		fmt.Fprintf(w, "changes at %.2f: %d of %d, among %d pairs of %d\n", least, right, changes, taken, len(all))
	}
	m := pairing(all)
	fmt.Fprintf(w, "var Changes = Pairing{%.3f, [PairFeatures]float64{", m.Bias)
	for _, weight := range m.Weights {
		fmt.Fprintf(w, "%.3f, ", weight)
	}
	fmt.Fprintln(w, "}}")
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pairing fits a logistic regression to features of mean 0 and deviation 1.
func pairing(all []pair) (m relevance.Pairing) {
	const bias = relevance.PairFeatures
	var mean, deviation [relevance.PairFeatures]float64
	n := float64(len(all))
	for i := range all {
		for f, x := range all[i].Features {
			mean[f] += float64(x) / n
		}
	}
	for i := range all {
		for f, x := range all[i].Features {
			deviation[f] += (float64(x) - mean[f]) * (float64(x) - mean[f]) / n
		}
	}
	for f := range deviation {
		deviation[f] = math.Sqrt(deviation[f]) + 1e-6
	}
	observed := make([]observation, len(all))
	for i := range all {
		x := make([]float64, bias+1)
		x[bias] = 1
		for f, v := range all[i].Features {
			x[f] = (float64(v) - mean[f]) / deviation[f]
		}
		observed[i] = observation{x, all[i].Changes, 1}
	}
	weights := logisticFit(observed, make([]float64, bias+1), slices.Repeat([]bool{true}, bias+1))
	m.Bias = weights[bias]
	for f := range m.Weights {
		m.Weights[f] = weights[f] / deviation[f]
		m.Bias -= m.Weights[f] * mean[f]
	}
	return m
}
