package schema

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Origin says where a text came from. The host stamps it, never a model.
type Origin string

// The origins, with the trust level each starts from.
const (
	OriginUser         Origin = "user_direct"   // 4: the user typed it
	OriginToolInternal Origin = "tool_internal" // 3: a tool of the host's own
	OriginAssistant    Origin = "assistant"     // the minimum over what was in that turn's context
	OriginFederation   Origin = "federation"    // 2: another agent's memory
	OriginToolExternal Origin = "tool_external" // 1: the web, mail, documents
	OriginImport       Origin = "import"        // 1: a file taken in
	OriginUnknown      Origin = "unknown"       // 0
)

// Trust is how far a text may be believed, 0 (unknown) to 4 (the user's own
// words). A derived memory has the lowest level of its sources, and a lower
// level never supersedes a higher one.
type Trust int

// MaxTrust is the level of the user's own words.
const MaxTrust Trust = 4

// MaxConfidence is how sure a claim of this trust can be, 0–1, that a model drew
// from what was said: the user's own words bear more than what a page says.
func (t Trust) MaxConfidence() float64 {
	return [...]float64{0.5, 0.6, 0.7, 0.85, 0.95}[min(max(t, 0), MaxTrust)]
}

// Ceiling is the highest trust level this origin can carry. An assistant's
// text can reach [MaxTrust]; the turn it was written in lowers it.
func (o Origin) Ceiling() Trust {
	switch o {
	case OriginUser, OriginAssistant:
		return MaxTrust
	case OriginToolInternal:
		return 3
	case OriginFederation:
		return 2
	case OriginToolExternal, OriginImport:
		return 1
	case OriginUnknown:
		return 0
	}
	return 0
}

// Validate returns an [*InvalidError] for an origin that is not listed above.
func (o Origin) Validate() error {
	switch o {
	case OriginUser, OriginToolInternal, OriginAssistant, OriginFederation, OriginToolExternal, OriginImport, OriginUnknown:
		return nil
	}
	return &InvalidError{Field: "Origin", Reason: "is not one of user_direct, tool_internal, assistant, federation, tool_external, import, unknown"}
}

// WhyQuarantined is the reason for which a quarantined memory was set aside;
// empty for others.
func (m *Memory) WhyQuarantined() string {
	if m.State == StateQuarantined {
		return m.Attributes[AttrQuarantine]
	}
	return ""
}

// OwnWords reports what the user typed, which they may word as they like.
func (m *Memory) OwnWords() bool { return m.Origin == OriginUser && m.Trust >= MaxTrust }

// Hearsay reports a text that nobody vouches for: what a tool, a page or another
// agent said, or an assistant that had such a text in view. It is stored and found when it
// is asked for; it is never put before a model unasked and never consolidated,
// however harmless it reads.
//
// What is imported is not hearsay: an import is mostly the user's own past. It
// is trusted as little, and read with as much care.
func (m *Memory) Hearsay() bool {
	switch m.Origin {
	case OriginToolExternal, OriginUnknown, OriginFederation:
		return true
	case OriginAssistant:
		return m.Trust <= OriginFederation.Ceiling()
	}
	return false
}

// LeastTrusted is the lowest trust of what was said, and of what models were
// shown from memory, in one session; in none for the empty name. A zero since
// means from the beginning. [MaxTrust] when nothing was.
func (s *Snapshot) LeastTrusted(ctx context.Context, userID int64, session string, since time.Time) (Trust, error) {
	sessionID, err := s.SessionID(ctx, userID, session)
	if err != nil {
		return 0, err
	}
	from := int64(-1 << 62)
	if !since.IsZero() {
		from = since.UnixMilli()
	}
	said, shown := int64(MaxTrust), int64(MaxTrust)
	if session == "" || sessionID != 0 {
		err = s.Row(ctx, `SELECT coalesce(min(trust), ?) FROM memories
			WHERE session_id IS ? AND event_time >= ? AND user_id = ? AND kind = 'episode'`,
			[]any{int64(MaxTrust), NullID(sessionID), from, userID}, &said)
		if err != nil {
			return 0, err
		}
	}
	err = s.Row(ctx, leastTrustedShown,
		[]any{int64(MaxTrust), userID, session, from}, &shown)
	return Trust(min(said, shown)), err
}

// leastTrustedShown goes from what was shown to the memories: the plus and the
// order keep SQLite from reading all of the user's memories for each injection.
const leastTrustedShown = `SELECT coalesce(min(m.trust), ?) FROM injections i CROSS JOIN json_each(i.items) j
	CROSS JOIN memories m ON m.uid = json_extract(j.value, '$.uid') AND +m.user_id = i.user_id
	WHERE i.user_id = ? AND i.session = ? AND i.shown_at >= ?`

// LeastTrustedBlock is the lowest trust of what core memory held since a session
// began, or since a later moment: what its contexts began with. [MaxTrust] for a
// session that has not begun.
func (s *Snapshot) LeastTrustedBlock(ctx context.Context, userID int64, session string, since time.Time) (Trust, error) {
	var from, least int64
	if !since.IsZero() {
		from = since.UnixMilli()
	}
	if session != "" {
		err := s.Row(ctx, "SELECT max(created_at, ?) FROM sessions WHERE user_id = ? AND name = ?", []any{from, userID, session}, &from)
		if errors.Is(err, sql.ErrNoRows) {
			return MaxTrust, nil
		}
		if err != nil {
			return 0, err
		}
	}
	err := s.Row(ctx, `SELECT coalesce(min(h.trust), ?) FROM block_history h JOIN blocks b ON b.id = h.block_id
		WHERE b.user_id = ? AND NOT EXISTS (SELECT 1 FROM block_history n WHERE n.block_id = h.block_id AND n.version = h.version + 1 AND n.at < ?)`,
		[]any{int64(MaxTrust), userID, from}, &least)
	return Trust(least), err
}

// LowerTrust takes the trust of the episode that an event became down to a
// level. One that is trusted no more, or that is not there, stays as it is.
func (tx *Tx) LowerTrust(ctx context.Context, userID int64, eventID string, level Trust, by Actor) error {
	m := new(Memory)
	err := selectMemories(tx, m).Where("m.user_id = ?", userID).Where("e.user_id = ? AND e.id = ?", userID, eventID).
		Where("m.trust > ?", int64(level)).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.changeMemory(ctx, m, by, "distrust", change{"trust", int64(level)})
}

// oneVoice is how long what is said without a session counts as one
// conversation.
const oneVoice = 24 * time.Hour

// Independent reports that a source is evidence of its own for m: that none of
// m's other sources is from the same conversation or the same tool, nor, below
// the user's own words, the same text once more.
func (tx *Tx) Independent(ctx context.Context, m, source *Memory) (independent bool, err error) {
	err = tx.Row(ctx, `SELECT NOT EXISTS (SELECT 1 FROM memory_sources ms JOIN memories s ON s.id = ms.source_id
		WHERE ms.memory_id = ? AND s.id <> ? AND (
			s.session_id = ? OR s.session_id IS NULL AND ? AND abs(s.event_time - ?) < ?
			OR json_extract(s.attributes, '$.tool') = ?
			OR s.content_hash = ? AND s.trust < ?))`,
		[]any{
			m.ID, source.ID, source.SessionID, source.SessionID == 0, source.EventTime, oneVoice.Milliseconds(),
			source.Attributes[AttrTool], source.ContentHash, int64(MaxTrust),
		}, &independent)
	return independent, err
}

// LeastTrustedMention is the lowest trust of what mentions an entity,
// [MaxTrust] when nothing does.
func (s *Snapshot) LeastTrustedMention(ctx context.Context, entityID int64) (Trust, error) {
	var least int64
	err := s.Row(ctx, mergedEntities+` SELECT coalesce(min(m.trust), ?) FROM memory_entities me JOIN memories m ON m.id = me.memory_id
		WHERE me.entity_id IN (SELECT id FROM merged)`, []any{entityID, int64(MaxTrust)}, &least)
	return Trust(least), err
}

// Release lets a memory out of quarantine. Only a host may ask for it: it is
// then used like any other of its origin.
//
// Errors: [*InvalidError] for a memory that is not quarantined.
func (tx *Tx) Release(ctx context.Context, m *Memory, by Actor) error {
	if m.State != StateQuarantined {
		return &InvalidError{Field: "memory_id", Reason: "names a memory that is not quarantined"}
	}
	attributes := Attributes{AttrReleased: by.Name}
	for name, value := range m.Attributes {
		attributes[name] = value
	}
	if err := tx.changeMemory(ctx, m, by, "release", change{"state", string(StateActive)}, change{"attributes", attributes}); err != nil {
		return err
	}
	m.State, m.Attributes = StateActive, attributes
	return nil
}

// Quarantined lists a user's memories that were set aside, newest first.
func (s *Snapshot) Quarantined(ctx context.Context, userID int64, limit int) ([]Memory, error) {
	var memories []Memory
	err := selectMemories(s, &memories).Where("m.user_id = ? AND m.state = ?", userID, StateQuarantined).
		Order("m.event_time DESC", "m.id DESC").Limit(int64(limit)).Scan(ctx)
	return memories, err
}
