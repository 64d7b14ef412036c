package wording

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/racing"
)

// banned are words that are practically always wrong in a comment, with what to
// write in their place.
var banned = compile([]wording{
	{`told`, `"given", "notified", "reported", "stated", or "distinguished" for "told apart"`},
	{`nobody`, `the actor and a verb with "not": "no caller …", "is not read"`},
	{`whoever`, `the actor: "the caller", "a reader"`},
	{`vouch(es|ed|ing)?`, `"trusted" or "untrusted"`},
	{`hearsay`, `"untrusted"`},
	{`whom`, `the actor as the subject of a sentence of its own`},
	{`(of|by|to|from|in|with) whose`, `a sentence of its own`},
	{`(work|goe|go|run|read|done|made|happen)(s|ed|ing)? (on )?behind`, `"in the background"`},
	{`behind (the turn|a turn|(its|their|the) callers?|(its|their) tenants)`, `"in the background"`},
	{`ailments?`, `"fault" or "problem"`},
	{`doomed`, `"to be deleted"`},
	{`betray(s|ed)?`, `"reveals"`},
	{`mend(s|ed|ing)?`, `"repair", "correct" or "fix"`},
	{`hear(s|d)? of`, `"receives", "is notified of"`},
	{`puts? away`, `"deactivates", "makes dormant"`},
	{`before (its|their) eyes`, `"in its context"`},
	{`for ever`, `"forever" or "without limit"`},
	{`in vain`, `"without effect"`},
	{`anew`, `"again" or "new"`},
	{`unasked`, `"automatically"`},
	{`doors?`, `"source" of messages, or "entry point"`},
})

// wording is a pattern of whole words, and what to write in their place.
type wording struct {
	pattern, instead string
}

type bannedWord struct {
	*regexp.Regexp

	instead string
}

func compile(list []wording) (words []bannedWord) {
	for _, w := range list {
		words = append(words, bannedWord{regexp.MustCompile(`\b(?i:` + w.pattern + `)\b`), w.instead})
	}
	return words
}

const root = "../.."

// finding is a banned word in a comment.
type finding struct {
	position token.Position
	word     string
	instead  string
}

func TestCommentsAreFreeOfBannedWords(t *testing.T) {
	racing.Alone(t)
	for _, name := range goFiles(t) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(root, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, f := range findings(fset, file) {
			assert.Fail(t, fmt.Sprintf("%s:%d: %q in a comment; write %s", name, f.position.Line, f.word, f.instead))
		}
	}
}

// goFiles lists the Go files that are not tests, relative to the root.
func goFiles(t *testing.T) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		name, err := filepath.Rel(root, path)
		names = append(names, name)
		return err
	}))
	require.NotEmpty(t, names)
	return names
}

// quoted is text that a comment cites, and code.
var quoted = regexp.MustCompile("\"[^\"]*\"|“[^”]*”|`[^`]*`|\\[[^\\]]*\\]")

// findings are the banned words in a file's comments. The lines of a comment are
// read as one text: a phrase may span two.
func findings(fset *token.FileSet, file *ast.File) (found []finding) {
	named := declared(file)
	for _, group := range file.Comments {
		var text strings.Builder
		var starts []int // of each comment in text
		for _, c := range group.List {
			starts = append(starts, text.Len())
			text.WriteString(strings.TrimLeft(strings.TrimPrefix(c.Text, "//"), " \t") + " ")
		}
		plain := quoted.ReplaceAllStringFunc(text.String(), func(s string) string { return strings.Repeat(" ", len(s)) })
		for _, b := range banned {
			for _, at := range b.FindAllStringIndex(plain, -1) {
				if named[plain[at[0]:at[1]]] {
					continue
				}
				line := 0
				for line+1 < len(starts) && starts[line+1] <= at[0] {
					line++
				}
				found = append(found, finding{fset.Position(group.List[line].Pos()), plain[at[0]:at[1]], b.instead})
			}
		}
	}
	return found
}

// declared are the types, functions, constants, variables and fields that a file declares
// under names with a capital letter: comments begin with them.
func declared(file *ast.File) map[string]bool {
	names := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		var idents []*ast.Ident
		switch n := n.(type) {
		case *ast.FuncDecl:
			idents = []*ast.Ident{n.Name}
		case *ast.TypeSpec:
			idents = []*ast.Ident{n.Name}
		case *ast.ValueSpec:
			idents = n.Names
		case *ast.Field:
			idents = n.Names
		}
		for _, i := range idents {
			names[i.Name] = i.IsExported()
		}
		return true
	})
	return names
}

func TestFindings(t *testing.T) {
	for comment, want := range map[string][]string{
		"// Find is told of a\n// door.":                            {"told", "door"},
		"// It works\n// behind the callers.":                       {"works behind", "behind the callers"},
		"// A handler that quotes \"nobody told me\" is fine.":      nil,
		"// The cursor lags behind the journal.":                    nil,
		"// Door is declared, a door is a source.":                  {"door"},
		"// Untrusted reports untrusted text. Whoever asks, waits.": {"Whoever"},
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "x.go", "package x\n\n"+comment+"\nvar Door int\n", parser.ParseComments)
		require.NoError(t, err)
		var words []string
		for _, f := range findings(fset, file) {
			words = append(words, f.word)
		}
		assert.ElementsMatch(t, want, words, comment)
	}
}
