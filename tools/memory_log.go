package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Entry is an agent's report of an action.
type Entry struct {
	Action, Content string
	Type            string  // action, observation or decision
	Importance      float64 // 1–10
	Tags            []string
	Issues, Pulls   []int64
}

// entryTypes are the types that a model may log. Nights write reflections.
var entryTypes = []string{"action", "observation", "decision"}

// reflectionType is the type of a reflection in a stream.
const reflectionType = "reflection"

// maxAction is the maximum length of an action, in runes.
const maxAction = 200

func memoryLog() *Tool {
	return &Tool{
		name:   "memory_log",
		writes: true,
		stores: true,
		description: "Logs what you did to the team's stream, where every agent finds it with recall_search. " +
			"Use it once at the end of every cycle, and for decisions and observations that others will need. " +
			"Do not use it for plans, or for what a colleague has logged.",
		primary: "content",
		parameters: []parameter{
			{name: "action", kind: kindText, required: true, about: `what you did, in one line of at most 200 characters, as "Merged the retry fix"`},
			{name: "importance", kind: kindInteger, required: true, min: 1, max: 10, about: "1 is routine, 5 a finished piece of work, 8 a decision others depend on, 10 a change of strategy"},
			{name: "type", kind: kindText, required: true, enum: entryTypes, about: "what you did, noticed or settled"},
			{name: "tags", kind: kindList, about: `short labels, as "release"`},
			{name: "content", kind: kindText, required: true, about: "what was done, why and with which result, readable alone in a month: names, numbers, files, in two to five sentences"},
			{name: "issueRefs", kind: kindNumbers, about: "issues it is about"},
			{name: "prRefs", kind: kindNumbers, about: "pull requests it is about"},
		},
		run: runLog,
	}
}

func runLog(ctx context.Context, d *Deps, args arguments) (string, error) {
	if d.Log == nil {
		return "memory_log is not available in this host. Nothing was changed.", nil
	}
	e, err := readEntry(args)
	if err != nil {
		return "", err
	}
	id, err := d.Log(ctx, e)
	if err != nil {
		return "", err
	}
	return "Logged as " + id + ".", nil
}

func readEntry(args arguments) (e Entry, err error) {
	if e.Action, err = args.text("action"); err != nil {
		return e, err
	}
	if e.Action = strings.Join(strings.Fields(e.Action), " "); len([]rune(e.Action)) > maxAction {
		return e, args.mistake("action", "is longer than 200 characters; one line says what was done, content has the rest")
	}
	rating, given, err := args.whole("importance", 1, 10)
	if err != nil {
		return e, err
	}
	if !given {
		return e, args.mistake("importance", "is missing; rate it from 1 (routine) to 10 (a change of strategy)")
	}
	e.Importance = float64(rating)
	if e.Type, err = args.oneOf("type", entryTypes); err != nil {
		return e, err
	}
	if e.Tags, err = args.list("tags"); err != nil {
		return e, err
	}
	if e.Content, err = args.text("content"); err != nil {
		return e, err
	}
	if e.Issues, err = args.numbers("issueRefs"); err != nil {
		return e, err
	}
	e.Pulls, err = args.numbers("prRefs")
	return e, err
}

// whole reads a whole number within bounds.
func (a arguments) whole(name string, least, most int64) (n int64, given bool, err error) {
	v, given, err := a.number(name)
	if err != nil || !given {
		return 0, false, err
	}
	if v < float64(least) || v > float64(most) || v != math.Trunc(v) {
		return 0, false, a.mistake(name, fmt.Sprintf("must be a whole number from %d to %d", least, most))
	}
	return int64(v), true, nil
}

// oneOf reads a word of a list, in any case; "" when it is absent.
func (a arguments) oneOf(name string, words []string) (string, error) {
	word, err := a.text(name)
	if word = strings.ToLower(word); err != nil || word == "" || slices.Contains(words, word) {
		return word, err
	}
	return "", a.mistake(name, fmt.Sprintf("%s is not one of %s", quoted(clip(word, 40)), strings.Join(words, ", ")))
}

// numbers reads a list of whole numbers from 1. It ignores a "#" before a number.
func (a arguments) numbers(name string) ([]int64, error) {
	if n, one := a.fields[name].(interface{ Int64() (int64, error) }); one { // a number alone
		if v, err := n.Int64(); err == nil && v > 0 {
			return []int64{v}, nil
		}
	}
	const what = "whole numbers such as [95, 84]"
	items, err := a.listOf(name, what)
	if err != nil {
		return nil, err
	}
	all := make([]int64, len(items))
	for i, item := range items {
		n, err := strconv.ParseInt(strings.TrimPrefix(item, "#"), 10, 64)
		if err != nil || n < 1 {
			return nil, a.mistake(name, "must be a list of "+what+", not "+quoted(clip(item, 40)))
		}
		all[i] = n
	}
	return all, nil
}
