package tools

import (
	"encoding/json"
	"errors"
	"fmt"
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
// returns the zero value and notes the mistake.
type arguments struct {
	tool   *Tool
	fields map[string]any // string, json.Number, bool, []any or map[string]any
	err    error          // the first mistake in the fields read so far
}

func (a *arguments) mistake(name, reason string) error {
	return mistakef("%s: %s %s.%s", a.tool.name, name, reason, a.tool.unchanged())
}

// fail notes a mistake, unless there is one already.
func (a *arguments) fail(name, reason string) {
	if a.err == nil {
		a.err = a.mistake(name, reason)
	}
}

// text reads a text and trims it; "" when it is absent.
func (a *arguments) text(name string) string {
	switch v := a.fields[name].(type) {
	case nil:
	case string:
		if isText(v) {
			return strings.TrimSpace(text.Clean(v))
		}
		a.fail(name, notText)
	case json.Number:
		return v.String()
	default:
		a.fail(name, "must be a text")
	}
	return ""
}

// isText reports whether a model's words are whole.
func isText(s string) bool { return strings.IndexByte(s, 0) < 0 && !strings.ContainsRune(s, '\uFFFD') }

const notText = "is not text (it holds NUL or broken characters)"

// words returns the texts of a call, without those that the model chose from a list.
func (a *arguments) words() string {
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
func (a *arguments) number(name string) (v float64, ok bool) {
	var written string
	switch field := a.fields[name].(type) {
	case nil:
	case json.Number:
		written = field.String()
	case string:
		written = strings.TrimSpace(field)
	default:
		a.fail(name, "must be a number")
	}
	if written == "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(written, 64)
	if (err != nil && !errors.Is(err, strconv.ErrRange)) || math.IsNaN(v) {
		a.fail(name, "must be a number, not "+quoted(clip(written, 40)))
		return 0, false
	}
	return v, true
}

// whole reads a whole number from 1 to most.
func (a *arguments) whole(name string, most int64) (n int64, given bool) {
	v, given := a.number(name)
	if given && (v < 1 || v > float64(most) || v != math.Trunc(v)) {
		a.fail(name, fmt.Sprintf("must be a whole number from 1 to %d", most))
		return 0, false
	}
	return int64(v), given
}

// flag reads a boolean, also from a string; false when it is absent.
func (a *arguments) flag(name string) bool {
	switch v := a.fields[name].(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		if b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(v))); err == nil {
			return b
		}
	}
	a.fail(name, "must be true or false")
	return false
}

// oneOf reads a word of a list, in any case; "" when it is absent.
func (a *arguments) oneOf(name string, words []string) string {
	word := strings.ToLower(a.text(name))
	if word != "" && !slices.Contains(words, word) {
		a.fail(name, fmt.Sprintf("%s is not one of %s", quoted(clip(word, 40)), strings.Join(words, ", ")))
	}
	return word
}

// list reads a list of texts, also from one text with commas, without empty and
// repeated ones.
func (a *arguments) list(name string) []string { return a.listOf(name, "texts") }

func (a *arguments) listOf(name, what string) (kept []string) {
	for _, item := range a.items(name, what) {
		if item != "" && !slices.Contains(kept, item) {
			kept = append(kept, item)
		}
	}
	if len(kept) > maxListItems {
		a.fail(name, "has more than "+strconv.Itoa(maxListItems)+" entries; give the ones that matter")
	}
	return kept
}

// items returns the entries of a list in their places, trimmed.
func (a *arguments) items(name, what string) (items []string) {
	value := a.fields[name]
	if written, is := value.(string); is && strings.HasPrefix(strings.TrimSpace(written), "[") {
		var list []any
		decoder := json.NewDecoder(strings.NewReader(written))
		decoder.UseNumber()
		if decoder.Decode(&list) != nil || decoder.More() {
			a.fail(name, "is not a JSON list: "+quoted(clip(written, 40))+`. Write ["one", "two"]`)
			return nil
		}
		value = list
	}
	switch v := value.(type) {
	case nil:
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
				a.fail(name, "must be a list of "+what)
			}
		}
	default:
		a.fail(name, "must be a list of "+what)
	}
	for i, item := range items {
		items[i] = strings.TrimSpace(text.Clean(item))
	}
	return items
}

// numbers reads a list of whole numbers from 1. It ignores a "#" before a number.
func (a *arguments) numbers(name string) (all []int64) {
	if n, one := a.fields[name].(interface{ Int64() (int64, error) }); one { // a number alone
		if v, err := n.Int64(); err == nil && v > 0 {
			return []int64{v}
		}
	}
	const what = "whole numbers such as [95, 84]"
	for _, item := range a.listOf(name, what) {
		n, err := strconv.ParseInt(strings.TrimPrefix(item, "#"), 10, 64)
		if err != nil || n < 1 {
			a.fail(name, "must be a list of "+what+", not "+quoted(clip(item, 40)))
		}
		all = append(all, n)
	}
	return all
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
func (a *arguments) time(name string, which edge, now time.Time) time.Time {
	if written := a.text(name); written != "" {
		return a.moment(name, written, which, now)
	}
	return time.Time{}
}

// moment is time for a written value.
func (a *arguments) moment(name, written string, which edge, now time.Time) time.Time {
	for _, l := range layouts {
		if t, err := time.ParseInLocation(l.layout, written, now.Location()); err == nil {
			if which == end {
				t = l.end(t)
			}
			return t
		}
	}
	if strings.EqualFold(written, "now") {
		return now
	}
	spans := text.TimeSpans(written, now)
	if len(spans) != 1 || clockTime.MatchString(written[:spans[0].Offset]+" "+written[spans[0].Offset+len(spans[0].Text):]) {
		a.fail(name, "is not one time I can read: "+quoted(clip(written, 60))+
			`. Write a date such as 2026-03-01 or 2026-03-01 11:30, or one expression such as "last week"`)
		return time.Time{}
	}
	if which == end {
		return spans[0].End
	}
	return spans[0].Start
}
