// Package cells measures, wraps and prints text for terminals.
package cells

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Wrap breaks text into lines of at most width terminal cells, where its
// script allows a break, and keeps its own line breaks.
func Wrap(text string, width int) []string {
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
			lineWidth, breakAt = Width(text[breakAt:]), -1
		}
		line.WriteString(cluster)
		lineWidth += w
		if boundaries&uniseg.MaskLine == uniseg.LineCanBreak {
			breakAt = line.Len()
		}
	}
	return append(lines, strings.TrimRight(line.String(), " "))
}

// Width is that of s on a terminal, without its colours.
func Width(s string) int {
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
