package tools

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// besideRelease matches a release that bounds a question: "before 0.4.0", "since
// version 2.1".
var besideRelease = regexp.MustCompile(`(?i)\b(before|after|since|until)\s+(?:the\s+)?(?:release\s+|version\s+)?v?(\d+(?:\.\d+)+)\b`)

// beside bounds a query by the release that it names, at the time of the memory
// that mentions it most; that memory is included. named is false when the query
// names no release, or no memory mentions it.
func (d *Deps) beside(ctx context.Context, q recall.Query) (bounded recall.Query, named bool, err error) {
	m := besideRelease.FindStringSubmatch(q.Text)
	if m == nil || !q.Since.IsZero() || !q.Until.IsZero() {
		return q, false, nil
	}
	found, err := d.Search(ctx, recall.Query{Text: m[2], Now: q.Now, Limit: 1, Unquarantined: true, Skip: func(said *schema.Memory) bool {
		return !speaksOf(said.Content, m[2])
	}})
	if err != nil || len(found.Results) == 0 {
		return q, false, err
	}
	switch at := found.Results[0].Memory.EventTime.Time; strings.ToLower(m[1]) {
	case "before", "until":
		q.Until = at.Add(time.Millisecond)
	default:
		q.Since = at
	}
	return q, true, nil
}

// speaksOf reports whether a text names a release: "0.4" is not in "0.4.2" or "10.4".
func speaksOf(said, release string) bool {
	for from := 0; ; {
		at := strings.Index(said[from:], release)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(release)
		before, after := strings.TrimRight(said[:at], "."), said[from:]
		digit := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
		if (before == "" || !digit(before[len(before)-1:])) && !digit(after) && !(strings.HasPrefix(after, ".") && digit(after[1:])) {
			return true
		}
	}
}
