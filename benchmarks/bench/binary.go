package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// least is a program that only imports extension.
const least = `package main

import (
	"context"

	"github.com/ebbmem/ebb/extension"
)

func main() {
	x, err := extension.Open(context.Background(), "memory.db", nil)
	if err != nil {
		panic(err)
	}
	if err := x.Close(context.Background()); err != nil {
		panic(err)
	}
}
`

// binary builds least inside ebb's own module, with the versions that hosts get, and
// measures its size and dependencies.
func (l *lab) binary(ctx context.Context) error {
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	dir, err := l.fresh("least")
	if err != nil {
		return err
	}
	source, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "internal", "least", "main.go"): source}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(source, []byte(least), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		return err
	}
	c := &client{contender: ebb}
	for _, b := range []struct{ what, flags string }{{"binary", ""}, {"binary, -s -w", "-s -w"}} {
		path := filepath.Join(dir, "least")
		if _, err := goTool(ctx, root, "build", "-overlay", overlay, "-ldflags", b.flags, "-o", path, "./internal/least"); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		l.note("binary", c, b.what, 0, "MB", float64(info.Size())/1e6, true)
	}
	listed, err := goTool(ctx, root, "list", "-overlay", overlay, "-deps", "-f", "{{.ImportPath}} {{with .Module}}{{.Path}}{{end}}", "./internal/least")
	if err != nil {
		return err
	}
	packages, modules, providers := dependencies(listed)
	l.note("binary", c, "packages beside the standard library's", 0, "", float64(packages), true)
	l.note("binary", c, "modules beside ebb's", 0, "", float64(len(modules)), true)
	l.note("binary", c, "packages of model providers", 0, "", float64(len(providers)), true)
	if len(providers) > 0 {
		l.leaveOut("binary", c.name, 0, "providers' packages: "+strings.Join(providers, ", "))
	}
	return nil
}

// dependencies reads lines of "package module".
func dependencies(listed string) (packages int, modules, providers []string) {
	const own = "github.com/ebbmem/ebb"
	for line := range strings.Lines(listed) {
		pkg, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		if module == "" {
			continue // of the standard library
		}
		packages++
		if module != own && !slices.Contains(modules, module) {
			modules = append(modules, module)
		}
		if ofProvider(pkg, module) {
			providers = append(providers, pkg)
		}
	}
	return packages, modules, providers
}

// ofProvider reports whether a package is a client of one model provider: below
// langchaingo's llms and embeddings, or a provider's own module.
func ofProvider(pkg, module string) bool {
	const chain = "github.com/tmc/langchaingo/"
	inner, ours := strings.CutPrefix(pkg, chain)
	if ours {
		_, below, _ := strings.Cut(inner, "/")
		first, _, _ := strings.Cut(inner, "/")
		return below != "" && (first == "llms" || first == "embeddings")
	}
	for _, maker := range []string{
		"cloud.google.com/", "google.golang.org/genai", "google.golang.org/api", "google.golang.org/grpc", "github.com/aws/",
		"github.com/google/generative-ai-go", "github.com/openai/", "github.com/sashabaranov/", "github.com/anthropics/",
		"github.com/cohere-ai/", "github.com/ollama/", "github.com/gage-technologies/mistral-go", "github.com/AssemblyAI/",
		"github.com/Azure/", "github.com/IBM/",
	} {
		if strings.HasPrefix(module+"/", maker) {
			return true
		}
	}
	return false
}

func goTool(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var fault bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &fault
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, fault.String())
	}
	return string(out), nil
}
