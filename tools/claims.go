package tools

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// byModel is who the audit names for a change made through a tool.
var byModel = schema.Actor{Name: "model"}

// kindOf tells a preference from a fact.
func kindOf(content string) schema.Kind {
	if grounding.IsPreference(content) {
		return schema.KindPreference
	}
	return schema.KindFact
}

// unbacked is the most that a claim of the model's own is trusted: it can come
// from anything that was in its view, and a memory does not see all of that.
var unbacked = schema.OriginToolExternal.Ceiling()

// doubt says why a claim is set aside, "" when it is not.
func (c *claim) doubt() string {
	switch {
	case c.backing == nil && c.trust < schema.MaxTrust:
		return "no message of the user's says it, and the conversation has seen texts that are not the user's"
	case poison.InspectClaim(c.content) != "" && (c.backing == nil || poison.InspectClaim(c.backing.quote) == ""):
		return "it reads like an instruction and is not the user's own"
	}
	return ""
}

// storeClaim inserts a new claim with its source and entities, and announces
// it.
func storeClaim(ctx context.Context, tx *schema.Tx, d *Deps, userID int64, kind schema.Kind, c claim) (*schema.Memory, error) {
	sessionID, err := tx.SessionID(ctx, userID, d.Scope.Session)
	if err != nil {
		return nil, err
	}
	m := &schema.Memory{
		UserID: userID, SessionID: sessionID, SessionName: d.Scope.Session, Agent: d.Scope.Agent,
		Kind: kind, Content: c.content, Confidence: c.confidence, Importance: 0.5, DecayRate: schema.DefaultDecayRate,
		Tags: c.tags, Origin: schema.OriginAssistant, Trust: min(max(c.trust, 0), unbacked),
		Attributes: schema.Attributes{schema.AttrTemporal: grounding.Temporal(c.content, d.DB.Now().In(d.Location))},
	}
	if c.backing != nil {
		m.Origin, m.Trust, m.EventTime = c.backing.turn.Origin, c.backing.turn.Trust, c.backing.turn.EventTime
	}
	if doubt := c.doubt(); doubt != "" {
		m.State, m.Attributes[schema.AttrQuarantine] = schema.StateQuarantined, doubt
	}
	if err := tx.InsertMemory(ctx, m, c.chunks); err != nil {
		return nil, err
	}
	if c.backing != nil {
		if err := tx.AddSource(ctx, m.ID, c.backing.turn.ID, c.backing.quote); err != nil {
			return nil, err
		}
	}
	if err := linkEntities(ctx, tx, m, c.entities); err != nil {
		return nil, err
	}
	if d.Stored == nil {
		return m, nil
	}
	return m, d.Stored(ctx, tx, m)
}

// linkEntities resolves each name, or creates an entity for it, and links it.
func linkEntities(ctx context.Context, tx *schema.Tx, m *schema.Memory, names []string) error {
	for _, name := range names {
		e, _, err := tx.ResolveEntity(ctx, m.UserID, entityType(name), name, m.Confidence)
		if err != nil {
			return err
		}
		if err := tx.LinkEntity(ctx, m.ID, e.ID, name, m.Confidence); err != nil {
			return err
		}
	}
	return nil
}

// entityType says by form what kind of thing a name is.
func entityType(name string) string {
	mentions := text.Mentions(name)
	if len(mentions) == 1 && mentions[0].Text == name {
		switch mentions[0].Type {
		case text.MentionURL:
			return schema.EntityURL
		case text.MentionEmail:
			return schema.EntityEmail
		case text.MentionHandle:
			return schema.EntityHandle
		case text.MentionHashtag:
			return schema.EntityHashtag
		case text.MentionName, text.MentionDate:
		}
	}
	return schema.EntityName
}

// knownClaim finds a current claim with the same text, case and white space
// apart; nil when there is none. A quarantined one is not known. Only with
// kind <> 'episode' does SQLite use the index of claims, and not read every
// memory of the user.
func knownClaim(ctx context.Context, tx *schema.Tx, userID int64, content string) (*schema.Memory, error) {
	var uid string
	err := tx.Row(ctx, `SELECT uid FROM memories
		WHERE user_id = ? AND content_hash = ? AND kind <> 'episode' AND kind IN ('fact', 'preference') AND state IN ('active', 'dormant') AND valid_until IS NULL
		ORDER BY trust DESC, id LIMIT 1`, []any{userID, schema.HashContent(content)}, &uid)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return tx.Memory(ctx, userID, uid)
}

// reinforcement is the part of the remaining doubt that one more statement by
// the user removes.
const reinforcement = 0.3

// reinforce counts an access of a known claim and, when a turn of the user's
// backs it that is not one of its sources yet, takes that turn in: confidence
// moves towards 1 and the claim rises to the turn's trust. A model that repeats
// itself adds no evidence, so a retried call changes nothing but the access; nor
// does a user who says it again in the same conversation.
func reinforce(ctx context.Context, tx *schema.Tx, m *schema.Memory, b *backing) (stronger bool, err error) {
	if err := tx.Touch(ctx, m.UserID, []string{m.UID}, tx.Now); err != nil {
		return false, err
	}
	if b == nil {
		return false, nil
	}
	known, err := tx.NewSelect().Table("memory_sources").Where("memory_id = ? AND source_id = ?", m.ID, b.turn.ID).Exists(ctx)
	if err != nil || known {
		return false, err
	}
	if err := tx.AddSource(ctx, m.ID, b.turn.ID, b.quote); err != nil {
		return false, err
	}
	// Waking a dormant memory has moved its version.
	fresh, err := tx.Memory(ctx, m.UserID, m.UID)
	if err != nil {
		return false, err
	}
	before := evidence{fresh.Confidence, fresh.Stability, fresh.Origin, fresh.Trust}
	after := before
	independent, err := tx.Independent(ctx, m, b.turn)
	if err != nil {
		return false, err
	}
	if independent {
		after.Confidence += reinforcement * (1 - before.Confidence)
		after.Stability = schema.Corroborated(before.Stability)
	}
	if b.turn.Trust >= before.Trust {
		after.Origin, after.Trust = b.turn.Origin, b.turn.Trust
	}
	if after == before {
		return false, nil
	}
	*m = *fresh
	m.Confidence, m.Stability, m.Origin, m.Trust = after.Confidence, after.Stability, after.Origin, after.Trust
	return true, setEvidence(ctx, tx, m, before, after)
}

// evidence is how well a claim is supported.
type evidence struct {
	Confidence float64       `json:"confidence"`
	Stability  float64       `json:"stability"`
	Origin     schema.Origin `json:"origin"`
	Trust      schema.Trust  `json:"trust"`
}

func setEvidence(ctx context.Context, tx *schema.Tx, m *schema.Memory, before, after evidence) error {
	res, err := tx.NewUpdate().Table("memories").
		Set("confidence = ?", after.Confidence).Set("stability = ?", after.Stability).Set("origin = ?", string(after.Origin)).Set("trust = ?", int64(after.Trust)).
		Set("version = version + 1").
		Where("id = ? AND version = ?", m.ID, m.Version).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return fmt.Errorf("memory %s: %w", m.UID, schema.ErrConflict)
	}
	m.Version++
	_, err = tx.NewInsert().Model(&schema.Op{
		UserID: m.UserID, At: schema.At(tx.Now), Actor: byModel.Name, Operation: "reinforce", Record: "memories", RecordID: m.ID,
		Before: encode(before), After: encode(after),
	}).ExcludeColumn("id", "run_id").Exec(ctx)
	return err
}
