package tools

import (
	"context"
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

func runLog(ctx context.Context, d *Deps, args *arguments) (string, error) {
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

func readEntry(args *arguments) (e Entry, err error) {
	e.Action = strings.Join(strings.Fields(args.text("action")), " ")
	if len([]rune(e.Action)) > maxAction {
		args.fail("action", "is longer than 200 characters; one line says what was done, content has the rest")
	}
	rating, given := args.whole("importance", 10)
	if !given {
		args.fail("importance", "is missing; rate it from 1 (routine) to 10 (a change of strategy)")
	}
	e.Importance = float64(rating)
	e.Type = args.oneOf("type", entryTypes)
	e.Tags = args.list("tags")
	e.Content = args.text("content")
	e.Issues, e.Pulls = args.numbers("issueRefs"), args.numbers("prRefs")
	return e, args.err
}
