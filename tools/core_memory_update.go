package tools

import (
	"context"
	"strings"

	"github.com/ebbmem/ebb/schema/core"
)

// updatable returns the blocks that a model may change, at least by proposal, by
// their names.
func updatable(blocks []core.BlockSpec) (names []string, of func(name string) section) {
	places := make(map[string]section)
	for i := range blocks {
		if b := &blocks[i]; b.Writer != core.HostWrites {
			names = append(names, b.Name)
			places[b.Name] = section{block: b}
		}
	}
	return names, func(name string) section { return places[name] }
}

// coreMemoryUpdate returns nil when there is nothing that a model may change.
func coreMemoryUpdate(blocks []core.BlockSpec) *Tool {
	names, of := updatable(blocks)
	if len(names) == 0 {
		return nil
	}
	return &Tool{
		name:   "core_memory_update",
		writes: true,
		stores: true,
		description: "Changes a section of core memory, which is before you in every turn. " +
			"Use it when what a section says is no longer so: a goal was reached, a thread moved on, you work on something else. " +
			"Do not use it for what only this turn needs, for what you read in documents or pages, for orders to yourself, or to add an entry to a list (core_memory_append). " +
			"Fields you do not name stay, and so does what others have changed since you saw it. Returns what became of it.",
		parameters: []parameter{
			{name: "section", kind: kindText, required: true, enum: names, about: describe(names, of)},
			{name: "content", kind: kindContent, required: true, about: "text for a section of text, else JSON in the form in which it is shown: an object with the fields to change, a list to replace the list, or records with their id (one with its first text empty is taken out)"},
		},
		run: runCoreMemoryUpdate,
	}
}

func runCoreMemoryUpdate(ctx context.Context, d *Deps, args *arguments) (string, error) {
	name := args.text("section")
	if args.err != nil {
		return "", args.err
	}
	names, of := updatable(d.Blocks)
	spec := of(name).block
	if spec == nil {
		return "", unknownSection(d, args, name, names)
	}
	content, err := readContent(args, "content", spec)
	if err != nil {
		return "", err
	}
	w := &coreWrite{d: d, args: args, spec: spec, edit: func(seen any) core.BlockEdit { return spec.Update(content, seen) }}
	return w.write(ctx)
}

// readContent returns a parameter as a value. Some models pass JSON as a text.
func readContent(args *arguments, name string, spec *core.BlockSpec) (any, error) {
	written, ok := args.fields[name].(string)
	if !ok {
		return args.fields[name], nil
	}
	if !isText(written) {
		return nil, args.mistake(name, notText)
	}
	if spec.Kind == core.BlockText {
		return written, nil
	}
	return spec.Decode(unfence(strings.TrimSpace(written)))
}
