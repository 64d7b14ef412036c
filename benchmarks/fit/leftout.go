package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/measure"
	"github.com/ebbmem/ebb/internal/relevance"
)

func leftoutCommand(flags *flag.FlagSet) command {
	lines := flags.String("lines", "../internal/relevance/lines.bin", "the model of lines; those without a part have .0 to .4 behind it")
	own := flags.String("own", "../internal/intent/own.bin", "likewise, the model of one's own affairs")
	unseen := flags.String("unseen", "", "folders of lives to which nothing is fitted, separated by commas")
	out := flags.String("json", "", "file for the results of each life, with what was missed")
	return func(ctx context.Context, w io.Writer, dirs []string) error {
		r := leftout{lines: *lines, own: *own, folders: make(map[string][]measure.LifeResult)}
		if err := r.all(ctx, dirs, listed(*unseen)); err != nil {
			return err
		}
		if err := r.print(w); err != nil || *out == "" {
			return err
		}
		return r.write(*out)
	}
}

// leftout measures lives.
type leftout struct {
	lines, own string

	order   []string
	folders map[string][]measure.LifeResult
	results []measure.LifeResult
}

// all measures the lives of folders, part by part.
func (r *leftout) all(ctx context.Context, dirs, unseen []string) error {
	parts := make([][]*evalset.Life, evalset.Parts+1) // the last one: with the models in the code
	in := make(map[*evalset.Life]string)
	for i, dir := range slices.Concat(dirs, unseen) {
		lives, err := evalset.LoadLives(dir)
		if err != nil {
			return err
		}
		name := filepath.Base(dir)
		r.order = append(r.order, name)
		for _, life := range lives {
			part := evalset.Parts
			if i < len(dirs) {
				part = evalset.Part(life.Name)
			}
			parts[part], in[life] = append(parts[part], life), name
		}
	}
	lines, own := relevance.Fitted, intent.Own
	for k, lives := range parts {
		relevance.Fitted, intent.Own = lines, own
		if k < evalset.Parts && len(lives) > 0 {
			file, err := os.ReadFile(fmt.Sprintf("%s.%d", r.lines, k))
			file2, err2 := os.ReadFile(fmt.Sprintf("%s.%d", r.own, k))
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			relevance.Fitted, intent.Own = relevance.Load(file), intent.Load(file2, true)
		}
		results := make([]measure.LifeResult, len(lives))
		if err := inParallel(len(lives), func(i int) (err error) {
			results[i], err = live(ctx, lives[i], func() {})
			return err
		}); err != nil {
			return err
		}
		for i, life := range lives {
			r.folders[in[life]] = append(r.folders[in[life]], results[i])
		}
		r.results = append(r.results, results...)
	}
	return nil
}

// write writes the results of the lives, each as one line.
func (r *leftout) write(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	slices.SortFunc(r.results, func(a, b measure.LifeResult) int { return strings.Compare(a.Life, b.Life) })
	encoder := json.NewEncoder(file)
	for _, l := range r.results {
		if err := encoder.Encode(l); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	return file.Close()
}

// kinds are those of docs/LIVES.md.
var kinds = []string{evalset.AskTold, evalset.AskSaid, evalset.AskChanged, evalset.AskKept, evalset.AskForgotten, evalset.AskTime, evalset.AskFollowUp, evalset.AskUnasked, evalset.AskOff}

// print prints a row for each folder, and one for all lives.
func (r *leftout) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "all days (after a year)\tall\t%s\teveryday tokens\trequests: words, agent, mistaken\n", strings.Join(kinds, "\t"))
	row := func(name string, of []measure.LifeResult) {
		fmt.Fprintf(table, "%s\t%s", name, mean(of, func(f measure.LifeFigure) float64 { return 100 * f.Present }, func(kind string) bool {
			return kind != evalset.AskOff && kind != evalset.AskForgotten && kind != evalset.Everyday
		}))
		for _, kind := range kinds {
			is := func(k string) bool { return k == kind }
			fmt.Fprintf(table, "\t%s", mean(of, func(f measure.LifeFigure) float64 { return 100 * f.Present }, is))
			switch kind {
			case evalset.AskChanged:
				fmt.Fprintf(table, "; %s", mean(of, func(f measure.LifeFigure) float64 { return 100 * f.Stale }, is))
			case evalset.AskOff:
				fmt.Fprintf(table, ", %s", mean(of, func(f measure.LifeFigure) float64 { return f.Tokens }, is))
			}
		}
		var forgot measure.Forgetting
		for _, l := range of {
			forgot.Add(l.Forgetting)
		}
		fmt.Fprintf(table, "\t%s\t%d: %d, %d, %d\n", mean(of, func(f measure.LifeFigure) float64 { return f.Tokens }, func(k string) bool { return k == evalset.Everyday }),
			forgot.Requests, forgot.Words, forgot.Agent, forgot.Mistaken)
	}
	for _, name := range r.order {
		row(name, r.folders[name])
	}
	row("all", r.results)
	return table.Flush()
}

// mean returns the mean of a figure over the questions of some kinds, on all days and, in
// brackets, after a year.
func mean(of []measure.LifeResult, figure func(measure.LifeFigure) float64, kind func(string) bool) string {
	var sum, n, last, lastN float64
	for _, l := range of {
		for _, f := range l.Figures {
			if !kind(f.Kind) {
				continue
			}
			sum += figure(f) * float64(f.Questions)
			n += float64(f.Questions)
			if f.Day == slices.Max(evalset.CheckDays) {
				last += figure(f) * float64(f.Questions)
				lastN += float64(f.Questions)
			}
		}
	}
	switch {
	case n == 0:
		return "–"
	case lastN == 0:
		return fmt.Sprintf("%.1f", sum/n)
	}
	return fmt.Sprintf("%.1f (%.1f)", sum/n, last/lastN)
}
