package core

import (
	"maps"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// Diff lists what a change of a block removes ("- ") and adds ("+ "), an entry of a list,
// a record or a text a line, with the name of its field before a colon. It is nil for
// contents that it cannot compare.
func (c *BlockChange) Diff() (lines []string) {
	before, err := decodeStored(c.Kind, c.Content)
	if err != nil {
		return nil
	}
	after, err := decodeStored(c.Kind, c.NewContent)
	if err != nil {
		return nil
	}
	was, is := entriesOf("", before), entriesOf("", after)
	for _, e := range was {
		if !slices.Contains(is, e) {
			lines = append(lines, "- "+e)
		}
	}
	for _, e := range is {
		if !slices.Contains(was, e) {
			lines = append(lines, "+ "+e)
		}
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(fieldOf(a), fieldOf(b)) })
	return lines
}

// fieldOf is the field of a line of fields, by which removed and added ones are put
// together.
func fieldOf(line string) string {
	name, _, _ := strings.Cut(line[2:], ": ")
	if strings.ContainsAny(name, " {\"") {
		return ""
	}
	return name
}

// entriesOf lists the parts of a block's value.
func entriesOf(field string, v any) (entries []string) {
	switch v := v.(type) {
	case string:
		if v = strings.TrimSpace(v); v != "" {
			entries = append(entries, field+strings.Join(strings.Fields(v), " "))
		}
	case []any:
		for _, one := range v {
			if _, record := one.(map[string]any); record {
				entries = append(entries, field+text.JSON(one))
			} else {
				entries = append(entries, entriesOf(field, one)...)
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			entries = append(entries, entriesOf(name+": ", v[name])...)
		}
	}
	return entries
}
