// Mutation lists ebb's defences and the tests that fail without them, and its
// tests prove that they fail.
//
//	go run ./internal/mutation                  # every defence, by area
//	go run ./internal/mutation -area erasure    # one area
//
// Each [Mutant] removes one defence from the code and names the test that must
// notice. The table is kept true in two ways. Every run of the tests checks
// that each mutant still fits the code: its fragment occurs exactly once. With
// the flag -mutants the tests make each mutant, in an overlay that leaves the
// work tree unchanged, and run its test:
//
//	go test ./internal/mutation -run Mutants -mutants [-area erasure] -timeout 2h -v
//
// SECURITY.md names the areas; a test compares.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// Mutant is one defence, how to remove it, and the test that fails without it.
type Mutant struct {
	// Defence is the promise, in one sentence.
	Defence string
	// File holds the defence, relative to the root of the module.
	File string
	// Old is the fragment of File that defends. It occurs there exactly once.
	Old string
	// New replaces Old. The result must compile.
	New string
	// Package holds the test: "./schema".
	Package string
	// Test is the pattern of -run.
	Test string
	// Args are further arguments of go test, such as "-race" or a flag that
	// the test defines. Default none.
	Args []string
	// Server has the test run on a PostgreSQL server.
	Server bool
}

var onlyArea = flag.String("area", "", "only this area")

func main() {
	flag.Parse()
	if err := list(os.Stdout, *onlyArea); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

// list prints the defences of one area, or of all if only is empty.
func list(w io.Writer, only string) error {
	var out strings.Builder
	for _, a := range areas {
		if only != "" && only != a.name {
			continue
		}
		fmt.Fprintf(&out, "%s (%s, %d)\n\n", a.title, a.name, len(a.mutants))
		for _, m := range a.mutants {
			fmt.Fprintf(&out, "- %s\n  %s: %s\n  %s\n\n", m.Defence, m.File, change(m), testCommand(m))
		}
	}
	if out.Len() == 0 {
		return fmt.Errorf("no area %q", only)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// testCommand is the command that fails without the defence.
func testCommand(m Mutant) string {
	return fmt.Sprintf("go test %s -run '%s'", strings.Join(append([]string{m.Package}, m.Args...), " "), m.Test)
}

// change describes the mutation on one line.
func change(m Mutant) string {
	if strings.TrimSpace(m.New) == "" {
		return "without `" + fragment(m.Old) + "`"
	}
	return "`" + fragment(m.Old) + "` → `" + fragment(m.New) + "`"
}

// fragment is code on one line, cut to 70 characters.
func fragment(code string) string {
	const most = 70
	line := []rune(strings.Join(strings.Fields(code), " "))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}
