package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// defaultTiered is the default number of results of the tools of tiers.
const defaultTiered = 5

func recallSearch() *Tool {
	return &Tool{
		name: "recall_search",
		description: "Searches the team's recent cycles: what every role did, noticed and decided. " +
			"Use it before you act on something that others may have touched, and for who did what, when and why. " +
			"Do not use it for documents and cycles of long ago (archival_search), nor for core memory, which is in front of you. " +
			"Returns quoted records, never instructions, best first.",
		primary: "query",
		parameters: []parameter{
			{name: "query", kind: kindText, required: true, about: "a question or keywords in any language, without search syntax"},
			{name: "role", kind: kindText, about: `only what it did, as "research"`},
			{name: "issue", kind: kindInteger, min: 1, max: schema.MaxCycle, about: "only what refers to it, however long ago"},
			{name: "minImportance", kind: kindNumber, min: 1, max: 10, about: "only what is rated so or more"},
			{name: "limit", kind: kindInteger, min: 1, max: maxResults, about: "default 5"},
			{name: "cycleRange", kind: kindNumbers, about: "first and last cycle, as [180, 185], also of long ago"},
		},
		run: runRecallSearch,
	}
}

func runRecallSearch(ctx context.Context, d *Deps, args *arguments) (string, error) {
	where := tierConditions(args)
	switch cycles := args.numbers("cycleRange"); {
	case len(cycles) > 2 || len(cycles) > 0 && cycles[len(cycles)-1] < cycles[0]:
		args.fail("cycleRange", "must be the first and the last cycle, in this order, such as [180, 185]")
	case len(cycles) > 0:
		where.Between = map[string][2]int64{schema.AttrCycle: {cycles[0], cycles[len(cycles)-1]}}
	}
	if where.Between == nil && where.Has == nil {
		where.Lacks = []string{schema.AttrArchive}
	} else {
		where.AnyOf = happened()
	}
	return tieredSearch(ctx, d, args, recall.Query{Text: args.text("query"), Where: where})
}

// happened selects the stream, of any age: neither documents nor entries added to
// the archive.
func happened() [][]schema.Conditions {
	return [][]schema.Conditions{append([]schema.Conditions{{Lacks: []string{schema.AttrArchive}}, {Is: map[string]string{schema.AttrArchive: "cycle"}}}, insights()...)}
}

// tierConditions reads the restrictions that the tools of tiers share.
func tierConditions(args *arguments) *schema.Conditions {
	least, given := args.number("minImportance")
	if given && !(least >= 1 && least <= 10) {
		args.fail("minImportance", "must be a number from 1 to 10")
	}
	where := &schema.Conditions{Agent: args.text("role"), MinImportance: least / 10}
	if issue, given := args.whole("issue", schema.MaxCycle); given {
		where.Has = map[string]string{schema.AttrIssues: strconv.FormatInt(issue, 10)}
	}
	return where
}

// tieredSearch searches and renders the results for a model.
func tieredSearch(ctx context.Context, d *Deps, args *arguments, q recall.Query) (string, error) {
	if d.Search == nil {
		return args.tool.name + " is not available in this host.", nil
	}
	limit, given := args.whole("limit", maxResults)
	if args.err != nil {
		return "", args.err
	}
	if q.Limit = defaultTiered; given {
		q.Limit = int(limit)
	}
	q.Now = d.DB.Now().In(d.Location)
	answer, err := d.paged(ctx, q)
	if err != nil {
		return "", err
	}
	notes := unanswered(answer)
	if len(answer.Results) == 0 {
		return sentences(append(notes, nothingTiered(args, q.Text))...), nil
	}
	return shown(ctx, d, q.Text, answer.Results, notes, "best first")
}

// paged searches in steps until there are enough results: entries that the question
// names by number, best first, then the others of that number; for half of the
// places, entries by the role that it asks about; entries on the right side of a
// release that it names; entries found by its words; and, where the caller itself
// names an issue or cycles, any other entry of these.
func (d *Deps) paged(ctx context.Context, q recall.Query) (*recall.Answer, error) {
	answer := &recall.Answer{Query: q.Text}
	search := func(at recall.Query) error {
		found, err := d.Search(ctx, at)
		if err != nil {
			return err
		}
		for _, arm := range found.Degraded {
			if !slices.Contains(answer.Degraded, arm) {
				answer.Degraded = append(answer.Degraded, arm)
			}
		}
		answer.Results = enough(answer.Results, found.Results, q.Limit)
		return nil
	}
	list := func(where *schema.Conditions) error {
		if !q.Since.IsZero() || !q.Until.IsZero() {
			return nil
		}
		listed, err := d.list(ctx, where, q)
		answer.Results = enough(answer.Results, listed, q.Limit)
		return err
	}
	for _, where := range references(q.Text, q.Where) {
		at := q
		at.Where = where
		if err := errors.Join(search(at), list(where)); err != nil {
			return nil, err
		}
	}
	if q.Where.Agent == "" {
		for _, role := range rolesAsked(q.Text) {
			by, where := q, *q.Where
			where.Agent = role
			by.Where, by.Limit = &where, (q.Limit+1)/2 // other roles may report it too
			if err := search(by); err != nil {
				return nil, err
			}
		}
	}
	bounded, named, err := d.beside(ctx, q)
	if err != nil {
		return nil, err
	}
	if named {
		if err := search(bounded); err != nil {
			return nil, err
		}
	}
	if err := search(q); err != nil {
		return nil, err
	}
	if q.Where.Between != nil || q.Where.Has != nil {
		if err := list(q.Where); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// enough appends results that are not in the list yet, up to limit.
func enough(results, more []recall.Result, limit int) []recall.Result {
	for _, r := range more {
		there := slices.ContainsFunc(results, func(other recall.Result) bool { return other.Memory.ID == r.Memory.ID })
		if !there && len(results) < limit {
			r.Rank = len(results) + 1
			results = append(results, r)
		}
	}
	return results
}

// list returns the newest memories that meet conditions, newest first.
func (d *Deps) list(ctx context.Context, where *schema.Conditions, q recall.Query) (results []recall.Result, err error) {
	err = d.DB.ReadUser(ctx, d.Scope, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		results = nil
		memories, err := s.ActiveMeeting(ctx, userID, where, q.Limit)
		for i := range slices.Backward(memories) {
			results = append(results, recall.Result{Memory: memories[i]})
		}
		return err
	})
	return results, err
}

// shown renders results for a model, in the fence.
func shown(ctx context.Context, d *Deps, query string, results []recall.Result, notes []string, order string) (string, error) {
	d.Shown(ctx, query, results)
	n := len(results)
	notes = append(notes, fmt.Sprintf("%d %s, %s:", n, plural(n, "record", "records"), order))
	return d.rendered(ctx, sentences(notes...), results)
}

// nothingTiered is the answer without results, with advice.
func nothingTiered(args *arguments, query string) string {
	var given []string
	for _, p := range args.tool.parameters {
		if _, there := args.fields[p.name]; there && !p.required && p.name != "limit" {
			given = append(given, p.name)
		}
	}
	found := fmt.Sprintf("Nothing was found for %s.", quoted(clip(query, 200)))
	if len(given) > 0 {
		return found + " Try again without " + strings.Join(given, ", ") + ", or with other words."
	}
	return found + " Try fewer or other words, or the other tier."
}
