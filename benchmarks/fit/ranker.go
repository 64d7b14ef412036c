package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/ebbmem/ebb/internal/evalset"
)

func rankerCommand(flags *flag.FlagSet) command {
	drop := flags.String("drop", "", "signals to fit without, separated by commas")
	ablate := flags.Bool("ablate", false, "also fit without each signal in turn")
	facts := flags.Bool("facts", false, "also learn the facts in DIR/"+factsFile+", where there is one")
	dump := flags.String("dump", "", "write the observations to this file instead of fitting")
	o := optionsOf(flags)
	return func(ctx context.Context, w io.Writer, dirs []string) error {
		d := &data{dropped: listed(*drop), facts: *facts, options: *o}
		if err := eachSet(ctx, dirs, d.load); err != nil {
			return err
		}
		if *dump != "" {
			return d.dump(*dump)
		}
		return d.report(w, *ablate)
	}
}

// report fits and prints the weights and how well they rank.
func (d *data) report(w io.Writer, ablate bool) error {
	fitted := fitRanker(d)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "signal\tpresent\tfitted\t")
	for j, name := range d.signals {
		fmt.Fprintf(out, "%s\t%.2f\t%.2f\t\n", name, d.defaults[j], fitted[j])
	}
	fmt.Fprintln(out, "\t\t\t")
	fmt.Fprintln(out, "set\tweights\tR@5\tR@10\tR@20\tMRR\t")
	d.print(out, "present", evaluate(d, d.defaults))
	d.print(out, "fitted", evaluate(d, fitted))
	for _, held := range []struct {
		name string
		out  []string
		key  func(*example) string
	}{
		{"set left out", d.sets(), func(e *example) string { return e.set }},
		{"conversation left out", d.conversations(), func(e *example) string { return e.conversation }},
	} {
		if len(held.out) > 1 {
			d.print(out, held.name, leaveOut(d, held.out, held.key))
		}
	}
	if ablate {
		d.ablate(out, goal(evaluate(d, fitted)))
	}
	return out.Flush()
}

func (d *data) print(w io.Writer, weights string, bySet map[string]evalset.Metrics) {
	for _, set := range d.sets() {
		m := bySet[set]
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t\n", set, weights, 100*m.Recall[0], 100*m.Recall[1], 100*m.Recall[2], 100*m.MRR)
	}
	fmt.Fprintf(w, "mean of R@5 and R@10\t%s\t%.2f\t\t\t\t\n", weights, goal(bySet))
}

// leaveOut measures each part with weights fitted on all others.
func leaveOut(d *data, parts []string, key func(*example) string) map[string]evalset.Metrics {
	scores := make([]map[string][]evalset.Metrics, len(parts))
	_ = inParallel(len(parts), func(i int) error {
		w := fitRanker(d.only(func(e *example) bool { return key(e) != parts[i] }))
		scores[i] = make(map[string][]evalset.Metrics)
		for _, e := range d.only(func(e *example) bool { return key(e) == parts[i] }).examples {
			scores[i][e.set] = append(scores[i][e.set], score(&e, w))
		}
		return nil
	})
	all := make(map[string][]evalset.Metrics)
	for _, s := range scores {
		for set, m := range s {
			all[set] = append(all[set], m...)
		}
	}
	return means(all)
}

// ablate fits without each signal and prints the difference.
func (d *data) ablate(w io.Writer, with float64) {
	change := make([]float64, len(d.signals))
	_ = inParallel(len(change), func(j int) error {
		change[j] = goal(evaluate(d, fitRanker(d, d.signals[j]))) - with
		return nil
	})
	fmt.Fprintln(w, "\t\t\t")
	fmt.Fprintln(w, "without\tmean\t")
	for j, name := range d.signals {
		fmt.Fprintf(w, "%s\t%+.2f\t\n", name, change[j])
	}
}
