package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/ebbmem/ebb/internal/cells"
)

// page writes for people: wrapped, aligned, and with colour only on a
// terminal. The first fault of the stream is kept, and ends the writing.
type page struct {
	w        io.Writer
	width    int
	screen   bool // it is a terminal
	colour   bool
	location *time.Location
	err      error
}

func (a *app) page() *page {
	width := a.width
	if width == 0 {
		width = 80
	}
	return &page{w: a.stdout, width: width, screen: a.screen, colour: a.colour, location: a.zone()}
}

// line writes one line.
func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// body writes text wrapped to the width, each line after prefix; the first
// line stands after first instead. A command in `backquotes` stays on one line,
// to be copied.
func (p *page) body(first, prefix, text string) {
	room := "" // what first takes of its line beyond prefix
	if wider := cells.Width(first) - cells.Width(prefix); wider > 0 {
		room = strings.Repeat("_", wider-1) + " "
	}
	for i, l := range wrapped(room+text, p.width-cells.Width(prefix)) {
		if i == 0 {
			p.line("%s", strings.TrimRight(first+l[min(len(room), len(l)):], " "))
			continue
		}
		p.line("%s%s", prefix, l)
	}
}

// say writes a sentence, wrapped on a terminal. What another program reads stays on
// one line.
func (p *page) say(format string, args ...any) {
	if !p.screen {
		p.line(format, args...)
		return
	}
	p.body("", "", fmt.Sprintf(format, args...))
}

// note writes a sentence in a colour, wrapped to the width, each line after indent.
func (p *page) note(code, indent, text string) {
	for _, l := range wrapped(text, p.width-cells.Width(indent)) {
		p.line("%s%s", indent, p.in(code, l))
	}
}

// parts writes what belongs on one line, two spaces apart. What does not fit goes
// on after indent; no part is broken.
func (p *page) parts(indent string, parts ...string) {
	line := parts[0]
	for _, part := range parts[1:] {
		if cells.Width(line)+2+cells.Width(part) <= p.width {
			line += "  " + part
			continue
		}
		p.line("%s", line)
		line = indent + part
	}
	p.line("%s", line)
}

// wrapped is printable text, wrapped, with commands, ids and flags left whole.
func wrapped(text string, width int) []string {
	lines := cells.Wrap(joinCommands(printable(text)), width)
	for i, l := range lines {
		lines[i] = breakable.Replace(l)
	}
	return lines
}

// id writes an id on a line of its own, to be copied.
func (p *page) id(indent, id string) {
	if id != "" {
		p.line("%s%s", indent, p.in(dim, id))
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

// table writes rows in aligned columns, two spaces apart; cells may carry
// colour. Columns that do not fit beside the others follow below, after the
// first column once more; a last column of prose is wrapped instead.
func (p *page) table(indent string, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], cells.Width(cell))
		}
	}
	if len(widths) == 0 {
		return
	}
	from, last := 1, len(widths)-1
	for first := true; first || from <= last; first = false {
		width, to := cells.Width(indent)+widths[0], from
		for to <= last && (to == from || width+2+widths[to] <= p.width || to == last && prose(rows, to) && width+2+leastProse <= p.width) {
			width += 2 + widths[to]
			to++
		}
		if !first {
			p.line("")
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
	for _, row := range rows {
		if column < len(row) && strings.Count(strings.TrimSpace(row[column]), " ") > 2 {
			return true
		}
	}
	return false
}

// row writes the first cell of a row and those from from to to.
func (p *page) row(indent string, row []string, widths []int, from, to int) {
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
			b.WriteString(row[i] + strings.Repeat(" ", widths[i]-cells.Width(row[i])+2))
			continue
		}
		start := cells.Width(b.String())
		if start+cells.Width(row[i]) <= p.width || p.width-start < leastProse {
			b.WriteString(row[i])
			break
		}
		for n, l := range cells.Wrap(row[i], p.width-start) {
			if n > 0 {
				p.line("%s", strings.TrimRight(b.String(), " "))
				b.Reset()
				b.WriteString(strings.Repeat(" ", start))
			}
			b.WriteString(l)
		}
	}
	p.line("%s", strings.TrimRight(b.String(), " "))
}

const (
	bold = "1"
	dim  = "2"
	red  = "31"
	warm = "33"
	good = "32"
)

// in styles s with an ANSI code when the page has colour.
func (p *page) in(code, s string) string {
	if !p.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// moment is a time as people read it: "Mon 2026-03-02 07:47".
func (p *page) moment(t time.Time) string {
	return t.In(p.location).Format("Mon 2006-01-02 15:04")
}

// day is a date as people read it: "Monday, 2 March 2026".
func (p *page) day(t time.Time) string {
	return t.In(p.location).Format("Monday, 2 January 2006")
}

// printable removes what could steer a terminal: what others wrote is shown,
// never obeyed. Line breaks and tabs stay, as a line break and a space.
func printable(s string) string {
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

// oneLine is printable text without line breaks, cut to at most width cells.
func oneLine(s string, width int) string {
	s = strings.Join(strings.Fields(printable(s)), " ")
	if cells.Width(s) <= width {
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

// count is a number with its noun: "1 memory", "12 memories".
func count[N ~int | ~int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// size is a number of bytes as people read it.
func size(bytes int64) string {
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
