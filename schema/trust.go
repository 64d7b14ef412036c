package schema

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"
)

// Origin is the source of a text. The host sets it, never a model.
type Origin string

// The origins, with the trust level each starts from.
const (
	OriginUser         Origin = "user_direct"   // 4: the user typed it
	OriginToolInternal Origin = "tool_internal" // 3: a tool of the host's own
	OriginAssistant    Origin = "assistant"     // the lowest trust in the context of its turn
	OriginFederation   Origin = "federation"    // 2: another agent's memory
	OriginToolExternal Origin = "tool_external" // 1: the web, mail, documents
	OriginImport       Origin = "import"        // 1: an imported file
	OriginUnknown      Origin = "unknown"       // 0
)

// Trust is the trust level of a text, 0 (unknown) to 4 (the user's own words). A derived memory has the lowest level of its sources, and a lower
// level never supersedes a higher one.
type Trust int

// MaxTrust is the level of the user's own words.
const MaxTrust Trust = 4

// MaxConfidence is the highest confidence, 0–1, of a claim that a model derived from
// texts of this trust.
func (t Trust) MaxConfidence() float64 {
	return [...]float64{0.5, 0.6, 0.7, 0.85, 0.95}[min(max(t, 0), MaxTrust)]
}

// Ceiling is the highest trust of the origin. That of an assistant is [MaxTrust]; the
// context of its turn lowers it.
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

// WhyQuarantined returns the reason of the quarantine, "" for other memories.
func (m *Memory) WhyQuarantined() string {
	if m.State == StateQuarantined {
		return m.Attributes[AttrQuarantine]
	}
	return ""
}

// OwnWords reports whether the user typed the text. It is not inspected for
// instructions.
func (m *Memory) OwnWords() bool { return m.Origin == OriginUser && m.Trust >= MaxTrust }

// Untrusted reports whether the text is untrusted: from an external tool, a web page or
// another agent, or from an assistant with such a text in its context. Untrusted text is
// stored and found by search, but never injected automatically and never consolidated,
// even if it looks harmless.
//
// Imports are not untrusted in this sense, since they are mostly the user's own past.
// They have a low trust level and are inspected like untrusted text.
func (m *Memory) Untrusted() bool {
	switch m.Origin {
	case OriginToolExternal, OriginUnknown, OriginFederation:
		return true
	case OriginAssistant:
		return m.Trust <= OriginFederation.Ceiling()
	}
	return false
}

// SeenUser is the value of [AttrSeen] if the agent was not known to have seen anything but the
// user's words and its own when it saved the claim.
const SeenUser = "user"

// exposes is the trust that a model keeps that is shown a memory m, in SQL: that of m, or of the
// user's words for what an agent saved that had seen nothing else. If its answer in that turn,
// or a tool's result that was reported later in it, is trusted less, it had.
const exposes = `CASE WHEN m.origin = 'assistant' AND m.kind <> 'episode' AND json_extract(m.attributes, '$.seen') = 'user' AND NOT EXISTS (
		SELECT 1 FROM memories e WHERE e.session_id = m.session_id AND e.event_time >= m.event_time AND e.event_time < m.event_time + 86400000
			AND e.kind = 'episode' AND e.role <> 'user' AND e.trust < 4 AND e.id > m.id AND NOT EXISTS (
				SELECT 1 FROM memories u WHERE u.session_id = m.session_id AND u.event_time >= m.event_time AND u.event_time <= e.event_time
					AND u.kind = 'episode' AND u.role = 'user' AND u.id > m.id AND u.id < e.id))
	THEN 4 ELSE m.trust END`

// Exposes returns the lowest trust to which a model is exposed that is shown a user's memories.
//
// Errors: [ErrNotFound] if there are none, or one is not the user's.
func (s *Snapshot) Exposes(ctx context.Context, userID int64, memories []int64) (Trust, error) {
	var least, found int64
	err := s.Row(ctx, `SELECT coalesce(min(`+exposes+`), 0), count(*) FROM json_each(?) j CROSS JOIN memories m ON m.id = CAST(j.value AS BIGINT) AND +m.user_id = ?`,
		[]any{JSONList(memories), userID}, &least, &found)
	if err == nil && (found == 0 || found < int64(len(memories))) {
		err = ErrNotFound
	}
	return Trust(least), err
}

// LeastTrusted returns the lowest trust of the messages of a session, and of the memories
// shown to models in it, from since on; zero means from its beginning. The empty name
// stands for messages without a session. It is [MaxTrust] if there are none.
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

// leastTrustedShown forces the join order from injections to memories: the other order
// reads all of the user's memories for each injection.
const leastTrustedShown = `SELECT coalesce(min(` + exposes + `), ?) FROM injections i CROSS JOIN json_each(i.items) j
	CROSS JOIN memories m ON m.uid = json_extract(j.value, '$.uid') AND +m.user_id = i.user_id
	WHERE i.user_id = ? AND i.session = ? AND i.shown_at >= ?`

// LeastTrustedBlock returns the lowest trust of core memory's content since a session
// began, or since a later time. It is [MaxTrust] for a session without messages.
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

// LowerTrust lowers the trust of an event's episode to a level. It does not change an
// episode at or below that level and ignores an unknown event.
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

// oneVoice is the time within which messages without a session count as one
// conversation.
const oneVoice = 24 * time.Hour

// Independent reports whether a source is independent evidence for m: none of m's other
// sources is from the same conversation or tool or, below the trust of the user's own
// words, has the same text.
func (tx *Tx) Independent(ctx context.Context, m, source *Memory) (independent bool, err error) {
	err = tx.Row(ctx, `SELECT NOT EXISTS (SELECT 1 FROM memory_sources ms JOIN memories s ON s.id = ms.source_id
		WHERE ms.memory_id = ? AND s.id <> ? AND (
			s.session_id = ? OR s.session_id IS NULL AND ? = 1 AND abs(s.event_time - ?) < ?
			OR json_extract(s.attributes, '$.tool') = ?
			OR s.content_hash = ? AND s.trust < ?))`,
		[]any{
			m.ID, source.ID, source.SessionID, source.SessionID == 0, source.EventTime, oneVoice.Milliseconds(),
			source.Attributes[AttrTool], source.ContentHash, int64(MaxTrust),
		}, &independent)
	return independent, err
}

// LeastTrustedMention returns the lowest trust that the memories that mention an entity expose
// a model to, [MaxTrust] if there are none.
func (s *Snapshot) LeastTrustedMention(ctx context.Context, entityID int64) (Trust, error) {
	var least int64
	err := s.Row(ctx, mergedEntities+` SELECT coalesce(min(`+exposes+`), ?) FROM memory_entities me JOIN memories m ON m.id = me.memory_id
		WHERE me.entity_id IN (SELECT id FROM merged)`, []any{entityID, int64(MaxTrust)}, &least)
	return Trust(least), err
}

// Release ends the quarantine of a memory by the decision of a host. It is then treated
// like others of its origin.
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

// Quarantined returns the user's quarantined memories, newest first, at most limit.
func (s *Snapshot) Quarantined(ctx context.Context, userID int64, limit int) (memories []Memory, err error) {
	err = selectQuarantined(s, &memories, userID, limit).Scan(ctx)
	return memories, err
}

func selectQuarantined(s *Snapshot, memories *[]Memory, userID int64, limit int) *bun.SelectQuery {
	return selectMemories(s, memories).Where("m.user_id = ? AND m.state = ?", userID, StateQuarantined).
		Order("m.event_time DESC", "m.id DESC").Limit(int64(limit))
}
