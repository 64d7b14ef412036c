package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/ebbmem/ebb/internal/evalset"
)

func main() {
	drop := flag.String("drop", "", "signals to fit without, separated by commas")
	ablate := flag.Bool("ablate", false, "also fit without each signal in turn")
	relevance := flag.Bool("relevance", false, "fit relevance instead: whether a question is about the memory at all")
	facts := flag.Bool("facts", false, "also learn the facts in DIR/"+factsFile+", where there is one")
	var o options
	flag.StringVar(&o.paraphrases, "paraphrases", "", "folder of further questions, SET.jsonl with a split: only \"fit\" is fitted to")
	flag.StringVar(&o.encoder.url, "embedder", "", "address of a server of OpenAI's embeddings API: fit with vectors")
	flag.StringVar(&o.encoder.model, "embed-model", "text-embedding-3-small", "the embedding model's name")
	flag.StringVar(&o.encoder.folder, "encoder", "", "folder of an embedding model: fit with its vectors, without a server")
	flag.StringVar(&o.dump, "dump", "", "also write the observations to this file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *relevance {
		err = runRelevance(ctx, os.Stdout, o, flag.Args())
	} else {
		err = run(ctx, os.Stdout, o, flag.Args(), strings.Split(*drop, ","), *ablate, *facts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1) //nolint:gocritic // stop has nothing left to do
	}
}

func run(ctx context.Context, w io.Writer, o options, dirs, drop []string, ablate, facts bool) error {
	if len(dirs) == 0 {
		return errors.New("no set given; name the folders of one or more")
	}
	d := &data{dropped: drop, facts: facts, encoder: o.encoder, more: o.paraphrases}
	for _, dir := range dirs {
		if err := d.load(ctx, dir); err != nil {
			return err
		}
	}
	if o.dump != "" {
		return d.dump(o.dump)
	}
	fitted := fit(d)
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
	inParallel(len(parts), func(i int) {
		w := fit(d.only(func(e *example) bool { return key(e) != parts[i] }))
		scores[i] = make(map[string][]evalset.Metrics)
		for _, e := range d.only(func(e *example) bool { return key(e) == parts[i] }).examples {
			scores[i][e.set] = append(scores[i][e.set], score(&e, w))
		}
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
	inParallel(len(change), func(j int) { change[j] = goal(evaluate(d, fit(d, d.signals[j]))) - with })
	fmt.Fprintln(w, "\t\t\t")
	fmt.Fprintln(w, "without\tmean\t")
	for j, name := range d.signals {
		fmt.Fprintf(w, "%s\t%+.2f\t\n", name, change[j])
	}
}

// inParallel calls do for 0 … n−1, on all processors.
func inParallel(n int, do func(int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
