package arrows

import (
	"fmt"
	"slices"
	"strings"
)

// pkg is what the checker needs to know of one package: its folder in the
// module, and its direct imports as full import paths.
type pkg struct {
	folder      string
	code        []string // names of its files other than tests
	imports     []string // imports of those
	testImports []string // imports of its tests, of both kinds
}

// check returns one sentence for each thing that breaks the table, sorted.
func check(table []row, pkgs []pkg) []string {
	var findings []string
	report := func(format string, args ...any) {
		findings = append(findings, fmt.Sprintf(format, args...))
	}
	for _, p := range pkgs {
		r, found := rowOf(table, p.folder)
		if !found {
			report("%s has no row: add a row for it to the table in internal/arrows/table_test.go", p.folder)
			continue
		}
		if r.testsOnly && len(p.code) > 0 {
			report("%s holds only tests, but has %s: name them _test.go, or move them", p.folder, strings.Join(p.code, ", "))
		}
		for _, path := range p.imports {
			if why := r.refuses(table, path, false); why != "" {
				report("%s imports %s: %s", p.folder, short(path), why)
			}
		}
		for _, path := range p.testImports {
			if why := r.refuses(table, path, true); why != "" {
				report("a test of %s imports %s: %s", p.folder, short(path), why)
			}
		}
	}
	slices.Sort(findings)
	return slices.Compact(findings)
}

// refuses says why r does not allow the import, or returns "".
func (r row) refuses(table []row, path string, inTest bool) string {
	ours, langchain := r.ours, r.langchain
	if inTest {
		ours = slices.Concat(r.ours, r.oursInTests)
		langchain = slices.Concat(r.langchain, r.langchainInTests)
	}
	if name, ok := below(path, langchaingo); ok {
		if slices.ContainsFunc(langchain, func(pattern string) bool { return matches(pattern, name) }) {
			return ""
		}
		return "of langchaingo its row allows " + list(langchain)
	}
	folder, ok := below(path, module)
	if !ok {
		return "" // the standard library and other modules
	}
	if own, _ := strings.CutSuffix(r.pkg, "/..."); matches(own+"/...", folder) {
		return ""
	}
	if target, found := rowOf(table, folder); found && target.kit {
		if inTest || r.kit {
			return ""
		}
		return "it is a test kit, for tests only"
	}
	if slices.ContainsFunc(ours, func(pattern string) bool { return matches(pattern, folder) }) {
		return ""
	}
	return "its row allows " + list(ours)
}

// rowOf returns the row with the longest pattern that covers folder.
func rowOf(table []row, folder string) (row, bool) {
	var best row
	found := false
	for _, r := range table {
		if matches(r.pkg, folder) && (!found || len(r.pkg) > len(best.pkg)) {
			best, found = r, true
		}
	}
	return best, found
}

// matches reports whether pattern covers name: itself, or with a last element
// of "..." also everything below it.
func matches(pattern, name string) bool {
	if pattern == anything {
		return true
	}
	if folder, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == folder || strings.HasPrefix(name, folder+"/")
	}
	return pattern == name
}

// below returns path relative to the module mod, "." for its root.
func below(path, mod string) (string, bool) {
	if path == mod {
		return ".", true
	}
	return strings.CutPrefix(path, mod+"/")
}

func short(path string) string {
	if folder, ok := below(path, module); ok {
		return folder
	}
	return path
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
