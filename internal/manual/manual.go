// Package manual writes man pages from the model of a command line.
package manual

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Write writes a page for the program and one for each of its visible commands to a
// folder, named as git's are: ebb.1, ebb-token-add.1. It returns how many.
func Write(app *kong.Application, version, folder string) (pages int, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	err = each(app.Node, func(n *kong.Node) error {
		pages++
		return os.WriteFile(filepath.Join(folder, name(n)+".1"), []byte(page(n, version)), 0o644)
	})
	return pages, err
}

// each calls do for a command and all visible ones below it.
func each(n *kong.Node, do func(*kong.Node) error) error {
	if err := do(n); err != nil {
		return err
	}
	for _, child := range n.Children {
		if child.Hidden {
			continue
		}
		if err := each(child, do); err != nil {
			return err
		}
	}
	return nil
}

// name is the name of a command's page, without the section.
func name(n *kong.Node) string {
	if n.Parent == nil {
		return n.Name
	}
	return name(n.Parent) + "-" + n.Name
}

func page(n *kong.Node, version string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	title := name(n)
	short, _, _ := strings.Cut(n.Help, "\n")
	line(`.TH "%s" 1 "" "%s"`, strings.ToUpper(title), text(version))
	line(".SH NAME\n%s \\- %s", text(title), text(strings.TrimSuffix(short, ".")))
	line(".SH SYNOPSIS\n.B %s\n%s", text(strings.ReplaceAll(title, "-", " ")), text(strings.TrimSpace(strings.TrimPrefix(n.Summary(), n.Path()))))
	if detail := strings.TrimSpace(strings.TrimPrefix(n.Help, short) + "\n\n" + n.Detail); detail != "" {
		line(".SH DESCRIPTION\n%s", paragraphs(detail))
	}
	if len(n.Positional) > 0 {
		line(".SH ARGUMENTS")
		for _, arg := range n.Positional {
			line(".TP\n.I %s\n%s", text(strings.ToUpper(arg.Name)), text(arg.Help))
		}
	}
	options(line, "OPTIONS", n.Flags)
	if n.Parent != nil {
		var inherited []*kong.Flag
		for p := n.Parent; p != nil; p = p.Parent {
			inherited = append(inherited, p.Flags...)
		}
		options(line, "OPTIONS OF EVERY COMMAND", inherited)
	}
	children := slices.DeleteFunc(slices.Clone(n.Children), func(child *kong.Node) bool { return child.Hidden })
	if len(children) > 0 {
		line(".SH COMMANDS")
		for _, child := range children {
			line(".TP\n.BR %s (1)\n%s", text(name(child)), text(child.Help))
		}
	}
	if n.Parent != nil {
		line(".SH SEE ALSO\n.BR %s (1)", text(name(n.Parent)))
	}
	return b.String()
}

func options(line func(string, ...any), title string, flags []*kong.Flag) {
	for i, f := range flags {
		if i == 0 {
			line(".SH %s", title)
		}
		if f.Hidden {
			continue
		}
		written := `\fB\-\-` + text(f.Name) + `\fR`
		if f.Short != 0 {
			written = `\fB\-` + string(f.Short) + `\fR, ` + written
		}
		if !f.IsBool() {
			written += `=\fI` + text(strings.Trim(f.FormatPlaceHolder(), `"`)) + `\fR`
		}
		help := text(f.Help)
		if len(f.Envs) > 0 {
			help += " Environment: " + text(strings.Join(f.Envs, ", ")) + "."
		}
		line(".TP\n%s\n%s", written, help)
	}
}

// paragraphs separates what empty lines separate.
func paragraphs(s string) string {
	var all []string
	for p := range strings.SplitSeq(s, "\n\n") {
		all = append(all, text(strings.ReplaceAll(p, "\n", " ")))
	}
	return strings.Join(all, "\n.PP\n")
}

// text escapes what troff would read as a command, and characters that it does not know.
func text(s string) string {
	var b strings.Builder
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		b.WriteString(`\&`)
	}
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > 0x7e:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
