// Bench compares ebb with the memories a Go program might use instead, all on
// the same turns in one run, each in a process of its own, taking turns so that
// a busy machine is busy for all. It prints a table and writes it, the numbers
// and plots to a folder.
//
//	cd benchmarks && go run ./bench [--sizes 10000,100000,1000000] [--only publish,search] DIR...
//
// DIR are folders of labelled conversations as `ebb eval` takes them.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbmem/ebb/benchmarks/workload"
	"github.com/ebbmem/ebb/internal/evalset"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// lab is what the sections share.
type lab struct {
	builder

	sets  []*evalset.Set
	sizes []int
	turns int         // of inserts measured at each size
	asked int         // searches measured at each size
	mem0  []contender // none when it is not there
	rows  []row
}

func run(ctx context.Context) (err error) {
	sizes := flag.String("sizes", "10000,100000", "how many turns are stored before measuring, comma-separated, growing")
	only := flag.String("only", "", "the sections to run, comma-separated: publish, search (default all)")
	out := flag.String("out", "results", "folder for table, numbers and plots")
	l := lab{builder: builder{built: make(map[string]string)}}
	flag.IntVar(&l.turns, "turns", 2000, "turns inserted at each size")
	flag.IntVar(&l.asked, "asked", 400, "questions asked at each size")
	flag.Parse()
	if flag.NArg() == 0 {
		return errors.New("name at least one folder with conversations/ and queries.jsonl")
	}
	for _, s := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n <= 0 {
			return fmt.Errorf("--sizes: %q is no number of turns", s)
		}
		l.sizes = append(l.sizes, n)
	}
	if !slices.IsSorted(l.sizes) {
		return errors.New("--sizes must grow")
	}
	for _, dir := range flag.Args() {
		set, err := evalset.Load(dir)
		if err != nil {
			return err
		}
		l.sets = append(l.sets, set)
	}
	if l.dir, err = os.MkdirTemp("", "ebb-bench-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(l.dir)) }()
	if _, err := os.Stat("peer/mem0/node_modules"); err != nil {
		fmt.Fprintln(os.Stderr, "bench: without Mem0; sh peer/mem0/setup.sh fetches it")
	} else {
		l.mem0 = []contender{mem0}
	}
	for _, s := range []struct {
		name string
		run  func(context.Context) error
	}{{"publish", l.publish}, {"search", l.search}} {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), s.name) {
			continue
		}
		if err := s.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return l.report(*out)
}

// script is a file of turns and questions about them.
type script struct {
	path    string
	users   []string
	queries []string
}

// write makes so many turns of so many users, and questions about them.
func (l *lab) write(turns, users int) (s script, err error) {
	source := workload.New(l.sets, users, 1)
	s.path = filepath.Join(l.dir, fmt.Sprintf("turns-%d-%d.jsonl", turns, users))
	f, err := os.Create(s.path)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for range turns {
		if err := enc.Encode(source.Next()); err != nil {
			return s, err
		}
	}
	for i := range l.asked {
		s.users = append(s.users, fmt.Sprintf("user-%05d", i%users))
		s.queries = append(s.queries, source.Question(i%users))
	}
	return s, w.Flush()
}
