package arrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.." // the module, seen from this folder

// TestImportTable holds the packages of this repository against the table.
func TestImportTable(t *testing.T) {
	watchTree(t)
	pkgs := listPackages(t)
	require.NotEmpty(t, pkgs, "go list found no package of this module")
	for _, finding := range check(table, pkgs) {
		t.Error(finding)
	}
}

// TestTableIsSound checks the table itself: every name has a row, no folder
// has two, and the arrows form no circle.
func TestTableIsSound(t *testing.T) {
	arrows := map[string][]string{}
	for _, r := range table {
		require.NotContains(t, arrows, r.pkg, "two rows for one folder")
		arrows[r.pkg] = r.ours
		for _, name := range slices.Concat(r.ours, r.oursInTests) {
			_, found := rowOf(table, name)
			require.True(t, found, "the row of %s names %s, which has no row", r.pkg, name)
		}
	}
	var walk func(path []string)
	walk = func(path []string) {
		for _, next := range arrows[path[len(path)-1]] {
			require.NotContains(t, path, next, "the arrows run in a circle")
			walk(append(slices.Clone(path), next))
		}
	}
	for name := range arrows {
		walk([]string{name})
	}
}

// The encoder rests on the standard library and x/text alone.
func TestEncoderDependencies(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./encoder")
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	for _, path := range strings.Fields(string(out)) {
		allowed := path == module+"/encoder" || path == module+"/internal/cpu" || strings.HasPrefix(path, "golang.org/x/text/")
		require.True(t, allowed, "the encoder needs %s", path)
	}
}

// A program that imports the extension compiles no server, no protocol, no broker, no
// telemetry and no driver of another engine; what connects it with a broker compiles only
// the client.
func TestExtensionDependencies(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./extension", "./extension/tenants")
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Contains(t, string(out), module+"/tools\n")
	for _, path := range []string{"github.com/modelcontextprotocol/", module + "/internal/mcpserver", module + "/internal/server", module + "/telemetry", "go.opentelemetry.io/", module + "/postgres", module + "/internal/postgres", "github.com/jackc/pgx", "pgdialect", "github.com/nats-io/"} {
		require.NotContains(t, string(out), path)
	}
	cmd = exec.CommandContext(t.Context(), "go", "list", "-deps", "./eventbus/jetstream")
	cmd.Dir = root
	out, err = cmd.Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "github.com/nats-io/nats.go\n")
	require.NotContains(t, string(out), "github.com/nats-io/nats-server")
}

// listed is the part of go list's answer that is used.
type listed struct {
	ImportPath     string   `json:"ImportPath"`
	Dir            string   `json:"Dir"`
	GoFiles        []string `json:"GoFiles"`
	CgoFiles       []string `json:"CgoFiles"`
	IgnoredGoFiles []string `json:"IgnoredGoFiles"`
	Imports        []string `json:"Imports"`
	TestImports    []string `json:"TestImports"`
	XTestImports   []string `json:"XTestImports"`
}

// listPackages asks go for all packages of the module. With -e a package that
// does not compile is listed too: that is for the compiler to say.
func listPackages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e",
		"-json=ImportPath,Dir,GoFiles,CgoFiles,IgnoredGoFiles,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "go list: %s", stderr.String())

	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		err := dec.Decode(&l)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		require.NoError(t, err, "go list wrote something that is not JSON")
		folder, ok := below(l.ImportPath, module)
		require.True(t, ok, "%s is not below %s: has the module been renamed?", l.ImportPath, module)
		p := pkg{
			folder:      folder,
			code:        slices.Concat(l.GoFiles, l.CgoFiles),
			imports:     l.Imports,
			testImports: slices.Concat(l.TestImports, l.XTestImports),
		}
		for _, name := range l.IgnoredGoFiles {
			p.add(t, l.Dir, name)
		}
		pkgs = append(pkgs, p)
	}
}

// add puts a file that build constraints leave out here into p.
func (p *pkg) add(t *testing.T, dir, name string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ImportsOnly)
	require.NoError(t, err)
	imports := make([]string, 0, len(file.Imports))
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		imports = append(imports, path)
	}
	if strings.HasSuffix(name, "_test.go") {
		p.testImports = append(p.testImports, imports...)
		return
	}
	p.code = append(p.code, name)
	p.imports = append(p.imports, imports...)
}

// watchTree opens every folder of the module. go test caches a result until a
// file or folder that the test opened changes, and it cannot see what the go
// list below it reads: without this a new import would meet an old "ok".
func watchTree(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone since its folder was read
		}
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		return nil
	})
	require.NoError(t, err)
}
