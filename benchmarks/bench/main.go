// Bench compares ebb with the memories a Go program might use instead, all on
// the same turns in one run, each in a process of its own, taking turns so that
// a busy machine is busy for all. It prints tables and whether the goals are
// met, and writes them, the numbers and plots to a folder.
//
//	cd benchmarks && go run ./bench [--sizes 10000,100000,1000000] [--only publish,search] [DIR...]
//	cd benchmarks && go run ./bench --quick
//
// DIR are folders of labelled conversations as `ebb eval` takes them; default
// ebb's own fixture.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
)

// fixture is what is measured on when no folder is named.
const fixture = "../cmd/ebb/testdata/eval"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	scale

	only  []string
	out   string
	page  string
	merge bool
	show  bool
	dirs  []string
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	var before results
	if o.merge || o.show {
		if before, err = readResults(o.out); err != nil {
			return err
		}
	}
	if o.show {
		return before.write(o.out, o.page)
	}
	found, err := measure(ctx, o)
	if err != nil {
		return err
	}
	return before.with(found).write(o.out, o.page)
}

// check validates inputs and outputs before a run of hours.
func (o options) check() error {
	if o.page != "" {
		if err := checkPage(o.page); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	read := slices.Clone(o.dirs)
	if o.vectors != "" {
		read = append(read, o.vectors)
	}
	for _, dir := range read {
		if _, err := os.Stat(dir); err != nil && !o.show {
			return err
		}
	}
	return nil
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	o.scale = full
	quick := flags.Bool("quick", false, "everything small, to see that it works; sets the numbers below")
	sizes := flags.String("sizes", "", "how many turns are stored before measuring, comma-separated, growing (default 10000,100000)")
	only := flags.String("only", "", "the sections to run, comma-separated: "+strings.Join(sectionNames(), ", ")+" (default all)")
	turns := flags.Int("turns", 0, "turns inserted at each size (default 2000)")
	asked := flags.Int("asked", 0, "questions asked at each size (default 400)")
	flags.StringVar(&o.vectors, "vectors", "", "a folder of memories that ./embedder has kept, for vectors of a real encoder")
	flags.StringVar(&o.out, "out", "results", "folder for tables, numbers and plots")
	flags.StringVar(&o.page, "page", "", "a page whose results, between markers, are written anew")
	flags.BoolVar(&o.merge, "merge", false, "keep what is in --out of the sections that are not run")
	flags.BoolVar(&o.show, "show", false, "measure nothing: write tables, plots and page of what is in --out")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if *quick {
		vectors := o.vectors
		o.scale = small
		o.vectors = vectors
	}
	if *turns > 0 {
		o.turns = *turns
	}
	if *asked > 0 {
		o.asked = *asked
	}
	if o.turns < rounds || o.asked < rounds {
		return o, fmt.Errorf("--turns and --asked must be %d at least: contenders take turns in so many rounds", rounds)
	}
	if *sizes != "" {
		o.sizes = nil
		for s := range strings.SplitSeq(*sizes, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(s))
			if err != nil || n <= 0 {
				return o, fmt.Errorf("--sizes: %q is no number of turns", s)
			}
			o.sizes = append(o.sizes, n)
		}
	}
	if !slices.IsSorted(o.sizes) {
		return o, errors.New("--sizes must grow")
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
		for _, name := range o.only {
			if !slices.Contains(sectionNames(), name) {
				return o, fmt.Errorf("--only: there is no section %q; there are %s", name, strings.Join(sectionNames(), ", "))
			}
		}
	}
	if o.dirs = flags.Args(); len(o.dirs) == 0 {
		o.dirs = []string{fixture}
	}
	return o, nil
}
