package fourstores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/schema/undo"
)

// The kinds of proposals of a reflection.
const (
	KindRequest = "reflection_request" // waits for a grant
	KindGrant   = "reflection_grant"   // waits for the draft
	KindDraft   = "reflection"         // waits for the approval
)

var kinds = []string{KindRequest, KindGrant, KindDraft}

// Tokens of a reflection.
const (
	Baseline    = 8000  // of output
	MaxTokens   = 32000 // that can be granted
	InputTokens = 30000 // of records in the prompt, besides
)

// State is what an open reflection waits for, or how the last one ended.
type State string

// The states.
const (
	Idle      State = "idle"      // none was asked for yet
	Requested State = "requested" // waits for a grant
	Granted   State = "granted"   // waits for the draft
	Drafted   State = "drafted"   // waits for the approval
	Recorded  State = "recorded"  // approved
	Rejected  State = "rejected"
)

// Request asks for tokens.
type Request struct {
	Extra         int    `json:"extra,omitempty"`
	ExtraReason   string `json:"extra_reason,omitempty"`
	Penalty       int    `json:"penalty,omitempty"`
	PenaltyReason string `json:"penalty_reason,omitempty"`

	// Baseline and Tokens, the final request, are set by [Reflections.Request]; so is
	// Cost, an estimate by the host's prices, 0 without prices: that of one call with the
	// whole input. A second call after an unusable answer costs as much again.
	Baseline int       `json:"baseline"`
	Tokens   int       `json:"tokens"`
	Cost     float64   `json:"cost,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	At       time.Time `json:"at"`
}

// Verdict is the user's decision about a request.
type Verdict string

// The verdicts.
const (
	Approve Verdict = "approve" // as requested
	Bonus   Verdict = "bonus"   // so many tokens more
	Reduce  Verdict = "reduce"  // so many tokens less
	Forgive Verdict = "forgive" // without the penalty
	Penalty Verdict = "penalty" // so many tokens less, as a penalty
)

// Grant is a decision about a request.
type Grant struct {
	Request string  `json:"request"` // id
	Verdict Verdict `json:"verdict"`
	Amount  int     `json:"amount,omitempty"` // of a bonus, a reduction or a penalty
	Reason  string  `json:"reason,omitempty"`
	Tokens  int     `json:"tokens"` // granted
}

// Element is one part of a draft.
type Element struct {
	Name string `json:"element"`
	Text string `json:"text"`
}

// Insight is a conclusion of a draft that becomes a memory when it is approved.
type Insight struct {
	Text       string   `json:"text"`
	Importance float64  `json:"importance"` // 0–1
	Sources    []string `json:"sources"`    // public ids, at least two
}

// Draft is a reflection that waits for approval.
type Draft struct {
	Granted   Grant        `json:"granted"`
	Elements  []Element    `json:"elements"`
	Summary   string       `json:"summary"`
	Awareness []string     `json:"awareness,omitempty"` // [Self-Awareness] entries
	Insights  []Insight    `json:"insights,omitempty"`
	Patterns  []string     `json:"patterns,omitempty"` // in the logs of reflections and rewards
	Through   string       `json:"through,omitempty"`  // the last memory that was read
	Read      []string     `json:"read,omitempty"`     // public ids of the memories that were read
	Trust     schema.Trust `json:"trust"`              // the lowest of what was read
	Used      ask.Usage    `json:"used"`
}

// Status is the open reflection of a user, or the last one.
type Status struct {
	State   State     `json:"state"`
	ID      string    `json:"id,omitempty"` // of what waits or was decided
	At      time.Time `json:"at,omitzero"`
	Request *Request  `json:"request,omitempty"`
	Grant   *Grant    `json:"grant,omitempty"`
	Draft   *Draft    `json:"draft,omitempty"`
	// RunID is the run that records the reflection; set by [Reflections.Approve].
	RunID string `json:"run_id,omitempty"`
}

// Options are what reflections need. DB and Block are required.
type Options struct {
	DB       *schema.DB
	Model    llms.Model // nil: a draft is refused
	Prices   ask.Prices
	Timeout  time.Duration // of one call
	Redact   schema.Redact
	Location *time.Location
	Stores   stores.Set
	Curve    stores.Curve
	// Block describes a block of core memory; nil for one that the host does not have.
	Block func(name string) *core.BlockSpec
	// Persuade offers the model the elements about what tokens cost. Default false.
	Persuade bool
}

// Reflections are the reflections of the users of a file. A user has at most one that
// is open. Nothing happens unless it is called.
type Reflections struct{ o Options }

// New returns the reflections of a file.
func New(o Options) *Reflections {
	o.Location = cmp.Or(o.Location, time.UTC)
	return &Reflections{o: o}
}

// Status returns the open reflection, else how the last one ended. If an undo has opened an
// earlier one again, two are open: it returns the later one, until that is decided.
func (r *Reflections) Status(ctx context.Context, scope schema.Scope) (s *Status, err error) {
	s = &Status{State: Idle}
	err = r.o.DB.ReadUser(ctx, scope, func(ctx context.Context, snap *schema.Snapshot, userID int64) error {
		open, err := schema.PendingProposals(ctx, snap, userID, kinds)
		if err != nil {
			return err
		}
		if n := len(open); n > 0 {
			s, err = r.read(ctx, snap, userID, &open[n-1])
			return err
		}
		last, err := schema.DecidedProposals(ctx, snap, userID, kinds, 1)
		if err != nil || len(last) == 0 {
			return err
		}
		s, err = r.read(ctx, snap, userID, &last[0])
		return err
	})
	return s, err
}

// History lists the reflections that were asked for, newest first, at most limit: each
// with its request, its grant and its text, as far as they got. It is the archive of
// reflections and of rewards.
func (r *Reflections) History(ctx context.Context, scope schema.Scope, limit int) (all []Status, err error) {
	err = r.o.DB.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) error {
		all = nil
		userID, err := snap.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		rows, err := schema.DecidedProposals(ctx, snap, userID, kinds, 3*limit)
		if err != nil {
			return err
		}
		for i := range rows {
			if rows[i].State == "applied" && rows[i].Kind != KindDraft { // its successor says more
				continue
			}
			s, err := r.read(ctx, snap, userID, &rows[i])
			if err != nil {
				return err
			}
			if all = append(all, *s); len(all) == limit {
				return nil
			}
		}
		return nil
	})
	return all, err
}

// stillRead returns [schema.ErrConflict] if a memory that a draft was written from was erased,
// forgotten or quarantined since: the draft may repeat it.
func stillRead(ctx context.Context, tx *schema.Tx, userID int64, d *Draft) error {
	for _, uid := range d.Read {
		m, err := tx.Memory(ctx, userID, uid)
		if err != nil && !errors.Is(err, schema.ErrNotFound) {
			return err
		}
		if err != nil || m.State == schema.StateForgotten || m.State == schema.StateQuarantined {
			return fmt.Errorf("the draft was written from a memory that is forgotten now: %w", schema.ErrConflict)
		}
	}
	return nil
}

// read describes a proposal and what led to it. What was erased since is left out.
func (r *Reflections) read(ctx context.Context, db core.Reader, userID int64, p *schema.PendingChange) (*Status, error) {
	s := &Status{State: stateOf(p), ID: p.UID, At: p.CreatedAt.Time}
	if !p.DecidedAt.IsZero() {
		s.At = p.DecidedAt.Time
	}
	switch p.Kind {
	case KindRequest:
		s.Request = new(Request)
		return s, p.Decode(s.Request)
	case KindGrant:
		s.Grant = new(Grant)
		if err := p.Decode(s.Grant); err != nil {
			return nil, err
		}
	case KindDraft:
		s.Draft = new(Draft)
		if err := p.Decode(s.Draft); err != nil {
			return nil, err
		}
		s.Grant = &s.Draft.Granted
	}
	request, err := schema.ProposalByUID(ctx, db, userID, s.Grant.Request)
	if errors.Is(err, schema.ErrNotFound) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.Request = new(Request)
	return s, request.Decode(s.Request)
}

func stateOf(p *schema.PendingChange) State {
	switch {
	case p.State == "rejected":
		return Rejected
	case p.State == "applied" && p.Kind == KindDraft:
		return Recorded
	case p.Kind == KindDraft:
		return Drafted
	case p.Kind == KindGrant:
		return Granted
	}
	return Requested
}

// Request asks for a reflection and its tokens, for the scope's agent. It calls no
// model.
//
// Errors: [*schema.InvalidError] for negative tokens and for a sum outside 1–32,000,
// [schema.ErrConflict] while one is open.
func (r *Reflections) Request(ctx context.Context, scope schema.Scope, q Request) (*Status, error) {
	q.Baseline, q.Agent = Baseline, scope.Agent
	q.Tokens = q.Baseline + q.Extra - q.Penalty
	switch {
	case q.Extra < 0 || q.Extra > MaxTokens || q.Penalty < 0 || q.Penalty > MaxTokens:
		return nil, &schema.InvalidError{Field: "tokens", Reason: "must not be negative, nor above 32,000; say extra and penalty as positive numbers"}
	case !validTokens(q.Tokens):
		return nil, &schema.InvalidError{Field: "tokens", Reason: fmt.Sprintf("are %d in all, and must be from 1 to 32,000", q.Tokens)}
	}
	for _, reason := range []*string{&q.ExtraReason, &q.PenaltyReason} {
		var err error
		if *reason, err = r.words(ctx, *reason); err != nil {
			return nil, err
		}
	}
	q.Cost = (r.o.Prices.Input*InputTokens + r.o.Prices.Output*float64(q.Tokens)) / 1e6
	var s *Status
	err := r.o.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		open, err := schema.PendingProposals(ctx, tx, userID, kinds)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			last := &open[len(open)-1]
			return fmt.Errorf("a reflection is %s already, since %s: decide about it first: %w", stateOf(last), last.CreatedAt.UTC().Format(time.DateOnly), schema.ErrConflict)
		}
		q.At = tx.Now.UTC()
		uid, err := tx.AddProposal(ctx, userID, KindRequest, text.JSON(q), "the agent asks for a reflection", actor)
		s = &Status{State: Requested, ID: uid, At: q.At, Request: &q}
		return err
	})
	return s, err
}

// actor is the audit's actor of a reflection.
var actor = schema.Actor{Name: "reflection"}

// byUser is the audit's actor of the decisions about it.
var byUser = schema.Actor{Name: "host"}

func validTokens(n int) bool { return n >= 1 && n <= MaxTokens }

// maxReason is the longest reason, in characters.
const maxReason = 500

// words cleans and redacts a reason.
func (r *Reflections) words(ctx context.Context, reason string) (string, error) {
	reason = strings.Join(strings.Fields(text.Clean(reason)), " ")
	if runes := []rune(reason); len(runes) > maxReason {
		reason = string(runes[:maxReason])
	}
	if r.o.Redact == nil || reason == "" {
		return reason, nil
	}
	return r.o.Redact(ctx, "reason", reason)
}

// tokens returns what a decision grants.
func (g *Grant) tokens(q *Request) (int, error) {
	if g.Amount < 0 || g.Amount > MaxTokens {
		return 0, &schema.InvalidError{Field: "amount", Reason: "must be from 0 to 32,000; the verdict says whether it is added"}
	}
	n := q.Tokens
	switch g.Verdict {
	case Approve:
		g.Amount = 0
	case Forgive:
		g.Amount, n = 0, n+q.Penalty
	case Bonus:
		n += g.Amount
	case Reduce, Penalty:
		n -= g.Amount
	default:
		return 0, &schema.InvalidError{Field: "verdict", Reason: "must be approve, bonus, reduce, forgive or penalty"}
	}
	if !validTokens(n) {
		return 0, &schema.InvalidError{Field: "tokens", Reason: fmt.Sprintf("would be %d, and must be from 1 to 32,000", n)}
	}
	return n, nil
}

// Grant grants the tokens of a request, as the user decides. [Reflections.Draft] then
// calls the model. An empty verdict is [Approve].
//
// Errors: [schema.ErrNotFound] for a request that does not wait in this scope,
// [*schema.InvalidError] for an unknown verdict and for tokens outside 1–32,000.
func (r *Reflections) Grant(ctx context.Context, scope schema.Scope, id string, g Grant) (s *Status, err error) {
	if g.Reason, err = r.words(ctx, g.Reason); err != nil {
		return nil, err
	}
	g.Verdict = cmp.Or(g.Verdict, Approve)
	err = r.o.DB.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		p, err := schema.PendingProposal(ctx, tx, userID, id, []string{KindRequest})
		if err != nil {
			return err
		}
		var q Request
		if err := p.Decode(&q); err != nil {
			return err
		}
		granted := g
		granted.Request = p.UID
		if granted.Tokens, err = granted.tokens(&q); err != nil {
			return err
		}
		if err := tx.DecideProposal(ctx, p, "applied", byUser); err != nil {
			return err
		}
		uid, err := tx.AddProposal(ctx, userID, KindGrant, text.JSON(granted), "the user granted it", byUser)
		s = &Status{State: Granted, ID: uid, At: tx.Now.UTC(), Request: &q, Grant: &granted}
		return err
	})
	return s, err
}

// Reject ends the open reflection without recording it, in whatever state it is.
//
// Errors: [schema.ErrNotFound] for an id that does not wait in this scope.
func (r *Reflections) Reject(ctx context.Context, scope schema.Scope, id string) error {
	return r.o.DB.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		p, err := schema.PendingProposal(ctx, tx, userID, id, kinds)
		if err != nil {
			return err
		}
		return tx.DecideProposal(ctx, p, "rejected", byUser)
	})
}

// Approve records a draft: its summary and the reward in the evolution log, what it
// became aware of in the identity, and its insights as memories, as one run that can be
// undone. The decided proposals are the archive.
//
// Errors: [schema.ErrNotFound] for a draft that does not wait in this scope,
// [schema.ErrConflict] if something that it was written from is forgotten now,
// [*schema.InvalidError] if the host has neither block, as with another profile.
func (r *Reflections) Approve(ctx context.Context, scope schema.Scope, id string) (s *Status, err error) {
	if r.o.Block(BlockIdentity) == nil && r.o.Block(BlockEvolution) == nil {
		return nil, &schema.InvalidError{Field: "reflection", Reason: "cannot be recorded: core memory has neither " + BlockIdentity + " nor " + BlockEvolution + " here; approve it with the profile that asked for it"}
	}
	change := &undo.Change{Kind: KindDraft, Memory: id, Reason: "the user approved it"}
	err = r.o.DB.WriteUser(undo.Record(ctx, change), scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		p, err := schema.PendingProposal(ctx, tx, userID, id, []string{KindDraft})
		if err != nil {
			return err
		}
		if s, err = r.read(ctx, tx, userID, p); err != nil {
			return err
		}
		if err := stillRead(ctx, tx, userID, s.Draft); err != nil {
			return err
		}
		if err := r.record(ctx, tx, userID, s); err != nil {
			return err
		}
		s.State = Recorded
		return tx.DecideProposal(ctx, p, "applied", byUser)
	})
	if err != nil {
		return nil, err
	}
	s.RunID = change.RunID
	return s, nil
}
