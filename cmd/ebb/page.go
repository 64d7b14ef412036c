package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/rivo/uniseg"
)

// page writes for people: wrapped, aligned, and with colour only on a
// terminal. The first fault of the stream is kept, and ends the writing.
type page struct {
	w        io.Writer
	width    int
	colour   bool
	location *time.Location
	err      error
}

func (a *app) page() *page {
	width := a.width
	if width == 0 {
		width = 100
	}
	return &page{w: a.stdout, width: width, colour: a.colour, location: a.zone()}
}

// line writes one line.
func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// body writes text wrapped to the width, each line after prefix; the first
// line stands after first instead.
func (p *page) body(first, prefix, text string) {
	for i, l := range wrap(printable(text), p.width-cells(prefix)) {
		if i > 0 {
			first = prefix
		}
		p.line("%s%s", first, l)
	}
}

// table writes rows in aligned columns, two spaces apart. The last column is
// not padded; cells may carry colour.
func (p *page) table(indent string, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], cells(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		b.WriteString(indent)
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-cells(cell)+2))
			}
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
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
	if cells(s) <= width {
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

// wrap breaks text into lines of at most width terminal cells, where its
// script allows a break, and keeps its own line breaks.
func wrap(text string, width int) []string {
	width = max(width, 16)
	var lines []string
	for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		lines = append(lines, wrapParagraph(paragraph, width)...)
	}
	return lines
}

func wrapParagraph(s string, width int) []string {
	var lines []string
	var line strings.Builder
	lineWidth, breakAt, state := 0, -1, -1
	for s != "" {
		var cluster string
		var boundaries int
		cluster, s, boundaries, state = uniseg.StepString(s, state)
		w := boundaries >> uniseg.ShiftWidth
		if lineWidth+w > width && strings.TrimSpace(cluster) != "" {
			text := line.String()
			if breakAt <= 0 {
				breakAt = len(text) // one word longer than a line
			}
			lines = append(lines, strings.TrimRight(text[:breakAt], " "))
			line.Reset()
			line.WriteString(text[breakAt:])
			lineWidth, breakAt = cells(text[breakAt:]), -1
		}
		line.WriteString(cluster)
		lineWidth += w
		if boundaries&uniseg.MaskLine == uniseg.LineCanBreak {
			breakAt = line.Len()
		}
	}
	return append(lines, strings.TrimRight(line.String(), " "))
}

// cells is the width of s on a terminal, without its colours.
func cells(s string) int {
	for {
		start := strings.Index(s, "\x1b[")
		if start < 0 {
			return uniseg.StringWidth(s)
		}
		end := strings.IndexByte(s[start:], 'm')
		if end < 0 {
			return uniseg.StringWidth(s)
		}
		s = s[:start] + s[start+end+1:]
	}
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
