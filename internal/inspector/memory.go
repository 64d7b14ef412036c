package inspector

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// remembered is the page of one memory.
type remembered struct {
	*extension.Detail

	Curve   curve
	Changes []changed
	Cut     bool
}

// changed is one entry of the audit.
type changed struct {
	inspect.Change

	Columns []column
	Reason  string
}

type column struct{ Name, Before, After string }

// maxRelated bounds each list of a memory's page.
const maxRelated = 40

func oneMemory(r *request) (answer, error) {
	d, err := r.ext.Get(r.ctx, r.scope, r.PathValue("id"))
	if err != nil {
		return answer{}, err
	}
	v := remembered{Detail: d, Curve: r.curve(&d.Memory)}
	v.Cut = max(len(d.Derived), len(d.Sources), len(d.Entities), len(d.Relations), len(d.History)) > maxRelated
	d.Derived, d.Sources, d.Entities = d.Derived[:min(len(d.Derived), maxRelated)], d.Sources[:min(len(d.Sources), maxRelated)], d.Entities[:min(len(d.Entities), maxRelated)]
	d.Relations = d.Relations[:min(len(d.Relations), maxRelated)]
	d.History = d.History[max(0, len(d.History)-maxRelated):]
	for _, c := range d.History {
		v.Changes = append(v.Changes, changed{Change: c, Columns: columns(c, r.o.Location), Reason: r.reason(c.Run)})
	}
	line, _ := text.FirstLine(text.Line(d.Memory.Content), 80)
	return answer{page: "memory", title: line, data: v}, nil
}

// reason is what a person wrote about a change, from the ledger.
func (r *request) reason(run string) string {
	if run == "" {
		return ""
	}
	var entry *schema.Run
	if err := r.read(r, func(s *schema.Snapshot) (err error) {
		entry, err = inspect.Run(r.ctx, s, r.userID, run)
		return err
	}); err != nil || entry.Cause != schema.CauseHost {
		return ""
	}
	report, err := extension.RunReport(entry)
	if err != nil {
		return ""
	}
	for _, stage := range report.Stages {
		for _, o := range stage.Outcomes {
			if stage.Name == schema.CauseHost && o.Reason != "" {
				return o.Reason
			}
		}
	}
	return ""
}

// columns are what an audited change has changed, with days in loc.
func columns(c inspect.Change, loc *time.Location) (all []column) {
	var before, after map[string]any
	if json.Unmarshal([]byte(cmp.Or(c.Before, "{}")), &before) != nil || json.Unmarshal([]byte(cmp.Or(c.After, "{}")), &after) != nil {
		return nil
	}
	for name, is := range after {
		was, is := plain(before[name], loc), plain(is, loc)
		if was != is && name != "version" && !strings.HasSuffix(name, "_at") {
			all = append(all, column{strings.ReplaceAll(name, "_", " "), was, is})
		}
	}
	slices.SortFunc(all, func(a, b column) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// plain is a value of the audit in a few words; a time is a day in loc.
func plain(v any, loc *time.Location) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case float64:
		if v > 1e11 {
			return time.UnixMilli(int64(v)).In(loc).Format(time.DateOnly)
		}
		return fmt.Sprintf("%.4g", v)
	case map[string]any, []any:
		raw, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return cut(string(raw), 120)
	}
	return cut(fmt.Sprint(v), 120)
}

// cut shortens a text to so many characters.
func cut(s string, most int) string {
	if line, shorter := text.FirstLine(s, most); shorter {
		return visible(line)
	}
	return visible(s)
}

// visible shows characters that would make a text read as another one: those that turn
// the direction of writing, controls, and tags.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', 0xE0000 <= r && r <= 0xE007F:
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
