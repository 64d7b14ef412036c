package claims

import (
	"context"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// KeepSentence stores a sentence of a user's message as a claim that stays true, since
// a model saved what it means in other words, which have no trust of their own and
// fade. A short message is kept whole. It does nothing if a pattern parses the
// sentence: then [Reader.Read] stores what it says.
func KeepSentence(ctx context.Context, tx *schema.Tx, owner string, from *schema.Memory, sentence string, by schema.Actor) error {
	if !Own(from) || slices.ContainsFunc(said.Claims(from.Content, maxClaims), func(c said.Claim) bool { return overlap(c.Sentence, sentence) }) {
		return nil
	}
	if whole := strings.TrimSpace(from.Content); text.Tokens(whole) <= wholeMessage {
		sentence = whole
	}
	m := claimOf(owner, from, sentence, said.Claim{Temporal: said.State, Lasting: 1})
	_, err := Add(ctx, tx, owner, Claim{
		Memory: m, Chunks: schema.PrepareChunks(m.Content, ""), Evidence: []Evidence{{Memory: from, Quote: sentence, Holds: true}},
	}, by)
	return err
}

// claimOf returns the memory for the claim of a sentence.
func claimOf(owner string, from *schema.Memory, sentence string, c said.Claim) *schema.Memory {
	m := &schema.Memory{
		UserID: from.UserID, SessionID: from.SessionID, SessionName: from.SessionName, Agent: from.Agent,
		Kind: schema.KindFact, Content: text.Clean(strings.TrimSpace(sentence)), EventTime: from.EventTime,
		Confidence: Confidence, DecayRate: schema.DefaultDecayRate, Utility: 0.5,
		Origin: from.Origin, Trust: from.Trust, Attributes: schema.Attributes{schema.AttrSaid: saidClaim},
	}
	if c.Lasting > 0 {
		m.Confidence = c.Lasting * Confidence
		m.Attributes[schema.AttrSaid] = schema.SaidLasting
		m.Attributes[schema.AttrTemporal] = string(c.Temporal)
		if c.Lasting < LikelyLasting && !c.Wish {
			m.State = schema.StateDormant
		}
	}
	if c.Preference || c.Wish || !known(c) && grounding.IsPreference(sentence) {
		m.Kind = schema.KindPreference
	}
	if c.Wish {
		m.Attributes[schema.AttrSaid] = SaidWish
	}
	Label(m, c, owner, from.Speaker)
	return m
}
