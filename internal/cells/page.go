package cells

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rivo/uniseg"
)

// Page writes for people: wrapped, aligned, and with colour only on a
// terminal. The first error of W is kept in Err, and ends the writing.
type Page struct {
	W        io.Writer
	Width    int
	Screen   bool // it is a terminal
	Colour   bool
	Location *time.Location
	Err      error
}

// Line writes one line.
func (p *Page) Line(format string, args ...any) {
	if p.Err == nil {
		_, p.Err = fmt.Fprintf(p.W, format+"\n", args...)
	}
}

// Body writes text wrapped to the width, each line after prefix; the first
// line stands after first instead. A command in `backquotes` stays on one line,
// to be copied.
func (p *Page) Body(first, prefix, text string) {
	room := "" // what first takes of its line beyond prefix
	if wider := Width(first) - Width(prefix); wider > 0 {
		room = strings.Repeat("_", wider-1) + " "
	}
	for i, l := range WrapProse(room+text, p.Width-Width(prefix)) {
		if i == 0 {
			p.Line("%s", strings.TrimRight(first+l[min(len(room), len(l)):], " "))
			continue
		}
		p.Line("%s%s", prefix, l)
	}
}

// Say writes a sentence, wrapped on a terminal. What another program reads stays on
// one line.
func (p *Page) Say(format string, args ...any) {
	if !p.Screen {
		p.Line(format, args...)
		return
	}
	p.Body("", "", fmt.Sprintf(format, args...))
}

// Note writes a sentence in a colour, wrapped to the width, each line after indent.
func (p *Page) Note(code, indent, text string) {
	for _, l := range WrapProse(text, p.Width-Width(indent)) {
		p.Line("%s%s", indent, p.In(code, l))
	}
}

// Parts writes what belongs on one line, two spaces apart. What does not fit goes
// on after indent; no part is broken.
func (p *Page) Parts(indent string, parts ...string) {
	line := parts[0]
	for _, part := range parts[1:] {
		if Width(line)+2+Width(part) <= p.Width {
			line += "  " + part
			continue
		}
		p.Line("%s", line)
		line = indent + part
	}
	p.Line("%s", line)
}

// WrapProse returns printable text, wrapped, with commands, ids and flags left whole.
func WrapProse(text string, width int) []string {
	lines := Wrap(joinCommands(Printable(text)), width)
	for i, l := range lines {
		lines[i] = breakable.Replace(l)
	}
	return lines
}

// ID writes an id on a line of its own, to be copied.
func (p *Page) ID(indent, id string) {
	if id != "" {
		p.Line("%s%s", indent, p.In(Dim, id))
	}
}

// Signs that look like a space and a hyphen, and at which no line is broken.
const (
	noBreak       = "\u00a0"
	noBreakHyphen = "\u2011"
)

var (
	unbroken  = strings.NewReplacer("-", noBreakHyphen)
	breakable = strings.NewReplacer(noBreak, " ", noBreakHyphen, "-")
)

// command is a command in a sentence: in `backquotes`, or ebb with what belongs to
// it, or a flag with its value.
var command = regexp.MustCompile("`[^`]+`|\\bebb [a-z]+(?: --[a-z-]+(?: [A-Z]+)?| [A-Z]{2,}| [0-9a-f]{8}-[0-9a-f-]{27})*|--[a-z-]+ (?:[A-Z]+|[0-9a-f]{6})\\b")

// joinCommands keeps the words of commands together, and ids and flags whole.
func joinCommands(text string) string {
	return unbroken.Replace(command.ReplaceAllStringFunc(text, func(c string) string { return strings.ReplaceAll(c, " ", noBreak) }))
}

// Table writes rows in aligned columns, two spaces apart; cells may carry
// colour. Columns that do not fit beside the others follow below, after the
// first column once more; a last column of prose is wrapped instead.
func (p *Page) Table(indent string, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	if len(widths) == 0 {
		return
	}
	from, last := 1, len(widths)-1
	for first := true; first || from <= last; first = false {
		width, to := Width(indent)+widths[0], from
		for to <= last && (to == from || width+2+widths[to] <= p.Width || to == last && prose(rows, to) && width+2+leastProse <= p.Width) {
			width += 2 + widths[to]
			to++
		}
		if !first {
			p.Line("")
		}
		for _, row := range rows {
			p.row(indent, row, widths, from, to)
		}
		from = to
	}
}

// leastProse is how many cells a column of prose needs at least.
const leastProse = 20

// prose reports whether a column holds texts of several words.
func prose(rows [][]string, column int) bool {
	return slices.ContainsFunc(rows, func(row []string) bool {
		return column < len(row) && strings.Count(strings.TrimSpace(row[column]), " ") > 2
	})
}

// row writes the first cell of a row and those from from to to.
func (p *Page) row(indent string, row []string, widths []int, from, to int) {
	var b strings.Builder
	b.WriteString(indent)
	columns := []int{0}
	for i := from; i < min(to, len(row)); i++ {
		columns = append(columns, i)
	}
	for at, i := range columns {
		if i >= len(row) {
			break
		}
		if at < len(columns)-1 {
			b.WriteString(row[i] + strings.Repeat(" ", widths[i]-Width(row[i])+2))
			continue
		}
		start := Width(b.String())
		if start+Width(row[i]) <= p.Width || p.Width-start < leastProse {
			b.WriteString(row[i])
			break
		}
		for n, l := range Wrap(row[i], p.Width-start) {
			if n > 0 {
				p.Line("%s", strings.TrimRight(b.String(), " "))
				b.Reset()
				b.WriteString(strings.Repeat(" ", start))
			}
			b.WriteString(l)
		}
	}
	p.Line("%s", strings.TrimRight(b.String(), " "))
}

// Codes for [Page.In].
const (
	Bold = "1"
	Dim  = "2"
	Red  = "31"
	Warm = "33"
	Good = "32"
)

// In styles s with an ANSI code when the page has colour.
func (p *Page) In(code, s string) string {
	if !p.Colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Moment is a time as people read it: "Mon 2026-03-02 07:47".
func (p *Page) Moment(t time.Time) string {
	return t.In(p.Location).Format("Mon 2006-01-02 15:04")
}

// Day is a date as people read it: "Monday, 2 March 2026".
func (p *Page) Day(t time.Time) string {
	return t.In(p.Location).Format("Monday, 2 January 2006")
}

// Printable removes what could steer a terminal: what others wrote is shown,
// never obeyed. Line breaks and tabs stay, as a line break and a space.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
			return -1
		}
		return r
	}, s)
}

// OneLine is printable text without line breaks, cut to at most width
func OneLine(s string, width int) string {
	s = strings.Join(strings.Fields(Printable(s)), " ")
	if Width(s) <= width {
		return s
	}
	var b strings.Builder
	used, state := 0, -1
	for s != "" {
		var cluster string
		var boundaries int
		cluster, s, boundaries, state = uniseg.StepString(s, state)
		if used += boundaries >> uniseg.ShiftWidth; used > width-1 {
			break
		}
		b.WriteString(cluster)
	}
	return strings.TrimRight(b.String(), " ") + "…"
}

// Count is a number with its noun: "1 memory", "12 memories".
func Count[N ~int | ~int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Size is a number of bytes as people read it.
func Size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	case bytes < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}
