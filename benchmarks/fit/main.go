package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// A command does what it says to the folders that it is given.
type command func(ctx context.Context, w io.Writer, folders []string) error

// commands are named by the first argument; each defines its flags.
var commands = map[string]func(*flag.FlagSet) command{
	"ranker":    rankerCommand,
	"relevance": relevanceCommand,
	"intent":    intentCommand,
	"lines":     linesCommand,
	"changes":   changesCommand,
	"leftout":   leftoutCommand,
	"wordnet":   wordnetCommand,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1) //nolint:gocritic // stop has nothing left to do
	}
}

func run(ctx context.Context, w io.Writer, args []string) error {
	if len(args) == 0 || commands[args[0]] == nil {
		return fmt.Errorf("name one of %s", strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	do := commands[args[0]](flags)
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	return do(ctx, w, flags.Args())
}

// listed returns the items of a flag that separates them by commas.
func listed(flag string) []string {
	return strings.FieldsFunc(flag, func(r rune) bool { return r == ',' })
}

// linesOf decodes the lines of a file.
func linesOf[T any](path string, file []byte) (lines []T, err error) {
	for line := range bytes.Lines(file) {
		var l T
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, len(lines)+1, err)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// inParallel calls do for 0 … n−1, on all processors.
func inParallel(n int, do func(int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}
