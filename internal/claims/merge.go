package claims

import (
	"context"
	"maps"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// Merge puts one claim in the place of two of equal trust, the newer of which adds to
// the older: it rests on evidence, which is that of both, and supersedes them. If content
// is the newer one's text, the newer claim itself stays, gains the evidence and
// supersedes the older. What else elaborates one of the two then elaborates the claim
// that holds.
//
// Errors: [*schema.InvalidError] for claims of different kind, trust, temporal type
// or project, before anything is written; the database's errors.
func Merge(ctx context.Context, tx *schema.Tx, newer, older *schema.Memory, content string, evidence []Evidence, by schema.Actor) (holds *schema.Memory, err error) {
	if newer.ID == older.ID || newer.Kind != older.Kind || newer.Trust != older.Trust || newer.Attributes[schema.AttrTemporal] != older.Attributes[schema.AttrTemporal] || newer.Attributes[schema.AttrProject] != older.Attributes[schema.AttrProject] {
		return nil, &schema.InvalidError{Field: "claims", Reason: "are one, or differ in kind, trust, temporal type or project"}
	}
	if err := schema.ValidContent("content", content); err != nil {
		return nil, err
	}
	links, err := tx.Night().Links(ctx, newer.UserID, schema.LinkElaborates)
	if err != nil {
		return nil, err
	}
	holds = newer
	ended := []*schema.Memory{older}
	if content == newer.Content {
		for _, e := range evidence {
			added, err := tx.Reinforce(ctx, holds, e.Memory, e.Quote, 0, by)
			if err == nil && added {
				holds, err = tx.Memory(ctx, newer.UserID, newer.UID)
			}
			if err != nil {
				return nil, err
			}
		}
	} else {
		holds, ended = inPlaceOf(newer, older, content), append(ended, newer)
		quotes := make(map[int64]string, len(evidence))
		for _, e := range evidence {
			quotes[e.Memory.ID] = e.Quote
		}
		if err := tx.AddDerived(ctx, holds, schema.PrepareChunks(content, ""), quotes, by); err != nil {
			return nil, err
		}
	}
	for _, m := range ended {
		if err := tx.Supersede(ctx, m, holds, by); err != nil {
			return nil, err
		}
	}
	both := []int64{newer.ID, older.ID}
	for i := range links {
		from, to := &links[i].From, &links[i].To
		switch there, back := slices.Contains(both, from.ID), slices.Contains(both, to.ID); {
		case there == back: // of the two, or of neither
			continue
		case there:
			from = holds
		default:
			to = holds
		}
		if _, err := tx.Link(ctx, from, to, schema.LinkElaborates, links[i].Confidence, by); err != nil {
			return nil, err
		}
	}
	return holds, nil
}

// inPlaceOf returns the memory of a merged claim.
func inPlaceOf(newer, older *schema.Memory, content string) *schema.Memory {
	m := &schema.Memory{
		UserID: newer.UserID, SessionID: newer.SessionID, SessionName: newer.SessionName, Agent: newer.Agent, Kind: newer.Kind, Content: content,
		Origin: newer.Origin, Trust: newer.Trust, EventTime: newer.EventTime, ValidFrom: newer.ValidFrom, DecayRate: min(newer.DecayRate, older.DecayRate),
		Confidence: max(newer.Confidence, older.Confidence), Importance: max(newer.Importance, older.Importance),
		Stability: max(newer.Stability, older.Stability), Utility: max(newer.Utility, older.Utility), Attributes: maps.Clone(older.Attributes),
	}
	if m.Attributes == nil {
		m.Attributes = make(schema.Attributes)
	}
	maps.Copy(m.Attributes, newer.Attributes)
	delete(m.Attributes, schema.AttrSaid) // no message contains it
	if newer.Subject == older.Subject && newer.Predicate == older.Predicate {
		m.Subject, m.Predicate = newer.Subject, newer.Predicate
	}
	return m
}
