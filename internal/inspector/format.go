package inspector

import (
	"cmp"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// functions are those of the templates.
func (p *Page) functions() template.FuncMap {
	local := func(t any) time.Time {
		switch t := t.(type) {
		case time.Time:
			return t.In(p.o.Location)
		case schema.Time:
			return t.In(p.o.Location)
		}
		return time.Time{}
	}
	return template.FuncMap{
		"day":    func(t any) string { return local(t).Format("2 Jan 2006") },
		"iso":    func(t any) string { return local(t).Format(time.DateOnly) },
		"clock":  func(t any) string { return local(t).Format("15:04") },
		"moment": func(t any) string { return local(t).Format("2 Jan 2006, 15:04") },
		"zero":   func(t any) bool { return local(t).IsZero() || local(t).Year() == 1 },
		"month":  func(t any) string { return local(t).Format("January 2006") },
		"percent": func(share float64) string {
			return fmt.Sprintf("%.0f %%", 100*share)
		},
		"signed": func(f float64) string { return strings.Replace(fmt.Sprintf("%+.3f", f), "-", "−", 1) },
		"score":  func(f float64) string { return strings.Replace(fmt.Sprintf("%.3f", f), "-", "−", 1) },
		"line":   func(s string) string { return cut(text.Line(s), 160) },
		"cut":    cut,
		"whole":  visible,
		"long":   func(s string) bool { return len(s) > maxProposed },
		"link":   link,
		"bytes": func(n int64) string {
			if n < 1<<20 {
				return fmt.Sprintf("%.0f kB", float64(n)/1024)
			}
			return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
		},
		"plural": func(n any, one, many string) string {
			if fmt.Sprint(n) == "1" {
				return "1 " + one
			}
			return grouped(n) + " " + many
		},
		"grouped": grouped,
		"who":     speaker,
		"trust":   func(t schema.Trust) string { return trustNames[min(max(int(t), 0), len(trustNames)-1)] },
		"trusted": trusted,
		"doubt":   doubt,
		"kind":    func(k extension.Kind) string { return kindNames[k] },
		"words":   func(s string) string { return strings.ReplaceAll(s, "_", " ") },
		"name": func(of string, name any) string {
			return named(vocabulary[of], fmt.Sprint(name))
		},
		"ordinal": ordinal,
		"dict": func(pairs ...any) map[string]any {
			m := make(map[string]any, len(pairs)/2)
			for i := 0; i+1 < len(pairs); i += 2 {
				m[pairs[i].(string)] = pairs[i+1]
			}
			return m
		},
		"hundred": func(share float64) float64 { return 100 * min(max(share, 0), 1) },
		"share":   func(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) },
		"num":     func(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) },
		"actions": func(pairs ...string) (all [][2]string) {
			for i := 0; i+1 < len(pairs); i += 2 {
				all = append(all, [2]string{pairs[i], pairs[i+1]})
			}
			return all
		},
		"took":  func(d time.Duration) string { return d.Round(time.Millisecond).String() },
		"weeks": func() []string { return []string{"M", "T", "W", "T", "F", "S", "S"} },
	}
}

// speaker is who said a memory.
func speaker(m extension.Record) string {
	return cmp.Or(m.Speaker, m.Role)
}

// grouped is a number with its thousands apart.
func grouped(n any) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
