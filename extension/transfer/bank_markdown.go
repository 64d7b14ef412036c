package transfer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
)

// bankSection is the content of one heading, without its subsections.
type bankSection struct {
	heading string   // as written
	path    []string // folded headings from the top down to its own
	items   []string // list items with their continuation lines
	rest    []string // all other lines with text
}

var (
	bankHeading = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*$`)
	bankItem    = regexp.MustCompile(`^\s{0,3}(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$`)
	bankRule    = regexp.MustCompile(`^\s*(?:[-*_]\s*){3,}$`)
)

// readBank splits a Markdown text by its headings.
func readBank(markdown string) (sections []*bankSection) {
	current := &bankSection{heading: "(beginning)"}
	sections = append(sections, current)
	var path []string
	var levels []int
	fence := ""
	for line := range strings.Lines(text.Clean(markdown)) {
		line = strings.TrimRight(line, " \t\n")
		mark := text.CodeFence(strings.TrimSpace(line))
		if fence != "" || mark != "" { // code block: headings and lists in it do not count
			current.rest = append(current.rest, strings.TrimSpace(line))
			switch {
			case fence == "":
				fence = mark
			case fence == mark:
				fence = ""
			}
			continue
		}
		if m := bankHeading.FindStringSubmatch(line); m != nil {
			for len(levels) > 0 && levels[len(levels)-1] >= len(m[1]) {
				levels, path = levels[:len(levels)-1], path[:len(path)-1]
			}
			levels, path = append(levels, len(m[1])), append(path, foldHeading(m[2]))
			current = &bankSection{heading: plainMarkdown(m[2]), path: append([]string(nil), path...)}
			sections = append(sections, current)
			continue
		}
		item := bankItem.FindStringSubmatch(line)
		switch {
		case strings.TrimSpace(line) == "" || bankRule.MatchString(line):
		case item != nil:
			current.items = append(current.items, item[1])
		case len(current.items) > 0 && strings.HasPrefix(line, "  "):
			last := &current.items[len(current.items)-1]
			*last += " " + strings.TrimSpace(line)
		default:
			current.rest = append(current.rest, strings.TrimSpace(line))
		}
	}
	return sections
}

// foldHeading returns a heading's words without emoji and markup, case-folded.
func foldHeading(heading string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// plainMarkdown strips a line's emphasis and code markup.
func plainMarkdown(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("**", "", "__", "", "`", "").Replace(s)), " ")
}

// under reports whether the section or one of its parents has one of the names.
func (s *bankSection) under(names ...string) bool {
	return slices.ContainsFunc(s.path, func(p string) bool { return slices.Contains(names, p) })
}

// role returns the role described by a section below the roles' heading. It returns
// false for other sections.
func (s *bankSection) role() (role string, ok bool) {
	at := slices.IndexFunc(s.path, func(p string) bool { return slices.Contains([]string{"role state", "role states", "roles"}, p) })
	if at < 0 || at+1 == len(s.path) {
		return "", false
	}
	return s.path[at+1], true
}

var (
	bankLabel  = regexp.MustCompile(`^\*\*\s*([^*:]+?)\s*:?\s*\*\*\s*:?\s*(.*)$`)
	bankThread = regexp.MustCompile(`^\*\*\s*([^*]+?)\s*:?\s*\*\*\s*(?:\(([^)]*)\))?\s*:?\s*(.*)$`)
)

// labelled splits "**Last:** merged" into label and value.
func labelled(item string) (label, value string, ok bool) {
	m := bankLabel.FindStringSubmatch(item)
	if m == nil {
		return "", "", false
	}
	return foldHeading(m[1]), plainMarkdown(m[2]), true
}

// threadOf parses "**Title** (role → role): summary" into a record.
func threadOf(item string) map[string]any {
	title, roles, summary := "", "", plainMarkdown(item)
	if m := bankThread.FindStringSubmatch(item); m != nil {
		title, roles = plainMarkdown(m[1]), m[2]
		if summary = title; m[3] != "" {
			summary += ": " + plainMarkdown(m[3])
		}
	}
	if title == "" {
		title, _ = text.FirstLine(summary, 40)
	}
	record := map[string]any{"id": strings.ReplaceAll(foldHeading(title), " ", "-"), "summary": summary}
	var named []any
	for _, role := range strings.FieldsFunc(roles, func(r rune) bool { return strings.ContainsRune("→,;/&", r) }) {
		if role = foldHeading(role); role != "" {
			named = append(named, role)
		}
	}
	if len(named) > 0 {
		record["roles"] = named
	}
	return record
}
