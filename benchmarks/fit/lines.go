package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/relevance"
	"github.com/ebbmem/ebb/internal/topics"
)

const (
	people  = "fit/testdata/people"
	lexicon = "../internal/topics/lexicon.bin"
)

func linesCommand(flags *flag.FlagSet) command {
	unseen := flags.String("unseen", "", "folders of lives that are only measured, separated by commas")
	cache := flags.String("questions", "", "prefix of files for the questions: read if they exist, else written")
	out := flags.String("o", "../internal/relevance/lines.bin", "where to write the model")
	leave := flags.Bool("leave-out", true, "also fit without each part of the lives, and write these models beside it")
	return func(ctx context.Context, w io.Writer, dirs []string) error {
		return fitAllLines(ctx, w, append([]string{people}, dirs...), listed(*unseen), *cache, *out, *leave)
	}
}

func fitAllLines(ctx context.Context, w io.Writer, dirs, unseen []string, cache, out string, leave bool) error {
	file, err := os.ReadFile(lexicon)
	if err != nil {
		return err
	}
	known, err := gather(ctx, dirs, cache)
	if err != nil {
		return err
	}
	unknown, err := gather(ctx, unseen, cache)
	if err != nil {
		return err
	}
	fitted, held := known.Questions, unknown.Questions
	codes := 0
	for _, of := range [][]liveQuestion{fitted, held} {
		for i := range of {
			for _, l := range of[i].Lines {
				for code := range topics.FromCodes(l.Topics).Weights() {
					codes = max(codes, int(code)+1)
				}
			}
			for code := range topics.FromCodes(of[i].Topics).Weights() {
				codes = max(codes, int(code)+1)
			}
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "lives\tmodel\tquestions\t%s\t\n", strings.Join(strings.Fields(fmt.Sprint(budgets)), "\t"))
	all := needsOf(fitted)
	fmt.Fprintf(w, "%d questions, %d examples, %d codes\n", len(fitted), len(all), codes)
	reportLines(table, "fitted", "present", all, func(*need) *relevance.Model { return relevance.Fitted })
	if leave {
		var without [evalset.Parts]*relevance.Model
		for k := range without {
			without[k] = fitLines(slices.DeleteFunc(slices.Clone(all), func(e need) bool { return evalset.Part(e.of.Life) == k }), codes)
			if err := os.WriteFile(fmt.Sprintf("%s.%d", out, k), without[k].Encode(crc32.ChecksumIEEE(file)), 0o644); err != nil {
				return err
			}
		}
		reportLines(table, "fitted", "without the life", all, func(e *need) *relevance.Model { return without[evalset.Part(e.of.Life)] })
	}
	whole := fitLines(all, codes)
	reportLines(table, "unseen", "present", needsOf(held), func(*need) *relevance.Model { return relevance.Fitted })
	reportLines(table, "unseen", "fitted", needsOf(held), func(*need) *relevance.Model { return whole })
	if err := table.Flush(); err != nil {
		return err
	}
	return os.WriteFile(out, whole.Encode(crc32.ChecksumIEEE(file)), 0o644)
}

// budgets are the tokens within which lines that show what a question needs are counted.
var budgets = []int{100, 200, 400, 800, 1600, 3000}

// report prints a row for all questions of lives, and one for each language.
func reportLines(w io.Writer, lives, name string, all []need, by func(*need) *relevance.Model) {
	found := make(map[string][]int)
	for i := range all {
		e := &all[i]
		if len(e.of.Lines) < 100 && e.of.Kind == evalset.AskUnasked {
			continue // of the people, who have said little
		}
		tokens := e.tokens(by(e))
		for _, group := range []string{"", e.of.Language[:2], e.of.Kind} {
			found[group] = append(found[group], tokens)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(w, "%s %s\t%s\t%d\t", lives, group, name, len(found[group]))
		for _, budget := range budgets {
			within := 0
			for _, tokens := range found[group] {
				if tokens <= budget {
					within++
				}
			}
			fmt.Fprintf(w, "%.1f\t", 100*float64(within)/float64(len(found[group])))
		}
		fmt.Fprintln(w)
	}
}

// tokens returns how many the lines take up to the first one that shows what is needed.
func (e *need) tokens(m *relevance.Model) (sum int) {
	q := m.Questions.Of(topics.FromCodes(e.of.Topics))
	score := make([]float32, len(e.of.Lines))
	order := make([]int, len(e.of.Lines))
	for i := range e.of.Lines {
		l := &e.of.Lines[i]
		told := m.Lines.Of(topics.FromCodes(l.Topics))
		score[i], order[i] = m.Rate(&l.Features, &q, &told), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	for _, i := range order {
		if sum += e.of.Lines[i].Tokens; slices.Contains(e.shown, i) {
			break
		}
	}
	return sum
}
