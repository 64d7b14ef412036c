package consolidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/schema"
)

// Claim is a fact or a preference drawn from messages.
type Claim struct {
	Content                    string
	Kind                       schema.Kind // fact or preference
	Subject, Predicate, Object string
	Sources                    []Citation
	EventTime                  time.Time // when it happened or was said; default the first source's
	ValidFrom                  time.Time // when it begins to hold; default EventTime
	Confidence                 float64   // 0–1; default 0.8
	Importance                 float64   // 0–1; default by [enrich.Importance]
	Attributes                 schema.Attributes
	// Doubt, if set, quarantines the claim for this reason: search finds it on
	// request, but it is not injected automatically.
	Doubt string
}

// Citation is a source of a claim.
type Citation struct {
	UID   string // public id
	Quote string // verbatim words of the source that state the claim; may be empty
	// Holds reports that the source itself states the claim, which adds nothing to
	// it. Only such a source raises the confidence of a known
	// claim.
	Holds bool
}

// AddClaim stores a claim.
//
// Its trust is the lowest trust of its sources, and its confidence is at most what
// that trust allows. If the claim is already known, its sources are added to the known
// one. It supersedes a claim of less trusted sources, and one that the user explicitly
// says has changed (see claims.Add). A claim that the user asked to forget is
// rejected, and so is one with a forgotten source.
type AddClaim struct{ Claim Claim }

func (p AddClaim) of() (kind, memory string) { return "add_" + string(p.Claim.Kind), "" }

func (p AddClaim) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	if err := p.Claim.validate(); err != nil {
		return Outcome{}, err
	}
	if err := stillKnown(ctx, tx, n.input.UserID, p.Claim.Sources); err != nil {
		return Outcome{}, err
	}
	sources, err := lookUp(ctx, tx, n.input.UserID, p.Claim.Sources)
	if err != nil {
		return Outcome{}, err
	}
	m := p.Claim.memory(n.input.UserID, sources)
	out, err := claims.Add(ctx, tx, n.input.Scope.User, claims.Claim{
		Memory: m, Chunks: schema.PrepareChunks(m.Content, "", m.Tags...), Evidence: sources, Wide: true, Similar: n.similar[p.Claim.Content], Location: n.input.Location,
	}, n.actor())
	if err != nil {
		return Outcome{}, err
	}
	outcome := applied(p)
	outcome.Memory, outcome.Text, outcome.Reason = out.Memory.UID, m.Content, p.Claim.Doubt
	switch out.Status {
	case claims.Refused:
		return Outcome{Kind: outcome.Kind, Status: Rejected, Reason: "the user asked to forget it"}, nil
	case claims.Quarantined:
		outcome.Status = Quarantined
		return outcome, nil
	case claims.Known, claims.Surer:
		if outcome.Status = Known; p.Claim.Doubt == "" {
			outcome.Kind, outcome.Text = "reinforce", out.Memory.Content
			if out.Used {
				outcome.Status = Applied
			}
		}
	case claims.Made:
		err = enrich.LinkKnown(ctx, tx, m, idsOf(sources))
	}
	if len(out.Ended) > 0 {
		outcome.Reason = "an earlier claim that it replaces has ended"
	}
	return outcome, err
}

// MergeClaims puts one claim in the place of two active ones, the newer of which adds to
// the older: see [claims.Merge].
type MergeClaims struct {
	Newer, Older string     // public ids
	Versions     [2]int64   // the two as the stage saw them
	Content      string     // of the claim that holds; at most 500 characters
	Sources      []Citation // of both
}

func (p MergeClaims) of() (kind, memory string) { return "merge", p.Newer }

func (p MergeClaims) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	var both [2]*schema.Memory
	for i, uid := range [...]string{p.Newer, p.Older} {
		m, err := n.unchanged(ctx, tx, uid, p.Versions[i], schema.StateActive)
		if err != nil {
			return Outcome{}, err
		}
		if err := n.unguarded(ctx, tx, m, false); err != nil {
			return Outcome{}, err
		}
		both[i] = m
	}
	if utf8.RuneCountInString(p.Content) > maxClaim {
		return Outcome{}, &schema.InvalidError{Field: "content", Reason: "is longer than a claim"}
	}
	evidence, err := lookUp(ctx, tx, n.input.UserID, p.Sources)
	if err != nil {
		return Outcome{}, err
	}
	m, err := claims.Merge(ctx, tx, both[0], both[1], p.Content, evidence, n.actor())
	if err != nil {
		return Outcome{}, err
	}
	outcome := applied(p)
	outcome.Memory, outcome.Text = m.UID, m.Content
	if m.UID == p.Newer {
		return outcome, nil
	}
	return outcome, enrich.LinkKnown(ctx, tx, m, idsOf(evidence))
}

// maxClaim is the maximum length of a claim in characters. A claim is one sentence.
const maxClaim = 500

// claimKinds are the kinds of claims.
var claimKinds = []schema.Kind{schema.KindFact, schema.KindPreference}

func (c *Claim) validate() error {
	if !slices.Contains(claimKinds, c.Kind) {
		return &schema.InvalidError{Field: "kind", Reason: "of a claim must be fact or preference"}
	}
	if utf8.RuneCountInString(c.Content) > maxClaim {
		return &schema.InvalidError{Field: "content", Reason: fmt.Sprintf("is longer than %d characters; a claim is one sentence", maxClaim)}
	}
	for _, label := range []struct{ field, value string }{{"subject", c.Subject}, {"predicate", c.Predicate}, {"object", c.Object}} {
		if utf8.RuneCountInString(label.value) > maxClaim/2 {
			return &schema.InvalidError{Field: label.field, Reason: "is too long"}
		}
	}
	return schema.ValidContent("content", c.Content)
}

// minConfidence is the lower bound of a new claim's confidence: the model's own
// estimate is not reliable enough to go below.
const minConfidence = 0.3

// memory returns the memory to store.
func (c *Claim) memory(userID int64, sources []claims.Evidence) *schema.Memory {
	first := sources[0].Memory
	m := &schema.Memory{
		UserID: userID, SessionID: first.SessionID, SessionName: first.SessionName, Agent: first.Agent,
		Kind: c.Kind, Content: strings.TrimSpace(c.Content), EventTime: first.EventTime,
		DecayRate: schema.DefaultDecayRate, Utility: 0.5, Confidence: 0.8, Importance: enrich.Importance(c.Content) / 10,
		Subject: c.Subject, Predicate: c.Predicate, Object: c.Object, Attributes: c.Attributes,
	}
	m.Origin, m.Trust = weakest(sources)
	if !c.EventTime.IsZero() {
		m.EventTime = schema.At(c.EventTime)
	}
	if m.ValidFrom = m.EventTime; !c.ValidFrom.IsZero() {
		m.ValidFrom = schema.At(c.ValidFrom)
	}
	if c.Confidence > 0 {
		m.Confidence = c.Confidence
	}
	m.Confidence = min(max(m.Confidence, minConfidence), m.Trust.MaxConfidence())
	if c.Importance > 0 {
		m.Importance = min(1, max(0.1, c.Importance))
	}
	if c.Doubt != "" {
		m.State = schema.StateQuarantined
	}
	return m
}

// lookUp reads the cited memories of this user that may be sources of claims. It
// returns an error if there are none.
func lookUp(ctx context.Context, tx *schema.Tx, userID int64, cited []Citation) ([]claims.Evidence, error) {
	var sources []claims.Evidence
	for _, c := range cited {
		m, err := tx.Memory(ctx, userID, c.UID)
		if errors.Is(err, schema.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if m.State == schema.StateQuarantined || m.State == schema.StateRetired || m.State == schema.StateForgotten ||
			slices.ContainsFunc(sources, func(s claims.Evidence) bool { return s.Memory.ID == m.ID }) {
			continue
		}
		sources = append(sources, claims.Evidence{Memory: m, Quote: c.Quote, Holds: c.Holds})
	}
	if len(sources) == 0 {
		return nil, &schema.InvalidError{Field: "sources", Reason: "name no memory that it could rest on"}
	}
	return sources, nil
}

// stillKnown returns an error if the user has asked to forget one of the memories that a text
// was written from: the text may repeat it.
func stillKnown(ctx context.Context, tx *schema.Tx, userID int64, cited []Citation) error {
	for _, c := range cited {
		m, err := tx.Memory(ctx, userID, c.UID)
		if err != nil && !isNotFound(err) {
			return err
		}
		if err == nil && m.State == schema.StateForgotten {
			return &schema.InvalidError{Field: "sources", Reason: "were forgotten in the meantime"}
		}
	}
	return nil
}

// cite returns citations without quotes.
func cite(uids []string) []Citation {
	cited := make([]Citation, len(uids))
	for i, uid := range uids {
		cited[i].UID = uid
	}
	return cited
}

// weakest returns the origin and trust of the least trusted source.
func weakest(sources []claims.Evidence) (schema.Origin, schema.Trust) {
	w := slices.MinFunc(sources, func(a, b claims.Evidence) int { return int(a.Memory.Trust) - int(b.Memory.Trust) }).Memory
	return w.Origin, w.Trust
}

// idsOf returns the row ids of the memories.
func idsOf(sources []claims.Evidence) []int64 {
	ids := make([]int64, len(sources))
	for i, s := range sources {
		ids[i] = s.Memory.ID
	}
	return ids
}
