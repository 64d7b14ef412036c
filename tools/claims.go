package tools

import (
	"context"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// byModel is the audit's actor of a change made through a tool.
var byModel = schema.Actor{Name: "model"}

// kindOf classifies a claim as preference or fact.
func kindOf(content string) schema.Kind {
	if grounding.IsPreference(content) {
		return schema.KindPreference
	}
	return schema.KindFact
}

// unbacked is the maximum trust of a claim of the model's own: it can come from
// anything in its context, and the memory does not see all of that.
var unbacked = schema.OriginToolExternal.Ceiling()

// doubt returns the reason why a claim is quarantined, "" when it is not.
func (c *claim) doubt(d *Deps) string {
	switch {
	case c.approved:
		return ""
	case c.backing == nil && c.trust < schema.OriginToolInternal.Ceiling() && !d.ForeignModel:
		return "the user did not say it, and the agent had read texts that are not the user's in that conversation"
	case poison.InspectClaim(c.content) != "" && (c.backing == nil || poison.InspectClaim(c.backing.quote) == ""):
		return "it reads like an instruction and is not the user's own"
	}
	return ""
}

// add stores a claim, or strengthens the existing one, and ends the claims that it
// replaces. It links the entities of a new claim and announces it.
func (c *claim) add(ctx context.Context, tx *schema.Tx, d *Deps, userID int64, kind schema.Kind) (claims.Outcome, error) {
	for _, b := range []*backing{c.backing, c.drawn} {
		if b == nil {
			continue
		}
		if _, err := tx.Memory(ctx, userID, b.turn.UID); err != nil { // it may have been erased since it was read
			return claims.Outcome{}, err
		}
	}
	sessionID, err := tx.SessionID(ctx, userID, d.Scope.Session)
	if err != nil {
		return claims.Outcome{}, err
	}
	m := &schema.Memory{
		UserID: userID, SessionID: sessionID, SessionName: d.Scope.Session, Agent: d.Scope.Agent,
		Kind: kind, Content: c.content, Confidence: c.confidence, Importance: 0.5, DecayRate: schema.DefaultDecayRate, Utility: 0.5,
		Tags: c.tags, Origin: schema.OriginAssistant, Trust: min(max(c.trust, 0), unbacked),
		Attributes: schema.Attributes{schema.AttrTemporal: grounding.Temporal(c.content, d.DB.Now().In(d.Location))},
	}
	if c.backing == nil && c.trust == schema.MaxTrust && sessionID != 0 {
		m.Attributes[schema.AttrSeen] = schema.SeenUser
	}
	add := claims.Claim{Memory: m, Chunks: c.chunks, Reading: c.reading, Similar: c.similar, Corrects: c.corrects, Location: d.Location}
	speaker := ""
	if c.backing != nil {
		turn := c.backing.turn
		m.Origin, m.Trust, m.EventTime = turn.Origin, turn.Trust, turn.EventTime
		add.Evidence = []claims.Evidence{{Memory: turn, Quote: c.backing.quote, Holds: true}}
		add.Outright, speaker = c.outright, turn.Speaker
	} else if c.drawn != nil && c.trust == schema.MaxTrust { // else the claim may come from anything in the context
		m.EventTime = c.drawn.turn.EventTime
		if !c.drawn.apart { // else it may come from anywhere
			add.Evidence = []claims.Evidence{{Memory: c.drawn.turn, Quote: c.drawn.quote}}
		}
		speaker = c.drawn.turn.Speaker
		add.Outright = true // it may end what a model saved before, and nothing that the user said
		if m.Stands() {
			if err := claims.KeepSentence(ctx, tx, d.Scope.User, c.drawn.turn, c.drawn.quote, byModel); err != nil {
				return claims.Outcome{}, err
			}
		}
	}
	claims.Label(m, c.reading, d.Scope.User, speaker)
	if c.store != "" && !c.pinned(d) {
		m.Attributes[schema.AttrStore] = c.store
	}
	if doubt := c.doubt(d); doubt != "" {
		if m.Attributes == nil {
			m.Attributes = make(schema.Attributes)
		}
		m.State, m.Attributes[schema.AttrQuarantine] = schema.StateQuarantined, doubt
	}
	out, err := claims.Add(ctx, tx, d.Scope.User, add, byModel)
	if err != nil || out.Status == claims.Refused {
		return out, err
	}
	if out.Memory == m || c.backing != nil || c.trust == schema.MaxTrust { // else the names may be from elsewhere than the claim
		if err := linkEntities(ctx, tx, out.Memory, c.entities); err != nil {
			return out, err
		}
	}
	switch {
	case out.Status == claims.Made || out.Status == claims.Quarantined:
		if d.Stored != nil {
			err = d.Stored(ctx, tx, m)
		}
	case !out.Used:
		err = tx.Touch(ctx, userID, []string{out.Memory.UID}, tx.Now)
	}
	return out, err
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

// entityType classifies a name by its form.
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
