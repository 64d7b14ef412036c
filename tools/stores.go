package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// route decides about the store of a claim: the one that the model names, else by its
// words. Nothing without stores.
func (c *claim) route(d *Deps, args *arguments) error {
	names := d.Stores.Names()
	switch {
	case len(d.Stores) == 0:
		c.store = ""
	case c.store == "":
		if routed := stores.Route(c.content, temporal(c.content, d)); slices.Contains(d.Stores.Open(), routed) {
			c.store = routed
		}
	case !slices.Contains(names, c.store):
		return args.mistake("store", "must be one of "+strings.Join(names, ", "))
	}
	return nil
}

// hostDecides reports whether each memory of the claim's store waits for the host.
func (c *claim) hostDecides(d *Deps) bool {
	of := d.Stores.Named(c.store)
	return of != nil && !of.Pins && of.Writer != core.ModelWrites
}

// pinned reports whether the claim goes to a store whose memories are protected.
func (c *claim) pinned(d *Deps) bool {
	of := d.Stores.Named(c.store)
	return of != nil && of.Pins
}

func findProcedure() *Tool {
	return &Tool{
		name: "find_procedure",
		description: "Finds learned procedures for a task, with how often each has helped. " +
			"Use it before work that may have been done before. Do not use it for facts; afterwards call report_outcome.",
		primary:    "task",
		parameters: []parameter{{name: "task", kind: kindText, required: true, about: "what is to be done"}},
		run:        runFindProcedure,
	}
}

// maxProcedures is the maximum number of procedures shown.
const maxProcedures = 5

func runFindProcedure(ctx context.Context, d *Deps, args *arguments) (string, error) {
	task := args.text("task")
	if args.err != nil {
		return "", args.err
	}
	if d.Search == nil {
		return "find_procedure is not available in this host.", nil
	}
	answer, err := d.Search(ctx, recall.Query{
		Text: task, Limit: 4 * maxProcedures, Dormant: true, Unquarantined: true, Where: &schema.Conditions{Is: map[string]string{schema.AttrStore: stores.Procedural}},
	})
	if err != nil {
		return "", err
	}
	results := proceduresFor(task, answer.Results, d.Location)
	if len(results) == 0 {
		return "No procedure is known for that. If the user agrees, save what works with remember_fact.", nil
	}
	d.Shown(ctx, task, results)
	records, err := d.Render(ctx, results)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(records)
	for _, r := range results {
		fmt.Fprintf(&b, "\n%s: helped %s times, failed %s times", d.Short(r.Memory.UID), tally(&r.Memory, schema.AttrSuccesses), tally(&r.Memory, schema.AttrFailures))
	}
	return b.String(), nil
}

// leastAlike is the [recall.Result.Similarity] from which a procedure is for a task without a word in
// common.
const leastAlike = 0.5

// proceduresFor returns the procedures found that are for a task: with more than half as many of its
// words, in any inflection, as the one with most of them. Of two that say the same it returns the
// one that was tried more often.
func proceduresFor(task string, found []recall.Result, loc *time.Location) (results []recall.Result) {
	terms, most := text.QueryTerms(task, 0), 0
	shared := make([]int, len(found))
	for i := range found {
		shared[i] = sharedRoots(terms, text.Terms(found[i].Memory.Content))
		most = max(most, shared[i])
	}
	for i, r := range found {
		if r.Similarity < leastAlike && 2*shared[i] <= most {
			continue
		}
		at := slices.IndexFunc(results, func(other recall.Result) bool { return claims.SameWords(&other.Memory, &r.Memory, loc) })
		switch {
		case at < 0 && len(results) < maxProcedures:
			results = append(results, r)
		case at >= 0 && tried(&r.Memory) > tried(&results[at].Memory):
			results[at] = r
		}
	}
	return results
}

// sharedRoots returns how many of the terms others hold, as they stand or by their root.
func sharedRoots(terms, others []string) (n int) {
	roots := make(map[string]bool)
	for _, term := range others {
		roots[term] = true
		for _, root := range lexicon.Roots(term) {
			roots[root] = true
		}
	}
	for _, term := range terms {
		if roots[term] || slices.ContainsFunc(lexicon.Roots(term), func(root string) bool { return roots[root] }) {
			n++
		}
	}
	return n
}

// tried returns how often a procedure has helped or failed.
func tried(m *schema.Memory) (n int) {
	for _, name := range []string{schema.AttrSuccesses, schema.AttrFailures} {
		times, _ := strconv.Atoi(tally(m, name)) // of digits
		n += times
	}
	return n
}

// tally returns a counter of a memory, which only digits can be.
func tally(m *schema.Memory, name string) string {
	n := m.Attributes[name]
	if n == "" || strings.Trim(n, "0123456789") != "" {
		return "0"
	}
	return n
}

func reportOutcome() *Tool {
	return &Tool{
		name:        "report_outcome",
		writes:      true,
		description: "Records whether a memory or a procedure helped with the task. Use it once the result is known. Do not use it for guesses.",
		parameters: []parameter{
			{name: "memory_id", kind: kindText, required: true},
			{name: "helped", kind: kindFlag, required: true},
		},
		run: runReportOutcome,
	}
}

func runReportOutcome(ctx context.Context, d *Deps, args *arguments) (string, error) {
	id, err := memoryID(d, args)
	if err != nil {
		return "", err
	}
	helped := args.flag("helped")
	switch {
	case args.err != nil:
		return "", args.err
	case args.fields["helped"] == nil || id == "":
		return "", mistakef("report_outcome: send %s. Nothing was changed.", `{"memory_id": "…", "helped": true}`)
	case d.Outcome == nil:
		return "report_outcome is not available in this host.", nil
	}
	m, err := readAny(ctx, d, args, id)
	if err != nil {
		return "", err
	}
	if err := d.Outcome(ctx, m.UID, helped); err != nil {
		return "", err
	}
	return "Recorded.", nil
}

// Reflection is what a model asks for with request_reflection, in tokens above and
// below the baseline.
type Reflection struct {
	Extra, Penalty             int
	ExtraReason, PenaltyReason string
}

// The most tokens that a model can ask for, and give back.
const (
	mostExtra   = 24_000
	mostPenalty = 7_000
)

func requestReflection() *Tool {
	return &Tool{
		name:   "request_reflection",
		writes: true,
		description: "Asks the user for a reflection and its tokens. " +
			"Use it only when the user asks to reflect; if they are leaving, ask them first. Do not use it by yourself. It then waits for their decision: stop and say so.",
		parameters: []parameter{
			{name: "extra", kind: kindInteger, max: mostExtra, about: "tokens above the baseline of 8000"},
			{name: "extra_reason", kind: kindText},
			{name: "penalty", kind: kindInteger, max: mostPenalty, about: "tokens less, for your own mistakes"},
			{name: "penalty_reason", kind: kindText},
		},
		run: runRequestReflection,
	}
}

func runRequestReflection(ctx context.Context, d *Deps, args *arguments) (string, error) {
	w := Reflection{ExtraReason: args.text("extra_reason"), PenaltyReason: args.text("penalty_reason")}
	for _, n := range []struct {
		name string
		to   *int
		most float64
	}{{"extra", &w.Extra, mostExtra}, {"penalty", &w.Penalty, mostPenalty}} {
		v, _ := args.number(n.name)
		if !(v >= 0 && v <= n.most) {
			args.fail(n.name, fmt.Sprintf("must be a number of tokens from 0 to %v", n.most))
		}
		*n.to = int(v)
	}
	if args.err != nil {
		return "", args.err
	}
	if d.Reflect == nil || d.proposes() {
		return "request_reflection is not available in this host.", nil
	}
	turns, err := readUserTurns(ctx, d)
	if err != nil {
		return "", err
	}
	trigger := stores.NoTrigger
	if len(turns) > 0 {
		trigger = stores.TriggerOf(turns[0].Content)
	}
	if trigger == stores.NoTrigger && len(turns) > 1 && stores.Agrees(turns[0].Content) && stores.TriggerOf(turns[1].Content) == stores.SoftTrigger {
		asked, err := d.askedToReflect(ctx)
		if err != nil {
			return "", err
		}
		if asked {
			trigger = stores.Immediate
		}
	}
	switch trigger {
	case stores.Immediate:
		answer, err := d.Reflect(ctx, w)
		if errors.Is(err, schema.ErrConflict) {
			return "", mistakef("request_reflection: a reflection waits for the user's decision already. Do not ask for another one.")
		}
		return answer, err
	case stores.SoftTrigger:
		return "Not requested: the user is leaving. Ask them: \"Want me to reflect now, or wait?\" Call again when they agree.", nil
	case stores.NoTrigger:
	}
	return "Not requested: the user has not asked for a reflection in their last message. Do not ask again by yourself.", nil
}

// askedToReflect reports whether the last answer in this session offers to reflect.
func (d *Deps) askedToReflect(ctx context.Context) (bool, error) {
	if d.Recent == nil {
		return false, nil
	}
	recent, err := d.Recent(ctx, time.Time{}, time.Time{}, d.Scope.Session, 10)
	for _, m := range slices.Backward(recent) {
		if m.Role == "assistant" {
			return strings.Contains(strings.ToLower(m.Content), "reflect"), err
		}
	}
	return false, err
}
