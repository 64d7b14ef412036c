package tools

import (
	"context"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// Archived is an entry that an agent adds to the archive.
type Archived struct {
	Content, Type string
	Roles         []string
	Issues        []int64
	Importance    float64 // 1–10; 0 means not rated
}

// insertTypes are the types that a model may add to the archive. Nights add
// cycles.
var insertTypes = []string{"decision", "research", "spec", "lesson"}

// maxArchived is the maximum length of one entry, in runes.
const maxArchived = 4000

func archivalInsert() *Tool {
	return &Tool{
		name:   "archival_insert",
		writes: true,
		stores: true,
		description: "Puts lasting knowledge into the team's archive, where archival_search finds it. " +
			"Use it for a lesson, a decision and its reasons, or a result of research that will matter for months. " +
			"Do not use it for what you did in this cycle (memory_log), nor for files of the repository, which are taken in by themselves.",
		primary: "content",
		parameters: []parameter{
			{name: "content", kind: kindText, required: true, about: "at most 4,000 characters that can be understood alone in a year"},
			{name: "type", kind: kindText, required: true, enum: insertTypes, about: "what it is"},
			{name: "roles", kind: kindList, about: `whom it is for, as ["qa"], default all`},
			{name: "issues", kind: kindNumbers, about: "issues it is about"},
			{name: "importance", kind: kindInteger, min: 1, max: 10, about: "how much it matters"},
		},
		run: runArchivalInsert,
	}
}

func runArchivalInsert(ctx context.Context, d *Deps, args *arguments) (string, error) {
	if d.Archive == nil {
		return "archival_insert is not available in this host. Nothing was changed.", nil
	}
	a := Archived{Content: args.text("content"), Type: args.oneOf("type", insertTypes), Roles: args.list("roles"), Issues: args.numbers("issues")}
	rating, _ := args.whole("importance", 10)
	a.Importance = float64(rating)
	if len([]rune(a.Content)) > maxArchived {
		args.fail("content", "is longer than 4,000 characters; insert one piece of knowledge at a time")
	}
	if strings.ContainsAny(strings.Join(a.Roles, ""), ",\n") || len(strings.Join(a.Roles, ",")) > schema.MaxLabel {
		args.fail("roles", "must be a short list of names without commas")
	}
	if args.err != nil {
		return "", args.err
	}
	id, err := d.Archive(ctx, a)
	if err != nil {
		return "", err
	}
	return "Archived as " + id + ".", nil
}
