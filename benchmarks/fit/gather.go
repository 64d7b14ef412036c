package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/measure"
	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/internal/relevance"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
)

// liveQuestion is one asking, with the lines that were rated for it.
type liveQuestion struct {
	Life, Language, Kind string

	Topics []byte // see [topics.Set.Codes]
	Lines  []rated
	Wanted [][]int // for each statement that is needed, the lines that show it; none for a question about something else
}

// rated is a line, and what it is rated by.
type rated struct {
	Topics   []byte
	Tokens   int
	Features [relevance.Features]float32
}

// daysFitted are those whose questions are fitted to.
var daysFitted = []int{30, 365}

// gather lives the lives of some folders and returns their questions. With a cache they are
// read from a file for each folder, cache + its name, or written there.
func gather(ctx context.Context, dirs []string, cache string) (all gathered, err error) {
	for _, dir := range dirs {
		of, err := folder(ctx, dir, cache)
		if err != nil {
			return all, err
		}
		all.add(of)
	}
	return all, nil
}

// gathered is what lives give to fit to.
type gathered struct {
	Questions []liveQuestion
	Pairs     []pair
}

func (g *gathered) add(of gathered) {
	g.Questions, g.Pairs = append(g.Questions, of.Questions...), append(g.Pairs, of.Pairs...)
}

func folder(ctx context.Context, dir, cache string) (all gathered, err error) {
	path := cache + filepath.Base(dir)
	if file, err := os.Open(path); err == nil && cache != "" {
		defer file.Close()
		return all, gob.NewDecoder(file).Decode(&all)
	}
	lives, err := evalset.LoadLives(dir)
	if err != nil {
		return all, err
	}
	of := make([]gathered, len(lives))
	if err := inParallel(len(lives), func(i int) (err error) {
		of[i], err = gatherLife(ctx, lives[i])
		fmt.Fprintln(os.Stderr, lives[i].Name, len(of[i].Questions), len(of[i].Pairs))
		return err
	}); err != nil {
		return all, err
	}
	for _, l := range of {
		all.add(l)
	}
	slices.SortStableFunc(all.Questions, func(a, b liveQuestion) int { return strings.Compare(a.Life, b.Life) })
	slices.SortStableFunc(all.Pairs, func(a, b pair) int { return strings.Compare(a.Life, b.Life) })
	if cache == "" {
		return all, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return all, err
	}
	return all, errors.Join(gob.NewEncoder(file).Encode(all), file.Close())
}

// gatherLife lives a life and returns its questions and everyday messages.
func gatherLife(ctx context.Context, life *evalset.Life) (all gathered, err error) {
	day, comparedOn := 0, -1
	ctx = prompt.Observe(ctx, func(asked string, lines []prompt.Rated, pairs func(int) []prompt.Pair) {
		if len(lines) == 0 || life.Days > slices.Max(daysFitted) && !slices.Contains(daysFitted, day) {
			return
		}
		if comparedOn != day && slices.Contains(daysFitted, day) {
			comparedOn = day
			all.Pairs = append(all.Pairs, comparedIn(life, lines, pairs)...)
		}
		q := liveQuestion{Life: life.Name, Language: life.Language, Topics: topics.Of(asked).Codes()}
		var wanted []*evalset.Statement
		if q.Kind, wanted = labelOf(life, day, asked); q.Kind == "" {
			return
		}
		for _, l := range lines {
			q.Lines = append(q.Lines, rated{l.Topics.Codes(), l.Tokens, l.Features})
		}
		for _, s := range wanted {
			if shown := showing(s, lines); len(shown) > 0 {
				q.Wanted = append(q.Wanted, shown)
			}
		}
		if len(wanted) > 0 && len(q.Wanted) == 0 {
			return // not understood
		}
		all.Questions = append(all.Questions, q)
	})
	_, err = live(ctx, life, func() { day++ })
	return all, err
}

// live plays a life with the default configuration.
func live(ctx context.Context, life *evalset.Life, step func()) (measure.LifeResult, error) {
	v, err := measure.Lives(ctx, []*evalset.Life{life}, measure.Options{
		Config:   func() (*extension.Config, error) { return &extension.Config{}, nil },
		Await:    func(context.Context, *extension.Extension, extension.Scope, string) error { return nil },
		Progress: func(int, string) (func(), func()) { return step, func() {} },
	})
	if err != nil {
		return measure.LifeResult{}, err
	}
	return v.Lives[0], nil
}

// showing returns the lines that show a statement.
func showing(s *evalset.Statement, lines []prompt.Rated) (shown []int) {
	for i, l := range lines {
		if s.Shown([]string{text.Fold(l.Text)}) || len(s.Keys) == 0 && strings.Contains(text.Fold(text.Line(s.Text)), text.Fold(l.Text)) {
			shown = append(shown, i)
		}
	}
	return shown
}

// labelOf returns the kind of what is asked on a day, and the statements that it needs: "" for
// what is only said, or means little without the conversation.
func labelOf(life *evalset.Life, day int, asked string) (kind string, wanted []*evalset.Statement) {
	for n := range 4 {
		if _, message, _ := life.Small(day, n); message == asked {
			return evalset.Everyday, nil
		}
	}
	for _, q := range life.Due(day, life.Midnight(day+1)) {
		if q.Ask != asked {
			continue
		}
		switch q.Kind {
		case evalset.AskFollowUp, evalset.AskForgotten, evalset.AskTime:
			return "", nil
		}
		return q.Kind, q.Wanted
	}
	return "", nil
}
