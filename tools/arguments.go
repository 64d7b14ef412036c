package tools

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// maxListItems is the maximum number of entries of a list.
const maxListItems = 20

// arguments are the checked fields of one call. Reading a field of the wrong type
// returns a mistake that names it.
type arguments struct {
	tool   *Tool
	fields map[string]any // string, json.Number, bool, []any or map[string]any
}

func (a arguments) mistake(name, reason string) error {
	return mistakef("%s: %s %s.%s", a.tool.name, name, reason, a.tool.unchanged())
}

// text reads a text and trims it; "" when it is absent.
func (a arguments) text(name string) (string, error) {
	switch v := a.fields[name].(type) {
	case nil:
		return "", nil
	case string:
		if strings.IndexByte(v, 0) >= 0 || strings.ContainsRune(v, '\uFFFD') {
			return "", a.mistake(name, "is not text (it holds NUL or broken characters)")
		}
		return strings.TrimSpace(text.Clean(v)), nil
	case json.Number:
		return v.String(), nil
	}
	return "", a.mistake(name, "must be a text")
}

// words returns the texts of a call, without those that the model chose from a list.
func (a arguments) words() string {
	var all []string
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, item := range v {
				add(item)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				add(v[name])
			}
		}
	}
	for _, p := range a.tool.parameters {
		if len(p.enum) == 0 && p.name != "memory_id" {
			add(a.fields[p.name])
		}
	}
	return strings.Join(all, "\n")
}

// number reads a number, also from a string; ok is false when it is absent.
// A number beyond the range of float64 is ±Inf.
func (a arguments) number(name string) (v float64, ok bool, err error) {
	var written string
	switch field := a.fields[name].(type) {
	case nil:
		return 0, false, nil
	case json.Number:
		written = field.String()
	case string:
		if written = strings.TrimSpace(field); written == "" {
			return 0, false, nil
		}
	default:
		return 0, false, a.mistake(name, "must be a number")
	}
	v, err = strconv.ParseFloat(written, 64)
	if (err != nil && !errors.Is(err, strconv.ErrRange)) || math.IsNaN(v) {
		return 0, false, a.mistake(name, "must be a number, not "+quoted(clip(written, 40)))
	}
	return v, true, nil
}

// flag reads a boolean, also from a string; false when it is absent.
func (a arguments) flag(name string) (bool, error) {
	switch v := a.fields[name].(type) {
	case nil:
		return false, nil
	case bool:
		return v, nil
	case string:
		if b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(v))); err == nil {
			return b, nil
		}
	}
	return false, a.mistake(name, "must be true or false")
}

// list reads a list of texts, also from one text with commas.
func (a arguments) list(name string) ([]string, error) { return a.listOf(name, "texts") }

func (a arguments) listOf(name, what string) ([]string, error) {
	items, err := a.items(name, what)
	if err != nil {
		return nil, err
	}
	return a.tidy(name, items)
}

// items returns the entries of a list in their places, trimmed.
func (a arguments) items(name, what string) (items []string, err error) {
	value := a.fields[name]
	if written, is := value.(string); is && strings.HasPrefix(strings.TrimSpace(written), "[") {
		var list []any
		decoder := json.NewDecoder(strings.NewReader(written))
		decoder.UseNumber()
		if decoder.Decode(&list) != nil || decoder.More() {
			return nil, a.mistake(name, "is not a JSON list: "+quoted(clip(written, 40))+`. Write ["one", "two"]`)
		}
		value = list
	}
	switch v := value.(type) {
	case nil:
		return nil, nil
	case string:
		items = strings.Split(v, ",")
	case []any:
		for _, item := range v {
			switch item := item.(type) {
			case string:
				items = append(items, item)
			case json.Number:
				items = append(items, item.String())
			default:
				return nil, a.mistake(name, "must be a list of "+what)
			}
		}
	default:
		return nil, a.mistake(name, "must be a list of "+what)
	}
	for i, item := range items {
		items[i] = strings.TrimSpace(text.Clean(item))
	}
	return items, nil
}

// tidy drops empty and repeated items.
func (a arguments) tidy(name string, items []string) ([]string, error) {
	var kept []string
	for _, item := range items {
		if item != "" && !slices.Contains(kept, item) {
			kept = append(kept, item)
		}
	}
	if len(kept) > maxListItems {
		return nil, a.mistake(name, "has more than "+strconv.Itoa(maxListItems)+" entries; give the ones that matter")
	}
	return kept, nil
}

// edge selects the end of an interval that a time means.
type edge int

const (
	begin edge = iota // "since March" begins on the 1st
	end               // "until March" includes the 31st
)

// layouts are the formats of times that need no language, each with its span.
var layouts = []struct {
	layout string
	end    func(time.Time) time.Time
}{
	{time.RFC3339, func(t time.Time) time.Time { return t }},
	{"2006-01-02T15:04:05", func(t time.Time) time.Time { return t }},
	{"2006-01-02T15:04", func(t time.Time) time.Time { return t }},
	{"2006-01-02 15:04:05", func(t time.Time) time.Time { return t }},
	{"2006-01-02 15:04", func(t time.Time) time.Time { return t }},
	{time.DateOnly, func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }},
	{"2006-01", func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }},
	{"2006", func(t time.Time) time.Time { return t.AddDate(1, 0, 0) }},
}

// clockTime matches a time of day: what [text.TimeSpans] leaves over would be ignored.
var clockTime = regexp.MustCompile(`(?i)\d:\d|\d ?[ap]\.?m\b`)

// time reads a bound of a period: RFC 3339, a date, or an English expression
// resolved at now. A date without a clock time is in now's location. The zero
// time means absent.
func (a arguments) time(name string, which edge, now time.Time) (time.Time, error) {
	written, err := a.text(name)
	if err != nil || written == "" {
		return time.Time{}, err
	}
	return a.moment(name, written, which, now)
}

// moment is time for a written value.
func (a arguments) moment(name, written string, which edge, now time.Time) (time.Time, error) {
	for _, l := range layouts {
		if t, err := time.ParseInLocation(l.layout, written, now.Location()); err == nil {
			if which == end {
				t = l.end(t)
			}
			return t, nil
		}
	}
	if strings.EqualFold(written, "now") {
		return now, nil
	}
	spans := text.TimeSpans(written, now)
	if len(spans) != 1 || clockTime.MatchString(written[:spans[0].Offset]+" "+written[spans[0].Offset+len(spans[0].Text):]) {
		return time.Time{}, a.mistake(name, "is not one time I can read: "+quoted(clip(written, 60))+
			`. Write a date such as 2026-03-01 or 2026-03-01 11:30, or one expression such as "last week"`)
	}
	if which == end {
		return spans[0].End, nil
	}
	return spans[0].Start, nil
}
