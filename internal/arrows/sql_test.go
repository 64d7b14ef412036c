package arrows

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sqlOwners are the folders whose code may hold SQL, with what is below them.
var sqlOwners = []string{
	"schema", "eventbus", "internal/engine", "internal/sqlite", "internal/postgres",
	"internal/evalset/fts",                // an index of its own in memory, to measure against
	"internal/memtest", "internal/pgtest", // kits of tests
	"internal/mutation",                 // fragments of code, as text
	"extension/transfer/langchaingo.go", // another program's tables
}

var (
	sqlText    = regexp.MustCompile(`\bSELECT\s[^\n]*\bFROM\b|^\s*SELECT\s|\bINSERT (OR \w+ )?INTO\s|\bUPDATE \w+ SET\s|\bDELETE FROM\s|^\s*PRAGMA\s`)
	sqlBuilder = regexp.MustCompile(`^New(Select|Insert|Update|Delete|Raw|Values|Merge)(Query)?$`)
)

// SQL stands in schema, eventbus and the engine: what reads and writes a table is
// found beside its migration.
func TestSQLOwners(t *testing.T) {
	for _, p := range listPackages(t) {
		if owned(p.folder) {
			continue
		}
		for _, name := range p.code {
			if owned(p.folder + "/" + name) {
				continue
			}
			path := filepath.Join(root, p.folder, name)
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, at := range sqlIn(file) {
				assert.Fail(t, "SQL outside schema and eventbus", "%s", fset.Position(at))
			}
		}
	}
}

func owned(folder string) bool {
	for _, owner := range sqlOwners {
		if folder == owner || strings.HasPrefix(folder, owner+"/") {
			return true
		}
	}
	return false
}

// sqlIn finds texts of SQL, and calls of bun's query builders.
func sqlIn(file *ast.File) (found []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && sqlText.MatchString(text) {
				found = append(found, n.Pos())
			}
		case *ast.SelectorExpr:
			if sqlBuilder.MatchString(n.Sel.Name) {
				found = append(found, n.Sel.Pos())
			}
		}
		return true
	})
	return found
}

func TestSQLIsFound(t *testing.T) {
	for code, want := range map[string]int{
		"const q = \"SELECT id FROM memories\"":             1,
		"const q = `\n\tSELECT count(*),\n\t\tmin(at)`":     1,
		"const q = \"UPDATE memories SET state = ?\"":       1,
		"const q = \"DELETE FROM \" + \"events\"":           1,
		"func f() { tx.NewSelect().Model(m) }":              1,
		"const q = \"Select a memory from the list\"":       0,
		"const q = \"the update of memories sets nothing\"": 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+code, 0)
		require.NoError(t, err)
		assert.Len(t, sqlIn(file), want, code)
	}
}

// A package is read in one go.
const (
	mostFiles = 45
	mostLines = 7000
)

func TestPackageSizes(t *testing.T) {
	for _, p := range listPackages(t) {
		lines := 0
		for _, name := range p.code {
			content, err := os.ReadFile(filepath.Join(root, p.folder, name))
			require.NoError(t, err)
			lines += bytes.Count(content, []byte("\n"))
		}
		assert.LessOrEqual(t, len(p.code), mostFiles, "files of %s", p.folder)
		assert.LessOrEqual(t, lines, mostLines, "lines of %s", p.folder)
	}
}
