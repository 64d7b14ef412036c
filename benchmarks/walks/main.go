// Command walks prints the packages and files that a published message, a question
// and an extracted fact cross, as a run with coverage counts them:
//
//	go run ./walks        # packages, with the number of files
//	go run ./walks -files # the files too
//
// It counts leaves apart. A leaf imports no context, and none of our packages but
// leaves: its functions take values and return values, so they call no host, model or
// database and pass nothing on.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/coverage"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

const module = "github.com/ebbmem/ebb"

var files = flag.Bool("files", false, "print the files, too")

// walk is something that a memory does. prepare does what comes before it.
type walk struct {
	name    string
	prepare func(ctx context.Context, s *extension.Session, x *extension.Extension) error
	take    func(ctx context.Context, s *extension.Session, x *extension.Extension) error
}

var ada = extension.Scope{User: "ada", Session: "monday"}

var walks = []walk{
	{"publish", ask, tell},
	{"question", tell, ask},
	{"fact", func(ctx context.Context, s *extension.Session, x *extension.Extension) error {
		return errors.Join(tell(ctx, s, x), ask(ctx, s, x))
	}, func(ctx context.Context, _ *extension.Session, x *extension.Extension) error {
		report, err := x.Consolidate(ctx, ada)
		if err == nil && !strings.Contains(report.Summary(), "1") {
			err = errors.New("no fact was extracted: " + report.Summary())
		}
		return err
	}},
}

func tell(ctx context.Context, _ *extension.Session, x *extension.Extension) error {
	return x.Bus().Publish(ctx, eventbus.UserMessage(ada, "I live in Lisbon."))
}

// ask waits for the lists of topics, too, which a memory reads in the background when
// it opens.
func ask(ctx context.Context, s *extension.Session, _ *extension.Extension) error {
	_, err := s.Preview(ctx, "Where do I live?")
	return err
}

// model extracts one fact.
type model struct{}

func (model) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: `{"facts": [{"text": "The user lives in Lisbon.", "kind": "fact",
		"subject": "the user", "predicate": "lives_in", "object": "Lisbon", "type": "state", "when": "", "confidence": 0.9, "importance": 8,
		"sources": ["m1"], "quote": "I live in Lisbon"}]}`}}}, nil
}

func (model) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }

// run takes a walk and writes what it crossed to a folder. Memories work in the
// background for themselves; that is switched off.
func run(ctx context.Context, w walk, folder string) (err error) {
	x, err := extension.Open(ctx, filepath.Join(folder, "memory.db"), &extension.Config{
		NoBackground: true, Model: model{},
		Night: extension.NightConfig{Stages: func([]extension.Stage) []extension.Stage { return []extension.Stage{consolidate.Extract{}} }},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(ctx)) }()
	s, err := x.Session(ada)
	if err != nil {
		return err
	}
	if err := errors.Join(w.prepare(ctx, s, x), coverage.ClearCounters(), w.take(ctx, s, x)); err != nil {
		return err
	}
	return errors.Join(coverage.WriteMetaDir(folder), coverage.WriteCountersDir(folder))
}

func main() {
	flag.Parse()
	if err := show(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "walks:", err)
		os.Exit(1)
	}
}

// show builds this program with coverage and runs it once for each walk.
func show(ctx context.Context) error {
	folder := os.Getenv("EBB_WALK_FOLDER")
	for _, w := range walks {
		if w.name == os.Getenv("EBB_WALK") {
			return run(ctx, w, folder)
		}
	}
	folder, err := os.MkdirTemp("", "walks")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "walks")
	if out, err := exec.CommandContext(ctx, "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+module+"/...", "-o", program, module+"/benchmarks/walks").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	isLeaf, err := leaves(ctx)
	if err != nil {
		return err
	}
	for _, w := range walks {
		crossed, err := take(ctx, program, w.name, folder)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		n, ends := 0, 0
		for pkg, names := range crossed {
			n += len(names)
			if isLeaf[pkg] {
				ends++
			}
		}
		fmt.Printf("%s: %d packages, %d of them leaves, so %d to follow; %d files\n", w.name, len(crossed), ends, len(crossed)-ends, n)
		for _, pkg := range slices.Sorted(maps.Keys(crossed)) {
			kind := ""
			if isLeaf[pkg] {
				kind = "leaf"
			}
			fmt.Println(strings.TrimRight(fmt.Sprintf("  %-22s %2d %s", pkg, len(crossed[pkg]), kind), " "))
			if *files {
				fmt.Println("    " + strings.Join(crossed[pkg], " "))
			}
		}
	}
	return nil
}

// leaves are the packages of the module that are leaves.
func leaves(ctx context.Context) (map[string]bool, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-deps", "-f", `{{if not .Standard}}{{.ImportPath}} {{join .Imports " "}}{{end}}`, module+"/extension").Output()
	if err != nil {
		return nil, err
	}
	leaf := make(map[string]bool)
	for line := range strings.Lines(string(out)) { // each package after those it imports
		imports := strings.Fields(line)
		pkg, ours := strings.CutPrefix(imports[0], module+"/")
		leaf[pkg] = ours && !slices.ContainsFunc(imports[1:], func(path string) bool {
			other, ours := strings.CutPrefix(path, module+"/")
			return path == "context" || ours && !leaf[other]
		})
	}
	return leaf, nil
}

// take runs the program for a walk and returns the files it crossed, by package.
func take(ctx context.Context, program, name, folder string) (map[string][]string, error) {
	folder = filepath.Join(folder, name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program)
	atExit := filepath.Join(folder, "exit") // what the whole run crossed, which is not asked for
	if err := os.Mkdir(atExit, 0o700); err != nil {
		return nil, err
	}
	cmd.Env = append(os.Environ(), "EBB_WALK="+name, "EBB_WALK_FOLDER="+folder, "GOCOVERDIR="+atExit)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	text := filepath.Join(folder, "text")
	if out, err := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+folder, "-o="+text).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	profile, err := os.ReadFile(text)
	if err != nil {
		return nil, err
	}
	return crossedFiles(profile)
}

// crossedFiles reads a profile: lines of file:from,to statements count.
func crossedFiles(profile []byte) (map[string][]string, error) {
	crossed := make(map[string][]string)
	for lines := bufio.NewScanner(bytes.NewReader(profile)); lines.Scan(); {
		file, rest, ok := strings.Cut(lines.Text(), ":")
		if !ok || file == "mode" || strings.HasSuffix(rest, " 0") {
			continue
		}
		pkg, _ := strings.CutPrefix(path.Dir(file), module+"/")
		if name := path.Base(file); pkg != "benchmarks/walks" && !slices.Contains(crossed[pkg], name) {
			crossed[pkg] = append(crossed[pkg], name)
		}
	}
	if len(crossed) == 0 {
		return nil, errors.New("the profile counts nothing")
	}
	return crossed, nil
}
