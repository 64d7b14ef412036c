package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema/core"
)

// appendable returns the lists and records in core memory that a model may add to,
// at least by proposal, by their names.
func appendable(blocks []core.BlockSpec) (names []string, of func(name string) section) {
	places := make(map[string]section)
	add := func(name string, s section) {
		names = append(names, name)
		places[name] = s
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Writer == core.HostWrites {
			continue
		}
		switch b.Kind {
		case core.BlockList, core.BlockRecords:
			add(b.Name, section{block: b})
		case core.BlockFields:
			for _, f := range b.Fields {
				if f.List {
					add(f.Name, section{block: b, field: f.Name})
				}
			}
		case core.BlockText:
		}
	}
	return names, func(name string) section { return places[name] }
}

// coreMemoryAppend returns nil when there is no list that a model may add to.
func coreMemoryAppend(blocks []core.BlockSpec) *Tool {
	names, of := appendable(blocks)
	if len(names) == 0 {
		return nil
	}
	return &Tool{
		name:   "core_memory_append",
		writes: true,
		stores: true,
		description: "Adds an entry to a list in core memory, which is before you in every turn. " +
			"Use it when something new belongs there: a blocker, a thread, something that shipped. Several can add at once. " +
			"Do not use it to change or take out what is there (core_memory_update), for what you read in documents or pages, or for orders to yourself. " +
			"Returns what became of it.",
		parameters: []parameter{
			{name: "section", kind: kindText, required: true, enum: names, about: describe(names, of)},
			{name: "item", kind: kindContent, required: true, about: `a text, or in a section of records an object such as {"id": "…", "summary": "…"} with a new id`},
		},
		run: runCoreMemoryAppend,
	}
}

func runCoreMemoryAppend(ctx context.Context, d *Deps, args *arguments) (string, error) {
	name := args.text("section")
	if args.err != nil {
		return "", args.err
	}
	names, of := appendable(d.Blocks)
	at := of(name)
	if at.block == nil {
		return "", unknownSection(d, args, name, names)
	}
	item, err := readItem(ctx, args, "item", at)
	if err != nil {
		return "", err
	}
	w := &coreWrite{d: d, args: args, spec: at.block, edit: func(any) core.BlockEdit { return at.block.Append(at.field, item) }}
	return w.write(ctx)
}

// inOneLine turns an object into an entry of a list of texts, which a model may
// mistake for a list of objects (ada-three-tier.md §4.3): "pr: 84, title: Retry
// fix". An object with a text alone becomes that text.
func inOneLine(object map[string]any) (string, error) {
	var parts []string
	for _, field := range slices.Sorted(maps.Keys(object)) {
		switch value := object[field].(type) {
		case nil:
			continue
		case string, bool, json.Number:
			parts = append(parts, field+": "+fmt.Sprint(value))
			if len(object) == 1 {
				return fmt.Sprint(value), nil
			}
		default:
			return "", errors.New("must be a text, or an object of texts and numbers such as {\"title\": \"Retry fix\", \"pr\": 84}")
		}
	}
	return strings.Join(parts, ", "), nil
}

// readItem returns an entry as a value. A model may pass a record as a text of
// JSON, and an entry of a list of texts as an object.
func readItem(ctx context.Context, args *arguments, name string, at section) (any, error) {
	if object, ok := args.fields[name].(map[string]any); ok && at.block.Kind != core.BlockRecords {
		line, err := inOneLine(object)
		if err != nil {
			return nil, args.mistake(name, err.Error())
		}
		return args.tool.redacted(ctx, name, line) // its fields' names are text now
	}
	written, ok := args.fields[name].(string)
	if !ok {
		return args.fields[name], nil
	}
	if !isText(written) {
		return nil, args.mistake(name, notText)
	}
	if at.block.Kind != core.BlockRecords {
		return written, nil
	}
	record, err := at.block.Decode(unfence(strings.TrimSpace(written)))
	if err != nil {
		return nil, args.mistake(name, "must be an object with an id and "+at.block.Fields[0].Name+", as JSON")
	}
	return record, nil
}
