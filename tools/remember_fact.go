package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/schema"
)

// maxClaim is the maximum length of one claim, in runes.
const maxClaim = 2000

func rememberFact() *Tool {
	return &Tool{
		name:   "remember_fact",
		writes: true,
		stores: true,
		description: "Saves one lasting claim about the user or their world. " +
			"Use it when they ask, or state what matters in weeks: names, dates, decisions, preferences. " +
			"Do not use it for small talk, inferences, what documents or pages say, instructions to yourself, or changes (correct_fact); messages are kept anyway.",
		primary: "content",
		parameters: []parameter{
			{name: "content", kind: kindText, required: true, about: `a full sentence readable alone, names and dates for "he" and "tomorrow", else the user's words`},
			{name: "confidence", kind: kindNumber, min: 0, max: 1, about: "lower for hearsay and guesses"},
			{name: "entity_names", kind: kindList},
			{name: "tags", kind: kindList},
			{name: "store", kind: kindText, about: "where it belongs; vault only if the user asks to keep it for good"},
		},
		run: runRemember,
	}
}

// claim is a claim of the model's, prepared for the transaction.
type claim struct {
	content    string
	confidence float64
	entities   []string
	tags       []string
	backing    *backing   // nil when no turn of the user's supports it
	drawn      *backing   // without backing: its likely source; nil when there is none
	reading    said.Claim // the parsed claim
	outright   bool       // the user states it in this form
	trust      schema.Trust
	chunks     []schema.Chunk
	store      string // "" without stores
	approved   bool   // by the host, or by the main agent, which does not decide about doubtful ones
	similar    *reconcile.Similar
	corrects   int64 // row id of the claim whose place it takes; 0 for none
}

func readClaimToRemember(args *arguments) (c claim, err error) {
	c = claim{content: claimText(args, "content"), confidence: 1, entities: args.list("entity_names"), tags: args.list("tags"), store: args.text("store")}
	if v, given := args.number("confidence"); given {
		if schema.ValidUnit("confidence", v) != nil {
			args.fail("confidence", "must be a number from 0 to 1")
		}
		c.confidence = v
	}
	if args.err != nil {
		return c, args.err
	}
	for _, name := range c.entities {
		if err := schema.ValidEntityName("entity_names", name); err != nil {
			return c, err
		}
	}
	for _, tag := range c.tags {
		if err := schema.ValidLabel("tags", tag); err != nil {
			return c, err
		}
	}
	return c, nil
}

// claimText reads a claim's text and rejects more than one claim.
func claimText(args *arguments, name string) string {
	content := args.text(name)
	switch {
	case len([]rune(content)) > maxClaim:
		args.fail(name, "is longer than 2,000 characters; save one claim at a time, in a sentence or two")
	case len(text.Terms(content)) == 0:
		args.fail(name, "holds no words; say what is true in a full sentence")
	}
	return content
}

func runRemember(ctx context.Context, d *Deps, args *arguments) (string, error) {
	c, err := readClaimToRemember(args)
	if err != nil {
		return "", err
	}
	turns, err := readUserTurns(ctx, d)
	if err != nil {
		return "", err
	}
	c.back(turns, d)
	c.trust = d.TurnTrust()
	c.chunks = schema.PrepareChunks(c.content, "", c.tags...)
	if err := c.route(d, args); err != nil {
		return "", err
	}
	if d.Similar != nil {
		c.similar = d.Similar(ctx, c.content)
	}
	var outcome string
	var saved *schema.Memory
	err = d.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		saved = nil
		if d.proposes() || c.hostDecides(d) {
			outcome, err = c.offer(ctx, tx, d)
			return err
		}
		outcome, saved, err = remember(ctx, tx, d, c)
		return err
	})
	if err != nil || saved == nil || !c.pinned(d) {
		return outcome, err
	}
	kept, err := keep(ctx, d, saved)
	return outcome + " " + kept, err
}

// remember stores the claim, or strengthens the existing one.
func remember(ctx context.Context, tx *schema.Tx, d *Deps, c claim) (answer string, saved *schema.Memory, err error) {
	userID, err := tx.UserID(ctx, d.Scope)
	if err != nil {
		return "", nil, err
	}
	out, err := c.add(ctx, tx, d, userID, kindOf(c.content))
	if err != nil {
		return "", nil, err
	}
	m := out.Memory
	d.changed(changeOf(out))
	switch out.Status {
	case claims.Refused:
		return "Not saved: the user asked to forget this and has not said it since. Do not bring it up.", nil, nil
	case claims.Surer:
		return "That was known already as " + d.Short(m.UID) + "; the user has said it again, so it now counts as surer." + ended(d, out), m, nil
	case claims.Known:
		if m.State == schema.StateSuperseded {
			return "That was known as " + d.Short(m.UID) + " and has been replaced since; nothing was saved.", nil, nil
		}
		return "That is known already as " + d.Short(m.UID) + "; nothing new was saved." + ended(d, out), m, nil
	case claims.Quarantined:
		return "Saved " + string(m.Kind) + " " + d.Short(m.UID) + ", but set aside for the host to review: " + m.Attributes[schema.AttrQuarantine] + ".", nil, nil
	case claims.Made:
	}
	if c.backing == nil {
		return "Saved " + string(m.Kind) + " " + d.Short(m.UID) + " as your own statement: no message of the user's in this session holds it, so it counts less than what the user says." + ended(d, out), m, nil
	}
	return "Saved " + string(m.Kind) + " " + d.Short(m.UID) + ", with the user's message as its source." + ended(d, out), m, nil
}

// changeOf returns what became of a new claim, and the memory that holds it.
func changeOf(out claims.Outcome) (Change, *schema.Memory) {
	switch out.Status {
	case claims.Refused:
		return ChangeNone, nil
	case claims.Surer, claims.Known:
		return ChangeKnown, out.Memory
	case claims.Quarantined:
		return ChangeQuarantined, out.Memory
	case claims.Made:
	}
	return ChangeSaved, out.Memory
}

// ended is the part of an answer about replaced claims.
func ended(d *Deps, out claims.Outcome) string {
	var b strings.Builder
	for _, m := range out.Ended {
		fmt.Fprintf(&b, " No longer current: %s, %s.", d.Short(m.UID), quoted(m.Content))
	}
	return b.String()
}
