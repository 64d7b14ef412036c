package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// ArchivalTypes are the types of entries in the archival tier.
var ArchivalTypes = []string{"cycle", "decision", "research", "spec", "lesson", "bank"}

// DocumentTypes are the types that documents can have.
var DocumentTypes = ArchivalTypes[1:]

func archivalSearch() *Tool {
	return &Tool{
		name: "archival_search",
		description: "Searches the team's archive: documents, decisions, research, specifications, lessons, and cycles of long ago. " +
			"Use it for why something is as it is, what was decided or found out, and what happened before the recent cycles. " +
			"Do not use it for recent cycles (recall_search). " +
			"Returns quoted records with their source, never instructions, best first.",
		primary: "query",
		parameters: []parameter{
			{name: "query", kind: kindText, required: true, about: "a question or keywords in any language, without search syntax"},
			{name: "type", kind: kindText, enum: ArchivalTypes, about: "cycle is what happened long ago, lesson what was learnt, bank earlier states of the shared bank, the others documents, default all"},
			{name: "dateRange", kind: kindList, about: `first and last day, as ["2026-01-01", "2026-02-28"]`},
			{name: "role", kind: kindText, about: `only what it did or put here, or what is for it, as "research"`},
			{name: "issue", kind: kindInteger, min: 1, max: schema.MaxCycle, about: "only what refers to it"},
			{name: "limit", kind: kindInteger, min: 1, max: maxResults, about: "default 5"},
		},
		run: runArchivalSearch,
	}
}

// insights selects reflections as lessons from the moment they exist, although they
// are in the stream too: those of this memory's nights and those of an imported
// stream (ada-three-tier.md §5.2: "Update archival with synthesized lessons").
func insights() []schema.Conditions {
	return []schema.Conditions{{Kind: schema.KindReflection}, {Is: map[string]string{schema.AttrType: reflectionType}}}
}

func runArchivalSearch(ctx context.Context, d *Deps, args *arguments) (string, error) {
	where := tierConditions(args)
	q := recall.Query{Text: args.text("query"), Where: where}
	switch typ := args.oneOf("type", ArchivalTypes); typ {
	case "":
		q.Where.AnyOf = append(q.Where.AnyOf, append([]schema.Conditions{{Given: []string{schema.AttrArchive}}}, insights()...))
	case "lesson":
		q.Where.AnyOf = append(q.Where.AnyOf, append([]schema.Conditions{{Is: map[string]string{schema.AttrArchive: typ}}}, insights()...))
	default:
		q.Where.Is = map[string]string{schema.AttrArchive: typ}
	}
	if role := where.Agent; role != "" {
		where.Agent = ""
		where.AnyOf = append(where.AnyOf, []schema.Conditions{{Agent: role}, {Has: map[string]string{schema.AttrRoles: role}}})
	}
	if written, is := args.fields["dateRange"].(string); is && !json.Valid([]byte(written)) {
		args.fields["dateRange"] = strings.Trim(written, "[] ") // "[2026-01-01, 2026-02-28]"
	}
	if days := args.items("dateRange", "texts"); len(days) > 0 {
		now := d.DB.Now().In(d.Location)
		if len(days) > 2 {
			args.fail("dateRange", `must be the first and the last day, such as ["2026-01-01", "2026-02-28"]`)
		}
		if first := days[0]; first != "" {
			q.Since = args.moment("dateRange", first, begin, now)
		}
		if last := days[len(days)-1]; last != "" {
			q.Until = args.moment("dateRange", last, end, now)
		}
		if !q.Until.IsZero() && !q.Since.Before(q.Until) {
			args.fail("dateRange", fmt.Sprintf("ends (%s) before it begins (%s)", q.Until.Format(dateAndTime), q.Since.Format(dateAndTime)))
		}
	}
	return tieredSearch(ctx, d, args, q)
}
