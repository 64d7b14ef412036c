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
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
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
	// Test is the pattern of -run: whole names of tests of one package, which
	// [testFolders] finds, or subtests of one.
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
	if err := list(os.Stdout, ".", *onlyArea); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

// list prints the defences of one area, or of all if only is empty, of the
// module in root.
func list(w io.Writer, root, only string) error {
	folders, err := testFolders(root)
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, a := range areas {
		if only != "" && only != a.name {
			continue
		}
		fmt.Fprintf(&out, "%s (%s, %d)\n\n", a.title, a.name, len(a.mutants))
		for _, m := range a.mutants {
			folder, err := m.folder(folders)
			if err != nil {
				return err
			}
			command := fmt.Sprintf("go test %s -run '%s'", strings.Join(append([]string{folder}, m.Args...), " "), m.Test)
			fmt.Fprintf(&out, "- %s\n  %s: %s\n  %s\n\n", m.Defence, m.File, change(m), command)
		}
	}
	if out.Len() == 0 {
		return fmt.Errorf("no area %q", only)
	}
	_, err = io.WriteString(w, out.String())
	return err
}

var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w*)\(`)

// testFolders maps the name of each test of the module in root to the folders
// that define it: "./schema".
func testFolders(root string) (map[string][]string, error) {
	folders := make(map[string][]string)
	module := os.DirFS(root)
	return folders, fs.WalkDir(module, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		code, err := fs.ReadFile(module, name)
		for _, f := range testFunc.FindAllStringSubmatch(string(code), -1) {
			folders[f[1]] = append(folders[f[1]], "./"+path.Dir(name))
		}
		return err
	})
}

// folder is the folder of the mutant's tests, given [testFolders].
func (m Mutant) folder(folders map[string][]string) (string, error) {
	var in []string
	names, _, _ := strings.Cut(m.Test, "/")
	for name := range strings.SplitSeq(strings.Trim(names, "^$()"), "|") {
		if len(folders[name]) != 1 {
			return "", fmt.Errorf("-run %s needs one test %s, and there are %d", m.Test, name, len(folders[name]))
		}
		in = append(in, folders[name]...)
	}
	if in = slices.Compact(in); len(in) > 1 {
		return "", fmt.Errorf("-run %s names tests of several packages: %s", m.Test, strings.Join(in, ", "))
	}
	return in[0], nil
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
