package text

import (
	"strings"
	"unicode/utf8"
)

// Section is a part of a Markdown text under one heading.
type Section struct {
	Headings []string // from the title down to its own
	Text     string
	Line     int // number of its first line, from 1
}

// Sections cuts a Markdown text at its headings, and the text under each heading
// into parts of about size characters, between paragraphs. A longer paragraph is
// cut between its lines, sentences or words. A heading inside a code block does
// not count. A section without text below its heading is omitted.
func Sections(markdown string, size int) (sections []Section) {
	var headings []string
	var levels []int
	var body []string
	number, first := 0, 1 // the line, and the first one of body
	end := func() {
		rest, line := strings.Join(body, "\n"), first
		for _, part := range pack(rest, size) {
			// A part begins with a piece of the body, and parts are in order.
			start, _, _ := strings.Cut(part, "\n\n")
			at := max(0, strings.Index(rest, start))
			line += strings.Count(rest[:at], "\n")
			sections = append(sections, Section{append([]string(nil), headings...), part, line})
			line += strings.Count(start, "\n")
			rest = rest[at+min(len(start), len(rest)-at):]
		}
		body, first = nil, number+1
	}
	fence := ""
	for line := range strings.SplitSeq(Clean(markdown), "\n") {
		number++
		trimmed := strings.TrimSpace(line)
		if mark := CodeFence(trimmed); fence == "" && mark != "" {
			fence = mark
		} else if fence != "" && mark == fence {
			fence = ""
		}
		level, title := headingOf(line)
		if level == 0 || fence != "" {
			body = append(body, line)
			continue
		}
		end()
		for len(levels) > 0 && levels[len(levels)-1] >= level {
			levels, headings = levels[:len(levels)-1], headings[:len(headings)-1]
		}
		levels, headings = append(levels, level), append(headings, title)
	}
	end()
	return sections
}

// CodeFence returns the mark with which a trimmed line begins or ends a block of
// code in Markdown, or "" when it does neither.
func CodeFence(line string) string {
	for _, mark := range [...]string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// headingOf returns the level of a heading and its text. Level 0 is no heading.
func headingOf(line string) (level int, title string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	title = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
	if level > 6 || rest == line || !strings.HasPrefix(rest, " ") || title == "" {
		return 0, ""
	}
	return level, title
}

// pack fills parts of at most size characters with whole paragraphs.
func pack(body string, size int) (parts []string) {
	var part strings.Builder
	end := func() {
		if s := strings.TrimSpace(part.String()); strings.Trim(s, "-=*_ \n") != "" { // more than rules
			parts = append(parts, s)
		}
		part.Reset()
	}
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		paragraph = strings.Trim(paragraph, "\n")
		if strings.TrimSpace(paragraph) == "" {
			continue
		}
		if part.Len() > 0 && utf8.RuneCountInString(part.String())+utf8.RuneCountInString(paragraph) > size {
			end()
		}
		for utf8.RuneCountInString(paragraph) > size {
			at := cutAt(paragraph, size)
			part.WriteString(paragraph[:at])
			end()
			paragraph = strings.TrimLeft(paragraph[at:], " \n")
		}
		part.WriteString(paragraph + "\n\n")
	}
	end()
	return parts
}

// cutAt returns the best place to cut a paragraph within its first size
// characters: after a line, a sentence or a word, or else between two characters.
func cutAt(paragraph string, size int) int {
	most := len(paragraph)
	for i := range paragraph {
		if size == 0 {
			most = i
			break
		}
		size--
	}
	for _, mark := range [...]string{"\n", ". ", " "} {
		if at := strings.LastIndex(paragraph[:most], mark); at > most/2 {
			return at + len(mark)
		}
	}
	return most
}
