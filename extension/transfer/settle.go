package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// arrivals are the memories and events of one user that came after others.
type arrivals struct {
	userID           int64
	memory, eventSeq int64 // the last ones before
}

// journalEpisodes writes journal entries for arrived episodes that have none, at
// their old sequence numbers where these are free: consumers have read past those,
// so they do not handle the messages again.
func journalEpisodes(ctx context.Context, tx *schema.Tx, of arrivals) (changed int64, err error) {
	var lost []struct {
		schema.Memory
		Session string
		Taken   bool
	}
	err = tx.NewRaw(`SELECT m.id, m.uid, m.user_id, coalesce(m.event_seq, 0) AS event_seq, m.agent, m.role, m.speaker, m.content, m.origin, m.trust,
			m.event_time, m.created_at, m.tags, m.attributes, coalesce(s.name, '') AS session, e.seq IS NOT NULL AS taken
		FROM memories m LEFT JOIN events e ON e.seq = m.event_seq LEFT JOIN sessions s ON s.id = m.session_id
		WHERE m.kind = 'episode' AND (e.seq IS NULL OR e.user_id <> m.user_id) AND m.user_id = ? AND m.id > ? ORDER BY m.id`,
		of.userID, of.memory).Scan(ctx, &lost)
	if err != nil {
		return 0, err
	}
	for _, e := range lost {
		topic := map[string]string{"assistant": eventbus.TopicAgentResponse, "tool": eventbus.TopicToolResult}[e.Role]
		if topic == "" {
			topic = eventbus.TopicUserMessage
		}
		payload, err := json.Marshal(rememberedMessage(&e.Memory))
		if err != nil {
			return 0, err
		}
		var seq any
		if e.EventSeq != 0 && !e.Taken {
			seq = e.EventSeq
		}
		id := "imported-" + uuid.NewString() // which no line of the file can have taken
		var stored int64
		if err := tx.Row(ctx, `INSERT INTO events (seq, user_id, id, topic, agent, session, origin, trust, payload, occurred_at, recorded_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
			[]any{seq, e.UserID, id, topic, e.Agent, e.Session, string(e.Origin), int64(e.Trust), string(payload), e.EventTime, e.CreatedAt}, &stored); err != nil {
			return 0, err
		}
		if _, err := tx.Exec(ctx, "UPDATE memories SET event_seq = ? WHERE id = ?", stored, e.ID); err != nil {
			return 0, err
		}
		changed++
	}
	return changed, nil
}

// rememberedMessage restores the message of an episode. The memory does not say
// whether its importance was given with the message, so that is left out.
func rememberedMessage(m *schema.Memory) eventbus.Message {
	attributes := maps.Clone(map[string]string(m.Attributes))
	maps.DeleteFunc(attributes, func(name, _ string) bool { return schema.OwnAttribute(name) })
	return eventbus.Message{
		Text: m.Content, Speaker: m.Speaker, Role: m.Role, Tool: m.Attributes[schema.AttrTool],
		Partial: m.Attributes[schema.AttrPartial] != "", Attributes: attributes, Tags: m.Tags,
	}
}

// rememberMessages stores the episodes of arrived messages that have none, at most
// 500 a call.
func rememberMessages(ctx context.Context, m *memory.Memory, tx *schema.Tx, of arrivals) (changed int64, err error) {
	var lost []struct {
		schema.EventRow
		Tenant, Name string
	}
	const batch = 500
	err = tx.NewRaw(`SELECT e.*, u.tenant, u.name FROM events e JOIN users u ON u.id = e.user_id
		WHERE e.topic IN ('user.message', 'agent.response', 'tool.result')
			AND e.seq NOT IN (SELECT event_seq FROM memories WHERE event_seq IS NOT NULL)
			AND e.seq NOT IN (SELECT id FROM erasing WHERE record = 'events') AND json_valid(e.payload) AND e.user_id = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`,
		of.userID, of.eventSeq, batch).Scan(ctx, &lost)
	if err != nil {
		return 0, err
	}
	for _, row := range lost {
		trust := row.Trust
		e := &eventbus.Event{
			Seq: row.Seq, ID: row.ID, Topic: row.Topic, Scope: schema.Scope{Tenant: row.Tenant, User: row.Name, Session: row.Session, Agent: row.Agent},
			Origin: row.Origin, Trust: &trust, Payload: row.Payload, OccurredAt: row.OccurredAt.Time,
		}
		if err := m.Remember(ctx, tx, e); err != nil {
			return 0, fmt.Errorf("journal entry %d: %w", row.Seq, err)
		}
		changed++
	}
	return changed, nil
}
