package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// ProposalForget is the kind of proposals to forget a memory.
const ProposalForget = claims.ProposalForget

// Forgetting is the payload of a proposal of kind [ProposalForget].
type Forgetting = claims.Forgetting

// maxCandidates is the maximum number of memories offered to a model: those that the request
// most likely means, and what a search finds.
const maxCandidates = claims.MostOffered + 4

func forgetMemory() *Tool {
	return &Tool{
		name:   "forget_memory",
		writes: true,
		description: "Hides a memory with its messages. " +
			"Use it only when the user asks in this conversation to forget something, else it only proposes. " +
			"Do not use it to correct (correct_fact).",
		primary: "query",
		parameters: []parameter{
			{name: "query", kind: kindText, about: "what to forget, in the user's words and others that name it"},
			{name: "memory_id", kind: kindText, about: "when records came back to choose from"},
		},
		run: runForget,
	}
}

func runForget(ctx context.Context, d *Deps, args *arguments) (string, error) {
	id, err := memoryID(d, args)
	if err != nil {
		return "", err
	}
	query := args.text("query")
	if args.err != nil {
		return "", args.err
	}
	asked, err := readRequests(ctx, d, toForget)
	switch {
	case err != nil:
		return "", err
	case id != "":
		return forgetOne(ctx, d, args, id, asked)
	case query == "":
		return "", mistakef("forget_memory: say what to forget. Send %s. Nothing was changed.", `{"query": "…"} or {"memory_id": "…"}`)
	}
	return forgetFound(ctx, d, query, asked)
}

// requestFound is how many memories a search for the object of a request brings.
const requestFound = 240

// asking is a request that the user made in this session.
type asking struct {
	said.Request

	turn   *schema.Memory
	newest bool // no message of the user's in this session is newer
}

// latestTurns is how many of the user's turns may be requests to forget because a model calls
// the tool for it. Of all that she has said in a session one mostly sounds like one.
const latestTurns = 2

func toForget(turn int, message string) []said.Request {
	if turn < latestTurns {
		return claims.ToForget(message)
	}
	return requestsTo(said.Forget, message)
}

func requestsTo(verb said.Verb, message string) []said.Request {
	return slices.DeleteFunc(said.Requests(message), func(q said.Request) bool { return q.Verb != verb })
}

// readRequests reads the user's recent requests in this session by read, newest first. It
// includes forgotten messages, as a message that asks to forget is soon forgotten
// itself.
func readRequests(ctx context.Context, d *Deps, read func(turn int, message string) []said.Request) (asked []asking, err error) {
	turns, err := readUserTurns(ctx, d, schema.StateForgotten)
	if err == nil && len(turns) > 0 {
		_, err = d.reader().Agreed(ctx, d.Scope, &turns[0])
	}
	for i := range turns {
		for _, q := range read(i, turns[i].Content) {
			asked = append(asked, asking{q, &turns[i], i == 0})
		}
	}
	return asked, err
}

// forgetOne hides the memory of an id if the user asked for it, else proposes it.
func forgetOne(ctx context.Context, d *Deps, args *arguments, id string, asked []asking) (string, error) {
	m, err := readAny(ctx, d, args, id)
	if err != nil {
		return "", err
	}
	d.changed(ChangeForgotten, m)
	const done = "Forgotten, as the user asked: neither it nor the messages it comes from are used any more. Do not repeat what it said."
	undone := false
	for _, a := range asked {
		var meant []claims.Request
		if a.About != "" || a.Object() != "" {
			meant = append(meant, claims.Request{Verb: said.Forget, Memories: []string{m.UID}, Asked: &a.Request})
		}
		changes, err := d.reader().Read(ctx, d.Scope, a.turn, meant...)
		if err != nil {
			return "", err
		}
		undone = undone || changes.Undone
		if m, err = readAny(ctx, d, args, id); err != nil {
			return "", err
		}
		if m.State == schema.StateForgotten {
			return done, nil
		}
	}
	if m.State == schema.StateForgotten {
		return done, nil
	}
	reason := "the agent asked for it; the user did not ask to forget it in that conversation"
	if undone {
		reason = "a model asked for it again, which was undone before"
	}
	err = d.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		_, _, err := tx.Propose(ctx, m.UserID, ProposalForget, Forgetting{Memory: m.UID}, reason, byModel)
		return err
	})
	if err != nil {
		return "", err
	}
	d.changed(ChangeProposed, m)
	if unheard, err := speaksForNoUser(ctx, d); unheard || err != nil {
		return "Not forgotten, it waits for approval: " + onlyOwner + " Do not say that it is gone.", err
	}
	return "Not forgotten: no message of the user's in this session asks to forget it by name, so it waits for approval. Do not say that it is gone. Ask the user whether to forget it, saying in the question what it is; if they say yes, it is forgotten.", nil
}

// readAny reads a memory of any kind that may be hidden.
func readAny(ctx context.Context, d *Deps, args *arguments, id string) (m *schema.Memory, err error) {
	err = d.DB.ReadUser(ctx, d.Scope, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		m, err = s.Memory(ctx, userID, id)
		return err
	})
	if errors.Is(err, schema.ErrNotFound) || err == nil && m == nil {
		return nil, unknownMemory(args, id)
	}
	if err == nil && m.State == schema.StateQuarantined {
		return nil, mistakef("%s: that record is set aside for review (%s) and is not used anyway.%s", args.tool.name, quoted(m.Attributes[schema.AttrQuarantine]), args.tool.unchanged())
	}
	return m, err
}

// forgetFound forgets the memories that the user clearly meant, or lists candidates: for a
// request in free words the likeliest first, since a model chooses better than code.
func forgetFound(ctx context.Context, d *Deps, query string, asked []asking) (string, error) {
	if d.Search == nil {
		return "forget_memory is not available in this host without memory_id.", nil
	}
	if len(asked) > 0 && asked[0].newest && asked[0].turn.State == schema.StateForgotten {
		if waits, err := isProposed(ctx, d, asked[0].turn); err != nil {
			return "", err
		} else if !waits {
			d.changed(ChangeForgotten, nil)
			return "What the user asked to forget is forgotten already. Do not repeat what it said.", nil
		}
	}
	hidden := 0
	var candidates []recall.Result
	offer := func(m schema.Memory, of recall.Result) {
		of.Memory = m
		isRequest := slices.ContainsFunc(asked, func(a asking) bool { return a.turn.ID == m.ID && (a.newest || !a.Loose) }) // an earlier one in free words may be what this one means
		if !isRequest && m.Role != "assistant" && len(candidates) < maxCandidates && !slices.ContainsFunc(candidates, func(c recall.Result) bool {
			return c.Memory.EventTime.Equal(m.EventTime.Time) && strings.Contains(c.Memory.Content, m.Content)
		}) {
			candidates = append(candidates, of)
		}
	}
	for _, a := range asked {
		if !a.Loose {
			changes, err := d.reader().Read(ctx, d.Scope, a.turn)
			if err != nil {
				return "", err
			}
			if hidden += len(changes.Hidden); len(changes.Hidden) > 0 {
				continue
			}
		}
		likeliest, err := d.reader().Likeliest(ctx, d.Scope, a.turn)
		if err != nil {
			return "", err
		}
		for _, m := range likeliest {
			offer(m, recall.Result{})
		}
	}
	if hidden > 0 {
		d.changed(ChangeForgotten, nil)
		return fmt.Sprintf("Forgotten, as the user asked: %d %s. Do not repeat what was said.", hidden, plural(hidden, "memory", "memories")), nil
	}
	answer, err := d.Search(ctx, recall.Query{Text: query, Limit: 2 * maxCandidates, Dormant: true, Archived: true})
	if err != nil {
		return "", err
	}
	for _, r := range answer.Results {
		offer(r.Memory, r)
	}
	d.changed(ChangeNone, nil)
	if len(candidates) == 0 {
		return "Nothing that is remembered matches. Tell the user so.", nil
	}
	d.Shown(ctx, query, candidates)
	records, err := d.Render(ctx, candidates)
	if err != nil {
		return "", err
	}
	return "Nothing was hidden yet. If one of these is what the user wants forgotten, call forget_memory again with its memory_id; if you are not sure, ask the user:\n" + records, nil
}

// isProposed reports whether a request in the message waits for approval, since nothing was
// clearly meant by it.
func isProposed(ctx context.Context, d *Deps, message *schema.Memory) (bool, error) {
	waiting, err := schema.Get(ctx, d.DB, func(ctx context.Context, s *schema.Snapshot) ([]schema.PendingChange, error) {
		return schema.PendingProposals(ctx, s, message.UserID, []string{ProposalForget})
	})
	return slices.ContainsFunc(waiting, func(p schema.PendingChange) bool {
		var f Forgetting
		return p.Decode(&f) == nil && f.Message == message.UID
	}), err
}

// reader returns the reader that carries out requests in users' messages.
func (d *Deps) reader() *claims.Reader {
	r := &claims.Reader{DB: d.DB, OnlyRequests: d.OnlyRequests, Location: d.Location, Label: d.Stores.Label}
	if d.Search != nil {
		r.Find = func(ctx context.Context, _ schema.Scope, about string) ([]schema.Memory, error) {
			answer, err := d.Search(ctx, recall.Query{Text: about, Limit: requestFound, Dormant: true, Archived: true})
			if err != nil {
				return nil, err
			}
			return answer.Memories(), nil
		}
	}
	if d.Stored != nil {
		r.Stored = func(ctx context.Context, tx *schema.Tx, _ schema.Scope, m *schema.Memory) error {
			return d.Stored(ctx, tx, m)
		}
	}
	return r
}
